//! What the server's door tells of the connections of a match.

use crate::os::Pid;

/// What a team did at the server's door.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtDoor {
    /// What it did wrong, in words.
    pub foul: Option<String>,
    /// Whether a connection of it was let in, as a player or not.
    pub came: bool,
    /// The first name that it said and no team has, in a form for people.
    pub misnamed: Option<String>,
    /// Whether a program of it was seen to run our own client.
    pub runs_client: bool,
}

/// A player, and the program that opened its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seated {
    /// Which connection of the match it was.
    pub arrival: u64,
    pub player: u32,
    /// The bot that plays it; `None` if no bot does, or that isn't known.
    pub bot: Option<Pid>,
}

/// Connections that are no team's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Connections of programs that belong to no match.
    pub outside: u64,
    /// Connections that were not let in, because no program that may come in was seen to hold them.
    pub unheld: u64,
}
