//! Players: a token with the team's shape and colour, a beak that points ahead, the level as a number.

use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::{Level, PlayerId};

use super::Scene;
use crate::ink::{Anchor, Canvas, Color, Point, Style};
use crate::panels::marks::{dark, shape};
use crate::theme::{ACCENT, BAD, NIGHT, Shape, TEXT, TeamLook};
use crate::zappy::scene::{self, Place};

/// A token's radius is no smaller than this, in points, however far away: it is to be seen.
const SMALLEST: f32 = 2.6;
/// And no smaller than this share of a tile, so that far away it is as large as its tile allows.
const SHARE_FAR: f32 = 0.46;
/// The radius of a dot, in points: the share of a tile is not exceeded beyond it.
const DOT: f32 = 3.4;
/// From this radius on, in points, a token has a beak, a number and a shadow.
const TOKEN: f32 = 5.0;
/// From this radius on, in points, there is room for the arc of levels.
const ARC: f32 = 12.0;
/// From this size on, in tiles, a token stands so far from others that a ring fits around it.
const ROOMY: f64 = 0.18;
/// Ticks left at which a player is warned of: two meals.
const HUNGRY: u64 = 2 * zappy_protocol::zappy::constants::FOOD_TICKS;

/// How a token looks.
pub(super) struct Token {
    /// Its radius, in points.
    pub r: f32,
    /// Its team's look.
    pub look: TeamLook,
    /// Where it faces, in turns clockwise from north.
    pub turn: f32,
    /// Its number.
    pub level: Level,
}

/// A token's radius in points, of so many tiles at this scale.
pub(crate) fn radius(scale: f32, tiles: f64) -> f32 {
    (scale * tiles as f32).max((scale * SHARE_FAR).min(DOT)).max(SMALLEST)
}

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    for (player, place) in scene.cast.places() {
        drawn(canvas, scene, player, place);
    }
    stacks(canvas, scene);
    // No player and no stack hides the player that the camera follows.
    let chosen = scene.shown.view.selected_player();
    if let Some((player, place)) = chosen.and_then(|player| Some((player, scene.cast.place(player)?))) {
        drawn(canvas, scene, player, place);
    }
}

fn drawn(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId, place: &Place) {
    let Some(known) = scene.shown.stage.mirror().players.get(&player) else { return };
    let token = token(scene, player, known, place);
    if let Some((ghost, left)) = place.ghost {
        for middle in scene.seen(ghost, token.r * 2.0) {
            canvas.faded(left as f32, |canvas| body(canvas, middle, &token));
        }
    }
    let jolt = jolted(scene, place, token.r);
    for middle in scene.seen(place.point, token.r * 2.4) {
        one(canvas, scene, (player, place), &token, middle + jolt);
    }
}

fn token(scene: &Scene<'_>, player: PlayerId, known: &MirrorPlayer, place: &Place) -> Token {
    let r = radius(scene.camera.scale, place.size);
    Token { r, look: scene.look(player), turn: place.turn as f32, level: known.level }
}

/// How far a push shakes a token.
fn jolted(scene: &Scene<'_>, place: &Place, r: f32) -> Point {
    if place.jolt <= 0.0 {
        return Point::ZERO;
    }
    let shake = (place.jolt * place.jolt) as f32 * r * 0.22;
    Point::new(shake * ((scene.shown.time.tick * 2.4).sin() as f32), 0.0)
}

fn one(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    (player, place): (PlayerId, &Place),
    token: &Token,
    middle: Point,
) {
    let frozen = token.r >= TOKEN && scene.frozen.contains(&player);
    canvas.faded(place.alpha as f32, |canvas| {
        if frozen {
            canvas.glow(middle, token.r * 2.1, Color::WHITE.alpha(0.35));
        }
        body(canvas, middle, token);
        if frozen && place.size > ROOMY {
            canvas.ring(middle, token.r * 1.28, (token.r * 0.1).max(1.0), Color::WHITE.alpha(0.5));
        }
        if token.r >= TOKEN && hungry(scene, player) {
            warning(canvas, scene, middle, token.r);
        }
    });
}

