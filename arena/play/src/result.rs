//! `result.json`: the server's result of the match, and what the arena saw of the programs.
//!
//! One type both writes and reads it. The server's keys are taken over unchanged; the arena adds `arena`. If the server
//! left nothing, `winner`, `reason`, `ticks` and `seed` are there all the same. A team that did wrong at the server's
//! door has not won. Its JSON schema is `docs/schema/result.schema.json`. Tested in `arena/cli/tests/endings.rs` and
//! `arena/cli/tests/schema.rs`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zappy_game::config::Clock;
use zappy_protocol::Tick;
use zappy_server::result::MatchResult;

use crate::bot::Bot;
use crate::door::{AtDoor, Seated, Tally};
use crate::os::Signal;
use crate::programs::contain::Swept;
use crate::programs::limits::Limits;
use crate::programs::process::{Ended, Process, SpawnOptions};
use crate::programs::sandbox::Containment;
use crate::programs::seed::bot_seed;
use crate::setup::{Debugging, Setup};
use crate::text::round;

/// Digits of a second that a result tells.
const DIGITS: i32 = 3;

/// How the host ended a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The server ended it.
    #[default]
    Ended,
    /// No bot was left, so the arena ended it.
    Deserted,
    /// It took too long by the clock on the wall.
    TimedOut,
    /// The operator ended it.
    Interrupted,
    /// The server did not do its part.
    ServerFailed,
    /// The arena could not do its part.
    ArenaFailed,
    /// Its record isn't whole or doesn't verify, so that nothing proves how it went.
    Unproved,
}

impl Ending {
    /// Its name in the result.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Ended => "ended",
            Ending::Deserted => "deserted",
            Ending::TimedOut => "timed_out",
            Ending::Interrupted => "interrupted",
            Ending::ServerFailed => "server_failed",
            Ending::ArenaFailed => "arena_failed",
            Ending::Unproved => "unproved",
        }
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
    /// All of its result.
    Whole(Box<MatchResult>),
    /// It left no result that could be read.
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
    /// By what, in words.
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
    /// Connections that were not let in, since no program that may come in was seen to hold them; `None` alike.
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
    /// Its file.
    pub path: PathBuf,
    /// How it ended.
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
    /// What it did wrong, in words: at the server's door, or by a signal to the server or the arena.
    pub foul: Option<String>,
    /// Whether the server let in a connection of the team's programs, as a player or not. `false` where the system doesn't say
    /// which process opened it.
    #[serde(default)]
    pub came: bool,
    /// The first name that it said and no team has: its beginning, in a form for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misnamed: Option<String>,
    /// Whether a program of it was seen to run the arena's own client; looked for in tournaments, on Linux.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_client: bool,
    /// Players whose programs people started themselves: no more is known of these; missing where the arena started them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<Vec<u32>>,
    /// Its processes in the order of their start.
    pub processes: Vec<ProgramPart>,
}

/// What held a team to each of its limits. What each process may use alone, the kernel holds it to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldBy {
    /// To its memory.
    pub memory: Holder,
    /// To its number of processes.
    pub processes: Holder,
    /// To a number of tasks, which are processes with all their threads, beyond that of its processes.
    pub tasks: Holder,
    /// To what it writes into its folder.
    pub disk: Holder,
    /// To its share of the processors, as large as that of any other team.
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

impl HeldBy {
    fn of(spawn: &SpawnOptions) -> HeldBy {
        let limit = |limited: bool, holder| if limited { holder } else { Holder::None };
        let grouped = |otherwise| if spawn.group.is_some() { Holder::Cgroup } else { otherwise };
        let Limits { team_memory_mib, processes, disk_mib, .. } = spawn.limits;
        // Without a folder of its own a contained team writes into folders in memory alone.
        let inside = spawn.containment == Containment::Bubblewrap && spawn.folder.is_none();
        let in_memory = spawn.hold.is_some() || inside;
        HeldBy {
            memory: limit(team_memory_mib.is_some(), grouped(Holder::Guard)),
            processes: limit(processes.is_some(), Holder::Guard),
            tasks: limit(processes.is_some(), grouped(Holder::None)),
            disk: limit(disk_mib.is_some(), if in_memory { Holder::Tmpfs } else { Holder::Guard }),
            processors: limit(spawn.group.as_ref().is_some_and(|group| group.shares()), Holder::Cgroup),
        }
    }
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
    /// Up to which byte of its log it had printed at which tick, as far as that is known; about it under the real clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_ticks: Vec<(u64, Tick)>,
    /// How it ended.
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

    /// The result of a match in one process, between these teams with their commands. Apart from the seconds it is the
    /// same each time.
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

/// What the arena itself saw.
#[derive(Debug)]
pub struct Seen<'a> {
    /// How the host ended the match.
    pub outcome: Ending,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// Whether the record proves the match; `None` if that wasn't tried.
    pub verified: Option<bool>,
    /// Seconds on the wall, from the server's start to its end.
    pub seconds: f64,
    pub server: &'a Process,
    /// The bots that were started.
    pub bots: &'a [Bot],
    /// The processes that the bots left behind.
    pub swept: Swept,
    /// For each team the limit for which it was ended, in words.
    pub breaches: Vec<Option<&'a str>>,
    /// What each team did at the door; empty if there was no door.
    pub at_door: Vec<AtDoor>,
    /// Counts of connections that belonged to no team; `None` if there was no door.
    pub tally: Option<Tally>,
    /// Seconds that the bots took to end after the server had.
    pub leaving: f64,
    /// The players of each team, if people started its programs themselves.
    pub attached: Vec<Option<Vec<u32>>>,
    /// The players of all programs.
    pub seated: &'a [Seated],
    /// Teams that the match was played without, since all their programs had ended before it could begin.
    pub absent: Vec<usize>,
}

