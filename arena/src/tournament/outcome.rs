//! How a planned match went: `results/ID.json`.
//!
//! Says nothing of when, where and in what order it was played. Reads and writes no files. Tested in
//! `tests/merge/`.

use std::fmt;

use serde::{Deserialize, Serialize};
use zappy_protocol::Tick;

use super::identity::Id;
use super::plan::Planned;

/// The version of the file.
pub const VERSION: u32 = 1;

/// Why a match was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A team has risen.
    Elevation,
    /// The match's ticks were over.
    Time,
    /// Nobody was left.
    Extinction,
    /// All programs had ended, so there was nothing to wait for.
    Stopped,
    /// It took too long by the clock on the wall.
    OutOfTime,
    /// The arena could not do its part.
    ArenaFailed,
}

impl Outcome {
    /// In the words of the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Elevation => "elevation",
            Outcome::Time => "time",
            Outcome::Extinction => "extinction",
            Outcome::Stopped => "stopped",
            Outcome::OutOfTime => "out_of_time",
            Outcome::ArenaFailed => "arena_failed",
        }
    }

    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Elevation => "a team rose to the top",
            Outcome::Time => "time was over",
            Outcome::Extinction => "nobody was left alive",
            Outcome::Stopped => "all programs had ended",
            Outcome::OutOfTime => "cut off by the clock on the wall",
            Outcome::ArenaFailed => "the arena failed",
        }
    }

    /// Whether it tells who is better.
    #[must_use]
    pub const fn counts(self) -> bool {
        !matches!(self, Outcome::OutOfTime | Outcome::ArenaFailed)
    }
}

/// How a bot's programs ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// They played until the match was over or their players were dead.
    Played,
    /// They could not be started.
    FailedToStart,
    /// They ended before the match did.
    Crashed,
    /// They were late too often.
    Late,
    /// They did not keep to the protocol.
    ProtocolViolation,
    /// They used more than they may.
    KilledByLimit,
    /// They ran and no player of theirs ever came in.
    NeverJoined,
}

impl End {
    /// All of them, the good one first.
    pub const ALL: [End; 7] = [
        End::Played,
        End::FailedToStart,
        End::Crashed,
        End::Late,
        End::ProtocolViolation,
        End::KilledByLimit,
        End::NeverJoined,
    ];

    /// In the words of the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            End::Played => "played",
            End::FailedToStart => "failed_to_start",
            End::Crashed => "crashed",
            End::Late => "late",
            End::ProtocolViolation => "protocol_violation",
            End::KilledByLimit => "killed_by_limit",
            End::NeverJoined => "never_joined",
        }
    }

    /// For people: what it did.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            End::Played => "played to the end",
            End::FailedToStart => "could not be started",
            End::Crashed => "ended before the match did",
            End::Late => "was late too often",
            End::ProtocolViolation => "broke the protocol",
            End::KilledByLimit => "used more than its limits allow",
            End::NeverJoined => "ran, but never joined",
        }
    }

    /// For whoever wrote it: where to look.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            End::Played => "Nothing went wrong.",
            End::FailedToStart => {
                "The command itself failed. Start it by hand from its folder, as it stands in bots.toml; a missing \
                 interpreter, library or executable bit is the usual cause."
            }
            End::Crashed => {
                "A program of the team ended while its match went on. The last lines of its log mostly name the \
                 error and the line of code."
            }
            End::Late => {
                "It let others wait for longer than the think time, too often. Look for loops over everything seen, \
                 for reads that block, and for output that isn't flushed."
            }
            End::ProtocolViolation => {
                "It said or did something that the protocol forbids. The match's record tells what, and at which \
                 tick; protocol.md tells the rule."
            }
            End::KilledByLimit => {
                "It used more memory, processes or processor time than it may. Look for lists that only grow and \
                 for programs that are started and never ended."
            }
            End::NeverJoined => {
                "Its programs ran, but none of them got a player. Check that host, port and team name are those \
                 given on the command line, and that it answers WELCOME with the team's name."
            }
        }
    }
}

