//! What bots noted on tiles, on demand: of the selected player, or of all if none is selected.
//!
//! A bot doesn't know where it is and counts from its birth, so a tile is found from where and how its player was born.
//! Tested in `tests/notes.rs`.

use zappy_protocol::zappy::PlayerId;

use super::{Scene, bright};
use crate::ink::{Anchor, Canvas, Face, Point, Rect, Style};
use crate::panels::kit;
use crate::theme::{NIGHT, gap, size};
use crate::zappy::scene;

/// Words at most: more would hide the world.
const WORDS: usize = 400;
/// Points per tile from which on there is room for words.
const FROM: f32 = 24.0;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let shown = scene.shown;
    if !shown.view.notes || scene.camera.scale < FROM {
        return;
    }
    let chosen = shown.view.selected_player();
    let players =
        shown.notes.players().map(PlayerId).filter(|player| chosen.is_none_or(|chosen| chosen == *player));
    let mut left = WORDS;
    for player in players {
        let Some((birth, facing)) = shown.chronicle.births.get(&player) else { continue };
        let color = bright(scene.look(player).color);
        for ((x, y), word) in shown.notes.tiles(player.0, kit::whole(shown.time.tick)) {
            let at = scene.map.offset(*birth, facing.to_map((-y, x)));
            for middle in scene.seen(scene::middle(at), scene.camera.scale) {
                if left == 0 {
                    return;
                }
                left -= 1;
                label(canvas, scene, middle, word, color);
            }
        }
    }
}

/// A word at the upper edge of its tile, cut to the tile's width.
fn label(canvas: &mut Canvas, scene: &Scene<'_>, middle: Point, word: &str, color: crate::ink::Color) {
    let tile = scene.camera.scale;
    let word = canvas.ellipsis(word, Face::Strong, size::SMALL, tile - gap::SMALL);
    if word.is_empty() {
        return;
    }
    let (wide, high) =
        (canvas.measure(&word, Face::Strong, size::SMALL) + gap::BODY, canvas.line_height(size::SMALL));
    let centre = middle - Point::new(0.0, (tile - high) / 2.0 - 1.0);
    canvas.round_rect(Rect::around(centre, wide, high), high / 3.0, NIGHT.alpha(0.82));
    canvas.text(centre, Anchor::Centre, &word, Style::strong(size::SMALL, color));
}
