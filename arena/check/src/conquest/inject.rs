//! What is done to a faction in a scene, by the console and by factions of ours: so the rules answer for all that it
//! is told.
//!
//! Done between two ticks, when all was read and written. Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_game::{Game, Input};

use super::Conquest;
use super::scene::Injected;
use crate::connection::Phase;
use crate::scene::Enough;
use crate::seen::FaultKind;
use crate::stage::{OTHERS, PUPPETS, Stage};

/// Phases that a bot plays undisturbed at first.
const WARM_UP: u64 = 2;
/// How long another faction thinks.
const THOUGHT: Duration = Duration::from_millis(1_200);
/// How long a beaten bot has for a mistake before the match ends.
const AFTERMATH: Duration = Duration::from_millis(300);
/// By the real clock a bot is late on purpose if it ended fewer phases than asked for in so many.
const REAL_PHASES: u64 = 12;
/// The part of a line that is sent before the connection ends.
const PART: &str = "tile 1";

impl Stage<'_, Conquest> {
    /// Our factions end the phases that they act in.
    pub(super) fn end_phases(&mut self) {
        for seat in self.owing().into_iter().filter(|seat| seat.0 >= PUPPETS) {
            let Some(turn) = self.play.asked.get(&seat).copied() else { continue };
            if self.play.scene.injected == Injected::Thinks && self.play.turn < turn && self.seen.met < 2 {
                self.note_met(self.seen.met + 1);
                (self.play.turn, self.hold) = (turn, Some(Instant::now() + THOUGHT));
                return;
            }
            self.hand_in(seat, Input::Line(format!("Done {turn}").as_bytes()));
        }
    }

    /// Injects the fault of the scene, before a tick passes.
    pub(super) fn inject(&mut self) {
        let turn = self.turn();
        if self.rhythm.steps < WARM_UP || self.play.turn >= turn || self.seen.met > 0 {
            return;
        }
        match self.play.scene.injected {
            Injected::None | Injected::Late | Injected::Thinks | Injected::Vanishes | Injected::Ends => {
                return;
            }
            Injected::Converts => {
                let Some(unit) = self.unit() else { return };
                self.console(&format!("/unit {unit} gone"));
                self.console(&format!("/unit new {OTHERS} pioneer 8 8 as {unit}"));
                self.console(&format!("/unit new {OTHERS} pioneer 3 7 as {}", unit + 50));
            }
            Injected::Beats => self.console(&format!("/tile 5 5 owner {OTHERS}")),
            Injected::Closes => return self.break_off(""),
            Injected::Breaks => return self.break_off(PART),
        }
        self.play.turn = turn;
        self.note_met(self.seen.met + 1);
    }

    /// Does what is done right after a snapshot was sent, before the bot can act on it.
    pub(super) fn be_quicker(&mut self) {
        let (turn, injected) = (self.turn(), self.play.scene.injected);
        let new = self.play.phases > self.rhythm.steps && self.play.turn + 1 < turn;
        if self.rhythm.steps < WARM_UP || !new || self.seen.met >= 2 {
            return;
        }
        match injected {
            Injected::Late => {
                // The phase's time is over before anything was written.
                self.play.turn = turn;
                self.end_phases();
                if let Some(due) = self.play.game.poll_timeout() {
                    self.note_met(self.seen.met + 1);
                    self.run(due);
                }
            }
            Injected::Vanishes => {
                if let Some(unit) = self.unit() {
                    self.play.turn = turn;
                    self.console(&format!("/unit {unit} gone"));
                    self.note_met(self.seen.met + 1);
                }
            }
            _ => {}
        }
    }

    /// The turn of the last snapshot.
    fn turn(&self) -> u32 {
        self.connections.first().map_or(0, |connection| connection.dialogue.turn)
    }

    /// A unit of the bot's, the last one of the last snapshot.
    fn unit(&self) -> Option<u32> {
        self.connections.first()?.dialogue.units.last().copied()
    }

    /// Looks whether the match is over, or the bot has had its time after its defeat.
    pub(super) fn look_for_the_end(&mut self) {
        if self.leave.since.is_some() || self.over {
            return;
        }
        let (phases, done) = (self.play.phases, self.rhythm.steps);
        if let Enough::Steps(n) = self.terms.enough
            && self.terms.real
            && phases >= REAL_PHASES.max(n)
            && done < n
        {
            let words = format!("in {phases} phases it was done {done} times before the time was over");
            return self.fail(FaultKind::Late, words);
        }
        if self.play.beaten.is_some_and(|beaten| self.clock.now().saturating_sub(beaten) > AFTERMATH) {
            self.console("/quit");
        }
        let over = self.play.game.poll_timeout().is_none();
        if over && self.terms.enough == Enough::End {
            self.seen.met = 1;
            self.begin_finale();
        } else if over {
            // It won before the scene was through, or lost: that is no mistake.
            self.over = true;
        }
        let gone = self.connections.iter().all(|connection| connection.phase == Phase::Gone);
        if self.play.beaten.is_some() && gone && self.leave.since.is_none() && !self.connections.is_empty() {
            self.begin_finale();
        }
    }
}
