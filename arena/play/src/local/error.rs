//! What can go wrong with matches in this process, each with its remedy.
//!
//! Tested in `in_process/tests.rs`, `zappy.rs` and `arena/cli/tests/in_process.rs`.

use std::io;

use zappy_game::config::BadConfig;
use zappy_protocol::Tick;

/// Why matches in this process can't be planned, or one was not played.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "--bot {0}: {1:?} can't play in this process, only {2} can; name that, or leave --in-process away and play \
         with --clock lockstep"
    )]
    NotOurs(String, String, &'static str),
    #[error(
        "no bot can play the game {0} in this process; leave --in-process away and play with --clock lockstep"
    )]
    NoBots(&'static str),
    #[error("--bot {0}: {1}: {2}")]
    BadOurs(String, &'static str, String),
    #[error("--bot {0}: {1} players for {2} slots; lower --procs or --players, or raise --clients")]
    TooManyPlayers(String, usize, usize),
    #[error("--clients: {0} players are too many, {1} can connect; lower --clients")]
    Crowd(usize, usize),
    #[error("--seeds: from seed {0} on there are not {1} more; begin with a lower one")]
    SeedsOverflow(u64, u64),
    #[error("the match of seed {0}: {1}")]
    InProcess(u64, InProcessError),
}

impl Error {
    /// Whether it lies in what was asked for rather than in how it went.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Error::InProcess(..))
    }
}

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum InProcessError {
    #[error(transparent)]
    Config(#[from] BadConfig),
    #[error("{0} crews for {1} teams; give each team one")]
    Crews(usize, usize),
    #[error("nobody plays; give a team a player")]
    Nobody,
    #[error("{0} players are too many, {1} can connect; lower the number of players")]
    Crowd(usize, usize),
    #[error("nobody moves any more at tick {0}: a bug in the arena; the record shows what came before")]
    Stuck(Tick),
    #[error("tick {0} had not ended after {1} turns: a bug; the record shows what came before")]
    Endless(Tick, u32),
    #[error("the record can't be written: {0}")]
    Record(#[from] io::Error),
}
