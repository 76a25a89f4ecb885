//! `result.json`: all that the server said of the match, and what the arena saw of the programs.
//!
//! The server's keys stay as they are; the arena adds `arena`, and fills in `winner`, `reason`, `ticks` and
//! `seed` where they are missing, so that whoever reads the file finds them always. Tested in `tests/endings.rs`.

use serde_json::{Map, Value, json};

use crate::bot::Bot;
use crate::contain::Swept;
use crate::process::{Ended, Process};
use crate::setup::Setup;

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
    let teams: Vec<Value> =
        (0..setup.entries.len()).map(|team| describe_team(setup, seen.bots, team)).collect();
    let arena = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": seen.outcome.name(),
        "error": seen.error,
        "seconds": round(seen.seconds),
        "server": { "path": setup.server, "end": seen.server.ended().map(describe_end) },
        "teams": teams,
        "orphans_ended": seen.swept.ended,
        "orphans_left": seen.swept.left,
    });
    result.insert("arena".into(), arena);
    result
}

fn describe_team(setup: &Setup, bots: &[Bot], team: usize) -> Value {
    let entry = &setup.entries[team];
    let processes: Vec<Value> = bots.iter().filter(|bot| bot.team == team).map(describe_process).collect();
    json!({
        "team": entry.team.as_str(),
        "command": entry.command.text(),
        "started": processes.len(),
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
