//! What can be wrong with a tournament, each with its remedy.
//!
//! Tested in `arena/cli/tests/tournament/`.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use zappy_play::text::io_words;

use super::identity::Id;

/// Why a tournament can't be planned or played.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that can't be read or written.
    #[error("{0}: {words}", words = io_words(.1))]
    File(PathBuf, io::Error),
    /// What is wrong with a file that names bots, with the line where there is one.
    #[error("{path}: {what}")]
    Bots { path: PathBuf, what: String },
    /// Two entries for the same bot.
    #[error("{path}: {one} and {other} are the same bot: same command, same files; leave one of them out")]
    Same { path: PathBuf, one: String, other: String },
    /// A bot that could not play.
    #[error("{path}: bot {name}: {what}")]
    Bot { path: PathBuf, name: String, what: String },
    /// Several bots of one file, each with what is wrong with it.
    #[error("{}", several(.0))]
    Several(Vec<Error>),
    /// A value that makes no plan.
    #[error("{0}")]
    Plan(String),
    /// No tournament in that folder.
    #[error("{0}: no tournament was planned there; do that with zappy_arena tournament plan")]
    NoTournament(PathBuf),
    /// Another tournament in that folder.
    #[error(
        "--out {0}: another tournament was planned there: {1}; choose another folder, or ask for the same again"
    )]
    OtherTournament(PathBuf, String),
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
    /// Something else in a folder than that.
    #[error("--out {0}: {1:?} in there is {2}; choose an empty or a new folder")]
    Foreign(PathBuf, OsString, &'static str),
    /// The files of a merge that can't be written.
    #[error("--out {0}: {words}", words = io_words(.1))]
    Merged(PathBuf, io::Error),
    /// A file of the tournament that can't be read for what it is.
    #[error("{path}: line {line}: {what}; put a copy of it back, or begin anew in another folder")]
    Bad { path: PathBuf, line: usize, what: String },
    /// A tournament without one of its files.
    #[error(
        "{0}: there is no {1} in it; put it back, or name a folder that `zappy_arena tournament plan` made"
    )]
    NoFile(PathBuf, &'static str),
    /// A file that is too long, or a folder that is too full.
    #[error("{0}: {1}; it can't be the arena's")]
    TooMuch(PathBuf, String),
    /// The bots of the tournament make no sense.
    #[error("{0}: {1}; put a copy of it back, or begin anew in another folder")]
    Book(PathBuf, String),
    /// What came of a match, or why nothing did, in a file that can't be read for what it is.
    #[error("{0}: {1}; move it away, and the match counts as not played")]
    BadResult(PathBuf, String),
    /// What a match left, which isn't what the arena signed, and the result by which it counts as played.
    #[error("{0}: {1}; move {2} away, and the match counts as not played")]
    Altered(PathBuf, String, PathBuf),
    /// A bot that isn't any more what was planned.
    #[error(
        "bot {name}: its files are not those that were planned ({planned}, now {now}); put them back, or plan another tournament"
    )]
    Changed { name: String, planned: Id, now: Id },
    /// A bot that can't be played with.
    #[error("bot {0}: {1}")]
    Lost(String, String),
    /// No sandbox, though one was asked for.
    #[error("--sandbox: {0}; install bubblewrap, or say --sandbox none: the bots may then do what you may")]
    Sandbox(String),
    /// A file that a bot can't run without and that the sandbox hides.
    #[error(
        "the sandbox hides {} from bot {name}; move it to where every user may read, or play with --sandbox none",
        path.display()
    )]
    Hidden { name: String, path: PathBuf },
    /// A file that a bot can't run without and that only the arena's user can read, which is root.
    #[error(
        "bot {name} plays as a user of its own, since the arena is root's, and the sandbox hides {} from that user; make it \
         readable for all (chmod -R a+rX), move it to where every user may read, or run the arena as another user",
        path.display()
    )]
    Closed { name: String, path: PathBuf },
    /// Root's bots would be root's.
    #[error(
        "the arena is root's and can't give bot {0} a user of its own (it knows no such processor, or the match has more than \
         64 teams); run it as another user"
    )]
    AsRoot(String),
    /// A sandbox that doesn't come up around a bot.
    #[error("the sandbox around bot {0} fails: {1}; play with --sandbox none")]
    SandboxFailed(String, String),
    /// A sealed seed that isn't where it should be.
    #[error(
        "{0}: no line of it is the seed of match {1}; put the file back, or plan the tournament again in another folder"
    )]
    NoSeed(PathBuf, Id),
    /// A match that can't be played.
    #[error("{0}")]
    Arena(String),
}

/// Errors that are named; the others are counted.
const NAMED: usize = 20;

fn several(errors: &[Error]) -> String {
    let mut lines: Vec<String> = errors.iter().take(NAMED).map(ToString::to_string).collect();
    if errors.len() > NAMED {
        lines.push(format!("and {} more", errors.len() - NAMED));
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
    /// Whether it means that the disk is full.
    pub fn is_full_disk(&self) -> bool {
        match self {
            Error::Full(_) => true,
            Error::File(_, error) | Error::Out(_, error) => {
                matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// Whether it lies in what was asked for rather than in how it went.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            Error::File(..)
                | Error::Merged(..)
                | Error::Full(_)
                | Error::NoStart(_)
                | Error::Opponent { .. }
                | Error::Hidden { .. }
                | Error::Closed { .. }
                | Error::AsRoot(_)
                | Error::SandboxFailed(..)
                | Error::Arena(_)
        )
    }
}
