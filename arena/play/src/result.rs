//! `result.json`: the server's result of the match, and what the arena saw of the programs.
//!
//! One type both writes and reads it. The server's keys are taken over unchanged; the arena adds `arena`. If the server
//! left nothing, `winner`, `reason`, `ticks` and `seed` are there all the same. A team that did wrong at the server's
//! door has not won. The JSON schema is `docs/schema/result.schema.json`. Tested in `arena/cli/tests/endings.rs` and
//! `arena/cli/tests/schema.rs`.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zappy_protocol::Tick;
use zappy_server::result::MatchResult;

use crate::programs::environment::bot_seed;
use crate::programs::process::Ended;
use crate::programs::sandbox::Containment;
use crate::text::round;

/// How many digits behind the point seconds have in a result.
pub const DIGITS: i32 = 3;

/// How the host ended a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The server ended the match by itself.
    #[default]
    Ended,
    /// No bot was left, so the arena ended it.
    Deserted,
    /// The match took longer than its timeout, by the clock on the wall.
    TimedOut,
    /// The operator ended the match early.
    Interrupted,
    /// The server did not do its part.
    ServerFailed,
    /// The arena could not do its part.
    ArenaFailed,
    /// Its record isn't whole or doesn't verify, so that nothing proves how it went.
    Unproved,
}

impl fmt::Display for Ending {
    /// Its name in the result.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The content of `result.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArenaResult {
    /// What the server said of the match.
    #[serde(flatten)]
    pub told: Told,
    /// What the arena saw of it; missing in the result of a server that was started without the arena.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena: Option<ArenaPart>,
}

/// What the server said of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Told {
    /// All of the server's result.
    Whole(Box<MatchResult>),
    /// The server left no result that could be read.
    Nothing(Nothing),
}

/// What a result says if the server left none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {
    /// No team has won.
    pub winner: Option<String>,
    /// How the host ended the match, since the game gave no reason.
    pub reason: Ending,
    /// It isn't known how many ticks were played.
    pub ticks: Option<Tick>,
    /// Where all chance came from.
    pub seed: u64,
    /// `false` if something is known to have touched the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproducible: Option<bool>,
    /// What is known to have touched the match, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_reproducible: Vec<String>,
}

/// What the arena saw of a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArenaPart {
    /// The arena's version.
    pub version: String,
    /// How the host ended the match.
    pub outcome: Ending,
    /// Whether it was played in one process, without sockets.
    pub in_process: bool,
    /// Whether it was played for debugging: programs could take as long as they liked, so it isn't to be graded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub debug: bool,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// Whether the seed could be known before the match.
    #[serde(default)]
    pub seed_kind: SeedKind,
    /// Whether the record was played again after the match, and proved it; `None` if that wasn't tried.
    #[serde(default)]
    pub record_verified: Option<bool>,
    /// Seconds on the wall, from the server's start to its end; missing in results that depend on no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seconds that the bots took to end after the server had.
    pub leaving_seconds: f64,
    /// What was around the bots.
    #[serde(default)]
    pub containment: Containment,
    /// The server; `None` if the match was played in one process.
    pub server: Option<ServerPart>,
    /// The teams in the order of the command line.
    pub teams: Vec<TeamPart>,
    /// Connections of programs that are none of any match's; `None` if the system doesn't tell.
    pub connections_from_outside: Option<u64>,
    /// Connections that were not let in, since no program that may come in was seen to hold them; `None` if the system
    /// doesn't tell.
    pub connections_not_let_in: Option<u64>,
    /// Processes that bots had left behind and that were ended.
    pub orphans_ended: usize,
    /// Processes that bots had left behind and that could not be ended.
    pub orphans_left: usize,
}

/// Whether a match's seed could be known before it was over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeedKind {
    /// Given, or short: for experiments.
    #[default]
    Open,
    /// 64 bits of the system's chance, of which the plan names the hash alone.
    Sealed,
}

/// The server's program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerPart {
    /// The path of its file.
    pub path: PathBuf,
    /// How it ended; `None` if that isn't known.
    pub end: Option<ProgramEnd>,
}

