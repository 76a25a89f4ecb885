//! What just happened, each kind with its own sign.

use zappy_protocol::conquest::Cause;

use super::pieces::radius;
use super::scene::Scene;
use super::stage::What;
use super::view::Shown;
use crate::ink::{Anchor, Canvas, Color, Point, Style};
use crate::theme::{ACCENT, BAD, GOOD, NIGHT};
use crate::torus::{Torus, bright, cross, ease_out, middle, swell};

/// Points per tile from which on there is room for words.
const WORDS: f32 = 20.0;
/// The colour of a blast.
const BLAST: Color = Color::hex(0xff_b0_40);

/// Effects on the ground: land that changed hands.
pub(super) fn under(canvas: &mut Canvas, torus: &Torus, scene: &Scene<'_>, shown: &Shown<'_>) {
    for effect in &scene.effects {
        let (What::Land(_, tile), Some(at)) = (&effect.happening.what, effect.happening.at) else { continue };
        let left = 1.0 - effect.age as f32;
        let color = tile.owner.map_or(Color::WHITE, |owner| bright(shown.look(Some(owner)).color));
        for centre in torus.seen(middle(at), torus.camera.scale * 2.0) {
            canvas.rect(torus.tile_rect(centre, ease_out(effect.age * 1.5)), color.alpha(0.6 * left));
            let ring = torus.tile_rect(centre, 1.0 + 0.5 * ease_out(effect.age));
            canvas.outline(ring, 0.0, 2.0, color.alpha(left));
        }
    }
}

/// Effects above the units.
pub(super) fn over(canvas: &mut Canvas, torus: &Torus, scene: &Scene<'_>, shown: &Shown<'_>) {
    let r = radius(torus.camera.scale);
    for effect in &scene.effects {
        let Some(at) = effect.happening.at.filter(|&at| torus.map.contains(at)) else { continue };
        let (age, left) = (effect.age, 1.0 - effect.age as f32);
        for centre in torus.seen(middle(at), torus.camera.scale * 3.0) {
            match &effect.happening.what {
                What::Attacked(by, target) | What::Healed(by, target) => {
                    let (dx, dy) = torus.map.delta(target.at, by.at);
                    let from = centre + Point::new(dx as f32, dy as f32) * torus.camera.scale;
                    let heals = matches!(effect.happening.what, What::Healed(..));
                    let color = if heals { GOOD } else { bright(shown.look(Some(by.faction)).color) };
                    strike(canvas, (from, centre), r, color, age);
                }
                What::Changed(_, _, by) => change(canvas, torus, centre, *by, age),
                What::Gone { cause: Cause::Bomb, .. } => blast(canvas, centre, torus.camera.scale, age),
                What::Gone { was, .. } => {
                    let color = shown.look(Some(was.faction)).color;
                    let out = r * (1.0 + 1.3 * ease_out(age));
                    canvas.ring(centre, out, (r * 0.14).max(1.0), BAD.alpha(left * left));
                    cross(canvas, centre, r * 0.75, (r * 0.34).max(2.0), NIGHT.alpha(left));
                    cross(canvas, centre, r * 0.7, (r * 0.2).max(1.2), color.alpha(left));
                }
                What::Converted(_, was, to) => {
                    let (old, new) = (shown.look(Some(was.faction)).color, shown.look(Some(*to)).color);
                    canvas.glow(centre, r * 2.6, bright(new).alpha(0.5 * left));
                    canvas.ring(centre, r * (1.3 + ease_out(age)), 2.0, old.alpha(left));
                    canvas.arc(centre, r * 1.5, (r * 0.18).max(2.0), 0.0, ease_out(age), bright(new));
                }
                What::Appeared(_, unit) => {
                    let color = bright(shown.look(Some(unit.faction)).color);
                    canvas.ring(centre, r * (3.0 - 1.6 * ease_out(age)), 2.0, color.alpha(left));
                }
                What::Fort(_, true) | What::Built(..) | What::Bomb(_, true) => {
                    canvas.ring(centre, r * (1.0 + 1.5 * ease_out(age)), 1.5, ACCENT.alpha(left));
                }
                What::Fort(_, false) | What::Bomb(_, false) => {
                    canvas.ring(centre, r * (1.0 + 1.5 * ease_out(age)), 1.5, BAD.alpha(left));
                }
                What::Beaten(faction) => {
                    let color = bright(shown.look(Some(*faction)).color);
                    let wide = torus.camera.scale * (1.0 + 4.0 * ease_out(age));
                    canvas.ring(centre, wide, 4.0, color.alpha(left));
                    blast(canvas, centre, torus.camera.scale * 1.6, age);
                }
                _ => {}
            }
        }
    }
}

/// A stroke from one unit to the other, with a head that runs ahead.
fn strike(canvas: &mut Canvas, (from, to): (Point, Point), r: f32, color: Color, age: f64) {
    let (lit, head) = (swell(age, 0.3), from.lerp(to, ease_out(age * 1.6)));
    let width = (r * 0.3).max(1.5);
    canvas.line(from, head, width + 2.0, NIGHT.alpha(0.7 * lit));
    canvas.line(from, head, width, color.alpha(lit));
    canvas.star(head, r * 0.8, 4, 0.35, 0.0, Color::WHITE.alpha(lit));
}

/// What a hit took, or a cleric gave: a number that rises.
fn change(canvas: &mut Canvas, torus: &Torus, centre: Point, by: i64, age: f64) {
    if by == 0 || torus.camera.scale < WORDS {
        return;
    }
    let size = (torus.camera.scale * 0.34).clamp(11.0, 20.0);
    let (color, lit) = (if by < 0 { BAD } else { GOOD }, swell(age, 0.1));
    let at = centre - Point::new(0.0, torus.tiles(0.35 + 0.35 * f64::from(ease_out(age))));
    canvas.circle(at, size * 0.78, NIGHT.alpha(0.85 * lit));
    canvas.text(at, Anchor::Centre, &format!("{by:+}"), Style::strong(size, color.alpha(lit)));
}

fn blast(canvas: &mut Canvas, centre: Point, side: f32, age: f64) {
    let (out, left) = (ease_out(age), 1.0 - age as f32);
    canvas.glow(centre, side * (0.5 + 0.6 * out), BLAST.alpha(0.7 * left));
    canvas.star(centre, side * (0.25 + 0.45 * out), 9, 0.55, 0.1 * out, BLAST.alpha(left));
    canvas.star(centre, side * (0.12 + 0.25 * out), 7, 0.5, -0.1 * out, Color::WHITE.alpha(left));
    for piece in 0..8 {
        let way = Point::from_turn(piece as f32 / 8.0 + 0.06);
        canvas.circle(centre + way * (side * (0.3 + 0.7 * out)), side * 0.05, BAD.alpha(left));
    }
}
