//! Incantations: the circle, the players that take part, the progress, and the end.

use zappy_protocol::zappy::constants::INCANTATION_TICKS;
use zappy_protocol::zappy::mirror::MirrorIncantation;
use zappy_protocol::zappy::story::What;
use zappy_protocol::{Position, Tick};

use super::{Scene, bright, cross, ease_out, swell};
use crate::ink::{Anchor, Canvas, Color, Point, Style};
use crate::theme::{BAD, GOOD, NIGHT, TEXT};
use crate::zappy::scene::{self, NEAR};

/// The circle's radius, in tiles.
const CIRCLE: f64 = 0.47;
/// The circle's radius at the least, in points: an incantation is seen from anywhere.
const CIRCLE_MIN: f32 = 7.5;
/// How much smaller the circle of the next incantation on the same tile is.
const INNER: f32 = 0.84;
/// Pieces of a circle that breaks.
const PIECES: u32 = 7;
/// Rays of a circle that succeeds.
const RAYS: u32 = 12;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let incantations = scene.shown.stage.incantations();
    for (index, incantation) in
        incantations.iter().enumerate().filter(|(_, incantation)| scene.map.contains(incantation.at))
    {
        let inside = incantations[..index].iter().filter(|other| other.at == incantation.at).count();
        running(canvas, scene, incantation, INNER.powi(i32::try_from(inside).unwrap_or(i32::MAX)));
    }
}

fn circle(scene: &Scene<'_>) -> f32 {
    scene.tiles(CIRCLE).max(CIRCLE_MIN)
}

/// The share of an incantation that is over, 0 to 1.
fn progress(began: Tick, tick: f64) -> f32 {
    ((tick - began as f64) / INCANTATION_TICKS as f64).clamp(0.0, 1.0) as f32
}

fn running(canvas: &mut Canvas, scene: &Scene<'_>, incantation: &MirrorIncantation, share: f32) {
    let color = incantation.players.first().map_or(TEXT, |&player| bright(scene.look(player).color));
    let r = circle(scene) * share;
    let centre = scene::middle(incantation.at);
    let beat = (scene::pulse(scene.shown, 90.0) * std::f32::consts::TAU).sin() * 0.5 + 0.5;
    for middle in scene.seen(centre, r * 2.6) {
        canvas.glow(middle, r * (1.55 + 0.25 * beat), color.alpha(0.34 + 0.16 * beat));
        rune(canvas, scene, incantation, middle, r, color);
        spokes(canvas, scene, incantation, middle, color);
        let width = (r * 0.11).clamp(2.0, 7.0);
        canvas.ring(middle, r, width + 2.0, NIGHT.alpha(0.75));
        canvas.ring(middle, r, width, color.alpha(0.25));
        match incantation.began {
            Some(began) => canvas.arc(middle, r, width, 0.0, progress(began, scene.shown.time.tick), color),
            None => {
                let turn = scene::pulse(scene.shown, 120.0);
                canvas.arc(middle, r, width, turn, turn + 0.3, color);
            }
        }
        if share == 1.0 {
            goal(canvas, scene, incantation, middle + Point::new(0.0, r * 1.12), color);
        }
    }
}

/// A figure within the circle that turns, with a corner for each player that takes part.
fn rune(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    incantation: &MirrorIncantation,
    middle: Point,
    r: f32,
    color: Color,
) {
    if r < 14.0 {
        return;
    }
    let sides = u32::try_from(incantation.players.len().clamp(3, 8)).unwrap_or(3);
    let turn = scene::pulse(scene.shown, 480.0);
    let width = (r * 0.03).max(1.0);
    canvas.polygon_outline(middle, r * 0.93, sides, turn, 0.0, width, color.alpha(0.4));
    canvas.polygon_outline(
        middle,
        r * 0.93,
        sides,
        -turn + 0.5 / sides as f32,
        0.0,
        width,
        color.alpha(0.25),
    );
}

/// From the middle to each player that takes part; the way to their repeats is the shortest one.
fn spokes(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    incantation: &MirrorIncantation,
    middle: Point,
    color: Color,
) {
    let centre = scene::middle(incantation.at);
    for place in incantation.players.iter().filter_map(|&player| scene.cast.place(player)) {
        let (dx, dy) = crate::camera::shortest(scene.map, centre, place.point);
        // A player that was moved away still takes part, but is drawn elsewhere.
        if dx.hypot(dy) > 1.0 {
            continue;
        }
        let to = middle + Point::new(scene.tiles(dx), scene.tiles(dy));
        canvas.line(middle, to, scene.tiles(0.035).max(1.0), color.alpha(0.7));
    }
}

/// The level it leads to.
fn goal(canvas: &mut Canvas, scene: &Scene<'_>, incantation: &MirrorIncantation, at: Point, color: Color) {
    let Some(next) = incantation.level.next().filter(|_| scene.camera.scale > NEAR * 0.7) else { return };
    let size = (scene.camera.scale * 0.14).clamp(10.0, 16.0);
    let text = format!("to level {next}");
    let width = canvas.measure(&text, crate::ink::Face::Strong, size);
    let plate = crate::ink::Rect::around(at, width + size, size * 1.5);
    canvas.round_rect(plate, size * 0.75, NIGHT.alpha(0.9));
    canvas.text(at, Anchor::Centre, &text, Style::strong(size, color));
}

/// How the incantations that just ended went.
pub(super) fn endings(canvas: &mut Canvas, scene: &Scene<'_>) {
    for effect in &scene.effects {
        let (What::IncantationEnded { success, .. }, Some(at)) =
            (&effect.happening.what, effect.happening.at)
        else {
            continue;
        };
        let r = circle(scene);
        for middle in scene.seen(scene::middle(at), r * 4.0) {
            if *success {
                rises(canvas, middle, r, effect.age);
            } else {
                breaks(canvas, middle, r, effect.age);
            }
        }
    }
}

fn rises(canvas: &mut Canvas, middle: Point, r: f32, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    canvas.glow(middle, r * (1.2 + out), GOOD.alpha(0.55 * left));
    canvas.ring(middle, r * (0.6 + 1.1 * out), (r * 0.16 * left).max(1.0), GOOD.alpha(left));
    for ray in 0..RAYS {
        let way = Point::from_turn(ray as f32 / RAYS as f32);
        let (from, to) = (0.7 + 0.8 * out, 0.95 + 1.0 * out);
        canvas.line(
            middle + way * (r * from),
            middle + way * (r * to),
            (r * 0.07).max(1.5),
            GOOD.alpha(left),
        );
    }
}

fn breaks(canvas: &mut Canvas, middle: Point, r: f32, age: f64) {
    let (out, left) = (ease_out(age), swell(age, 0.08));
    let width = (r * 0.11).clamp(2.0, 7.0);
    for piece in 0..PIECES {
        let turn = piece as f32 / PIECES as f32;
        let apart = Point::from_turn(turn) * (r * 0.34 * out);
        // Some pieces turn one way, some the other.
        let spin = if piece % 2 == 0 { 0.07 } else { -0.05 } * out;
        let half = 0.4 / PIECES as f32;
        canvas.arc(middle + apart, r, width, turn - half + spin, turn + half + spin, BAD.alpha(left));
    }
    cross(canvas, middle, r * 0.34, width, BAD.alpha(left * 0.9));
}

/// Where an incantation runs, as the minimap shows it, and its colour.
pub(super) fn sites(
    scene_look: impl Fn(&MirrorIncantation) -> Color,
    incantations: &[MirrorIncantation],
) -> Vec<(Position, Color)> {
    incantations.iter().map(|incantation| (incantation.at, scene_look(incantation))).collect()
}
