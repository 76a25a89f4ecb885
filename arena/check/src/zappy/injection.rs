//! How far the injected fault of a scene has come: what was counted of a bot, and what was done to it.
//!
//! Plain counts; `inject` acts on them. Tested in `input` and in `arena/cli/tests/check.rs`.

use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::player::{Command, Response};
use zappy_protocol::{Position, Tick};

/// How far the injected fault has come.
#[derive(Debug, Default)]
pub struct Injection {
    pub dropped: u32,
    /// The most commands without an answer, before it began and since.
    pub waiting: [usize; 2],
    /// Commands dropped before it began.
    pub dropped_before: u32,
    /// The tick from which others may begin another incantation.
    pub peace: Tick,
    /// Where the bot stood before it was moved away.
    pub home: Option<Position>,
    /// Whether the stones for the bot's next incantation were laid out.
    pub laid: bool,
    /// Whether the bot's `Look` was answered.
    pub looked: bool,
    pub looks: u32,
    /// Whether the things that it saw were taken away.
    pub emptied: bool,
    /// Commands that were refused because of that.
    pub refused: u32,
    pub in_a_row: u32,
    /// `Take food` in all, and how many were refused; and how often it asked for its `Inventory`.
    pub takes: u32,
    pub refusals: u32,
    pub counts: u32,
}

impl Injection {
    /// Notes what a command asks for.
    pub fn note_command(&mut self, command: &Command) {
        self.takes += u32::from(*command == Command::Take(Resource::Food));
        self.counts += u32::from(*command == Command::Inventory);
    }

    /// Notes the answer to a command.
    pub fn note_answer(&mut self, command: Option<&Command>, response: &Response) {
        let refused = *response == Response::Ko;
        self.refusals += u32::from(command == Some(&Command::Take(Resource::Food)) && refused);
        match command {
            Some(Command::Take(_) | Command::Incantation) if refused => {
                self.refused += u32::from(self.emptied);
                self.in_a_row += 1;
            }
            Some(Command::Look) => (self.looked, self.in_a_row) = (true, 0),
            Some(_) => self.in_a_row = 0,
            None => {}
        }
    }
}
