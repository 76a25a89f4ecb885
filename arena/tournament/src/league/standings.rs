//! How a league stands, for programs: `standings.json`, and what is kept of each round.
//!
//! Plain values, made from rounds and results alone: no time, no order of playing. Their schema is published. Tested in
//! `arena/cli/tests/league/` and `arena/cli/tests/schema.rs`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refused::Refused;
use super::round::file;
use super::settings::Pairing;
use crate::Error;
use crate::place::{read_json, write_json_line};

/// The file that programs read.
pub const STANDINGS: &str = "standings.json";
/// The folder of what is kept of each round.
pub const KEPT: &str = "standings";
/// Rounds that are kept of a version in the file and on the page, the latest.
pub const MOST_MOMENTS: usize = 200;
/// The longest file of a round's standings.
const LONGEST: u64 = 16 << 20;

/// How a league stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standings {
    /// The format's version: 1.
    pub version: u32,
    /// What is played.
    pub game: String,
    /// Which bots meet.
    pub pairing: Pairing,
    /// The last round that was planned.
    pub round: u32,
    /// Whether all that was planned has a result that counts.
    pub complete: bool,
    /// Matches planned.
    pub planned: u64,
    /// Matches that count.
    pub scored: u64,
    /// The field, the best first; those without a match that counts come last.
    pub table: Vec<Row>,
    /// All versions that ever entered, in that order.
    pub versions: Vec<Career>,
    /// The last cup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cup: Option<CupTold>,
    /// What lies in the folder of the bots and isn't in the field as it lies there.
    pub refused: Vec<Refused>,
}

/// A bot of the field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its place in the field, from 1, the same for equal ratings; none if it has no match that counts.
    pub place: Option<usize>,
    /// Whether another bot has that place, too.
    pub tied: bool,
    /// The bot.
    pub name: String,
    /// What its folder is called, if that is another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Which of its versions.
    pub number: u32,
    /// What that is known by.
    pub id: String,
    /// How strong it is; 1500 is the average of all versions that ever entered.
    pub rating: f64,
    /// Where its strength lies in 95 of 100 cases.
    pub interval: [f64; 2],
    /// Matches that count.
    pub matches: u64,
    /// Points per match; none without one.
    pub points: Option<f64>,
    /// Matches won.
    pub wins: u64,
    /// Matches drawn.
    pub draws: u64,
    /// Matches lost.
    pub losses: u64,
    /// Matches in which it did something other than play.
    pub faults: u64,
    /// Matches that count for nothing.
    pub not_scored: u64,
    /// Its bot's place before the field last changed; none if the bot is new.
    pub place_before: Option<usize>,
    /// What its rating gained since then, beside what all gained that were there; none if the version is new.
    pub rating_change: Option<f64>,
    /// Why its place is another one, how a new version compares with the one before it, or that its own faults decided, in words.
    pub why: Option<String>,
}

impl Row {
    /// Its place as tables tell it, with a sign for one that another bot has, too.
    pub fn place_in_words(&self) -> String {
        let tied = if self.tied { "=" } else { "" };
        self.place.map_or("–".to_owned(), |place| format!("{place}{tied}"))
    }

    /// What its rating gained as tables tell it.
    pub fn gained_in_words(&self) -> String {
        self.rating_change.map_or("–".to_owned(), |gained| format!("{gained:+.0}"))
    }
}

/// A version, from when it entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Career {
    /// The bot.
    pub name: String,
    /// Which of its versions.
    pub number: u32,
    /// What it is known by.
    pub id: String,
    /// The round in which it entered.
    pub entered: u32,
    /// Whether it is in the field.
    pub in_field: bool,
    /// Its rating by all results.
    pub rating: f64,
    /// Where its strength lies in 95 of 100 cases.
    pub interval: [f64; 2],
    /// Where it stood after each round in whose field it was, the latest.
    pub history: Vec<Moment>,
}

/// Where a version stood after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The round.
    pub round: u32,
    /// Its place in the field; none without a match.
    pub place: Option<usize>,
    /// Its rating by the results that there were.
    pub rating: f64,
    /// Where its strength lay in 95 of 100 cases.
    pub interval: [f64; 2],
    /// Matches that counted.
    pub matches: u64,
}

/// A cup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CupTold {
    /// Which, from 1.
    pub cup: u32,
    /// Its stages as far as they are planned.
    pub stages: Vec<Vec<DuelTold>>,
    /// The version that has won it.
    pub winner: Option<String>,
}

/// A duel of a cup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DuelTold {
    /// The one.
    pub one: String,
    /// The other; none: the one goes on without a match.
    pub other: Option<String>,
    /// Half points of both.
    pub half_points: [u64; 2],
}

/// What is kept of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    pub version: u32,
    /// The field by the versions' ids, and how it stood.
    pub table: Vec<(String, Moment)>,
}

impl Snapshot {
    /// Writes it down, unless it is there.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, league: &Path, round: u32) -> Result<(), Error> {
        write_json_line(&file(league, KEPT, round), self)
    }

    /// That of a round; none if that isn't over.
    ///
    /// # Errors
    /// It can't be read for what it is.
    pub fn read(league: &Path, round: u32) -> Result<Option<Snapshot>, Error> {
        let path = file(league, KEPT, round);
        if path.exists() { read_json(&path, LONGEST).map(Some) } else { Ok(None) }
    }
}
