//! What a player of Zappy says and is answered: the commands that wait, and the mistakes in them.
//!
//! Knows the dialect, not the rules: the game says which seat owes an answer. Tested in `arena/cli/tests/check.rs`.

use std::collections::VecDeque;

use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind, Response};

use super::Zappy;
use super::blame::{SPELLING, Unasked, sure};
use super::scene::{Enough, Injected};
use crate::seen::{FaultKind, shown};
use crate::stage::Stage;

/// With more lines than these at one tick a connection floods: lines that take no time, and lines of any
/// kind.
const FREE_LINES: usize = 50;
const LINES: usize = 400;

/// What is remembered of what a connection says.
#[derive(Debug, Default)]
pub struct Dialogue {
    /// The commands without an answer, the oldest first; a bad command is `None`.
    pub waiting: VecDeque<Option<CommandKind>>,
    /// How many commands were still waiting after the last answer.
    pub left: usize,
    /// Whether it takes part in an incantation.
    pub frozen: bool,
    /// The command that was refused, if nothing was said or answered since.
    pub refused: Option<CommandKind>,
    /// Whether the last line was no command.
    pub is_bad: bool,
    /// What it was sent besides answers.
    pub unasked: Unasked,
    /// Lines sent at this tick, and those of them that take no time.
    pub at_tick: (usize, usize),
}

impl Dialogue {
    /// Notes that the bot was sent this response. Gives the command that it answers, if it answers one.
    pub fn note_response(&mut self, response: &Response) -> Option<CommandKind> {
        let own_rite = self.waiting.front() == Some(&Some(CommandKind::Incantation));
        match response {
            Response::Message { .. } | Response::Eject(_) | Response::Dead | Response::Welcome => None,
            Response::ElevationUnderway => {
                self.frozen = true;
                None
            }
            Response::CurrentLevel(_) | Response::Ko if self.frozen => {
                self.frozen = false;
                if own_rite { self.waiting.pop_front().flatten() } else { None }
            }
            // The official server answers this question ahead of commands that wait.
            Response::Slots(_) => {
                let asked = |kind: &Option<CommandKind>| *kind == Some(CommandKind::ConnectNbr);
                let place = self.waiting.iter().position(asked).unwrap_or(0);
                self.waiting.remove(place).flatten()
            }
            _ => self.waiting.pop_front().flatten(),
        }
    }

    /// It sent that command, good or bad.
    pub fn note_command(&mut self, command: Option<&Command>) {
        let kind = command.map(Command::kind);
        self.unasked.note_command();
        (self.refused, self.is_bad) = (None, kind.is_none());
        self.waiting.push_back(kind);
        self.at_tick.0 += 1;
        self.at_tick.1 += usize::from(kind.is_none_or(|kind| kind.cost() == 0));
    }
}

impl Stage<'_, Zappy> {
    pub(super) fn look_at_command(&mut self, i: usize, line: &[u8]) {
        let command = self.play.rules.command(line);
        let why = match &command {
            Err(bad) => Some(why(bad, line)),
            Ok(_) => (line.trim_ascii() != line).then(|| "there are blanks around the command".to_owned()),
        };
        if let Some(why) = why {
            let words = format!("it sent \"{}\": {why}", shown(line));
            self.seen.fault_with(FaultKind::Invalid, words, Some(self.slip(SPELLING, true)));
        }
        let command = command.ok();
        let kind = command.as_ref().map(Command::kind);
        if let Some(command) = &command {
            self.play.doing.note_command(command);
            self.play.bag.note_command(command);
        }
        if let Some(Command::Broadcast(text)) = &command {
            self.seen.keep_words(text.as_bytes());
        }
        if kind == Some(CommandKind::Fork) {
            self.play.at_fork = self.play.seats.len();
        }
        let dialogue = &mut self.connections[i].dialogue;
        dialogue.note_command(command.as_ref());
        let (lines, free) = dialogue.at_tick;
        // A bot may send many commands at once on purpose. Commands that still wait after an answer are habit
        // or confusion.
        let waiting =
            if self.play.scene.injected == Injected::Delays { dialogue.waiting.len() } else { dialogue.left };
        if i == 0 {
            self.seen.keep(line);
        }
        self.note_waiting(waiting);
        if self.play.scene.enough == Enough::End {
            self.play.doing.commands = self.commands;
        }
        if free > FREE_LINES || lines > LINES {
            let words = if free > FREE_LINES {
                format!("it sent {free} lines that take no time (Connect_nbr, bad commands) within one tick")
            } else {
                format!("it sent {lines} lines within one tick")
            };
            let bad = self.connections[i].dialogue.is_bad;
            self.seen.fault_with(FaultKind::Flood, words, bad.then_some(sure(SPELLING)));
            self.over = true;
        }
    }
}

/// What a student can do about it.
fn why(bad: &BadCommand, line: &[u8]) -> String {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let known = CommandKind::ALL
        .into_iter()
        .find(|kind| kind.name().as_bytes().eq_ignore_ascii_case(word) && kind.name().as_bytes() != word);
    match known {
        Some(kind) => format!("capitals matter, the command is {}", kind.name()),
        None => bad.to_string(),
    }
}
