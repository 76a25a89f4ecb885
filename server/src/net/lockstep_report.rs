//! The lockstep clock's settings, and its report after a match: which players were late, and how long they thought.
//!
//! Plain values, some of which stand in results as they are: fields of these are added and never renamed. Tested in
//! `shell::tests::lockstep`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lateness::LatenessHistogram;
use zappy_game::Tick;

/// How a match in lockstep is to run.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Lockstep {
    /// How many players the lobby waits for.
    pub wait_players: usize,
    /// How long the lobby waits for the others after the first player came.
    pub lobby_time: Duration,
    /// How long a round waits for a seat that owes a line.
    pub think_time: Duration,
    /// A seat that is late more often than this is disconnected.
    pub max_late: u32,
    /// The most ticks per second, so that people can watch; `None`: as fast as the clients answer.
    pub pace: Option<NonZeroU32>,
    /// Whether no tick passes before the program at the door allows it, as `match --step` does.
    pub step: bool,
    /// The console line that ends the match; the only one that is taken once the match has begun.
    pub stop_line: Vec<u8>,
}

/// The most causes that a report lists, so that it stays readable; the others are counted.
const LISTED_CAUSES: usize = 20;

/// The most times a player was late that a report lists.
pub(super) const MOMENTS: usize = 20;

/// A player whose client was late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatePlayer {
    pub player: u32,
    pub team: String,
    /// How often it was late.
    pub late: u32,
    /// Where in its dialogue it was late: the first 20 times.
    #[serde(default)]
    pub moments: Vec<LateMoment>,
    /// Whether the server ended it for being late.
    pub expelled: bool,
    /// Whether it was late three times in a row and never spoke again. Then it was waited for once in 126 ticks at most,
    /// which isn't counted, and the match is as reproducible as without it.
    #[serde(default)]
    pub silent: bool,
}

/// Where in its dialogue a player was late. Its lines are counted as its notes count them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LateMoment {
    /// The tick at which it was waited for.
    pub tick: Tick,
    /// Lines that had been taken from it, its team's name not counted.
    pub sent: u64,
    /// Lines that it had been sent since its team's name.
    pub read: u64,
    /// The last line that it had been sent, in short; missing if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What it had noted last by then, as far as the arena keeps notes; missing if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted: Option<String>,
}

/// How long a player took for its answers.
#[derive(Debug, Clone)]
pub struct Thinking {
    /// The line it was admitted with.
    pub name: String,
    /// Its team, as the game numbers them.
    pub group: u32,
    /// The times from when it owed a line to when that line came; where it was late, the time for which it was waited for.
    pub times: LatenessHistogram,
    /// How long a round was held for it, in all.
    pub waited: Duration,
}

impl Thinking {
    /// A player that hasn't answered yet.
    pub(super) fn of(name: &str, group: u32) -> Thinking {
        Thinking { name: name.to_owned(), group, times: LatenessHistogram::default(), waited: Duration::ZERO }
    }
}

/// How long the others waited for a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamDelay {
    /// The line that its players were admitted with.
    pub name: String,
    /// The time in all. Time in which they waited for several of its players counts once.
    pub time: Duration,
}

/// The report of the lockstep clock after a match.
#[derive(Debug, Default, Clone)]
pub struct LockstepReport {
    /// The settings of the match.
    pub settings: Lockstep,
    /// The players that were late, in the order of admission.
    pub late: Vec<LatePlayer>,
    /// The numbers of the late players that sent a line after they had been late.
    pub spoke: BTreeSet<u32>,
    /// How long each player took to answer, in the order of admission.
    pub thinking: Vec<Thinking>,
    /// The teams that kept the others waiting, by group.
    pub kept_waiting: BTreeMap<u32, TeamDelay>,
    /// Connections that did not say a name in time.
    pub silent: u32,
    /// Connections that were refused because of a limit: they might have been players.
    pub turned_away: u32,
    /// How often several connections of one team came in together, after the beginning. Chance decides which of
    /// them gets which egg, so the match is reproducible only if they all play alike. It isn't among the
    /// [causes](Self::causes), since bots of one team mostly do.
    pub joint: u32,
    /// Other causes why the match isn't reproducible, at most [`LISTED_CAUSES`].
    pub(super) other_causes: Vec<String>,
    /// How many causes were left out of `other_causes`.
    pub(super) omitted_causes: u32,
}

impl LockstepReport {
    /// Why the match might go otherwise when it is played again; empty if it is reproducible.
    pub fn causes(&self) -> Vec<String> {
        // A silent player that never sent a line after it had been late changes nothing: none of its lines came at another
        // tick than it would have.
        let counts = |late: &&LatePlayer| self.spoke.contains(&late.player) || late.expelled || !late.silent;
        let late = || self.late.iter().filter(counts);
        let describe = |seat: &LatePlayer| {
            let LatePlayer { player, team, late, expelled, moments, .. } = seat;
            let ended = if *expelled { " and was ended for it" } else { "" };
            let first = moments.first().map_or(0, |moment| moment.tick);
            let at = if *late > 1 { "first at" } else { "at" };
            format!("player #{player} of {team} was late {} ({at} tick {first}){ended}", count(*late, "time"))
        };
        let mut causes: Vec<String> = late().take(LISTED_CAUSES).map(describe).collect();
        if late().count() > LISTED_CAUSES {
            causes.push(format!("{} more players were late", late().count() - LISTED_CAUSES));
        }
        if self.silent > 0 {
            let time = self.settings.think_time;
            causes.push(format!(
                "{} did not say within {time:?} who they are",
                count(self.silent, "connection")
            ));
        }
        if self.turned_away > 0 {
            causes.push(format!("{} found no room", count(self.turned_away, "connection")));
        }
        causes.extend(self.other_causes.iter().cloned());
        if self.omitted_causes > 0 {
            causes.push(format!("and {} more of that kind", self.omitted_causes));
        }
        causes
    }

    pub(super) fn add_cause(&mut self, words: String) {
        if self.other_causes.len() < LISTED_CAUSES {
            self.other_causes.push(words);
        } else {
            self.omitted_causes += 1;
        }
    }
}

/// A number with its noun, which takes an s in the plural.
fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
