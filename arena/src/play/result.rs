//! `result.json`: all that the server said of the match, and what the arena saw of the programs.
//!
//! The server's keys stay as they are; the arena adds `arena`, and fills in `winner`, `reason`, `ticks` and
//! `seed` where they are missing, so that whoever reads the file finds them always. Of a team that did wrong at
//! the server's door it strikes the win. Tested in `tests/endings.rs`.

use rustix::process::Signal;
use serde_json::{Map, Value, json};
use zappy_server::config::Clock;

use crate::play::bot::Bot;
use crate::play::door::Tally;
use crate::play::setup::Setup;
use crate::programs::contain::Swept;
use crate::programs::process::{Ended, Process};
use crate::programs::seed::bot_seed;

/// How it came that the match is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The server ended it.
    Ended,
    /// No bot was left, so the arena ended it.
    Deserted,
    /// It took too long by the clock on the wall.
    TimedOut,
    /// The operator wanted it.
    Interrupted,
    /// The server did not do its part.
    ServerFailed,
    /// The arena could not do its part.
    ArenaFailed,
}

impl Outcome {
    /// Its name in the result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ended => "ended",
            Outcome::Deserted => "deserted",
            Outcome::TimedOut => "timed_out",
            Outcome::Interrupted => "interrupted",
            Outcome::ServerFailed => "server_failed",
            Outcome::ArenaFailed => "arena_failed",
        }
    }
}

/// What the arena itself saw.
#[derive(Debug)]
pub struct Seen<'a> {
    /// How it came to an end.
    pub outcome: Outcome,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// Seconds on the wall, from the server's start to its end.
    pub seconds: f64,
    /// The server.
    pub server: &'a Process,
    /// The bots that were started.
    pub bots: &'a [Bot],
    /// What the bots left behind.
    pub swept: Swept,
    /// Which limit each team broke for which it was ended, in words.
    pub breaches: Vec<Option<&'a str>>,
    /// What each team did wrong at the server's door, in words; nothing if it had none.
    pub fouls: Vec<Option<String>>,
    /// Connections that were no team's, if anybody looked.
    pub tally: Option<Tally>,
    /// Seconds the bots took to end after the server had.
    pub leaving: f64,
    /// Teams without which the match was played, since their programs had all ended before it could begin.
    pub absent: Vec<usize>,
}

/// Puts both together.
#[must_use]
pub fn compose(mut result: Map<String, Value>, setup: &Setup, seen: &Seen<'_>) -> Map<String, Value> {
    let mut fill = |key: &str, value| {
        result.entry(key).or_insert(value);
    };
    fill("winner", Value::Null);
    fill("reason", seen.outcome.name().into());
    fill("ticks", Value::Null);
    fill("seed", setup.seed.into());
    let teams: Vec<Value> = (0..setup.entries.len()).map(|team| describe_team(setup, seen, team)).collect();
    let arena = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": seen.outcome.name(),
        "in_process": false,
        "error": seen.error,
        "seconds": round(seen.seconds),
        "leaving_seconds": round(seen.leaving),
        "server": { "path": setup.server, "end": seen.server.ended().map(describe_end) },
        "teams": teams,
        "connections_from_outside": seen.tally.map(|tally| tally.outside),
        "connections_not_let_in": seen.tally.map(|tally| tally.unheld),
        "orphans_ended": seen.swept.ended,
        "orphans_left": seen.swept.left,
    });
    result.insert("arena".into(), arena);
    note_kills(&mut result, setup, seen);
    strike_winner(&mut result, setup, seen);
    result
}

/// Nobody wins who came in under another name.
fn strike_winner(result: &mut Map<String, Value>, setup: &Setup, seen: &Seen<'_>) {
    let mut guilty = setup.entries.iter().zip(&seen.fouls).filter(|(_, foul)| foul.is_some());
    if guilty.any(|(entry, _)| result["winner"].as_str() == Some(entry.team.as_str())) {
        result.insert("winner".into(), Value::Null);
    }
}

