//! Reads a bot's lines: hands each to the rules as it came, and checks it as strictly as a strict server would.
//!
//! Corrects nothing on the way. Tested in `arena/cli/tests/check.rs`.

use std::time::Instant;

use zappy_game::Input;

use super::connection::Phase;
use super::data::remedy;
use super::seen::{FaultKind, SENT, shown};
use super::stage::{Play, Stage, TEAM};

/// The longest line that a bot may send.
const LINE_LIMIT: usize = 4096;
/// The most lines taken from a connection in one turn.
const TURN_LINES: usize = 64;
/// The most lines after the end of a connection that a transcript shows.
const AFTERWARDS: usize = 3;
/// After so many refused names a bot is no longer trying but hammering.
const TRIES: u32 = 15;

/// What is said of a line that ends as on Windows where that is a mistake.
const RETURN: &str = "the line ends with \\r\\n instead of \\n alone";

impl<P: Play> Stage<'_, P> {
    pub(super) fn listen(&mut self) {
        for i in 0..self.connections.len() {
            if matches!(self.connections[i].phase, Phase::Waiting | Phase::Gone) || self.over {
                continue;
            }
            if !self.connections[i].ended {
                self.connections[i].read();
            }
            for _ in 0..TURN_LINES {
                let Some(line) = self.connections[i].line() else { break };
                self.hear(i, &line);
            }
            if self.connections[i].ended && !self.connections[i].pending().contains(&b'\n') {
                self.note_gone(i);
            }
        }
    }

    fn note_gone(&mut self, i: usize) {
        let connection = &mut self.connections[i];
        let name = connection.name.clone();
        let closing = connection.phase == Phase::Closing;
        connection.phase = Phase::Gone;
        let (seat, rest) = (connection.seat, connection.pending().to_vec());
        self.seen.say(&name, SENT, "(closes the connection)");
        if !rest.is_empty() && !closing {
            let words = format!("it sent \"{}\" and never the \\n that ends the line", shown(&rest));
            self.seen.fault_with(FaultKind::LineEnd, words, Some(remedy("unended")));
        }
        self.hand_in(seat, Input::Closed);
    }

    fn hear(&mut self, i: usize, raw: &[u8]) {
        let connection = &mut self.connections[i];
        let (seat, phase, name) = (connection.seat, connection.phase, connection.name.clone());
        if P::renews(None) {
            connection.idle = None;
        }
        connection.mute = false;
        connection.afterwards += usize::from(phase == Phase::Closing);
        // People want to see the end of the match, not what a loop sends after it.
        if connection.afterwards <= AFTERWARDS {
            self.seen.say(&name, SENT, &shown(raw));
        }
        if phase == Phase::Closing {
            return;
        }
        let line = raw.strip_suffix(b"\r").unwrap_or(raw);
        self.look_at_end(raw, line);
        if phase == Phase::Greeted {
            self.connections[i].named = Some(shown(line));
            self.look_at_name(raw, line);
        } else {
            self.seen.spoke = true;
            (self.rhythm.pause, self.rhythm.spoke) = (self.rhythm.spoke.elapsed(), Instant::now());
            self.rhythm.at_it = Some(self.clock.now());
            self.connections[i].last.0 = shown(line);
            P::hear(self, i, line);
        }
        let taken = if self.play.game().keeps_returns() { raw } else { line };
        let input = if taken.len() > LINE_LIMIT { Input::Overflow } else { Input::Line(taken) };
        self.hand_in(seat, input);
    }

    fn look_at_end(&mut self, raw: &[u8], line: &[u8]) {
        let shown = shown(raw);
        if raw.len() > line.len() && !self.play.game().keeps_returns() {
            let words = "its lines end with \\r\\n; the \\r is dropped here, but there are servers that keep it as a part of the line: \
                         read protocol.md, 17. Where servers differ";
            if self.seen.elsewhere.is_empty() {
                self.seen.elsewhere.push((FaultKind::LineEnd, words.to_owned()));
            }
        } else if raw.len() > line.len() {
            let words = format!("it sent \"{shown}\": {RETURN}");
            self.seen.fault_with(FaultKind::LineEnd, words, Some(remedy("unended")));
        } else if line.contains(&0) {
            let words = "there is a NUL byte in the line, which is the end of a C string";
            self.seen.fault_with(
                FaultKind::LineEnd,
                format!("it sent \"{shown}\": {words}"),
                Some(remedy("unended")),
            );
        }
    }

    fn look_at_name(&mut self, raw: &[u8], line: &[u8]) {
        let shown = shown(line);
        if self.terms.full {
            self.seen.met += 1;
            if line.trim_ascii() != TEAM.as_bytes() {
                let words = format!("it was refused (ko) and sent \"{shown}\" as if it had been let in");
                self.seen.fault(FaultKind::Name, words);
            }
            if self.seen.met > TRIES {
                let words =
                    format!("it was refused (ko) and tried again {} times without a pause", self.seen.met);
                self.fail(FaultKind::Flood, words);
            }
        } else if line == TEAM.as_bytes() && raw.len() > line.len() && self.play.game().keeps_returns() {
            let words = format!(
                "after WELCOME it sent \"{shown}\\r\": {RETURN}, and \\r is taken for a part of the name"
            );
            self.seen.fault_with(FaultKind::Name, words, Some(remedy("unended")));
        } else if line != TEAM.as_bytes() {
            let words = format!("after WELCOME it sent \"{shown}\"; its team is \"{TEAM}\", as -n says");
            self.seen.fault_with(FaultKind::Name, words, Some(remedy("team-name")));
        }
    }
}
