//! `easy`: a loner. It eats, rises once by itself, and wanders until the end.
//!
//! Never speaks, lays or listens, as the first client that a student gets to work. Tested in this module and in
//! `tests/levels.rs`.

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{MapSize, Text};

use super::body::Body;
use crate::zappy::strategy::Strategy;

/// Units of food below which it looks for nothing else.
const HUNGRY: u32 = 6;
/// Units of food up to which it eats.
const SATED: u32 = 12;

/// A player of level `easy`.
#[derive(Debug)]
pub struct Easy {
    body: Body,
}

impl Easy {
    pub fn new(size: MapSize, chance: u64) -> Easy {
        Easy { body: Body::new(size, chance) }
    }
}

impl Strategy for Easy {
    fn decide(&mut self) -> Vec<Command> {
        if let Some(inventory) = self.body.check_inventory() {
            return inventory;
        }
        if self.body.memory.food() < HUNGRY {
            return self.body.find_food(SATED);
        }
        if let Some(incantation) = self.body.rise_alone() {
            return incantation;
        }
        let mut wanted = self.body.lacking(SATED);
        if self.body.memory.level > Level::MIN {
            // It has no use for more stones.
            wanted.subtract(&self.body.stones_to_rise());
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
        self.body.memory.incantation_over(level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::zappy::player::Sight;
    use zappy_protocol::zappy::{Inventory, Resource};

    fn easy(carries: [u32; 7]) -> Easy {
        let mut easy = Easy::new(MapSize::new(10, 10).unwrap(), 1);
        easy.answered(&Command::Inventory, &Response::Inventory(Inventory::new(carries)));
        easy
    }

    #[test]
    fn it_eats_and_fetches_one_stone_and_rises_once() {
        let mut easy = easy([11, 0, 0, 0, 0, 0, 0]);
        let here = Sight { players: 1, resources: Inventory::new([1, 2, 2, 2, 0, 0, 0]), eggs: 0 };
        easy.answered(&Command::Look, &Response::Look(vec![here]));
        let takes = easy.decide();
        assert_eq!(takes, [Resource::Linemate, Resource::Food].map(Command::Take));
        takes.iter().for_each(|command| easy.answered(command, &Response::Ok));
        assert_eq!(easy.decide()[1], Command::Incantation);
        easy.answered(&Command::Set(Resource::Linemate), &Response::Ok);
        easy.incantation_over(Level::new(2));
        easy.answered(&Command::Look, &Response::Look(vec![here; 9]));
        easy.answered(&Command::Inventory, &Response::Inventory(Inventory::new([12, 0, 0, 0, 0, 0, 0])));
        assert!(
            easy.decide().iter().all(|command| !matches!(command, Command::Take(_) | Command::Incantation))
        );
    }

    #[test]
    fn a_hungry_one_wants_food_alone() {
        let mut easy = easy([3, 1, 0, 0, 0, 0, 0]);
        let here = Sight { players: 1, resources: Inventory::new([2, 2, 0, 0, 0, 0, 0]), eggs: 0 };
        easy.answered(&Command::Look, &Response::Look(vec![here]));
        assert_eq!(easy.decide(), vec![Command::Take(Resource::Food); 2]);
    }
}
