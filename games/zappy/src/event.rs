//! What happened in the world: the only output of the rules.
//!
//! Responses and messages as values; `encode` makes lines of them. Tested by the transcripts.

use zappy_protocol::Text;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::observer::Message;
use zappy_protocol::zappy::player::Response;

use zappy_game::{Verdict, Words};

/// How a player's life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It had no food left.
    Starved,
    Killed,
    /// Its client closed the connection, or the connection was lost.
    Left,
    /// The server ended it because of its client.
    Expelled,
}

impl Fate {
    /// The word for it in results.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Starved => "starved",
            Fate::Killed => "killed",
            Fate::Left => "left",
            Fate::Expelled => "expelled",
        }
    }

    /// The reason that records and logs give.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Fate::Starved => "it starved",
            Fate::Killed => "the console killed it",
            Fate::Left => "its client left",
            Fate::Expelled => "it was expelled",
        }
    }
}

/// Something that happened, as players and observers are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Published(Message),
    /// A message that the rule set keeps from observers; only full records have it.
    Withheld(Message),
    /// The beginning or the end of the incantation of that number, published.
    Incantation(u32, Message),
    Responded(PlayerId, Response),
    /// A command was refused, or failed.
    Refused(PlayerId, Words),
    /// A line was dropped without an answer.
    Dropped(PlayerId, Words),
    /// Players heard something, each from a direction of its own, 0 to 8.
    Heard {
        text: Text,
        listeners: Vec<(PlayerId, u8)>,
    },
    /// A player is out of the world, and its connection closes.
    Gone(PlayerId, Fate),
    Over(Verdict),
}