fn hungry(scene: &Scene<'_>, player: PlayerId) -> bool {
    scene.shown.stage.time_to_live(player).is_some_and(|left| left.ticks < HUNGRY)
}

/// A token, from a dot to everything.
pub(super) fn body(canvas: &mut Canvas, at: Point, token: &Token) {
    let (r, color, kind) = (token.r, token.look.color, token.look.shape);
    if r < TOKEN {
        canvas.circle(at, r + 0.9, NIGHT.alpha(0.9));
        return shape(canvas, at, r, kind, token.turn, color);
    }
    let rim = (r * 0.13).clamp(1.0, 3.0);
    canvas.glow(at + Point::new(0.0, r * 0.38), r * 1.75, Color::BLACK.alpha(0.62));
    beak(canvas, at, r + rim, token.turn, dark(color));
    shape(canvas, at, r + rim, kind, token.turn, dark(color));
    beak(canvas, at, r, token.turn, color.mix(Color::WHITE, 0.55));
    shape(canvas, at, r, kind, token.turn, color);
    if r >= ARC {
        levels(canvas, at, r, token);
    }
    let share = if kind == Shape::Triangle { 1.0 } else { 1.15 };
    let size = if r >= ARC { r * 0.88 } else { r * share };
    canvas.text(at, Anchor::Centre, &token.level.to_string(), Style::strong(size, NIGHT));
}

/// What points ahead, half of it hidden by the body.
fn beak(canvas: &mut Canvas, at: Point, r: f32, turn: f32, color: Color) {
    let ahead = Point::from_turn(turn);
    let side = ahead.quarter() * (r * 0.56);
    let root = at + ahead * (r * 0.78);
    canvas.triangle(at + ahead * (r * 1.46), root + side, root - side, color);
}

/// An arc that is full at the highest level.
fn levels(canvas: &mut Canvas, at: Point, r: f32, token: &Token) {
    let (ring, width) = (r * 0.64, r * 0.11);
    let share = f32::from(token.level.get()) / f32::from(Level::MAX.get());
    canvas.ring(at, ring, width, NIGHT.alpha(0.2));
    canvas.arc(at, ring, width, 0.0, share, NIGHT.alpha(0.75));
}

fn warning(canvas: &mut Canvas, scene: &Scene<'_>, middle: Point, r: f32) {
    let beat = (scene::pulse(scene.shown, 60.0) * std::f32::consts::TAU).sin();
    let small = (r * 0.4).max(3.0) * (1.0 + 0.12 * beat);
    let at = middle + Point::new(r * 0.86, -r * 0.86);
    canvas.circle(at, small + 1.2, NIGHT);
    canvas.circle(at, small, BAD);
    if small >= 4.0 {
        canvas.text(at, Anchor::Centre, "!", Style::strong(small * 1.7, NIGHT));
    }
}

/// How many lie on a stack.
fn stacks(canvas: &mut Canvas, scene: &Scene<'_>) {
    if scene.camera.scale < scene::FAR {
        return;
    }
    for &(at, count) in scene.cast.stacks() {
        let size = (scene.camera.scale * 0.17).max(9.0);
        for middle in scene.seen(scene::middle(at), size * 2.0) {
            canvas.circle(middle, size * 0.95, NIGHT.alpha(0.92));
            canvas.ring(middle, size * 0.95, 1.0, TEXT.alpha(0.5));
            canvas.text(middle, Anchor::Centre, &format!("+{count}"), Style::strong(size * 0.86, TEXT));
        }
    }
}

/// The ring around the selected player.
pub(super) fn selected(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId) {
    let Some(place) = scene.cast.place(player) else { return };
    let r = radius(scene.camera.scale, place.size);
    let ring = (r * 1.62).max(9.0);
    for middle in scene.seen(place.point, ring * 2.0) {
        canvas.ring(middle, ring, 4.0, NIGHT.alpha(0.7));
        canvas.ring(middle, ring, 2.0, ACCENT);
    }
}
