//! How long a bot may think and keep silent, and when a scene is over.
//!
//! Tested in `arena/cli/tests/check.rs`.

use std::time::{Duration, Instant};

use super::connection::Phase;
use super::data::remedy;
use super::leave::LOGIN_LIMIT;
use super::machine::is_running;
use super::seen::{FaultKind, shown};
use super::stage::{Play, Stage};

/// On a busy machine a scene may take up to this many times its limit, counted from the bot's login.
const BUSY: u32 = 5;
/// How long a bot may think before it counts as slow.
const SLOW: Duration = Duration::from_secs(1);
/// How long a bot may be silent before it counts as stuck.
const STALL: Duration = Duration::from_millis(2_500);
/// How long a bot without a connection may go on.
const ALONE_LIMIT: Duration = Duration::from_secs(2);
/// How long the scene waits for a bot that is still running and so may send more: after one line, and in all.
const MORE: Duration = Duration::from_millis(50);
const MORE_IN_ALL: Duration = Duration::from_secs(1);
/// The time between two looks whether the bot still runs.
const GLANCE: Duration = Duration::from_millis(1);

impl<P: Play> Stage<'_, P> {
    /// Checks all time limits, and ends the scene when one is over.
    pub(super) fn look_after(&mut self) {
        self.process.note_end();
        self.look_for_silence();
        self.look_for_end();
        let enough = P::look(self);
        // The limit of a scene begins when the bot is in; starting has a limit of its own.
        let busy = self.terms.limit * BUSY;
        let limit = if self.entered.is_some() { busy } else { busy + LOGIN_LIMIT };
        let (entered, before) = self.entered.unwrap_or((self.begun, Duration::ZERO));
        let fair = self.clock.now().saturating_sub(before);
        if entered.elapsed() > limit && !self.over {
            let words = format!(
                "the machine was too busy: in {} s the bot could have run for {:.1} s; its program still ran; try again \
                 when less runs beside it",
                limit.as_secs(),
                fair.as_secs_f64()
            );
            self.seen.starved = Some(words);
            self.over = true;
        }
        if self.entered.is_some() && fair > self.terms.limit && !self.over {
            let words = format!("only {} were played in {} s", P::progress(self), self.terms.limit.as_secs());
            self.seen.notes.push(words);
            self.over = true;
        }
        self.over |= enough;
    }

    fn look_for_silence(&mut self) {
        let now = self.clock.now();
        for i in 0..self.connections.len() {
            // A team may have players that keep silent on purpose, as long as one plays.
            let others_play = (0..self.connections.len()).any(|other| other != i && self.plays_on(other));
            let disturbed = P::disturbed(self, i);
            let connection = &mut self.connections[i];
            let since = connection.wire.stuck.then(|| connection.stuck.unwrap_or(now));
            connection.stuck = since;
            let stuck = since.is_some_and(|since| now.saturating_sub(since) > STALL);
            let idle = connection.idle.map(|since| now.saturating_sub(since));
            let Some(idle) = idle.filter(|_| connection.is_open() && !connection.mute) else {
                if stuck && !others_play && !connection.mute {
                    self.seen.fault(FaultKind::Stalled, "it doesn't read what is sent to it".into());
                    self.over = true;
                }
                continue;
            };
            let on_purpose = others_play && (self.by_habit || !disturbed);
            if idle > SLOW && on_purpose || idle > STALL && !self.terms.asks {
                self.seen.kept_silent |= on_purpose;
                connection.mute = true;
                continue;
            }
            if idle > SLOW && self.terms.asks {
                let words = "it said nothing for more than a second though no command of its own was running";
                self.seen.fault(FaultKind::Slow, words.into());
            }
            if idle > STALL {
                self.fault_of_silence(i, idle);
            }
        }
    }

    /// Whether the bot has just sent a line and still runs, so that it may send more; asked while the scene learns its
    /// habits. A busy machine may delay the rest of what it wants to say, and lines that come later would look like
    /// another habit.
    pub(super) fn may_say_more(&mut self) -> bool {
        let Some(since) = self.rhythm.at_it.filter(|_| self.rhythm.more < MORE_IN_ALL && P::learns(self))
        else {
            return false;
        };
        let waited = self.clock.now().saturating_sub(since);
        if waited < MORE && is_running(self.process.pid()) {
            self.hold = Some(Instant::now() + GLANCE);
            return true;
        }
        (self.rhythm.at_it, self.rhythm.more) = (None, self.rhythm.more + waited);
        false
    }

    /// Whether that player has sent a line and waits for the answer.
    fn plays_on(&self, i: usize) -> bool {
        let connection = &self.connections[i];
        let waits = connection.phase == Phase::Playing && connection.idle.is_none();
        waits && !connection.mute && !connection.last.0.is_empty()
    }

    fn fault_of_silence(&mut self, i: usize, idle: Duration) {
        let connection = &self.connections[i];
        let what = connection.pending();
        let (mut meant, mut words) = (P::remedy(self, i, ""), P::silence(connection));
        if !what.is_empty() {
            words = format!("it sent \"{}\" and never the \\n that ends the line", shown(what));
            meant = Some(remedy("unended"));
            self.seen.fault_with(FaultKind::LineEnd, words.clone(), meant);
        }
        let waited = idle.as_secs_f64();
        let words = format!("{words}; that was {waited:.1} s ago, and its program still runs");
        // A bot that is stuck isn't reported as slow as well.
        self.seen.faults.retain(|fault| fault.kind != FaultKind::Slow);
        self.seen.fault_with(FaultKind::Stalled, words, meant);
        self.over = true;
    }

    fn look_for_end(&mut self) {
        let logged_in = self.connections.iter().any(|c| c.phase == Phase::Playing);
        let ever = self.connections.iter().any(|c| !matches!(c.phase, Phase::Waiting | Phase::Greeted));
        if self.leave.since.is_some() || self.terms.full {
            return self.look_for_leave();
        }
        if self.play.may_leave() {
            if let Some(ended) = self.process.ended() {
                self.over = true;
                self.judge_leave(ended);
            }
            return;
        }
        if let Some(ended) = self.process.ended()
            && !logged_in
        {
            // Its last lines may still be on their way.
            if self.connections.iter().all(|c| c.ended || c.phase == Phase::Gone) {
                self.fault_of_end(ended, ever);
            }
            return;
        }
        if !ever && (self.clock.now() > LOGIN_LIMIT + self.terms.greeting || self.is_cut()) {
            self.fault_of_login();
        }
        if ever && !logged_in {
            let now = self.clock.now();
            let since = *self.leave.alone.get_or_insert(now);
            if now.saturating_sub(since) > ALONE_LIMIT {
                self.fail(FaultKind::Gone, "it closed its connection, but goes on running".into());
            }
        } else {
            self.leave.alone = None;
        }
    }
}
