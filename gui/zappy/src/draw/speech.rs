//! What is being said, at the speakers: by the selected player, or by all.

use crate::view::selected_player;
use zappy_protocol::zappy::story::What;

use super::{Scene, bright};
use crate::scene::{self, card};
use zappy_observer::ink::{Anchor, Canvas, Face, Point, Rect, Style};
use zappy_observer::theme::{NIGHT, PANEL, TEXT, gap, size};

/// Bubbles at most: more would hide the world.
const BUBBLES: usize = 10;
/// A bubble's text is cut to this width, in points.
const MAX_WIDTH: f32 = 230.0;
/// Points per tile from which on there is room for words.
const WORDS_SCALE: f32 = 24.0;
/// A player of a larger radius than this, in tiles, is alone on its tile.
const ALONE: f64 = 0.25;
/// The least length of a bubble's tail, in points.
const TAIL_LENGTH: f32 = 7.0;
/// How much farther away words stand where they have no room beside the speaker, in tiles.
const FARTHER: [f64; 3] = [0.0, 0.8, 1.6];
/// Characters that are measured at most.
const CHARACTERS: usize = 80;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let chosen = selected_player(scene.shown.view);
    if scene.camera.scale < WORDS_SCALE || !(scene.shown.view.own.words || chosen.is_some()) {
        return;
    }
    let mut said = scene::broadcasts(scene.shown);
    said.retain(|(player, _)| scene.shown.view.own.words || Some(*player) == chosen);
    // The selected player's words have their room first, then older ones: they stay where they are until they go.
    said.reverse();
    said.sort_by_key(|(player, _)| Some(*player) != chosen);
    let mut taken: Vec<Rect> = scene.covered.to_vec();
    let faces = participants(scene);
    for (player, effect) in said {
        let (What::Broadcast(_, text), Some(at)) = (&effect.happening.what, effect.happening.at) else {
            continue;
        };
        let text: String = text.to_string().chars().take(CHARACTERS).collect();
        // The tail points at the token; the words stand above it, or above its tile where others stand on that.
        let (point, r, clear) = match scene.cast.place(player) {
            Some(place) => {
                let r = super::players::radius(scene.camera.scale, place.size) * 1.35;
                let above = if place.size > ALONE { 0.0 } else { place.point.1.rem_euclid(1.0) - 0.05 };
                (place.point, r, r.max(scene.tiles(above)))
            }
            None => (scene::middle(at), scene.tiles(0.45), scene.tiles(0.45)),
        };
        // Only at the repeat of the speaker that is nearest to the middle of the world's place.
        let middle = scene.place.centre();
        let nearest = scene
            .seen(point, 0.0)
            .min_by(|one, other| one.distance(middle).total_cmp(&other.distance(middle)));
        // Words of a player that a panel hides would seem to be another player's.
        let seen = nearest.filter(|speaker| scene.free.contains(*speaker));
        if let Some(speaker) = seen.filter(|_| taken.len() < BUBBLES + scene.covered.len()) {
            let color = bright(scene.look(player).color);
            canvas.faded(opacity(effect.age), |canvas| {
                draw_bubble(canvas, scene, (speaker, r, clear), (&text, color), (&mut taken, &faces));
            });
        }
    }
}

/// How opaque words of that age are, both 0 to 1: they come fast, stay, and fade.
fn opacity(age: f64) -> f32 {
    (age / 0.03).min((1.0 - age) / 0.15).clamp(0.0, 1.0) as f32
}

/// The rectangles of tokens that stand on the rings of incantations with a card: no words cover them.
fn participants(scene: &Scene<'_>) -> Vec<Rect> {
    let cards = card::cards(scene.shown);
    let running = scene.shown.state.incantations().iter();
    let on_cards = running.filter(|running| cards.iter().any(|card| card.at == running.at));
    let places = on_cards.flat_map(|running| &running.players).filter_map(|player| scene.cast.place(*player));
    let on_ring = places.filter(|place| place.rite > 0.0);
    let rect = |place: &scene::TokenPlace| {
        let r = super::players::radius(scene.camera.scale, place.size);
        Rect::around(scene.once(place.point), 2.0 * r, 2.0 * r)
    };
    on_ring.map(rect).collect()
}

/// Words near the speaker, a token of radius `r` points: at least `clear` points from its middle, and beside the
/// rectangles in `taken` and `faces`. Nothing if there is no room.
fn draw_bubble(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    (speaker, r, clear): (Point, f32, f32),
    (text, color): (&str, zappy_observer::ink::Color),
    (taken, faces): (&mut Vec<Rect>, &[Rect]),
) {
    let text = canvas.ellipsis(text, Face::Regular, size::BODY, MAX_WIDTH);
    if text.is_empty() {
        return;
    }
    let width = canvas.measure(&text, Face::Regular, size::BODY) + 2.0 * gap::BODY;
    let height = canvas.line_height(size::BODY) + gap::BODY;
    let room = scene.free.inset(gap::SMALL);
    let places = FARTHER.into_iter().flat_map(|farther| {
        let far = clear + scene.tiles(farther) + TAIL_LENGTH;
        let (down, aside) = (far + height / 2.0, far + width / 2.0);
        [(0.0, -down), (0.0, down), (aside, 0.0), (-aside, 0.0)]
    });
    let free = |area: &Rect| {
        area.nearest(speaker).distance(speaker) >= r.min(clear)
            && !taken.iter().chain(faces).any(|other| other.overlaps(*area))
    };
    let inside = |(x, y): (f32, f32)| {
        let area = Rect::around(speaker + Point::new(x, y), width, height);
        let left = area.x.min(room.right() - width).max(room.x);
        let top = area.y.min(room.bottom() - height).max(room.y);
        Rect::new(left, top, width, height)
    };
    let Some(area) = places.map(inside).find(free) else { return };
    taken.push(area.inset(-2.0));
    canvas.shadow(area, gap::BODY, 8.0, NIGHT.alpha(0.6));
    canvas.round_rect(area, gap::BODY, PANEL);
    let foot = area.inset_xy(10.0_f32.min(width / 2.0), 0.0).nearest(speaker);
    if let Some(direction) = (speaker - foot).unit() {
        let side = direction.quarter() * 5.0;
        canvas.triangle(foot - side, foot + side, speaker - direction * r, color);
    }
    canvas.outline(area, gap::BODY, 1.5, color);
    canvas.text(area.centre(), Anchor::Centre, &text, Style::regular(size::BODY, TEXT));
}
