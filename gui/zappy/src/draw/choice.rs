//! What the spectator chose: the tile under the mouse, the selection, its cone of vision and its trail.

use crate::view::selected_player;
use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::geometry::{vision_offset, vision_tiles};

use super::{Scene, bright, players, things};
use crate::action::Selection;
use crate::scene;
use crate::timeline::state::LOOKBACK;
use crate::timeline::track::Movement;
use zappy_observer::ink::{Canvas, Point};
use zappy_observer::theme::ACCENT;

/// What lies under the players.
pub(super) fn under(canvas: &mut Canvas, scene: &Scene<'_>) {
    let view = scene.shown.view;
    if let Some(player) = selected_player(view) {
        if view.own.cone {
            cone(canvas, scene, player);
        }
        if view.own.trail {
            trail(canvas, scene, player);
        }
    }
    scene.hover(canvas, scene.shown.view.pointer.at);
}

pub(super) fn over(canvas: &mut Canvas, scene: &Scene<'_>) {
    match scene.shown.view.selection {
        Some(Selection::Player(player)) => {
            let Some(place) = scene.cast.place(player) else { return };
            let r = players::radius(scene.camera.scale, place.size);
            scene.selected(canvas, place.point, (r * 1.62).max(9.0));
        }
        Some(Selection::Egg(egg)) => {
            let nests = things::nests(scene.shown);
            let Some(&(_, at, rank, count)) = nests.iter().find(|(which, ..)| *which == egg) else { return };
            let (point, half) = things::egg_place(rank, count, at);
            scene.selected(canvas, point, (scene.tiles(half) * 1.7).max(7.0));
        }
        Some(Selection::Tile(at)) if scene.map.contains(at) => scene.frame(canvas, at, ACCENT, 2.0),
        _ => {}
    }
}

/// The tiles a player sees, each once, however often its eye goes around the torus.
fn cone(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId) {
    let Some(known) = scene.shown.state.mirror().players.get(&player) else { return };
    let seen: BTreeSet<Position> = (0..vision_tiles(known.level.get()))
        .map(|tile| scene.map.offset(known.at, known.orientation.to_map(vision_offset(tile))))
        .collect();
    let scale = scene.camera.scale;
    for at in seen {
        for middle in scene.seen(scene::middle(at), scale) {
            let rect = scene.tile_rect(middle, 1.0 - 0.035 * scene.detail.tiles);
            canvas.round_rect(rect, scale * 0.07, ACCENT.alpha(0.13));
            if scale >= scene::FAR {
                canvas.outline(rect, scale * 0.07, 1.0, ACCENT.alpha(0.22));
            }
        }
    }
}

/// From where to where, in tiles, and how much of it is still remembered.
type Line = ((f64, f64), (f64, f64), f32);

/// The way a player went, the last part first.
fn way(scene: &Scene<'_>, player: PlayerId) -> Option<Vec<Line>> {
    let (track, place) = (scene.shown.state.track(player)?, scene.cast.place(player)?);
    let mut here = scene::middle(scene.shown.state.mirror().players.get(&player)?.at);
    let mut lines: Vec<Line> = Vec::new();
    for step in track.steps.iter().rev().take_while(|step| step.movement != Movement::Jumped) {
        let (dx, dy) = match step.movement {
            Movement::Walked => step.facing.step(),
            _ => scene.map.delta(step.from, step.to),
        };
        let before = (here.0 - f64::from(dx), here.1 - f64::from(dy));
        let age = (scene.shown.time.tick - step.tick as f64) / LOOKBACK as f64;
        if before != here {
            lines.push((before, here, (1.0 - age as f32).clamp(0.0, 1.0)));
        }
        here = before;
    }
    // The trail ends where the player is drawn, which may still be on its way to its tile.
    lines.first_mut()?.1 = place.point;
    Some(lines)
}

/// Where a player went, back from where it is: the older, the fainter.
fn trail(canvas: &mut Canvas, scene: &Scene<'_>, player: PlayerId) {
    let Some(lines) = way(scene, player) else { return };
    let color = bright(scene.look(player).color);
    let r = (scene.camera.scale * 0.04).clamp(1.2, 4.0);
    let dots = if scene.camera.scale < scene::FAR { 2 } else { 4 };
    let Some(&(_, end, _)) = lines.first() else { return };
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
