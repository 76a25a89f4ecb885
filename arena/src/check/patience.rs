//! How long a bot may take for what: to log in, to think, to hatch, to leave; and when a scene is over.
//!
//! Tested in `tests/check.rs`.

use std::time::{Duration, Instant};

use zappy_protocol::zappy::player::CommandKind;

use super::connection::Phase;
use super::scene::Enough;
use super::seen::{FaultKind, shown};
use super::stage::{SCENE_LIMIT, Stage};

/// How long a bot may take to log in.
const LOGIN_LIMIT: Duration = Duration::from_secs(4);
/// How long a bot may think.
const SLOW: Duration = Duration::from_secs(1);
/// How long a bot is silent before it is taken to be stuck.
const STALL: Duration = Duration::from_millis(2_500);
/// How long a bot without a connection may go on.
const ALONE_LIMIT: Duration = Duration::from_secs(2);
/// How long a client may take to hatch from an egg.
const HATCH_LIMIT: Duration = Duration::from_secs(3);

impl Stage<'_> {
    /// Everything that has to do with how long something takes.
    pub(super) fn look_after(&mut self) {
        self.process.note_end();
        self.look_for_silence();
        self.look_for_end();
        self.look_for_eggs();
        let enough = match self.scene.enough {
            Enough::Ticks => self.tick >= self.scene.ticks,
            Enough::Commands(n) => self.commands >= n,
            Enough::Met(n, more) => self.seen.met >= n && self.commands >= self.doing.commands + more,
            Enough::Hatched => self.hatched,
            Enough::End => false,
        };
        let ticks = self.tick >= self.scene.ticks && self.finale.is_none() && self.egg.is_none();
        if self.begun.elapsed() > SCENE_LIMIT && !self.over {
            let words = format!("only {} ticks were played in {} s", self.tick, SCENE_LIMIT.as_secs());
            self.seen.notes.push(words);
            self.over = true;
        }
        self.over |= enough || ticks;
    }

    fn look_for_silence(&mut self) {
        for connection in &self.connections {
            let stuck = connection.wire.stuck.is_some_and(|since| since.elapsed() > STALL);
            let Some(idle) = connection.idle.map(|since| since.elapsed()).filter(|_| connection.is_open())
            else {
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
                let (command, answer) = &connection.last;
                let words = if answer.is_empty() {
                    "it says nothing more: it was let in, and waits without having sent a command".to_owned()
                } else {
                    format!(
                        "it says nothing more: every command it sent was answered, and it waits; the last one was \
                         \"{command}\", the last answer \"{answer}\""
                    )
                };
                // One silence is one mistake.
                self.seen.faults.retain(|fault| fault.kind != FaultKind::Slow);
                self.seen.fault(FaultKind::Stalled, words);
                self.over = true;
            }
        }
    }

    fn look_for_eggs(&mut self) {
        let Some((laid, before)) = self.egg else { return };
        if self.seats.len() > before {
            self.egg = None;
            self.hatched = true;
        } else if laid.elapsed() > HATCH_LIMIT {
            let words = format!(
                "it laid an egg, but no new connection named the team within {} s; so no player hatches from it",
                HATCH_LIMIT.as_secs()
            );
            self.seen.fault(FaultKind::Unhatched, words);
            self.egg = None;
            self.over |= self.scene.enough == Enough::Hatched;
        }
    }

    fn look_for_end(&mut self) {
        let logged_in = self.connections.iter().any(|c| c.phase == Phase::Playing);
        let ever = self.connections.iter().any(|c| !matches!(c.phase, Phase::Waiting | Phase::Greeted));
        if self.finale.is_some() || self.scene.full {
            return self.look_for_leave();
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
        if !ever && self.begun.elapsed() > LOGIN_LIMIT + self.scene.greeting {
            self.fault_of_login();
        }
        if ever && !logged_in {
            let since = *self.alone.get_or_insert_with(Instant::now);
            if since.elapsed() > ALONE_LIMIT {
                self.seen.fault(FaultKind::Gone, "it closed its connection, but goes on running".into());
                self.over = true;
            }
        } else {
            self.alone = None;
        }
    }

    /// No more connections from now on; the bot shall end.
    pub(super) fn begin_finale(&mut self) {
        self.finale = Some((Instant::now(), self.process_time()));
        self.listener = None;
        for connection in &mut self.connections {
            if connection.is_open() {
                connection.phase = Phase::Closing;
            }
        }
    }

    pub(super) fn note_sent(&mut self, kind: Option<CommandKind>) {
        if kind == Some(CommandKind::Fork) {
            self.at_fork = self.seats.len();
        }
    }
}
