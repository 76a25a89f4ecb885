//! A bot for the tests' tiny game: it says the same number in each turn.

use zappy_ai::agent::{Action, Agent, AgentState};
use zappy_protocol::line::Decoded;

/// A player.
#[derive(Debug)]
pub struct Caller {
    team: String,
    number: u32,
    says: Option<String>,
    /// Lines read so far: the greeting, the free slots and the map come before the first turn.
    read: u32,
}

impl Caller {
    /// A player that has read nothing yet.
    pub fn new(team: &str, number: u32) -> Caller {
        Caller { team: team.to_owned(), number, says: None, read: 0 }
    }
}

impl Agent for Caller {
    fn handle_line(&mut self, line: Decoded<'_>) {
        self.read += 1;
        match (self.read, line) {
            (1, Decoded::Line(b"WELCOME")) => self.says = Some(self.team.clone()),
            (3.., Decoded::Line(line)) if line != b"ko" => self.says = Some(self.number.to_string()),
            _ => {}
        }
    }

    fn poll_action(&mut self) -> Option<Action> {
        self.says.take().map(|text| Action::Send(text.into_bytes()))
    }

    fn state(&self) -> AgentState {
        if self.read < 3 { AgentState::Entering } else { AgentState::Playing }
    }

    fn words(&self) -> String {
        format!("line {}", self.read)
    }
}
