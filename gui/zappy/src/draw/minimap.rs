//! The whole map, small: where things and players are, what happens, and which part the camera shows.

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::What;

use super::{Sign, bright, ground, sign, swell};
use crate::scene;
use crate::scene::card::{self, CardState};
use crate::view::{Shown, ZappyMap, look_of};
use zappy_observer::ink::{Anchor, Canvas, Color, Rect, Style};
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::panels::marks::shape;
use zappy_observer::small_map::SmallMap;
use zappy_observer::theme::{ACCENT, GROUND, NIGHT, TEXT};

/// Cells of the ground along one side at most.
const CELLS: u16 = 40;
/// Tiles that speak for a cell along one side at most.
const SAMPLES: u16 = 2;

/// Draws the whole map into `place`; `world` is where the world is drawn; its frame is marked.
pub fn minimap(canvas: &mut Canvas, place: Rect, shown: &Shown<'_>, world: Rect) {
    let Some(map) = shown.state.mirror().size else { return };
    let things = |canvas: &mut Canvas, small: &SmallMap| {
        events(canvas, small, shown);
        players(canvas, small, shown);
    };
    let ground = (CELLS, |columns, rows| cell(shown, columns, rows));
    let over = |canvas: &mut Canvas, small: &SmallMap| incantations(canvas, small, shown);
    SmallMap::draw(canvas, (place, map), ground, (shown.view.camera, world), (things, over));
}

fn cell(shown: &Shown<'_>, (left, right): (u16, u16), (top, bottom): (u16, u16)) -> Color {
    let some = |from: u16, to: u16| (from..to).step_by(usize::from((to - from).div_ceil(SAMPLES).max(1)));
    let tiles = some(left, right).flat_map(|x| some(top, bottom).map(move |y| Position { x, y }));
    // The mean of what lies there is fainter than in the field: players matter more here.
    let load = ground::mean(tiles.filter_map(|at| shown.state.mirror().tile(at)));
    GROUND.mix(ground::tint(load), 0.6)
}

fn events(canvas: &mut Canvas, small: &SmallMap, shown: &Shown<'_>) {
    let of_first =
        |players: &[PlayerId]| players.first().map_or(TEXT, |&player| bright(look_of(shown, player).color));
    for running in shown.state.incantations() {
        let color = of_first(&running.players);
        let middle = small.at(scene::middle(running.at));
        canvas.glow(middle, 9.0, color.alpha(0.5));
        canvas.ring(middle, 4.0, 1.5, color);
    }
    for effect in scene::effects(shown) {
        let Some(at) = effect.happening.at else { continue };
        let (color, r) = match &effect.happening.what {
            What::Broadcast(player, _) => (of_first(&[*player]), 14.0),
            What::Gone { .. } => {
                let ink = TEXT.alpha(1.0 - effect.age as f32);
                sign(canvas, small.at(scene::middle(at)), 5.0, Sign::Broken, ink);
                continue;
            }
            What::IncantationEnded { players, .. } => (of_first(players), 14.0),
            _ => continue,
        };
        let middle = small.at(scene::middle(at));
        canvas.ring(middle, 2.0 + r * effect.age as f32, 1.5, color.alpha(swell(effect.age, 0.05)));
    }
}

/// The incantations that cards tell of, over everything: the level that each is for, or how it ended, in a ring of its
/// team's colour; the one that may win is the largest and beats.
fn incantations(canvas: &mut Canvas, small: &SmallMap, shown: &Shown<'_>) {
    let beat = scene::pulse(shown, 90.0);
    for card in card::cards(shown) {
        let team = card.initiator.and_then(|player| shown.story.roster.team_of(player));
        let (color, at) = (bright(shown.look(team).color), small.at(scene::middle(card.at)));
        let r = if card.wins { 9.5 } else { 7.0 };
        // All of it is seen, also at the edge.
        let room = small.area.inset(r + 1.0);
        let at = room.nearest(at);
        if card.wins {
            canvas.glow(at, r * 2.6, color.alpha(0.6));
            canvas.ring(at, r * (1.1 + 1.2 * beat), 2.0, TEXT.alpha(1.0 - beat));
        }
        canvas.circle(at, r + 1.0, NIGHT.alpha(0.92));
        canvas.ring(at, r, 2.0, color);
        match card.state {
            CardState::Over(..) => sign(canvas, at, r * 0.65, Sign::Broken, TEXT),
            CardState::Doomed(_) => sign(canvas, at, r * 0.65, Sign::Doomed, TEXT),
            CardState::Running | CardState::Risen => {
                let level = (card.level.get() + 1).to_string();
                canvas.text(at, Anchor::Centre, &level, Style::strong(r * 1.25, TEXT));
            }
        }
    }
}

fn players(canvas: &mut Canvas, small: &SmallMap, shown: &Shown<'_>) {
    let r = (small.scale * 0.42).clamp(2.2, 4.2);
    for (player, known) in &shown.state.mirror().players {
        let middle = small.at(scene::middle(known.at));
        let look = look_of(shown, *player);
        canvas.circle(middle, r + 0.9, NIGHT.alpha(0.85));
        shape(canvas, middle, r, look.shape, 0.0, look.color);
    }
    let chosen = shown.view.selection;
    if let Some(at) = chosen.and_then(|chosen| ZappyMap::place(shown.state, chosen)) {
        canvas.ring(small.at(scene::middle(at)), r + 3.0, 1.5, ACCENT);
    }
}
