//! How a league stands, for programs: `standings.json`, and a snapshot after each round.
//!
//! Plain values, made from rounds and results alone: they depend neither on time nor on the order in which matches were played.
//! Their schema is published. Tested in
//! `arena/cli/tests/league/` and `arena/cli/tests/schema.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::Pairing;
use crate::identity::Id;
use crate::report::place_words;

/// The file that programs read.
pub const STANDINGS: &str = "standings.json";
/// The most rounds, the latest ones, in the history of a version.
pub const MOST_MOMENTS: usize = 200;

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
    /// Matches that count, forfeited ones too.
    pub scored: u64,
    /// The field, the best first; those without a match that counts come last.
    pub table: Vec<Row>,
    /// All versions, in the order in which they entered.
    pub versions: Vec<Career>,
    /// The latest cup, which may still be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cup: Option<CupStandings>,
    /// Bots and new versions that were not let in.
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
    /// The bot's name.
    pub name: String,
    /// What its folder is called, if that is another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The bot's version, from 1.
    pub number: u32,
    /// The version's id.
    pub id: String,
    /// How strong it is; 1500 is the average of all versions that ever entered.
    pub rating: f64,
    /// The rating's 95 % interval.
    pub interval: [f64; 2],
    /// Matches that count, forfeited ones too.
    pub matches: u64,
    /// Points per match; none without a match.
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
    /// Its rating's gain since then, less the average gain of all that were there; none if the version is new.
    pub rating_change: Option<f64>,
    /// In words: which rival changed its place, how a new version compares with the one before it, or that its own faults decided.
    pub why: Option<String>,
}

impl Row {
    /// Its place as tables show it, marked if another bot has the same place.
    pub fn place_text(&self) -> String {
        place_words(self.place, self.tied)
    }

    /// What its rating gained, as tables show it: `+12`, or a dash for a new version.
    pub fn gain_text(&self) -> String {
        self.rating_change.map_or("–".to_owned(), |gained| format!("{gained:+.0}"))
    }
}

/// A version and how its rounds went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Career {
    /// The bot's name.
    pub name: String,
    /// The bot's version, from 1.
    pub number: u32,
    /// The version's id.
    pub id: String,
    /// The round in which it entered.
    pub entered: u32,
    /// Whether it is in the field.
    pub in_field: bool,
    /// Its rating by all results.
    pub rating: f64,
    /// The rating's 95 % interval.
    pub interval: [f64; 2],
    /// Where it stood after each of the latest rounds that it was in.
    pub history: Vec<Moment>,
}

/// Where a version stood after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The round's number, from 1.
    pub round: u32,
    /// Its place in the field; none without a match.
    pub place: Option<usize>,
    /// Its rating by the results until then.
    pub rating: f64,
    /// The rating's 95 % interval then.
    pub interval: [f64; 2],
    /// Matches that counted until then.
    pub matches: u64,
}

/// A bot that isn't in the field, or not as it lies there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// What its folder is called.
    pub name: String,
    /// Why, with the remedy.
    pub why: String,
    /// Which of its bot's versions it would have been.
    pub number: u32,
    /// The bot's older version that is in the field, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays_on: Option<String>,
}

impl Refused {
    /// A refused bot of which no version is known yet.
    pub(super) fn new(name: String, why: String) -> Refused {
        Refused { name, why, number: 1, plays_on: None }
    }

    /// What isn't in the league and what plays on, in words.
    pub fn words(&self) -> String {
        let Refused { name, why, number, plays_on } = self;
        match plays_on {
            Some(label) => format!("{name}'s new version ({number}) did not enter, {label} plays on: {why}"),
            None => format!("not in the league: {name}: {why}"),
        }
    }
}

/// A cup, stage by stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CupTold")]
pub struct CupStandings {
    /// The cup's number, from 1.
    pub cup: u32,
    /// Its stages as far as they are planned.
    pub stages: Vec<Vec<DuelScore>>,
    /// The version that has won it.
    pub winner: Option<String>,
}

/// Two versions that play each other in a cup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DuelTold")]
pub struct DuelScore {
    /// The first version.
    pub one: String,
    /// Its opponent; none: a bye.
    pub other: Option<String>,
    /// Half points of both: 2 for a win, 1 for a draw.
    pub half_points: [u64; 2],
}

/// The standings after a round, as they are kept in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The version of the format: 1.
    pub version: u32,
    /// The versions in the field, the best first: the id of each with its standing.
    pub table: Vec<(Id, Moment)>,
}