/// One team's programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamPart {
    /// The team's name.
    pub team: String,
    /// The seed that its programs were given.
    pub seed: u64,
    /// The command that was started.
    pub command: String,
    /// How often it was started.
    pub started: usize,
    /// The user that its programs ran as, where it had one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// What held all its programs together to their limits.
    #[serde(default)]
    pub held_by: HeldBy,
    /// The limit that the team broke and for which it was ended, in words.
    pub limit_broken: Option<String>,
    /// What the team did wrong, in words: at the server's door, or by a signal to the server or the arena.
    pub foul: Option<String>,
    /// Whether the server let in a connection of the team's programs, as a player or not. `false` where the system
    /// doesn't say which process opened it.
    #[serde(default)]
    pub came: bool,
    /// The first name that a program of the team said and no team has: the name's beginning, in a form for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misnamed: Option<String>,
    /// Whether a program of it was seen to run the arena's own client; looked for in tournaments, on Linux.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_client: bool,
    /// The players of programs that people started themselves, of which nothing else is known; missing if the arena
    /// started the team's programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<Vec<u32>>,
    /// Its processes in the order of their start.
    pub processes: Vec<ProgramPart>,
}

/// What held a team to each of its limits. What each process may use alone, the kernel holds it to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldBy {
    /// What held it to its limit of memory.
    pub memory: Holder,
    /// What held it to its number of processes.
    pub processes: Holder,
    /// What held it to a number of tasks, which are processes with all their threads, beyond that of its processes.
    pub tasks: Holder,
    /// What held it to its limit of what it writes into its folder.
    pub disk: Holder,
    /// What held it to its share of the processors, as large as that of any other team.
    pub processors: Holder,
}

/// What holds a team to a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// Nothing, or there was no limit.
    #[default]
    None,
    /// The arena looks now and then, so that more may be used between two looks.
    Guard,
    /// The kernel, by a control group.
    Cgroup,
    /// The kernel, by the size of a folder in memory.
    Tmpfs,
}

/// One process of a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramPart {
    /// Its log, from the folder of the match.
    pub log: Option<String>,
    /// Whether the log was cut at its limit.
    pub log_cut: bool,
    /// Its players in the order in which it opened their connections, as far as the system tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<u32>,
    /// Up to which byte of its log it had printed at which tick, as far as that is known; about it under the real
    /// clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_ticks: Vec<(u64, Tick)>,
    /// How it ended; `None` if that isn't known.
    pub end: Option<ProgramEnd>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramEnd {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Seconds from its start to its end.
    pub seconds: f64,
    /// Whether the arena had told it to end by then.
    pub by_arena: bool,
}

impl ArenaResult {
    /// The server's result, if it left one.
    pub fn played(&self) -> Option<&MatchResult> {
        match &self.told {
            Told::Whole(result) => Some(result),
            Told::Nothing(_) => None,
        }
    }

    /// The result of a match in one process. `bots`: the teams' names with their commands. Apart from the seconds the
    /// result is the same each time.
    pub fn in_process<'a>(
        result: MatchResult,
        bots: impl Iterator<Item = (&'a str, &'a str)>,
        outcome: Ending,
        seconds: Option<f64>,
    ) -> ArenaResult {
        let teams = bots.enumerate().map(|(place, (team, command))| TeamPart {
            team: team.to_owned(),
            seed: bot_seed(result.seed, place),
            command: command.to_owned(),
            ..TeamPart::default()
        });
        let arena = ArenaPart {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            outcome,
            in_process: true,
            seconds: seconds.map(|seconds| round(seconds, DIGITS)),
            teams: teams.collect(),
            connections_from_outside: Some(0),
            connections_not_let_in: Some(0),
            ..ArenaPart::default()
        };
        ArenaResult { told: Told::Whole(Box::new(result)), arena: Some(arena) }
    }
}

/// How a program ended, as the result says it.
pub fn describe_end(ended: Ended) -> ProgramEnd {
    ProgramEnd {
        code: ended.code,
        signal: ended.signal,
        seconds: round(ended.after.as_secs_f64(), DIGITS),
        by_arena: ended.told,
    }
}
