//! What can be wrong with a tournament, each with its remedy.
//!
//! Tested in `tests/tournament/`.

use std::io;
use std::path::PathBuf;

/// Why a tournament can't be planned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that can't be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// Not what `bots.toml` looks like.
    #[error("{path}: {what}")]
    Toml {
        /// The file.
        path: PathBuf,
        /// What the parser says, with the line.
        what: String,
    },
    /// No bot at all.
    #[error("{0}: it names {1} bots; a tournament takes 2 to {2}")]
    Count(PathBuf, usize, usize),
    /// A name no team can have.
    #[error(
        "{path}: bot {number} is called {name:?}; use one word of at most {limit} bytes that doesn't begin with a dash"
    )]
    Name {
        /// The file.
        path: PathBuf,
        /// Which bot, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// The longest name.
        limit: usize,
    },
    /// Two bots of one name.
    #[error("{0}: two bots are called {1}; people could not tell them apart")]
    Twins(PathBuf, String),
    /// Two entries for the same bot.
    #[error("{path}: {one} and {other} are the same bot: same command, same files; leave one of them out")]
    Same {
        /// The file.
        path: PathBuf,
        /// The one's name.
        one: String,
        /// The other's.
        other: String,
    },
    /// A bot that could not play.
    #[error("{path}: bot {name}: {what}")]
    Bot {
        /// The file.
        path: PathBuf,
        /// The bot's name.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// A value that makes no plan.
    #[error("{0}")]
    Plan(String),
}
