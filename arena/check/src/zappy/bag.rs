//! Whether a bot reads numbers of two digits: its bag holds 12, 9, 12 and 9 units of food in turn, or 12 and then 1.
//!
//! A bot that gathers only food both times it has 12 units, but turns to something else both times it has 9, reads 12
//! as 1. A bot surely reads both digits only if it turns to something else with 12 units and gathers only food with 1;
//! of all other bots a note says that nothing is known. Tested in `arena/cli/tests/check.rs`.

use zappy_game::SeatId;
use zappy_protocol::zappy::constants::FOOD_TICKS;
use zappy_protocol::zappy::player::{Command, CommandKind, Response};
use zappy_protocol::zappy::{PlayerId, Resource};

use super::Zappy;
use super::scene::{Injected, lay_out, victim};
use crate::seen::FaultKind;
use crate::stage::Stage;

/// Units of food in each bag, in turn. The last bag is used if the bot did something else than gather food with the
/// first.
const BAGS: [u32; 5] = [12, 9, 12, 9, 1];
/// The index of the bag with one unit.
const ONE_UNIT: usize = 4;
/// The ticks that a unit of food lasts.
const FOOD_UNIT: u32 = FOOD_TICKS as u32;
/// For how many commands a bot is watched with each bag.
const WATCHED_COMMANDS: u64 = 40;
/// How many of those commands must take food to show that the bot is after food.
const LEAST_MEALS: u32 = 3;

/// The bag of the moment, and the commands that the bot sent with it.
#[derive(Debug, Default)]
pub struct Bag {
    /// The index of the bag in [`BAGS`].
    step: usize,
    /// Whether the bot has read an `Inventory` with this bag; commands that it sent earlier don't count.
    is_read: bool,
    /// How many commands the bot had sent when it read that `Inventory`.
    steps_before: u64,
    /// How many `Take food` it has sent since.
    meals: u32,
    /// The first thing that it has asked for besides food.
    other: Option<CommandKind>,
}

impl Bag {
    pub fn note_command(&mut self, command: &Command) {
        match command {
            Command::Take(Resource::Food) => self.meals += 1,
            Command::Take(_) | Command::Set(_) | Command::Incantation | Command::Fork => {
                self.other.get_or_insert(command.kind());
            }
            _ => {}
        }
    }
}

/// Takes an answer that the bot was sent: at the first `Inventory` that shows this bag the count begins, and each tile
/// gets one unit of food and one linemate.
pub fn note_bag(stage: &mut Stage<'_, Zappy>, seat: SeatId, response: &Response) {
    let (Response::Inventory(inventory), Injected::Fills) = (response, stage.play.scene.injected) else {
        return;
    };
    if victim(stage).is_none_or(|(_, first, _)| first != seat.0 as usize) {
        return;
    }
    let (food, wanted) = (inventory.get(Resource::Food), BAGS[stage.play.bag.step]);
    // Under the strict rules the inventory counts food in ticks, a larger number than any of these bags has units.
    let food = if food < FOOD_UNIT { food } else { food / FOOD_UNIT };
    if !stage.play.bag.is_read && (food == wanted || food.min(wanted) > 9) {
        stage.play.bag = Bag {
            is_read: true,
            steps_before: stage.rhythm.steps,
            step: stage.play.bag.step,
            ..Bag::default()
        };
        lay_out(stage, 1, 1);
    }
}

/// Sets the food in the bag, and judges what the bot did with the present bag once it was watched long enough. The
/// linemate is taken away during an incantation, which so fails: the bot has a reason to begin another one with the
/// next bag.
pub fn fill_bag(stage: &mut Stage<'_, Zappy>, id: PlayerId, seat: usize) {
    let dialogue = &stage.connections[seat].dialogue;
    if dialogue.frozen || stage.seen.occurrences > 0 {
        return lay_out(stage, 1, 0);
    }
    if dialogue.waiting.contains(&Some(Command::Inventory)) {
        stage.console(&format!("/setInventory {} food {}", id.0, BAGS[stage.play.bag.step]));
    }
    let Bag { step, is_read, steps_before, meals, other } = stage.play.bag;
    let is_over = other.is_some() || stage.rhythm.steps >= steps_before + WATCHED_COMMANDS;
    if !is_read || !is_over {
        return;
    }
    match (step, other) {
        (0, Some(_)) => stage.play.bag = Bag { step: ONE_UNIT, ..Bag::default() },
        (0 | 2, None) if meals >= LEAST_MEALS => stage.play.bag = Bag { step: step + 1, ..Bag::default() },
        (1, Some(_)) => stage.play.bag = Bag { step: 2, ..Bag::default() },
        (3, Some(other)) => {
            let words = format!(
                "twice it asked for more food and nothing else with 12 units of food, and had time for {} with 9: as if 12 \
                 were 1",
                other.name()
            );
            stage.fail(FaultKind::Misreads, words);
        }
        (ONE_UNIT, None) if meals >= LEAST_MEALS => stage.note_occurrences(1),
        _ => {
            let words = "it does the same with 12 units of food and with fewer, so whether it reads both digits isn't known";
            stage.seen.notes.push(words.into());
            stage.note_occurrences(1);
        }
    }
}
