//! What can go wrong in the arena, each with its remedy.
//!
//! Misbehaving bots are no errors: they are noted in the result. Tested in `arena/cli/tests/refusals.rs`.

use std::io;
use std::path::PathBuf;

use crate::local::in_process::InProcessError;
use crate::text::io_words;

/// Why a match could not be played, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    // In errors of a command the first value is the flag that holds the command, with the team of a bot.
    #[error("--bot {0:?} has no team; write --bot TEAM='COMMAND'")]
    NoTeam(String),
    #[error(
        "--bot: {0:?} can't be a team's name; use one word of at most 64 bytes that doesn't begin with a dash"
    )]
    BadTeam(String),
    #[error("--bot: no team can be called {0}, that is how observers log in; choose another name")]
    ReservedTeam(String),
    #[error("--bot: the team {0} is named twice; give each team a name of its own")]
    TwinTeams(String),
    #[error("--bot: {0} teams are too many; the limit is {1}")]
    TooManyTeams(usize, usize),
    #[error("--procs: {0} bot processes are too many, the limit is {1}; lower --procs or --clients")]
    TooManyProcesses(usize, usize),
    #[error("{0}: a quote in {1:?} is never closed; close it, or escape it with a backslash")]
    BadQuote(String, String),
    #[error("{0}: the command is empty; name a program")]
    EmptyCommand(String),
    #[error("{0}: there is no program {1:?}; give its path, or put it in PATH")]
    NoProgram(String, String),
    #[error("{0}: {1:?} is not executable; try chmod +x, or name its interpreter first")]
    NotExecutable(String, String),
    #[error("{0}: {1:?} is no placeholder; there are {{host}}, {{port}}, {{team}} and {{seed}}")]
    NoPlaceholder(String, String),
    #[error("{0}: there is no script {1:?} in {folder}; give its path from there", folder = .2.display())]
    NoScript(String, String, PathBuf),
    #[error("{0} belongs to the lockstep clock; add --clock lockstep")]
    NeedsLockstep(&'static str),
    #[error("{0} and {1} contradict each other: {2}; leave one of them away")]
    Contradiction(&'static str, &'static str, &'static str),
    #[error(
        "{0}: @attach stands for a program that you start yourself, which only zappy_arena match can wait for; name a command"
    )]
    Attached(String),
    #[error("--bot {0}: write @attach, or @attach:N for N players that you start yourself, 1 to {1}")]
    BadAttached(String, u32),
    #[error("there is no server at {0}; build it with `make`, or name it with --server PATH")]
    NoServer(PathBuf),
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
    #[error("{0} means nothing with --in-process, {1}; leave one of the two away")]
    NotInProcess(&'static str, &'static str),
    #[error("{0} plays matches in one process; add --in-process")]
    NeedsInProcess(&'static str),
    #[error("--jobs spreads many matches over cores; add --seeds N")]
    NeedsSeeds,
    #[error("this can't be played: {0}")]
    Config(#[from] zappy_game::config::BadConfig),
    #[error("--freq: in the game {0} a second has {1} ticks by its rules; leave --freq away")]
    OwnRate(&'static str, u32),
    #[error("--width {0} --height {1}: no such map")]
    NoMap(u16, u16),
    #[error("{0}: {words}", words = io_words(.1))]
    File(PathBuf, io::Error),
    #[error("--only: there is no situation {0:?}; zappy_arena check --game {1} --list names them")]
    NoSituation(String, String),
    #[error("--out {0}: an earlier match is in there; choose another folder, or replace it with --force")]
    EarlierMatch(PathBuf),
    #[error("--out {0}: {1:?} in there is not the arena's; choose an empty or a new folder")]
    ForeignFile(PathBuf, std::ffi::OsString),
    #[error("--out {0}: another match is being played into it; choose another folder")]
    FolderInUse(PathBuf),
    #[error("--out {0}: {words}", words = io_words(.1))]
    Folder(PathBuf, io::Error),
    #[error("{0}")]
    Flag(String),
    #[error("{error}")]
    Other {
        /// The error of another crate, with the remedy.
        error: Box<dyn std::error::Error + Send + Sync>,
        /// Whether what was asked for is wrong.
        is_usage: bool,
        /// Whether it means that the disk is full.
        is_full_disk: bool,
    },
    #[error("can't start {0}: {1}")]
    Spawn(String, io::Error),
    #[error("the server failed: {what}; its log is {log}")]
    Server { what: String, log: PathBuf },
    #[error("nothing proves the match: its record {0}")]
    Unproved(String),
    #[error(
        "the match was cut off after {0} s; raise --timeout or --freq, or lower --max-ticks; to stop a bot in a debugger, --debug"
    )]
    TimedOut(u64),
    #[error("no bot had logged in after {0} s, and the match was cut off: look into the bots' logs")]
    Unentered(u64),
    #[error(
        "the match was cut off after {0} s, in which no client came for {1}: look into the bots' logs, or lower --lobby-time"
    )]
    MissingClients(u64, String),
    #[error("the match was killed; what it had started was ended, and there is no result")]
    Killed,
    #[error(
        "{0} needs Linux, which alone contains bots and tells whose a connection is; here, match and check play with your \
         own programs, and compare --in-process with ours"
    )]
    NeedsLinux(&'static str),
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl Error {
    /// Whether it means that the disk is full.
    pub fn is_full_disk(&self) -> bool {
        match self {
            Error::Other { is_full_disk, .. } => *is_full_disk,
            Error::File(_, error)
            | Error::Folder(_, error)
            | Error::Spawn(_, error)
            | Error::System(_, error) => {
                matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// Whether what was asked for is wrong, rather than how it went.
    pub fn is_usage(&self) -> bool {
        use Error as E;
        if let E::Other { is_usage, .. } = self {
            return *is_usage;
        }
        !matches!(
            self,
            E::Spawn(..)
                | E::Server { .. }
                | E::InProcess(..)
                | E::Unproved(_)
                | E::TimedOut(_)
                | E::Unentered(_)
                | E::MissingClients(..)
                | E::Killed
                | E::System(..)
                | E::Folder(..)
                | E::File(..)
                | E::NoServer(_)
        )
    }
}
