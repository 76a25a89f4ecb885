//! What bots noted on tiles, on demand: of the selected player, or of all if none is selected.
//!
//! A bot doesn't know where it is and counts from its birth, so a tile is found from where and how its player was born.
//! Tested in `tests/world/`.

use crate::view::selected_player;
use zappy_protocol::zappy::PlayerId;

use super::{Scene, bright};
use zappy_observer::ink::Canvas;
use zappy_observer::timeline::notes::WORDS;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let shown = scene.shown;
    if !shown.view.notes {
        return;
    }
    let chosen = selected_player(shown.view);
    let players = shown.notes.players().map(PlayerId);
    let words = players.filter(|player| chosen.is_none_or(|chosen| chosen == *player)).flat_map(|player| {
        let birth = shown.story.chronicle.births.get(&player);
        let tiles = shown.notes.tiles(player.0, shown.tick());
        birth
            .into_iter()
            .flat_map(move |birth| tiles.clone().into_iter().map(move |(at, word)| (player, birth, at, word)))
    });
    for (player, (birth, facing), (x, y), word) in words.take(WORDS) {
        let at = scene.map.offset(*birth, facing.to_map((y.saturating_neg(), x)));
        scene.word(canvas, at, word, bright(scene.look(player).color));
    }
}
