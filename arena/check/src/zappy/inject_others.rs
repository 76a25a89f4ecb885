//! More of what is done to a bot: odd shouts, a player that is quicker, answers that come late, a connection that
//! ends in the middle of a line.
//!
//! Done between two ticks, as `inject` says when. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::Input;
use zappy_protocol::zappy::player::CommandKind;

use super::Zappy;
use super::doing::WARM_UP;
use super::scene::Injected;
use crate::seen::FaultKind;
use crate::stage::Stage;

/// Shouts of a player of ours.
const ALOUD: u32 = 4;
/// How long an answer is held back: less than an incantation takes at the subject's frequency.
const LATE: Duration = Duration::from_millis(2_500);
/// How often an answer is held back.
const LATE_TIMES: u32 = 2;
/// Where the bot gets hungry, each so many looks the things that it saw are left to it.
const SPARED: u32 = 3;
/// After this many refusals of one thing in a row it is no longer bad luck.
const REFUSALS: u32 = 25;

impl Stage<'_, Zappy> {
    /// A player of ours shouts the text whenever it can.
    pub(super) fn shout_aloud(&mut self, text: &[u8]) {
        let (_, seat) = self.puppet();
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
        if looked && self.rhythm.steps >= WARM_UP && !spared {
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
            self.rhythm.marked = self.rhythm.steps;
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

    /// Stops time while the bot waits for an answer.
    pub(super) fn delay(&mut self, seat: usize) {
        let waits = !self.connections[seat].dialogue.waiting.is_empty();
        if waits && self.seen.met < LATE_TIMES && self.rhythm.steps > self.rhythm.marked + 2 {
            self.note_met(self.seen.met + 1);
            self.hold = Some(Instant::now() + LATE);
        }
    }
}
