//! Draws what just happened, each kind with its own sign.

use zappy_protocol::conquest::Cause;

use super::pieces::radius;
use super::scene::{ConquestScene, Fight};
use super::state::IncidentKind;
use super::view::Shown;
use zappy_observer::ink::{Anchor, Canvas, Color, Face, Point, Rect, Style};
use zappy_observer::panels::marks::shape;
use zappy_observer::theme::{ACCENT, GOOD, NIGHT, TEXT, size};
use zappy_observer::torus::{TorusView, bright, cross, ease_out, middle, swell};

/// Points per tile from which on there is room for changes of health.
const HEALTH_SCALE: f32 = 20.0;
/// The colour of a blast.
const BLAST: Color = Color::hex(0xff_b0_40);

/// Effects below the units: land that changed hands.
pub(super) fn under(canvas: &mut Canvas, torus: &TorusView, scene: &ConquestScene<'_>, shown: &Shown<'_>) {
    for effect in &scene.effects {
        let (IncidentKind::Land(_, tile), Some(at)) = (&effect.incident.what, effect.incident.at) else {
            continue;
        };
        let left = 1.0 - effect.age as f32;
        let color = tile.owner.map_or(Color::WHITE, |owner| bright(shown.look(Some(owner)).color));
        for centre in torus.seen(middle(at), torus.camera.scale * 2.0) {
            canvas.rect(torus.tile_rect(centre, ease_out(effect.age * 1.5)), color.alpha(0.6 * left));
            let ring = torus.tile_rect(centre, 1.0 + 0.5 * ease_out(effect.age));
            canvas.outline(ring, 0.0, 2.0, color.alpha(left));
        }
    }
}

/// Effects above the units: those that attack, fall, change sides or appear, and what is built on tiles.
pub(super) fn over(canvas: &mut Canvas, torus: &TorusView, scene: &ConquestScene<'_>, shown: &Shown<'_>) {
    let r = radius(torus.camera.scale);
    for effect in &scene.effects {
        let Some(at) = effect.incident.at.filter(|&at| torus.map.contains(at)) else { continue };
        let (age, left) = (effect.age, 1.0 - effect.age as f32);
        for centre in torus.seen(middle(at), torus.camera.scale * 3.0) {
            match &effect.incident.what {
                IncidentKind::Attacked(by, target) | IncidentKind::Healed(by, target) => {
                    let (dx, dy) = torus.map.delta(target.at, by.at);
                    let from = centre + Point::new(dx as f32, dy as f32) * torus.camera.scale;
                    let heals = matches!(effect.incident.what, IncidentKind::Healed(..));
                    let color = if heals { GOOD } else { bright(shown.look(Some(by.faction)).color) };
                    draw_strike(canvas, (from, centre), r, color, age);
                }
                IncidentKind::Gone { cause: Cause::Bomb, .. } => {
                    draw_blast(canvas, centre, torus.camera.scale, age);
                }
                IncidentKind::Gone { was, .. } => {
                    let color = shown.look(Some(was.faction)).color;
                    let out = r * (1.0 + 1.3 * ease_out(age));
                    // Pieces that fly apart, white, since no faction is.
                    for piece in 0..6 {
                        let from = piece as f32 / 6.0;
                        let width = (r * 0.14).max(1.2);
                        canvas.arc(centre, out, width, from, from + 0.09, TEXT.alpha(left * left));
                    }
                    draw_fallen(canvas, centre, r, color, left);
                }
                IncidentKind::Converted(_, was, to) => {
                    let (old, new) = (shown.look(Some(was.faction)).color, shown.look(Some(*to)).color);
                    canvas.glow(centre, r * 2.6, bright(new).alpha(0.5 * left));
                    canvas.ring(centre, r * (1.3 + ease_out(age)), 2.0, old.alpha(left));
                    canvas.arc(centre, r * 1.5, (r * 0.18).max(2.0), 0.0, ease_out(age), bright(new));
                }
                IncidentKind::Appeared(_, unit) => {
                    let color = bright(shown.look(Some(unit.faction)).color);
                    canvas.ring(centre, r * (3.0 - 1.6 * ease_out(age)), 2.0, color.alpha(left));
                }
                IncidentKind::Fort(_, true) | IncidentKind::Built(..) | IncidentKind::Bomb(_, true) => {
                    canvas.ring(centre, r * (1.0 + 1.5 * ease_out(age)), 1.5, ACCENT.alpha(left));
                }
                IncidentKind::Fort(_, false) | IncidentKind::Bomb(_, false) => {
                    canvas.ring(centre, r * (1.0 + 1.5 * ease_out(age)), 1.5, TEXT.alpha(left));
                    cross(canvas, centre, r * 0.6, 1.5, TEXT.alpha(left));
                }
                IncidentKind::Beaten(faction) => {
                    let color = bright(shown.look(Some(*faction)).color);
                    let wide = torus.camera.scale * (1.0 + 4.0 * ease_out(age));
                    canvas.ring(centre, wide, 4.0, color.alpha(left));
                    draw_blast(canvas, centre, torus.camera.scale * 1.6, age);
                }
                _ => {}
            }
        }
    }
}

