//! The errors of tournaments, each with its remedy.
//!
//! Tested in `arena/cli/tests/tournament/`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use zappy_play::text::io_words;

/// Why a tournament can't be planned or played.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that can't be read or written.
    #[error("{0}: {words}", words = io_words(.1))]
    File(PathBuf, io::Error),
    /// A file that names bots and is wrong.
    #[error("{path}: {what}")]
    Bots { path: PathBuf, what: String },
    /// Two entries for the same bot.
    #[error("{path}: {one} and {other} are the same bot: same command, same files; leave one of them out")]
    Same { path: PathBuf, one: String, other: String },
    /// A bot of a file that can't play as it is written.
    #[error("{path}: bot {name}: {what}")]
    Bot { path: PathBuf, name: String, what: String },
    /// An error for each bot of a file that is wrong.
    #[error("{}", several(.0))]
    Several(Vec<Error>),
    /// What was asked for can't be planned or done.
    #[error("{0}")]
    Plan(String),
    /// A folder that can't be written.
    #[error("--out {0}: {words}", words = io_words(.1))]
    Out(PathBuf, io::Error),
    /// No room on the disk.
    #[error("{0}: no space is left there; free some and run it again: what was played stays")]
    Full(PathBuf),
    /// A bot that can't be started.
    #[error("{0}. Nothing more is played, since it would lose every match")]
    NoStart(String),
    /// An opponent of a graded bot that can't be started or never joins.
    #[error("nothing is graded: the opponent {words} ({}). Mend that, remove {}, and grade again", log.display(), place.display())]
    Opponent { words: String, log: PathBuf, place: PathBuf },
    /// A file in a folder in which only files of the arena may lie: the folder, the file's name, and what it isn't.
    #[error("--out {0}: {1:?} in there is {2}; choose an empty or a new folder")]
    Foreign(PathBuf, OsString, &'static str),
    /// A report that can't be written.
    #[error("--out {0}: {words}", words = io_words(.1))]
    Merged(PathBuf, io::Error),
    /// A file of the tournament that can't be read for what it is.
    #[error("{path}: line {line}: {what}; put a copy of it back, or begin anew in another folder")]
    Bad { path: PathBuf, line: usize, what: String },
    /// A file that is too long or a folder that is too full, and the limit in words.
    #[error("{0}: {1}; it can't be the arena's")]
    TooMuch(PathBuf, String),
    /// A file with bots or names that can't be what the arena wrote.
    #[error("{0}: {1}; put a copy of it back, or begin anew in another folder")]
    Book(PathBuf, String),
    /// A result of a match, or the reason why it has none, that can't be what the arena wrote.
    #[error("{0}: {1}; move it away, and the match counts as not played")]
    BadResult(PathBuf, String),
    /// A file in a match's folder that isn't what the arena signed; the second path is the match's result.
    #[error("{0}: {1}; move {2} away, and the match counts as not played")]
    Altered(PathBuf, String, PathBuf),
    /// No sandbox, though one was asked for.
    #[error("--sandbox: {0}; install bubblewrap, or say --sandbox none: the bots may then do what you may")]
    Sandbox(String),
    /// A file that a bot can't run without and that the sandbox hides.
    #[error(
        "the sandbox hides {} from bot {name}; move it to where every user may read, or play with --sandbox none",
        path.display()
    )]
    Hidden { name: String, path: PathBuf },
    /// What keeps the arena from playing a match or from counting it.
    #[error("{0}")]
    Arena(String),
}

/// How many errors of one file are shown; the others are counted.
const MOST_SHOWN: usize = 20;

fn several(errors: &[Error]) -> String {
    let mut lines: Vec<String> = errors.iter().take(MOST_SHOWN).map(ToString::to_string).collect();
    if errors.len() > MOST_SHOWN {
        lines.push(format!("and {} more", errors.len() - MOST_SHOWN));
    }
    lines.join("\n")
}

impl From<Error> for zappy_play::Error {
    fn from(error: Error) -> zappy_play::Error {
        let (is_usage, is_full_disk) = (error.is_usage(), error.is_full_disk());
        zappy_play::Error::Other { error: error.into(), is_usage, is_full_disk }
    }
}

impl Error {
    /// Whether the disk is full.
    pub fn is_full_disk(&self) -> bool {
        match self {
            Error::Full(_) => true,
            Error::File(_, error) | Error::Out(_, error) => {
                matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// Whether the mistake lies in what was asked for, not in a failure of the machine, the arena or a bot.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            Error::File(..)
                | Error::Merged(..)
                | Error::Full(_)
                | Error::NoStart(_)
                | Error::Opponent { .. }
                | Error::Hidden { .. }
                | Error::Arena(_)
        )
    }
}
