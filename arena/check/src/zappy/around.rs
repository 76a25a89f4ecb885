//! The surroundings of a bot: what lies on the map and in its bag, the player that faults are injected into, and ours.
//!
//! Tested in `arena/cli/tests/check.rs`.

use zappy_game::SeatId;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::MirrorPlayer;

use super::Zappy;
use crate::stage::{OTHERS, Stage, TEAM};

fn tiles(side: u16) -> impl Iterator<Item = (u16, u16)> {
    (0..side).flat_map(move |y| (0..side).map(move |x| (x, y)))
}

/// Lays out what lies on the map before the bot connects.
pub fn furnish(stage: &mut Stage<'_, Zappy>) {
    let scene = stage.play.scene;
    if !scene.hunger {
        stage.console("/noFood true");
    }
    if scene.ground.is_some() && !scene.hunger {
        stage.console("/noRefill true");
    }
    for (x, y) in tiles(scene.side) {
        if let Some((food, linemate)) = scene.ground {
            for resource in ["deraumere", "sibur", "mendiane", "phiras", "thystame"] {
                stage.console(&format!("/setTile {resource} 0 {x} {y}"));
            }
            stage.console(&format!("/setTile food {food} {x} {y}"));
            stage.console(&format!("/setTile linemate {linemate} {x} {y}"));
        }
        if scene.eggs {
            stage.console(&format!("/fork {OTHERS} {x} {y}"));
        }
    }
}

/// The bot's player into which faults are injected: the eldest that lives and speaks.
pub fn victim(stage: &Stage<'_, Zappy>) -> Option<(PlayerId, usize, MirrorPlayer)> {
    let players = stage.play.game.projection().players;
    let seat = |id: PlayerId| stage.play.seats.get(id.0 as usize).map(|seat| seat.0 as usize);
    let mut own: Vec<_> = players.into_iter().filter(|(_, player)| player.team.as_str() == TEAM).collect();
    // A player that keeps silent comes last, since it shows nothing.
    own.sort_by_key(|(id, _)| seat(*id).and_then(|i| stage.connections.get(i)).is_none_or(|one| one.mute));
    let (id, player) = own.into_iter().next()?;
    Some((id, seat(id)?, player))
}

/// The first player of ours.
pub fn puppet(stage: &Stage<'_, Zappy>) -> (PlayerId, SeatId) {
    (PlayerId(0), stage.play.seats[0])
}

/// So much food and linemate on each tile.
pub fn lay_out(stage: &mut Stage<'_, Zappy>, food: u32, linemate: u32) {
    for (x, y) in tiles(stage.play.scene.side) {
        stage.console(&format!("/setTile food {food} {x} {y}"));
        stage.console(&format!("/setTile linemate {linemate} {x} {y}"));
    }
}