/// A cross where a unit has fallen.
fn draw_fallen(canvas: &mut Canvas, centre: Point, r: f32, color: Color, alpha: f32) {
    cross(canvas, centre, r * 0.75, (r * 0.36).max(3.0), NIGHT.alpha(alpha));
    cross(canvas, centre, r * 0.7, (r * 0.2).max(1.6), bright(color).alpha(alpha));
}

/// Fights: an arrow for each blow, a cross for each unit that fell, the health that units lost or gained, and how many
/// units each faction lost. Not drawn on repeats of the world. `free` is the part of the world that no panel covers;
/// the plates of losses avoid the rectangles in `taken`, and are added to them.
pub(super) fn draw_fights(
    canvas: &mut Canvas,
    torus: &TorusView,
    scene: &ConquestScene<'_>,
    (shown, free): (&Shown<'_>, Rect),
    taken: &mut Vec<Rect>,
) {
    let r = radius(torus.camera.scale);
    for fight in &scene.fights {
        let home = torus.once(middle(fight.at));
        let place = |at| {
            let (dx, dy) = torus.map.delta(fight.at, at);
            home + Point::new(dx as f32, dy as f32) * torus.camera.scale
        };
        for (at, faction, left) in &fight.fallen {
            // In a corner of the tile: another unit may stand on it by now.
            let corner = place(*at) + Point::new(torus.tiles(0.33), -torus.tiles(0.33));
            let color = shown.look(Some(*faction)).color;
            draw_fallen(canvas, corner, (r * 0.55).max(3.5), color, opacity(*left));
        }
        for blow in &fight.blows {
            let color = bright(shown.look(Some(blow.by)).color).alpha(opacity(blow.left));
            draw_arrow(canvas, (place(blow.from), place(blow.to)), r, color);
        }
        draw_losses(canvas, torus, (fight, home), (shown, free), taken);
    }
    if torus.camera.scale < HEALTH_SCALE {
        return;
    }
    let size = (torus.camera.scale * 0.34).clamp(11.0, 20.0);
    for effect in &scene.effects {
        let (IncidentKind::Changed(_, _, by), Some(at)) = (&effect.incident.what, effect.incident.at) else {
            continue;
        };
        if *by == 0 {
            continue;
        }
        // It rises, and says `hp`, to differ from the number of units that a faction lost.
        let (color, lit) = (if *by < 0 { TEXT } else { GOOD }, swell(effect.age, 0.1));
        let up = torus.tiles(0.35 + 0.35 * f64::from(ease_out(effect.age)));
        let at = torus.once(middle(at)) - Point::new(0.0, up);
        let sign = if *by < 0 { '−' } else { '+' };
        let words = format!("{sign}{} hp", by.unsigned_abs());
        let wide = canvas.measure(&words, Face::Strong, size) + size * 0.7;
        canvas.round_rect(Rect::around(at, wide, size * 1.4), size * 0.7, NIGHT.alpha(0.85 * lit));
        canvas.text(at, Anchor::Centre, &words, Style::strong(size, color.alpha(lit)));
    }
}

/// How opaque something is of which the share `left` of its time remains: fully for the first half, then less.
fn opacity(left: f32) -> f32 {
    (left * 2.0).min(1.0)
}

/// A blow from one unit's edge to the other's, with a burst where it hits.
fn draw_arrow(canvas: &mut Canvas, (from, to): (Point, Point), r: f32, color: Color) {
    let Some(direction) = (to - from).unit() else { return };
    let (from, tip) = (from + direction * (r * 0.9), to - direction * (r * 0.75));
    let (width, head) = ((r * 0.24).max(1.6), (r * 0.75).max(4.5));
    let (neck, side) = (tip - direction * head, direction.quarter() * (head * 0.7));
    let fade = f32::from(color.0[3]) / 255.0;
    canvas.line(from, neck, width + 2.5, NIGHT.alpha(0.8 * fade));
    canvas.triangle(tip + direction * 1.8, neck + side * 1.3, neck - side * 1.3, NIGHT.alpha(0.8 * fade));
    canvas.line(from, neck, width, color);
    canvas.triangle(tip, neck + side * 0.85, neck - side * 0.85, color);
    // The burst sets a blow apart from a unit's move.
    canvas.star(tip, head * 0.8, 6, 0.4, 0.0, NIGHT.alpha(0.8 * fade));
    canvas.star(tip, head * 0.62, 6, 0.4, 0.0, Color::WHITE.alpha(fade));
}

/// A plate with two swords and the number of units that each faction lost: `● −2  ■ −1`; nothing if no unit fell.
fn draw_losses(
    canvas: &mut Canvas,
    torus: &TorusView,
    (fight, home): (&Fight, Point),
    (shown, free): (&Shown<'_>, Rect),
    taken: &mut Vec<Rect>,
) {
    let losses = fight.losses();
    if losses.is_empty() {
        return;
    }
    let text = (torus.camera.scale * 0.3).clamp(size::SMALL, 18.0);
    let labels: Vec<_> =
        losses.iter().map(|(faction, many)| (shown.look(Some(*faction)), format!("−{many}"))).collect();
    let label_width = |canvas: &Canvas, words: &str| canvas.measure(words, Face::Strong, text) + text * 1.75;
    let width = text * 1.9 + labels.iter().map(|(_, words)| label_width(canvas, words)).sum::<f32>();
    // Above all that is drawn of the fight; where that place is taken, below it, then farther away.
    let blows = fight.blows.iter().flat_map(|blow| [blow.from, blow.to]);
    let places = fight.fallen.iter().map(|(at, ..)| *at).chain(blows);
    let rows: Vec<i32> = places.map(|at| torus.map.delta(fight.at, at).1).collect();
    let distance = |row: Option<&i32>| 0.95 + f64::from(row.map_or(0, |row| row.abs()));
    let highest = rows.iter().min().filter(|row| **row < 0);
    let lowest = rows.iter().max().filter(|row| **row > 0);
    let (up, down) = (torus.tiles(distance(highest)).max(15.0), torus.tiles(distance(lowest)).max(15.0));
    let height = text * 1.6;
    let room = free.inset(2.0);
    let steps = (0..4_u8).map(|step| f32::from(step) * height * 0.6);
    let mut plates = steps.flat_map(|by| [-up - by, down + by]).map(|y| {
        let plate = Rect::around(home + Point::new(0.0, y), width, height);
        let x = plate.x.min(room.right() - plate.w).max(room.x);
        let y = plate.y.min(room.bottom() - plate.h).max(room.y);
        Rect { x, y, ..plate }
    });
    if !free.contains(home) {
        return;
    }
    let Some(usual) = plates.clone().next() else { return };
    let plate = plates.find(|plate| !taken.iter().any(|other| other.overlaps(*plate))).unwrap_or(usual);
    taken.push(plate);
    canvas.faded(opacity(fight.left), |canvas| {
        canvas.round_rect(plate, plate.h / 2.0, NIGHT.alpha(0.9));
        canvas.outline(plate, plate.h / 2.0, 1.0, TEXT.alpha(0.5));
        let mut at = Point::new(plate.x + text * 1.05, plate.centre().y);
        let blade = text * 0.42;
        for side in [-1.0, 1.0] {
            let tip = at + Point::new(side * blade, -blade);
            let hilt = at + Point::new(-side * blade, blade);
            canvas.line(hilt, tip, (text * 0.13).max(1.2), TEXT);
            let guard = hilt.lerp(tip, 0.24);
            let across = Point::new(blade * 0.38, side * blade * 0.38);
            canvas.line(guard - across, guard + across, (text * 0.13).max(1.2), TEXT);
        }
        at.x += text * 1.35;
        for (look, words) in &labels {
            shape(canvas, at, text * 0.42, look.shape, 0.0, look.color);
            let from = at + Point::new(text * 0.7, 0.0);
            canvas.text(from, Anchor::Left, words, Style::strong(text, TEXT));
            at.x += label_width(canvas, words);
        }
    });
}

/// A stroke from one unit to the other, with a head that runs ahead.
fn draw_strike(canvas: &mut Canvas, (from, to): (Point, Point), r: f32, color: Color, age: f64) {
    let (lit, head) = (swell(age, 0.3), from.lerp(to, ease_out(age * 1.6)));
    let width = (r * 0.3).max(1.5);
    canvas.line(from, head, width + 2.0, NIGHT.alpha(0.7 * lit));
    canvas.line(from, head, width, color.alpha(lit));
    canvas.star(head, r * 0.8, 4, 0.35, 0.0, Color::WHITE.alpha(lit));
}

/// A blast that grows to about the size of a tile, `side` points.
fn draw_blast(canvas: &mut Canvas, centre: Point, side: f32, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    canvas.glow(centre, side * (0.5 + 0.6 * out), BLAST.alpha(0.7 * left));
    canvas.star(centre, side * (0.25 + 0.45 * out), 9, 0.55, 0.1 * out, BLAST.alpha(left));
    canvas.star(centre, side * (0.12 + 0.25 * out), 7, 0.5, -0.1 * out, Color::WHITE.alpha(left));
    for piece in 0..8 {
        let direction = Point::from_turn(piece as f32 / 8.0 + 0.06);
        canvas.circle(centre + direction * (side * (0.3 + 0.7 * out)), side * 0.05, BLAST.alpha(left));
    }
}