/// Joins the server's result and the arena's view. Without the server's result the match has no winner, and the ending
/// is the reason.
pub fn compose(played: Option<MatchResult>, setup: &Setup, seen: &Seen<'_>) -> ArenaResult {
    let arena = ArenaPart {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        outcome: seen.outcome,
        in_process: false,
        debug: setup.debugging != Debugging::No,
        error: seen.error.clone(),
        seed_kind: if setup.sealed { SeedKind::Sealed } else { SeedKind::Open },
        record_verified: seen.verified,
        containment: setup.entries.first().map(|entry| entry.spawn.containment).unwrap_or_default(),
        seconds: Some(round(seen.seconds, DIGITS)),
        leaving_seconds: round(seen.leaving, DIGITS),
        server: Some(ServerPart { path: setup.server.clone(), end: seen.server.ended.map(describe_end) }),
        teams: (0..setup.entries.len()).map(|team| describe_team(setup, seen, team)).collect(),
        connections_from_outside: seen.tally.map(|tally| tally.outside),
        connections_not_let_in: seen.tally.map(|tally| tally.unheld),
        orphans_ended: seen.swept.ended,
        orphans_left: seen.swept.left,
    };
    let mut causes = if setup.clock.clock == Clock::Real { Vec::new() } else { interventions(setup, seen) };
    let touched = !causes.is_empty();
    let told = match played {
        Some(mut result) => {
            result.reproducible &= !touched;
            if result.teams.iter().all(|team| team.conduct.joined == 0) {
                let words = match seen.outcome {
                    Ending::TimedOut => Some("it was cut off before any bot had logged in"),
                    Ending::Deserted => Some("nobody joined: all programs of the bots had ended before"),
                    _ => None,
                };
                // The server knows only that it was told to stop.
                result.not_reproducible =
                    words.map_or(result.not_reproducible, |words| vec![words.to_owned()]);
            }
            result.not_reproducible.append(&mut causes);
            let guilty = |team: &String| {
                let mut teams = setup.entries.iter().zip(&seen.at_door);
                teams.any(|(entry, at_door)| at_door.foul.is_some() && entry.team.as_str() == team)
            };
            result.winner = result.winner.filter(|team| !guilty(team));
            result.winners.retain(|team| !guilty(team));
            Told::Whole(Box::new(result))
        }
        None => Told::Nothing(Nothing {
            winner: None,
            reason: seen.outcome,
            ticks: None,
            seed: setup.seed,
            reproducible: touched.then_some(false),
            not_reproducible: causes,
        }),
    };
    ArenaResult { told, arena: Some(arena) }
}

/// Signals that say nothing about what the program did: another program sent them, or the system when it had no memory
/// left.
pub const FROM_OUTSIDE: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM];

/// A reason that the server can't know why a match in lockstep isn't reproducible: one of its programs was ended from
/// outside.
fn interventions(setup: &Setup, seen: &Seen<'_>) -> Vec<String> {
    let killed = |bot: &&Bot| {
        let end = bot.process.ended.filter(|end| !end.told);
        end.and_then(|end| end.signal).is_some_and(|signal| FROM_OUTSIDE.iter().any(|s| s.as_raw() == signal))
    };
    let names = seen.bots.iter().filter(killed).map(|bot| bot.process.name());
    let mut causes: Vec<String> = names.map(|name| format!("somebody ended {name} by a signal")).collect();
    for (entry, breach) in setup.entries.iter().zip(&seen.breaches) {
        causes.extend(breach.map(|words| format!("{} used {words}", entry.team.as_str())));
    }
    for (entry, at_door) in setup.entries.iter().zip(&seen.at_door) {
        causes.extend(at_door.foul.as_ref().map(|words| format!("{} was ended: {words}", entry.team)));
    }
    let attached = setup.entries.iter().filter(|entry| entry.attached.is_some()).map(|entry| &entry.team);
    causes
        .extend(attached.map(|team| format!("the arena doesn't know which program of {team} was attached")));
    let absent = seen.absent.iter().map(|&team| &setup.entries[team].team);
    let words = "ended before the match could begin, and it was played without";
    causes.extend(absent.map(|team| format!("all programs of {team} {words}")));
    causes
}

fn describe_team(setup: &Setup, seen: &Seen<'_>, team: usize) -> TeamPart {
    let entry = &setup.entries[team];
    let at_door = seen.at_door.get(team).cloned().unwrap_or_default();
    let bots = seen.bots.iter().filter(|bot| bot.team == team);
    let processes = bots.map(|bot| ProgramPart {
        log: bot.log(),
        players: bot.players(seen.seated),
        log_cut: bot.process.log.cut,
        log_ticks: bot.process.log.ticks.to_vec(),
        end: bot.process.ended.map(describe_end),
    });
    let processes: Vec<ProgramPart> = processes.collect();
    TeamPart {
        team: entry.team.as_str().to_owned(),
        seed: bot_seed(setup.seed, team),
        command: entry.command.text().to_owned(),
        started: processes.len(),
        user: entry.spawn.user,
        held_by: HeldBy::of(&entry.spawn),
        limit_broken: seen.breaches.get(team).copied().flatten().map(str::to_owned),
        foul: at_door.foul,
        came: at_door.came,
        misnamed: at_door.misnamed,
        runs_client: at_door.runs_client,
        attached: seen.attached.get(team).cloned().flatten(),
        processes,
    }
}

fn describe_end(ended: Ended) -> ProgramEnd {
    ProgramEnd {
        code: ended.code,
        signal: ended.signal,
        seconds: round(ended.after.as_secs_f64(), DIGITS),
        by_arena: ended.told,
    }
}
