//! How a match went, as its game judges it: ranks, scores, conduct, and details that only this game has.
//!
//! Plain values. Tested through the games and in `result`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zappy_protocol::Tick;

/// How a match ended, as the game judges it. How the host ended it (in time, interrupted, failed) isn't part of
/// this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// One word of the game's closed list, [`super::GameSpec::reasons`].
    pub reason: &'static str,
    /// Every team, the best first.
    pub standings: Vec<Standing>,
    /// Whether the teams of rank 1 have won; otherwise no team has.
    pub won: bool,
    /// Whether rank 1 was drawn by lot.
    pub by_lot: bool,
}

/// The rank and score of one team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The team's name, as in the configuration.
    pub team: String,
    /// Its rank, from 1; several teams may share one.
    pub rank: u32,
    /// Its score, in the game's own unit; greater is better.
    pub score: i64,
}

impl Verdict {
    /// The names of the winners; empty if no team won.
    pub fn winners(&self) -> impl Iterator<Item = &str> {
        let first = self.standings.iter().filter(|standing| self.won && standing.rank == 1);
        first.map(|standing| standing.team.as_str())
    }
}

/// What a result says of the teams, at any time of the match.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The tick that the match has reached.
    pub ticks: Tick,
    /// How it ended. While it goes on: how it stands, with [`RUNNING`] as the reason.
    pub verdict: Verdict,
    /// The teams in the order of the configuration.
    pub teams: Vec<TeamReport>,
}

/// The word for the reason of a match that has not ended.
pub const RUNNING: &str = "running";

/// What a result says of one team beside its standing.
#[derive(Debug, Clone, PartialEq)]
pub struct TeamReport {
    /// The team's name, as in the configuration.
    pub team: String,
    /// How the team's clients behaved, all of them together.
    pub conduct: Conduct,
    /// Details that only this game has; [`super::GameSpec::columns`] names those that belong into tables. Two keys mean
    /// the same in every game: `turns`, the last turn that was played, and `fall`, how a team that is out lost, in
    /// words.
    pub details: Map<String, Value>,
}

/// How the clients of one team behaved, counted alike by every game.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conduct {
    /// Clients that got to play.
    pub joined: u64,
    /// Clients that left while they could still have played.
    pub left: u64,
    /// Clients that the server ended because they were late or didn't read.
    pub expelled: u64,
    /// Lines that were commands of the game.
    pub commands: u64,
    /// Lines that were no command of the game.
    pub unknown: u64,
    /// Commands that were understood and refused.
    pub refused: u64,
    /// Lines that were dropped without an answer.
    pub dropped: u64,
    /// For how many ticks before the end, its own or the match's, all its clients were free to act and sent nothing. 0 in
    /// games in turns, which count the phases that a team missed.
    #[serde(default)]
    pub silence: Tick,
}