/// Signals that come from outside a program rather than from what it did: to stop, to be stopped, or from a
/// system that had no memory left.
const FROM_OUTSIDE: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM];

/// A match isn't reproducible if somebody ended one of its programs, which the server can't know.
fn note_kills(result: &mut Map<String, Value>, setup: &Setup, seen: &Seen<'_>) {
    if setup.clock.clock == Clock::Real {
        return;
    }
    let killed = |bot: &&Bot| {
        let end = bot.process.ended().filter(|end| !end.told);
        end.and_then(|end| end.signal).is_some_and(|signal| FROM_OUTSIDE.iter().any(|s| s.as_raw() == signal))
    };
    let names = seen.bots.iter().filter(killed).map(|bot| bot.process.name());
    let mut causes: Vec<Value> =
        names.map(|name| format!("somebody ended {name} by a signal").into()).collect();
    for (entry, breach) in setup.entries.iter().zip(&seen.breaches) {
        causes.extend(breach.map(|words| format!("{} used {words}", entry.team.as_str()).into()));
    }
    for (entry, foul) in setup.entries.iter().zip(&seen.fouls) {
        causes.extend(foul.as_ref().map(|words| format!("{} was ended: {words}", entry.team).into()));
    }
    causes.extend(seen.absent.iter().map(|&team| {
        let team = setup.entries[team].team.as_str();
        format!("all programs of {team} ended before the match could begin, and it was played without").into()
    }));
    if causes.is_empty() {
        return;
    }
    result.insert("reproducible".into(), false.into());
    let told = result.entry("not_reproducible").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(told) = told {
        told.append(&mut causes);
    }
}

/// The result of a match in one process, between these teams with their commands. Without the seconds it took it is the
/// same each time.
#[must_use]
pub fn compose_in_process<'a>(
    mut result: Map<String, Value>,
    bots: impl Iterator<Item = (&'a str, &'a str)>,
    seed: u64,
    outcome: Outcome,
    seconds: Option<f64>,
) -> Map<String, Value> {
    let teams = bots.enumerate().map(|(place, (team, command))| {
        json!({
            "team": team,
            "command": command,
            "seed": bot_seed(seed, place),
            "started": 0,
            "limit_broken": null,
            "foul": null,
            "processes": [],
        })
    });
    let mut arena = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": outcome.name(),
        "in_process": true,
        "error": null,
        "seconds": seconds.map(round),
        "leaving_seconds": 0.0,
        "server": null,
        "teams": teams.collect::<Vec<_>>(),
        "connections_from_outside": 0,
        "connections_not_let_in": 0,
        "orphans_ended": 0,
        "orphans_left": 0,
    });
    if let (None, Value::Object(arena)) = (seconds, &mut arena) {
        arena.remove("seconds");
    }
    result.insert("arena".into(), arena);
    result
}

fn describe_team(setup: &Setup, seen: &Seen<'_>, team: usize) -> Value {
    let entry = &setup.entries[team];
    let processes: Vec<Value> =
        seen.bots.iter().filter(|bot| bot.team == team).map(describe_process).collect();
    json!({
        "team": entry.team.as_str(),
        "seed": bot_seed(setup.seed, team),
        "command": entry.command.text(),
        "started": processes.len(),
        "limit_broken": seen.breaches.get(team).copied().flatten(),
        "foul": seen.fouls.get(team).cloned().flatten(),
        "processes": processes,
    })
}

fn describe_process(bot: &Bot) -> Value {
    let log = bot.process.log();
    json!({
        "log": log.path().file_name().map(|name| format!("logs/{}", name.to_string_lossy())),
        "log_cut": log.is_cut(),
        "end": bot.process.ended().map(describe_end),
    })
}

/// `by_arena`: whether it had been told to end by then.
fn describe_end(ended: Ended) -> Value {
    json!({
        "code": ended.code,
        "signal": ended.signal,
        "seconds": round(ended.after.as_secs_f64()),
        "by_arena": ended.told,
    })
}

fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
