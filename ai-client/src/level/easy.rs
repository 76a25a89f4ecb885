//! `easy`: a loner. It eats, rises once by itself, and wanders until the end.
//!
//! Never speaks, never lays, never listens: what a first client does that works. Tested in this module and in
//! `tests/levels.rs`.

use zappy_protocol::player::{Command, Response};
use zappy_protocol::{Level, MapSize, Text};

use super::body::Body;
use super::{Birth, Strategy};

/// Food below which nothing else is looked for, and up to which it eats.
const HUNGRY: u32 = 6;
const SATED: u32 = 12;

/// A loner.
#[derive(Debug)]
pub struct Easy {
    body: Body,
}

impl Easy {
    /// A newborn.
    pub fn new(size: MapSize, chance: u64) -> Easy {
        Easy { body: Body::new(size, chance) }
    }
}

impl Strategy for Easy {
    fn decide(&mut self) -> Vec<Command> {
        if let Some(count) = self.body.count() {
            return count;
        }
        if self.body.memory.food() < HUNGRY {
            return self.body.find_food(SATED);
        }
        if let Some(rite) = self.body.rise_alone() {
            return rite;
        }
        let mut wanted = self.body.lacking(SATED);
        if self.body.memory.level > Level::MIN {
            // It knows no way to use more stones than one.
            wanted = zappy_protocol::Inventory::default();
            wanted.set(zappy_protocol::Resource::Food, SATED.saturating_sub(self.body.memory.food()));
        }
        self.body.gather(&wanted)
    }

    fn answered(&mut self, command: &Command, response: &Response) {
        self.body.answered(command, response);
    }

    fn heard(&mut self, _: u8, _: &Text) {}

    fn pushed(&mut self, from: u8) {
        self.body.memory.pushed(from);
    }

    fn incantation_over(&mut self, level: Option<Level>) {
        self.body.incantation_over(level);
    }

    fn next_birth(&mut self) -> Option<Birth> {
        None
    }

    fn level(&self) -> Level {
        self.body.memory.level
    }
}
