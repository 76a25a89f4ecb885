//! Where a match stands that is resumed from a record that was cut off.
//!
//! Plain values. Tested in `server/tests/rules/resume.rs`.

use std::num::NonZeroU32;

use zappy_protocol::Tick;

/// What the shell has to know of a match after its record was played again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stand {
    /// The tick of the record's last line.
    pub tick: Tick,
    /// Whether connections may take a seat.
    pub gate: bool,
    /// Ticks per second of the real clock; `None`: time stood still.
    pub rate: Option<NonZeroU32>,
    /// How many lines had been published.
    pub published: u64,
    /// The ticks at which the match was resumed, the present one included.
    pub resumed: Vec<Tick>,
    /// The players in the order in which they were let in, by the number of their seats.
    pub players: Vec<SeatedPlayer>,
}

/// A player of a match that is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatedPlayer {
    /// The line by which it was let in.
    pub name: Vec<u8>,
    /// Whether a client may take its seat over: the seat is still open, and its client hadn't ended.
    pub open: bool,
}
