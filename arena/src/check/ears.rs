//! What a bot says, line by line: handed to the rules as it came, and looked at as a strict reader would.
//!
//! Nothing is corrected on the way. Tested in `tests/check.rs`.

use zappy_protocol::zappy::player::{BadCommand, Command};
use zappy_server::game::Input;

use super::connection::Phase;
use super::scene::Enough;
use super::scene::Mischief;
use super::seen::{FaultKind, Way, shown};
use super::stage::{Stage, TEAM};

/// The longest line that a bot may send.
const LINE_LIMIT: usize = 4096;
/// Lines taken from a connection in one turn.
const TURN_LINES: usize = 64;
/// With more lines than these at one tick a connection floods: lines that take no time, and lines of any
/// kind.
const FREE_LINES: usize = 50;
const LINES: usize = 400;
/// Lines after the end of a connection that a transcript shows.
const AFTERWARDS: usize = 3;
/// Refused names after which a bot no longer tries but hammers.
const TRIES: u32 = 15;

impl Stage<'_> {
    /// Reads what has come.
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
        self.seen.say(&name, Way::Sent, "(closes the connection)");
        if !rest.is_empty() && !closing {
            let words = format!("it sent \"{}\" and never the \\n that ends the line", shown(&rest));
            self.seen.fault(FaultKind::LineEnd, words);
        }
        self.hand_in(seat, Input::Closed);
    }

    fn hear(&mut self, i: usize, raw: &[u8]) {
        let connection = &mut self.connections[i];
        let (seat, phase, name) = (connection.seat, connection.phase, connection.name.clone());
        connection.idle = None;
        connection.afterwards += usize::from(phase == Phase::Closing);
        // People want to see the end, not what a loop sent after it.
        if connection.afterwards <= AFTERWARDS {
            self.seen.say(&name, Way::Sent, &shown(raw));
        }
        if phase == Phase::Closing {
            return;
        }
        let line = raw.strip_suffix(b"\r").unwrap_or(raw);
        self.look_at_end(raw, line);
        if phase == Phase::Greeted {
            self.look_at_name(line);
        } else {
            self.look_at_command(i, line);
        }
        let input = if line.len() > LINE_LIMIT { Input::Overflow } else { Input::Line(line) };
        self.hand_in(seat, input);
    }

    fn look_at_end(&mut self, raw: &[u8], line: &[u8]) {
        let shown = shown(raw);
        if raw.len() > line.len() {
            let words = format!("it sent \"{shown}\": the line ends with \\r\\n instead of \\n alone");
            self.seen.fault(FaultKind::LineEnd, words);
        } else if line.contains(&0) {
            let words = format!(
                "it sent \"{shown}\": there is a NUL byte in the line, which is the end of a C string"
            );
            self.seen.fault(FaultKind::LineEnd, words);
        }
    }

    fn look_at_name(&mut self, line: &[u8]) {
        let shown = shown(line);
        if self.scene.full {
            self.seen.met += 1;
            if line.trim_ascii() != TEAM.as_bytes() {
                let words = format!("it was refused (ko) and sent \"{shown}\" as if it had been let in");
                self.seen.fault(FaultKind::Name, words);
            }
            if self.seen.met > TRIES {
                let words =
                    format!("it was refused (ko) and tried again {} times without a pause", self.seen.met);
                self.seen.fault(FaultKind::Flood, words);
                self.over = true;
            }
        } else if line != TEAM.as_bytes() {
            let words = format!(
                "its first line was \"{shown}\"; after WELCOME comes the name of the team, \"{TEAM}\""
            );
            self.seen.fault(FaultKind::Name, words);
        }
    }

    fn look_at_command(&mut self, i: usize, line: &[u8]) {
        let command = Command::parse(line);
        match &command {
            Err(bad) => {
                let why = why(bad, line);
                self.seen.fault(FaultKind::Invalid, format!("it sent \"{}\": {why}", shown(line)));
            }
            Ok(_) if line.trim_ascii() != line => {
                let words = format!("it sent \"{}\": there are blanks around the command", shown(line));
                self.seen.fault(FaultKind::Invalid, words);
            }
            Ok(_) => {}
        }
        let command = command.ok();
        let kind = command.as_ref().map(Command::kind);
        self.note_sent(kind);
        self.commands += 1;
        let connection = &mut self.connections[i];
        connection.note_command(command.as_ref());
        connection.last.0 = shown(line);
        let (lines, free) = connection.at_tick;
        // A bot may send many commands at once on purpose. Commands that still wait after an answer are habit
        // or confusion.
        let waiting =
            if self.scene.mischief == Mischief::Delays { connection.waiting.len() } else { connection.left };
        if i == 0 {
            self.seen.keep(line);
        }
        self.note_waiting(waiting);
        if self.scene.enough == Enough::End {
            self.doing.commands = self.commands;
        }
        if free > FREE_LINES || lines > LINES {
            let words = if free > FREE_LINES {
                format!("it sent {free} lines that take no time (Connect_nbr, bad commands) within one tick")
            } else {
                format!("it sent {lines} lines within one tick")
            };
            self.seen.fault(FaultKind::Flood, words);
            self.over = true;
        }
    }
}

/// What a student can do about it.
fn why(bad: &BadCommand, line: &[u8]) -> String {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let known = zappy_protocol::zappy::player::CommandKind::ALL
        .into_iter()
        .find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(word) && kind.name().as_bytes() != word);
    match known {
        Some(kind) => format!("capitals matter, the command is {}", kind.name()),
        None => bad.to_string(),
    }
}
