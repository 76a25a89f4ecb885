//! The way home for a player that is away from the nest or never was there.
//!
//! A player believes that it is at home if it hears the leader on its own tile or, as a gatherer, if it finds a crowd.
//! Tested in `plan::tests`, in `memory::home` and in `tests/`.

use zappy_protocol::zappy::player::Command;

use crate::zappy::memory::Spot;

use super::errand::CROWD;
use super::gather::STARVING;
use super::{BATCH, Mind, Role};

impl Mind {
    /// Whether it surely knows where home is, so that it doesn't attack its own team: it was laid at the nest, which is the
    /// origin of its map, and believes so still; or it has heard the leader on its own tile.
    pub fn is_sure_of_home(&self) -> bool {
        if self.trip.native { self.memory.home.spot() == Some(Spot::default()) } else { self.trip.sure }
    }

    /// Goes home, or to where home may be.
    pub fn head_for_home(&mut self) -> Vec<Command> {
        if self.memory.home.spot().is_none() {
            return self.seek();
        }
        let way = self.memory.home.way(&self.memory.torus, self.memory.here).unwrap_or_default();
        if let Some(commands) = self.pass_guards(way) {
            return commands;
        }
        let mut commands = self.travel(way);
        if commands.is_empty() {
            commands.push(Command::Look);
        }
        commands
    }

    /// Looks for home: goes to the nearest tile that may be home, and takes that tile for home if it finds a crowd there.
    pub fn seek(&mut self) -> Vec<Command> {
        let food_first = self.memory.food() < STARVING;
        let way = self.memory.home.way(&self.memory.torus, self.memory.here);
        match way {
            Some((0, 0)) => {
                let seen_now = self.memory.seen(self.memory.here).filter(|seen| seen.at == self.memory.clock);
                match seen_now {
                    None => vec![Command::Look],
                    // Other players of the core look for home too, so a crowd of them proves nothing.
                    Some(_) if self.role == Role::Core => vec![Command::Look],
                    Some(seen) if seen.sight.players > CROWD => {
                        self.memory.home.confirm(self.memory.here);
                        vec![Command::Look]
                    }
                    Some(_) => self.find_food(),
                }
            }
            Some(way) if !food_first => {
                // It walks only a few steps, since the next sound may tell more.
                let mut commands = self.travel(way);
                commands.truncate(BATCH / 2);
                commands
            }
            _ => self.find_food(),
        }
    }
}
