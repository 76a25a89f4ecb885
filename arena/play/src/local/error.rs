//! What can go wrong with matches in this process, each with its remedy.
//!
//! Tested in `in_process/tests.rs`, `zappy.rs` and `arena/cli/tests/in_process.rs`.

use std::io;

use zappy_game::config::BadConfig;
use zappy_protocol::Tick;

/// Why matches in this process can't be planned, or one was not played.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A bot that can't play in this process.
    #[error(
        "--bot {0}: {1:?} can't play in this process, only {2} can; name that, or leave --in-process away and play \
         with --clock lockstep"
    )]
    NotOurs(String, String, &'static str),
    /// A game for which no bot can play in this process.
    #[error(
        "no bot can play the game {0} in this process; leave --in-process away and play with --clock lockstep"
    )]
    NoBots(&'static str),
    /// Options of our bot that mean nothing in this process, or nothing at all.
    #[error("--bot {0}: {1}: {2}")]
    BadOurs(String, &'static str, String),
    /// More players of a team than slots.
    #[error("--bot {0}: {1} players for {2} slots; lower --procs or --players, or raise --clients")]
    TooManyPlayers(String, usize, usize),
    #[error("--clients: {0} players are too many, {1} can connect; lower --clients")]
    Crowd(usize, usize),
    /// There are no seeds beyond the greatest number.
    #[error("--seeds: from seed {0} on there are not {1} more; begin with a lower one")]
    SeedsOverflow(u64, u64),
    /// The match of that seed could not be played.
    #[error("the match of seed {0}: {1}")]
    InProcess(u64, InProcessError),
}

impl Error {
    /// Whether it lies in what was asked for rather than in how it went.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        !matches!(self, Error::InProcess(..))
    }
}

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum InProcessError {
    /// The rules can't be played with that.
    #[error(transparent)]
    Config(#[from] BadConfig),
    /// A list of players for each team, no more and no less.
    #[error("{0} crews for {1} teams; give each team one")]
    Crews(usize, usize),
    /// No team has a player.
    #[error("nobody plays; give a team a player")]
    Nobody,
    #[error("{0} players are too many, {1} can connect; lower the number of players")]
    Crowd(usize, usize),
    /// Every player waits for another one. A bug.
    #[error("nobody moves any more at tick {0}: a bug in the arena; the record shows what came before")]
    Stuck(Tick),
    /// A tick that doesn't end. A bug.
    #[error("tick {0} had not ended after {1} turns: a bug; the record shows what came before")]
    Endless(Tick, u32),
    /// The record can't be written.
    #[error("the record can't be written: {0}")]
    Record(#[from] io::Error),
}
