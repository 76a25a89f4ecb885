//! What the spectator chose, and what can be chosen at a place of the window: the tile under the mouse, the selection,
//! its cone of vision and its trail.
//!
//! Players are picked where they are drawn, not where the rules have them. Tested in `tests/world/`.

use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::geometry::{vision_offset, vision_tiles};

use super::{Scene, bright, ground, players};
use crate::scene::{self, Cast};
use crate::timeline::state::{LOOKBACK, ZappyState};
use crate::timeline::track::Movement;
use crate::view::{Selection, Shown, selected_player};
use zappy_observer::camera::shortest;
use zappy_observer::ink::{Canvas, Point, Rect};
use zappy_observer::theme::ACCENT;

/// How far from the middle of a small thing a click still hits it, in points.
const REACH: f32 = 7.0;

/// What is at a place of the window, the topmost first: players, eggs, then the tile. Nothing outside of the
/// world's `place`.
pub fn pick(place: Rect, shown: &Shown<'_>, point: Point) -> Vec<Selection> {
    let Some(map) = shown.state.mirror().size.filter(|_| place.contains(point)) else { return Vec::new() };
    let camera = shown.view.camera.sane(map);
    let clicked = camera.to_tiles(place, point);
    let away = |of: (f64, f64)| {
        let (dx, dy) = shortest(map, clicked, of);
        dx.hypot(dy) as f32 * camera.scale
    };
    // What is hit comes before what is only near; of what is hit, what was drawn last comes first.
    let cast = Cast::of(shown);
    let (mut hit, mut near) = (Vec::new(), Vec::new());
    // Players of higher levels are drawn above others.
    let players = &shown.state.mirror().players;
    let mut places: Vec<_> = cast.places().collect();
    places.sort_by_key(|(player, _)| players.get(player).map(|known| known.level));
    for (player, seat) in places {
        let (far, r) = (away(seat.point), players::radius(camera.scale, seat.size));
        if far <= r {
            hit.push(Selection::Player(player));
        } else if far <= REACH {
            near.push((far, Selection::Player(player)));
        }
    }
    hit.reverse();
    near.sort_by(|one, other| one.0.total_cmp(&other.0));
    hit.extend(near.into_iter().map(|(_, player)| player));
    let nests = ground::nests(shown).into_iter().rev();
    let eggs = nests.filter(|&(_, (at, half), ..)| away(at) <= (half as f32 * camera.scale).max(REACH));
    hit.extend(eggs.map(|(egg, ..)| Selection::Egg(egg)));
    hit.push(Selection::Tile(camera.tile_at(place, point, map)));
    hit
}

/// What is on a tile: players and eggs in the order of their numbers, then the tile itself.
pub fn on_tile(state: &ZappyState, at: Position) -> Vec<Selection> {
    let mirror = state.mirror();
    let players = mirror.players.iter().filter(|(_, known)| known.at == at);
    let eggs = mirror.eggs.iter().filter(|(_, known)| known.at == at);
    let players = players.map(|(&player, _)| Selection::Player(player));
    players.chain(eggs.map(|(&egg, _)| Selection::Egg(egg))).chain([Selection::Tile(at)]).collect()
}

/// The selected player's cone of vision and trail, and the mark of the tile under the mouse.
pub(super) fn under(canvas: &mut Canvas, scene: &Scene<'_>) {
    let view = scene.shown.view;
    if let Some(player) = selected_player(view) {
        if view.own.cone {
            draw_cone(canvas, scene, player);
        }
        if view.own.trail {
            draw_trail(canvas, scene, player);
        }
    }
    scene.hover(canvas, scene.shown.view.pointer.at);
}

/// The mark of the selection.
pub(super) fn over(canvas: &mut Canvas, scene: &Scene<'_>) {
    match scene.shown.view.selection {
        Some(Selection::Player(player)) => {
            let Some(place) = scene.cast.place(player) else { return };
            let r = players::radius(scene.camera.scale, place.size);
            scene.selected(canvas, place.point, (r * 1.62).max(9.0));
        }
        Some(Selection::Egg(egg)) => {
            let nests = ground::nests(scene.shown);
            let Some(&(_, (point, half), ..)) = nests.iter().find(|(which, ..)| *which == egg) else {
                return;
            };
            scene.selected(canvas, point, (scene.tiles(half) * 1.7).max(7.0));
        }
        Some(Selection::Tile(at)) if scene.map.contains(at) => scene.frame(canvas, at, ACCENT, 2.0),
        _ => {}
    }
}

/// The tiles that a player sees, each once, even where its vision overlaps itself around the torus.
fn draw_cone(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId) {
    let Some(known) = scene.shown.state.mirror().players.get(&player) else { return };
    let seen: BTreeSet<Position> = (0..vision_tiles(known.level.get()))
        .map(|tile| scene.map.offset(known.at, known.orientation.to_map(vision_offset(tile))))
        .collect();
    let scale = scene.camera.scale;
    for at in seen {
        for middle in scene.seen(scene::middle(at), scale) {
            let rect = scene.tile_rect(middle, 1.0 - 0.035 * scene.detail.tiles);
            canvas.round_rect(rect, scale * 0.07, ACCENT.alpha(0.13));
            if scale >= scene::MARKS_SCALE {
                canvas.outline(rect, scale * 0.07, 1.0, ACCENT.alpha(0.22));
            }
        }
    }
}

/// A step of a trail: its two ends as tile points, and how fresh it is, 1 to 0.
type TrailLine = ((f64, f64), (f64, f64), f32);

/// The tiles that a player came from, as dots: the older, the fainter.
fn draw_trail(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId) {
    let known = scene.shown.state.mirror().players.get(&player);
    let track = scene.shown.state.track(player).zip(known).zip(scene.cast.place(player));
    let Some(((track, known), place)) = track else { return };
    // The last line comes first.
    let mut lines: Vec<TrailLine> = Vec::new();
    let mut after = scene::middle(known.at);
    for step in track.steps.iter().rev().take_while(|step| step.movement != Movement::Jumped) {
        let (dx, dy) = step.tiles(scene.map);
        let before = (after.0 - f64::from(dx), after.1 - f64::from(dy));
        let age = (scene.shown.time.tick - step.tick as f64) / LOOKBACK as f64;
        if before != after {
            lines.push((before, after, (1.0 - age as f32).clamp(0.0, 1.0)));
        }
        after = before;
    }
    // The trail ends where the player is drawn, which may still be on its way to its tile.
    let Some(first) = lines.first_mut() else { return };
    first.1 = place.point;
    let color = bright(scene.look(player).color);
    let r = (scene.camera.scale * 0.04).clamp(1.2, 4.0);
    let dots = if scene.camera.scale < scene::MARKS_SCALE { 2 } else { 4 };
    let end = place.point;
    let reach = scene.tiles(lines.len() as f64 + 1.0);
    for middle in scene.seen(end, reach) {
        let at = |point: (f64, f64)| {
            middle + Point::new(scene.tiles(point.0 - end.0), scene.tiles(point.1 - end.1))
        };
        for &(from, to, left) in lines.iter().rev() {
            for dot in 0..dots {
                let spot = at(from).lerp(at(to), dot as f32 / dots as f32);
                canvas.circle(spot, r, color.alpha(0.15 + 0.75 * left * left));
            }
        }
    }
}
