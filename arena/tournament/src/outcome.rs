//! What a tournament keeps of a match: how it ended, and how each bot did and behaved.
//!
//! Plain values without the time of any clock. Tested in `judge` and in `arena/cli/tests/tournament/`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zappy_game::Length;
use zappy_play::signature;
use zappy_protocol::Tick;

use super::identity::Id;

/// Why a match is over: by the game's word, or because the arena says so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cause {
    Arena(Intervention),
    /// The game's word for its reason.
    Game(String),
}

/// Why the arena decides a match in place of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intervention {
    /// The match took too long by the clock on the wall.
    OutOfTime,
    /// The match took too long because a team kept the others waiting.
    Stalled,
    /// A team logged in under another name than its own, or told the server or the arena to stop.
    Foul,
    /// The record of the match isn't whole or doesn't verify.
    Unproved,
}

/// How a bot came through a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BotEnd {
    Played,
    /// Its programs ended before any of its connections had come in.
    FailedToStart,
    /// A program ended badly and took players with it.
    Crashed,
    /// Players were ended for being late too often.
    Late,
    /// It sent more lines that are no command than commands, logged in under a name that isn't its own, or told the server or
    /// the arena to stop.
    ProtocolViolation,
    /// A program used more than it was allowed.
    KilledByLimit,
    /// Its programs ran or one of its connections came in, but no player joined.
    NeverJoined,
    /// It sent nothing more, long before its end.
    Unresponsive,
}

/// How a bot did in a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    pub bot: Id,
    pub team: String,
    /// The team's rank, from 1; several teams may share one; 0 if there is no ranking.
    pub rank: u64,
    /// The team's score, in the game's own unit.
    #[serde(default)]
    pub score: i64,
    /// The game's columns, by their names.
    #[serde(flatten)]
    pub details: Map<String, Value>,
    /// How often players were late.
    pub late: u64,
    pub refused: u64,
    /// Lines dropped without an answer.
    pub dropped: u64,
    pub end: BotEnd,
    /// More about `end`, in words.
    pub end_detail: Option<String>,
}

/// The outcome of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub version: u32,
    pub id: Id,
    #[serde(rename = "outcome")]
    pub cause: Cause,
    pub ticks: Tick,
    /// The seed, if the plan names its hash alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The seat that won; the first one if several did.
    pub winner: Option<usize>,
    /// The seats that won, if they are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winners: Vec<usize>,
    /// Whether rank 1 was drawn by lot.
    pub by_lot: bool,
    /// Whether the same bots would play the match again to the byte.
    pub reproducible: bool,
    /// What depends on time and touched the match, in words; empty if nothing did.
    pub disturbed: Vec<String>,
    /// The teams in their order.
    pub seats: Vec<Seat>,
    /// Why an earlier try failed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<String>,
    /// The seats that were losing when an earlier try was ended, and could have ended it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<usize>,
    /// The seats that spoiled the match, if nothing proves it, by a foul or by using more of the machine than they may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<usize>,
    /// Whether its record was played again and proved; `None` if that wasn't tried.
    pub verified: Option<bool>,
    /// Why nothing proves the match, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unproved: Option<String>,
    /// The SHA-256 of the record when the match was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_sha256: Option<String>,
    /// The SHA-256 of the outcome's JSON line without this value, when the match was judged. Arenas before 0.2 wrote
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl Outcome {
    /// The same outcome with its hash, which shows a later change.
    pub fn sealed(mut self) -> Outcome {
        self.sha256 = Some(self.hash());
        self
    }

    /// The SHA-256 of all but the hash itself.
    pub(super) fn hash(&self) -> String {
        let all = Outcome { sha256: None, ..self.clone() };
        // Plain values can always be written.
        signature::hash(&serde_json::to_vec(&all).unwrap_or_default())
    }

    /// How long the match was, in the unit of its game.
    pub fn length(&self) -> Length {
        Length::played(self.seats.first().map(|seat| &seat.details), self.ticks)
    }

    /// Whether something that depends on time touched it.
    pub fn is_disturbed(&self) -> bool {
        !self.disturbed.is_empty()
    }

    /// Whether nothing proves it, so that it must be played again.
    pub fn is_unproved(&self) -> bool {
        self.cause == Cause::Arena(Intervention::Unproved)
    }

    /// Whether that seat won, alone or with others.
    pub fn has_won(&self, seat: usize) -> bool {
        self.winner == Some(seat) || self.winners.contains(&seat)
    }
}
