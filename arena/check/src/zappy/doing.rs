//! How far the injected fault of a scene has come: what was counted of a bot, and what was done to it.
//!
//! Plain counts; `inject` acts on them. Tested in `arena/cli/tests/check.rs`.

use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::player::{Command, CommandKind, Response};
use zappy_protocol::{Position, Tick};

/// Commands that a bot sends undisturbed at first, so that its habits are known: more than wait at once, so that the ones
/// that a bot loses because it always sends too many are counted by then.
pub const WARM_UP: u64 = 24;
/// Bytes that are text in no encoding that reads UTF-8.
pub const NOT_UTF8: &[u8] = b"caf\xe9 \xff\xfe \x80";
/// How far the injected fault has come.
#[derive(Debug, Default)]
pub struct Doing {
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

impl Doing {
    /// Notes what a command asks for.
    pub fn note_command(&mut self, command: &Command) {
        self.takes += u32::from(*command == Command::Take(Resource::Food));
        self.counts += u32::from(*command == Command::Inventory);
    }

    /// Notes the answer to a command.
    pub fn note_answer(&mut self, command: Option<CommandKind>, response: &Response) {
        self.refusals += u32::from(command == Some(CommandKind::Take) && *response == Response::Ko);
        match command {
            Some(CommandKind::Take | CommandKind::Incantation) if *response == Response::Ko => {
                self.refused += u32::from(self.emptied);
                self.in_a_row += 1;
            }
            Some(CommandKind::Look) => (self.looked, self.in_a_row) = (true, 0),
            Some(_) => self.in_a_row = 0,
            None => {}
        }
    }
}

/// A text that makes a `Broadcast` nearly as long as a line may be.
pub fn long_text() -> Vec<u8> {
    b"and so on and ".repeat(290).trim_ascii().to_vec()
}
