//! How long a bot may take for what: to log in, to think, to hatch, to leave; and when a scene is over.
//!
//! Tested in `tests/check.rs`.

use std::time::Duration;

use super::connection::Phase;
use super::seen::{FaultKind, shown};
use super::stage::{Play, SCENE_LIMIT, Stage};

/// How long a bot may take to log in.
pub(super) const LOGIN_LIMIT: Duration = Duration::from_secs(10);
/// How long a scene may take in all, however busy the machine is.
const BUSY_LIMIT: Duration = Duration::from_secs(60);
/// How long a bot may think.
const SLOW: Duration = Duration::from_secs(1);
/// How long a bot is silent before it is taken to be stuck.
const STALL: Duration = Duration::from_millis(2_500);
/// How long a bot without a connection may go on.
const ALONE_LIMIT: Duration = Duration::from_secs(2);

impl<P: Play> Stage<'_, P> {
    /// Everything that has to do with how long something takes.
    pub(super) fn look_after(&mut self) {
        self.process.note_end();
        self.look_for_silence();
        self.look_for_end();
        let enough = P::look(self);
        let fair = self.clock.now();
        if self.begun.elapsed() > BUSY_LIMIT && !self.over {
            let words = format!(
                "the machine was too busy: in {} s the bot could have run for {:.1} s; try again when less runs beside it",
                BUSY_LIMIT.as_secs(),
                fair.as_secs_f64()
            );
            self.seen.starved = Some(words);
            self.over = true;
        }
        if fair > SCENE_LIMIT && !self.over {
            let words = format!("only {} were played in {} s", P::progress(self), SCENE_LIMIT.as_secs());
            self.seen.notes.push(words);
            self.over = true;
        }
        self.over |= enough;
    }

    fn look_for_silence(&mut self) {
        let now = self.clock.now();
        for connection in &mut self.connections {
            let since = connection.wire.stuck.then(|| connection.stuck.unwrap_or(now));
            connection.stuck = since;
            let stuck = since.is_some_and(|since| now.saturating_sub(since) > STALL);
            let idle = connection.idle.map(|since| now.saturating_sub(since));
            let Some(idle) = idle.filter(|_| connection.is_open()) else {
                if stuck {
                    self.seen.fault(FaultKind::Stalled, "it doesn't read what is sent to it".into());
                    self.over = true;
                }
                continue;
            };
            if idle > SLOW {
                let words = "it said nothing for more than a second though no command of its own was running";
                self.seen.fault(FaultKind::Slow, words.into());
            }
            if idle > STALL {
                let what = connection.pending();
                if !what.is_empty() {
                    let text = shown(what);
                    let words = format!("it sent \"{text}\" and never the \\n that ends the line");
                    self.seen.fault(FaultKind::LineEnd, words);
                }
                let words = P::silence(connection);
                // One silence is one mistake.
                self.seen.faults.retain(|fault| fault.kind != FaultKind::Slow);
                self.seen.fault(FaultKind::Stalled, words);
                self.over = true;
            }
        }
    }

    fn look_for_end(&mut self) {
        let logged_in = self.connections.iter().any(|c| c.phase == Phase::Playing);
        let ever = self.connections.iter().any(|c| !matches!(c.phase, Phase::Waiting | Phase::Greeted));
        if self.finale.is_some() || self.terms.full {
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
            // What it sent last may still be on its way.
            if self.connections.iter().all(|c| c.ended || c.phase == Phase::Gone) {
                self.fault_of_end(ended, ever);
            }
            return;
        }
        if !ever && self.clock.now() > LOGIN_LIMIT + self.terms.greeting {
            self.fault_of_login();
        }
        if ever && !logged_in {
            let now = self.clock.now();
            let since = *self.alone.get_or_insert(now);
            if now.saturating_sub(since) > ALONE_LIMIT {
                self.fail(FaultKind::Gone, "it closed its connection, but goes on running".into());
            }
        } else {
            self.alone = None;
        }
    }
}
