//! More of what is done to a bot: odd shouts, a player that is quicker, answers that come late, a connection that
//! ends in the middle of a line.
//!
//! Done between two ticks, as `inject` says when. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::Input;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::player::CommandKind;

use super::Zappy;
use super::doing::{Doing, WARM_UP, tiles};
use super::scene::Injected;
use crate::seen::FaultKind;
use crate::stage::Stage;

/// Shouts of a player of ours.
const ALOUD: u32 = 4;
/// How long an answer is held back: less than an incantation takes at the subject's frequency.
const LATE: Duration = Duration::from_millis(2_500);
/// How often an answer is held back.
const LATE_TIMES: u32 = 2;
/// Units of food in the bag, one after the other; the commands that are sent with each of them; and the meals in these that
/// show that the bot is after food.
const BAGS: [u32; 3] = [12, 9, 12];
const BAG_COMMANDS: u64 = 40;
const MEALS: u32 = 3;
/// Where the bot gets hungry, what it saw each so many looks is left to it.
const SPARED: u32 = 3;
/// After this many refusals of one thing in a row it is no longer bad luck.
const REFUSALS: u32 = 25;

impl Stage<'_, Zappy> {
    /// So much food and linemate on each tile.
    pub(super) fn lay_out(&mut self, food: u32, linemate: u32) {
        for (x, y) in tiles(self.play.scene.side) {
            self.console(&format!("/setTile food {food} {x} {y}"));
            self.console(&format!("/setTile linemate {linemate} {x} {y}"));
        }
    }

    /// A player of ours shouts the text whenever it can.
    pub(super) fn shout_aloud(&mut self, text: &[u8]) {
        let (_, seat) = self.puppet();
        self.note_met(self.play.doing.heard);
        if self.seen.met < ALOUD && self.owing().contains(&seat) {
            self.hand_in(seat, Input::Line(&[b"Broadcast ", text].concat()));
        }
    }

    /// The bot was told what it sees: takes that away before the bot can act.
    pub(super) fn be_quicker(&mut self) {
        if self.play.scene.injected != Injected::Refuses {
            return;
        }
        let looked = std::mem::take(&mut self.play.doing.looked);
        self.play.doing.looks += u32::from(looked);
        let spared = self.play.scene.hunger && self.play.doing.looks.is_multiple_of(SPARED);
        if looked && self.commands >= WARM_UP && !spared {
            self.play.doing.emptied = true;
            self.lay_out(0, 0);
        }
        if self.play.doing.in_a_row >= REFUSALS {
            let words = format!(
                "what it wanted to take was gone, and it asked {REFUSALS} times in a row for what had been refused"
            );
            self.fail(FaultKind::Repeats, words);
        }
    }

    /// The bot looks again: puts everything back.
    pub(super) fn put_back(&mut self, seat: usize) {
        let refused = self.play.doing.refused;
        if self.seen.met < refused && self.seen.met < 6 {
            self.play.doing.commands = self.commands;
        }
        self.seen.met = refused;
        let looks = self.connections[seat].dialogue.waiting.front() == Some(&Some(CommandKind::Look));
        if looks
            && std::mem::take(&mut self.play.doing.emptied)
            && let Some((food, linemate)) = self.play.scene.ground
        {
            self.lay_out(food, linemate);
        }
    }

    /// The bag holds more food than one digit tells, then less, then more again. A bot that has time for anything but food only
    /// with the smaller one takes twelve for one. No linemate lasts to the end of an incantation, so that it has a reason to
    /// begin one each time.
    pub(super) fn fill_bag(&mut self, id: PlayerId, seat: usize) {
        let dialogue = &self.connections[seat].dialogue;
        if dialogue.frozen || self.seen.met > 0 {
            return self.lay_out(1, 0);
        }
        if dialogue.waiting.front() == Some(&Some(CommandKind::Inventory)) {
            self.console(&format!("/setInventory {} food {}", id.0, BAGS[self.play.doing.bag]));
        }
        let Doing { bag, bag_from, ate, wanted, .. } = self.play.doing;
        let is_over = self.commands >= bag_from + BAG_COMMANDS;
        match (wanted, bag) {
            (Some(_), 0 | 2) => self.note_met(1),
            (None, 0 | 2) if is_over && ate < MEALS => self.note_met(1),
            (None, 1) if is_over => {
                let words = "with 9 food and with 12 it wants nothing but food, so whether it reads both digits isn't known";
                self.seen.notes.push(words.into());
                self.note_met(1);
            }
            (None, 2) if is_over => {
                let words = format!(
                    "with 12 units of food it asked for more food and nothing else, with 9 it had time for {}, and with 12 \
                     again for food alone: as if 12 were 1",
                    self.play.doing.wish
                );
                self.fail(FaultKind::Misreads, words);
            }
            (Some(_), _) | (None, 0) if wanted.is_some() || is_over => {
                let wish = wanted.map_or("nothing", CommandKind::name);
                self.lay_out(1, 1);
                let doing = &mut self.play.doing;
                (doing.bag, doing.bag_from, doing.ate, doing.wanted, doing.wish) =
                    (bag + 1, self.commands, 0, None, wish);
            }
            _ => {}
        }
    }

    /// Stops time while the bot waits for an answer.
    pub(super) fn delay(&mut self, seat: usize) {
        let waits = !self.connections[seat].dialogue.waiting.is_empty();
        if waits && self.seen.met < LATE_TIMES && self.commands > self.play.doing.commands + 2 {
            self.note_met(self.seen.met + 1);
            self.hold = Some(Instant::now() + LATE);
        }
    }
}
