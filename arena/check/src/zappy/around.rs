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

impl Stage<'_, Zappy> {
    /// Lays out what lies on the map before the bot connects.
    pub(super) fn furnish(&mut self) {
        let scene = self.play.scene;
        if !scene.hunger {
            self.console("/noFood true");
        }
        if scene.ground.is_some() && !scene.hunger {
            self.console("/noRefill true");
        }
        for (x, y) in tiles(scene.side) {
            if let Some((food, linemate)) = scene.ground {
                for resource in ["deraumere", "sibur", "mendiane", "phiras", "thystame"] {
                    self.console(&format!("/setTile {resource} 0 {x} {y}"));
                }
                self.console(&format!("/setTile food {food} {x} {y}"));
                self.console(&format!("/setTile linemate {linemate} {x} {y}"));
            }
            if scene.eggs {
                self.console(&format!("/fork {OTHERS} {x} {y}"));
            }
        }
    }

    /// The bot's player into which faults are injected: the eldest that lives and speaks.
    pub(super) fn victim(&self) -> Option<(PlayerId, usize, MirrorPlayer)> {
        let players = self.play.game.projection().players;
        let seat = |id: PlayerId| self.play.seats.get(id.0 as usize).map(|seat| seat.0 as usize);
        let mut own: Vec<_> =
            players.into_iter().filter(|(_, player)| player.team.as_str() == TEAM).collect();
        // A player that keeps silent comes last, since it shows nothing.
        own.sort_by_key(|(id, _)| seat(*id).and_then(|i| self.connections.get(i)).is_none_or(|one| one.mute));
        let (id, player) = own.into_iter().next()?;
        Some((id, seat(id)?, player))
    }

    /// The first player of ours.
    pub(super) fn puppet(&self) -> (PlayerId, SeatId) {
        (PlayerId(0), self.play.seats[0])
    }

    /// So much food and linemate on each tile.
    pub(super) fn lay_out(&mut self, food: u32, linemate: u32) {
        for (x, y) in tiles(self.play.scene.side) {
            self.console(&format!("/setTile food {food} {x} {y}"));
            self.console(&format!("/setTile linemate {linemate} {x} {y}"));
        }
    }
}
