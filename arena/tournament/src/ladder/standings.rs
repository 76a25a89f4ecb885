//! How a ladder stands, for programs: `ladder.json`.
//!
//! A function of the results alone: no time, no order of playing. Its schema is published. Tested in this module and in
//! `arena/cli/tests/ladder/`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zappy_play::text::round;

use crate::identity::Id;
use crate::tally::{Ranked, Tally};

/// The file that programs read.
pub const STANDINGS: &str = "ladder.json";

/// The file that says which bots wait and which matches are played, while a ladder is hosted.
pub const LOBBY: &str = "lobby.json";

/// How a result's words begin that say that its match went on.
const RESUMED: &str = "it was resumed";

/// What happens on a ladder now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyState {
    /// The bots that wait, by their names, with the second since 1970 since when.
    pub waiting: Vec<(String, u64)>,
    /// The matches that are played, by their ids, with the bots in the order of their seats.
    pub playing: Vec<(String, Vec<String>)>,
}

/// How a ladder stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LadderStandings {
    /// The format's version: 1.
    pub version: u32,
    /// What is played.
    pub game: String,
    /// Matches that count.
    pub scored: u64,
    /// The bots, the best first; those without a match that counts come last.
    pub table: Vec<LadderRow>,
    /// The matches that were running when a host ended and went on later, and those that are void; in the order of their ids.
    pub interrupted: Vec<Interrupted>,
}

/// A match that went on after its host had ended, or is void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupted {
    /// The match's id.
    pub id: String,
    /// Whether it counts for nothing.
    pub void: bool,
    /// Its bots and what became of it, in words.
    pub told: String,
}

/// A bot of a ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LadderRow {
    /// Its place, from 1, the same for equal ratings; none if it has no match that counts.
    pub place: Option<usize>,
    /// Whether another bot has the same place.
    pub tied: bool,
    /// The bot's name.
    pub name: String,
    /// The bot's id.
    pub id: String,
    /// Its rating by all results.
    pub rating: f64,
    /// The rating's 95 % interval.
    pub interval: [f64; 2],
    /// Matches that count.
    pub matches: u64,
    /// Its points per match: the share of opponents that it beat, a draw counting half; none without a match.
    pub points: Option<f64>,
    /// Opponents in its matches that it left behind.
    pub wins: u64,
    /// Opponents with which it drew.
    pub draws: u64,
    /// Opponents that left it behind.
    pub losses: u64,
    /// Matches in which its programs did something other than play.
    pub faults: u64,
}

impl LadderStandings {
    /// How the ladder stands by these results.
    pub fn new(tally: &Tally<'_>) -> LadderStandings {
        let mut ranked: Vec<&Ranked> = tally.standings.iter().collect();
        ranked.sort_by_key(|one| one.matches == 0);
        let played = ranked.iter().filter(|one| one.matches > 0);
        let played: Vec<i64> = played.map(|one| one.rating.tenths()).collect();
        let row = |one: &&Ranked| {
            let own = one.rating.tenths();
            let even = played.iter().filter(|tenths| **tenths == own).count();
            let above = played.iter().filter(|tenths| **tenths > own).count();
            let (bot, (low, high)) = (&tally.book.bots[one.bot], one.rating.interval());
            LadderRow {
                place: (one.matches > 0).then_some(1 + above),
                tied: one.matches > 0 && even > 1,
                name: bot.name.clone(),
                id: bot.id.to_string(),
                rating: round(one.rating.value, 1),
                interval: [round(low, 1), round(high, 1)],
                matches: one.matches,
                points: one.share().map(|share| round(share, 4)),
                wins: one.score.wins,
                draws: one.score.draws,
                losses: one.score.losses,
                faults: one.bad_ends(),
            }
        };
        let scored = tally.scored().count() as u64;
        let one = |id: Id, void, told| Interrupted { id: id.to_string(), void, told };
        let void = tally.failures.iter().map(|failure| one(failure.id, true, failure.why.clone()));
        let went_on = tally.matches.iter().filter_map(|played| {
            let words = played.played.disturbed.iter().rfind(|words| words.starts_with(RESUMED))?;
            let names: Vec<&str> = played.bots.iter().map(|bot| tally.name(*bot)).collect();
            Some(one(played.planned.id, false, format!("{}: {words}", names.join(", "))))
        });
        let mut interrupted: Vec<Interrupted> = void.chain(went_on).collect();
        interrupted.sort_by(|one, other| one.id.cmp(&other.id));
        LadderStandings {
            version: 1,
            game: tally.game.name.to_owned(),
            scored,
            table: ranked.iter().map(row).collect(),
            interrupted,
        }
    }
}
