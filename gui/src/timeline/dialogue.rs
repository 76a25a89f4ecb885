//! What a player and the server said to each other, from a record.

use zappy_protocol::Tick;

/// Who said a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The player's program.
    Player,
    /// The server.
    Server,
    /// Neither: the connection was admitted, ended or was closed.
    Connection,
}

/// A line of a dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// When, in ticks.
    pub tick: Tick,
    /// Who said it.
    pub speaker: Speaker,
    /// The line, escaped and cut.
    pub text: String,
    /// Why it is a refusal, if it is one and the record says so.
    pub why: Option<String>,
}
