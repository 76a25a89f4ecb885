//! What a result means: who beat whom, whether it counts, what its words mean to people, and whether it makes sense.
//!
//! Reads and writes no files. Tested in `tests/merge/`.

use std::fmt;

use super::identity::Id;
use super::outcome::{End, Ending, Outcome};
use super::plan::Planned;

/// The version of results that is read.
const VERSION: u32 = 1;

impl Ending {
    /// In the words of the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Ending::Elevation => "elevation",
            Ending::Time => "time",
            Ending::Extinction => "extinction",
            Ending::Stopped => "stopped",
            Ending::OutOfTime => "out_of_time",
            Ending::Stalled => "stalled",
            Ending::Foul => "foul",
        }
    }

    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Ending::Elevation => "a team rose to the top",
            Ending::Time => "time was over",
            Ending::Extinction => "nobody was left alive",
            Ending::Stopped => "all programs had ended",
            Ending::OutOfTime => "cut off by the clock on the wall",
            Ending::Stalled => "cut off, because a team kept the others waiting",
            Ending::Foul => "lost by a team that came as another one, or as an observer",
        }
    }

    /// Whether it tells who is better.
    #[must_use]
    pub const fn counts(self) -> bool {
        !matches!(self, Ending::OutOfTime)
    }
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

    /// For people: what it did.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            End::Played => "played to the end",
            End::FailedToStart => "could not be started",
            End::Crashed => "broke off during the match",
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
                "A program of the team ended badly while its match went on, and players were lost with it. The last \
                 lines of its log mostly name the error and the line of code."
            }
            End::Late => {
                "It let others wait for longer than the think time, too often. Look for loops over everything seen, \
                 for reads that block, and for output that isn't flushed."
            }
            End::ProtocolViolation => {
                "Either more of the lines it sent were no command than were one: the match's record holds them, and at \
                 which tick they came; protocol.md names the commands. Or it logged in under a name that isn't its own: \
                 say the one that is given on the command line, and never GRAPHIC."
            }
            End::KilledByLimit => {
                "A process of it used more than it may. Look for loops that wait without sleeping, and for what is \
                 worked out anew each time."
            }
            End::NeverJoined => {
                "Its programs ran, but none of them got a player. Check that host, port and team name are those \
                 given on the command line, and that it answers WELCOME with the team's name."
            }
        }
    }
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

impl Outcome {
    /// How `one` fared against `other`. The server never lets two teams share a rank; where it drew lots, or where
    /// nobody won, those who got equally far are equal.
    #[must_use]
    pub fn verdict(&self, one: usize, other: usize) -> Verdict {
        let (a, b) = (&self.seats[one], &self.seats[other]);
        // How far they got in a match that somebody held up, or was ended in, tells nothing.
        let spoilt = matches!(self.outcome, Ending::Stalled | Ending::Foul);
        let as_far = !spoilt && a.highest == b.highest && a.levels == b.levels;
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
        // One that was cut off has no ranking.
        let lowest = u64::from(self.outcome.counts());
        let ranks = lowest..=count as u64;
        if let Some(seat) = self.seats.iter().find(|seat| !ranks.contains(&seat.rank)) {
            return Err(format!(
                "the rank of {} is {}; the range is {lowest} to {count}",
                seat.bot, seat.rank
            ));
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