/// How it went for a bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The bot.
    pub bot: Id,
    /// What its team was called.
    pub team: String,
    /// Its rank, from 1.
    pub rank: usize,
    /// Living players per level.
    pub levels: Vec<u32>,
    /// The highest level any of its players ever reached.
    pub highest: u8,
    /// Players it ever had.
    pub born: u64,
    /// Players alive at the end.
    pub alive: u64,
    /// How often it was late.
    pub late: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Commands that were dropped.
    pub dropped: u64,
    /// How its programs ended.
    pub end: End,
    /// More of that, in words.
    #[serde(default)]
    pub end_detail: Option<String>,
}

/// A match that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The format's version.
    pub version: u32,
    /// The match of the plan.
    pub id: Id,
    /// Why it was over.
    pub outcome: Outcome,
    /// How long it lasted.
    pub ticks: Tick,
    /// The seat that won.
    pub winner: Option<usize>,
    /// Whether a lot decided who won.
    pub by_lot: bool,
    /// Whether the same programs would play it again.
    pub reproducible: bool,
    /// Why the machine touched it, in words.
    #[serde(default)]
    pub disturbed: Vec<String>,
    /// How it went for each bot, in the order of the plan.
    pub seats: Vec<Seat>,
    /// Whether its record was played again and found true.
    #[serde(default)]
    pub verified: Option<bool>,
}

/// How a seat fared against another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It ranks before it.
    Win,
    /// Only a lot could tell them apart.
    Draw,
    /// It ranks behind it.
    Loss,
}

impl Verdict {
    /// In halves of a point: 2, 1, 0.
    #[must_use]
    pub const fn halves(self) -> u64 {
        match self {
            Verdict::Win => 2,
            Verdict::Draw => 1,
            Verdict::Loss => 0,
        }
    }
}

impl Played {
    /// How `one` fared against `other`. The server never lets two teams share a rank; where it drew lots, or where
    /// nobody won, those who got equally far are equal.
    #[must_use]
    pub fn verdict(&self, one: usize, other: usize) -> Verdict {
        let (a, b) = (&self.seats[one], &self.seats[other]);
        let as_far = a.highest == b.highest && a.levels == b.levels;
        if a.rank == b.rank || (as_far && (self.by_lot || self.winner.is_none())) {
            return Verdict::Draw;
        }
        if a.rank < b.rank { Verdict::Win } else { Verdict::Loss }
    }

    /// Whether something that depends on time or on the machine touched it.
    #[must_use]
    pub fn is_marked(&self, planned: &Planned) -> bool {
        !self.disturbed.is_empty() || (planned.clock == "lockstep" && !self.reproducible)
    }

    /// Whether it is of that match and makes sense.
    ///
    /// # Errors
    /// What doesn't, in words.
    pub fn check(&self, planned: &Planned) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!("it is of version {}, this program reads {VERSION}", self.version));
        }
        if self.id != planned.id {
            return Err(format!("it says it is the result of {}", self.id));
        }
        let seats: Vec<Id> = self.seats.iter().map(|seat| seat.bot).collect();
        if seats != planned.seats {
            return Err(format!("its seats are {}, planned were {}", List(&seats), List(&planned.seats)));
        }
        let count = seats.len();
        if let Some(seat) = self.seats.iter().find(|seat| !(1..=count).contains(&seat.rank)) {
            return Err(format!("the rank of {} is {}; the range is 1 to {count}", seat.bot, seat.rank));
        }
        match self.winner {
            Some(winner) if winner >= count => {
                Err(format!("seat {winner} has won; the last one is {}", count - 1))
            }
            Some(winner) if self.seats[winner].rank != 1 => {
                Err(format!("seat {winner} has won, but its rank is {}", self.seats[winner].rank))
            }
            _ => Ok(()),
        }
    }
}

struct List<'a>(&'a [Id]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&ids.join(" "))
    }
}
