//! What is being said, at the speakers: by the selected player, or by all.

use zappy_protocol::zappy::story::What;

use super::{Scene, bright};
use crate::ink::{Anchor, Canvas, Face, Point, Rect, Style};
use crate::theme::{NIGHT, PANEL, TEXT, gap, size};
use crate::zappy::scene;

/// Bubbles at most: more would hide the world.
const BUBBLES: usize = 10;
/// A bubble's text is cut to this width, in points.
const WIDTH: f32 = 230.0;
/// Points per tile from which on there is room for words.
const FROM: f32 = 24.0;
/// A player larger than this, in tiles, is alone on its tile.
const ALONE: f64 = 0.25;
/// Characters that are measured at most.
const CHARACTERS: usize = 80;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let chosen = scene.shown.view.selected_player();
    if scene.camera.scale < FROM || !(scene.shown.view.words || chosen.is_some()) {
        return;
    }
    let mut said = scene::words(scene.shown);
    said.retain(|(player, _)| scene.shown.view.words || Some(*player) == chosen);
    // Words that stand keep their room until they go; only the selected player's come before them.
    said.reverse();
    said.sort_by_key(|(player, _)| Some(*player) != chosen);
    let mut taken: Vec<Rect> = scene.covered.to_vec();
    for (player, effect) in said {
        let (What::Broadcast(_, text), Some(at)) = (&effect.happening.what, effect.happening.at) else {
            continue;
        };
        let text: String = text.to_string().chars().take(CHARACTERS).collect();
        // Above the token where there is one alone, above the tile where there are more.
        let (point, r) = match scene.cast.place(player) {
            Some(place) if place.size > ALONE => {
                (place.point, super::players::radius(scene.camera.scale, place.size) * 1.35)
            }
            _ => (scene::middle(at), scene.tiles(0.45)),
        };
        // At the repeat nearest to the middle: one voice is enough.
        let middle = scene.place.centre();
        let nearest = scene
            .seen(point, 0.0)
            .min_by(|one, other| one.distance(middle).total_cmp(&other.distance(middle)));
        // What a player below a panel says would seem to be said by another one.
        let seen = nearest.filter(|speaker| scene.free.contains(*speaker));
        if let Some(speaker) = seen.filter(|_| taken.len() < BUBBLES + scene.covered.len()) {
            let color = bright(scene.look(player).color);
            canvas.faded(there(effect.age), |canvas| {
                bubble(canvas, scene, (speaker, r), (&text, color), &mut taken);
            });
        }
    }
}

/// Words come at once, stay, and go.
fn there(age: f64) -> f32 {
    (age / 0.03).min((1.0 - age) / 0.15).clamp(0.0, 1.0) as f32
}

fn bubble(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    (speaker, r): (Point, f32),
    (text, color): (&str, crate::ink::Color),
    taken: &mut Vec<Rect>,
) {
    let text = canvas.ellipsis(text, Face::Regular, size::BODY, WIDTH);
    if text.is_empty() {
        return;
    }
    let width = canvas.measure(&text, Face::Regular, size::BODY) + 2.0 * gap::BODY;
    let height = canvas.line_height(size::BODY) + gap::BODY;
    let tip = speaker - Point::new(0.0, r);
    let middle = tip - Point::new(0.0, height / 2.0 + 7.0);
    let room = scene.free.inset(gap::SMALL);
    let left = (middle.x - width / 2.0).min(room.right() - width).max(room.x);
    let top = (middle.y - height / 2.0).min(room.bottom() - height).max(room.y);
    let area = Rect::new(left, top, width, height);
    if taken.iter().any(|other| other.overlaps(area)) {
        return;
    }
    taken.push(area.inset(-2.0));
    let foot =
        Point::new(tip.x.clamp(area.x + 10.0, (area.right() - 10.0).max(area.x + 10.0)), area.bottom());
    canvas.shadow(area, gap::BODY, 8.0, NIGHT.alpha(0.6));
    canvas.round_rect(area, gap::BODY, PANEL);
    if area.bottom() < tip.y {
        canvas.triangle(foot - Point::new(5.0, 0.0), foot + Point::new(5.0, 0.0), tip, color);
    }
    canvas.outline(area, gap::BODY, 1.5, color);
    canvas.text(area.centre(), Anchor::Centre, &text, Style::regular(size::BODY, TEXT));
}
