//! A ladder as a tournament: bots that are known by their names, matches that were played as the bots came, and the
//! ladder's table for programs (`ladder.json`, of which the schema is published), on a page and on a terminal.
//!
//! A ladder's folder is a tournament's. The table is a function of the results alone: no time, no order of playing. The page needs
//! no network and no other file. Bots run elsewhere, so all that is known of one is its name. Tested in this module and in
//! `arena/cli/tests/ladder/`.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zappy_play::text::round;
use zappy_protocol::text::{many, shown};

use crate::bots::{Book, Bot, Limits};
use crate::identity::Id;
use crate::merge::MERGED;
use crate::report::plots::Scale;
use crate::report::{document, place_among, place_words, table, text_table, words};
use crate::tally::{Ranked, Tally};

/// The file that programs read.
pub const STANDINGS: &str = "ladder.json";
/// The file that says which bots wait and which matches are played, while a ladder is hosted.
pub const LOBBY: &str = "lobby.json";
/// The beginning of the words by which a result says that its match was resumed.
const RESUMED_PREFIX: &str = "it was resumed";
/// Hashed before a bot's name, so that its id is no hash for another purpose.
const ID_PURPOSE: &str = "ladder";
const STYLE: &str =
    "<style>.pic svg { width: 8rem; height: 1.2rem; display: block; overflow: visible; }</style>\n";
/// The most interrupted matches that are listed.
const MOST_INTERRUPTED: usize = 50;
const EXPLAINED: &str = "<h2 id=\"how\">How to read this</h2>
<p><b>Rating.</b> The model of Bradley and Terry, as in chess: 1500 is the average of this ladder, and 400 more means ten wins
for each loss. All results are weighed at once, so the order of the matches means nothing. Each dot is how strong a bot is by
all its results, each bar where its true strength lies in about 95 of 100 cases.</p>
<p><b>Faults.</b> Matches in which a bot did something other than play: it was late too often, fell silent, broke the
protocol.</p>
";

/// The id of the bot of that name.
pub fn id_of(name: &str) -> Id {
    Id::of([ID_PURPOSE, name])
}

/// The bots of these names, in the order of the names.
pub fn book<'a>(names: impl IntoIterator<Item = &'a str>) -> Book {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let bot = |name: &str| Bot {
        id: id_of(name),
        name: name.to_owned(),
        command: String::new(),
        folder: None,
        environment: BTreeMap::new(),
        processes: None,
        limits: Limits::default(),
    };
    Book { version: 1, bots: names.into_iter().map(bot).collect(), hidden: Vec::new() }
}

/// The bots that wait and the matches that are played now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyState {
    /// The bots that wait: the name, and since when, in seconds since 1970.
    pub waiting: Vec<(String, u64)>,
    /// The matches that are played: the id, and the names of the bots in the order of their seats.
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
    /// The standings of the ladder by these results.
    pub fn new(tally: &Tally<'_>) -> LadderStandings {
        let mut ranked: Vec<&Ranked> = tally.standings.iter().collect();
        ranked.sort_by_key(|one| one.matches == 0);
        let played = ranked.iter().filter(|one| one.matches > 0);
        let played: Vec<i64> = played.map(|one| one.rating.tenths()).collect();
        let row = |one: &&Ranked| {
            let (place, tied) = place_among(&played, one.rating.tenths());
            let (bot, (low, high)) = (&tally.book.bots[one.bot], one.rating.interval());
            LadderRow {
                place: (one.matches > 0).then_some(place),
                tied: one.matches > 0 && tied,
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
        let entry = |id: Id, void, told| Interrupted { id: id.to_string(), void, told };
        let void = tally.failures.iter().map(|failure| entry(failure.id, true, failure.why.clone()));
        let went_on = tally.matches.iter().filter_map(|played| {
            let words = played.played.disturbed.iter().rfind(|words| words.starts_with(RESUMED_PREFIX))?;
            let names: Vec<&str> = played.bots.iter().map(|bot| tally.name(*bot)).collect();
            Some(entry(played.planned.id, false, format!("{}: {words}", names.join(", "))))
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

/// The page of a ladder.
pub fn page(standings: &LadderStandings) -> String {
    let rows = &standings.table;
    let body = html! {
        (PreEscaped(STYLE))
        h1 { "Ladder of " (many(rows.len() as u64, "bot")) }
        p { (words(&standings.game)) ": " (many(standings.scored, "match")) " counted. "
            a href={ (MERGED) "/index.html" } { "Who beats whom, and all matches" } }
        (table_of(standings, &|row| format!("{MERGED}/index.html#b-{}", row.id)))
        (interrupted(standings))
        (PreEscaped(EXPLAINED))
    };
    document("Ladder", true, body)
}

/// The list of interrupted matches, void ones and those that went on; empty without any.
pub fn interrupted(standings: &LadderStandings) -> Markup {
    let shown = standings.interrupted.iter().take(MOST_INTERRUPTED);
    html! {
        @if !standings.interrupted.is_empty() {
            h2 { "Interrupted" }
            ul { @for one in shown { li { code { (one.id) } " " (words(&one.told)) } } }
        }
    }
}

/// The table, with a link to the matches of each bot.
pub fn table_of(standings: &LadderStandings, link: &dyn Fn(&LadderRow) -> String) -> Markup {
    let rows = &standings.table;
    if rows.is_empty() {
        return html! { p.faint { "No bot has a name yet." } };
    }
    let scale = Scale::new(rows.iter().map(|row| row.interval.into()));
    let titles = ["Place", "<Bot", "<Rating", "Won", "Drawn", "Lost", "Faults", "Matches"];
    let line = |row: &LadderRow| {
        let numbers = [row.wins, row.draws, row.losses, row.faults];
        html! {
            tr {
                td data-v=(row.place.unwrap_or(usize::MAX)) { (place_words(row.place, row.tied)) }
                td.name { (words(&row.name)) }
                (scale.cell(&row.name, row.rating, row.interval))
                @for number in numbers { td { (number) } }
                td { a href=(link(row)) { (row.matches) } }
            }
        }
    };
    table(Some("sorts"), None, &titles, rows.iter().map(line))
}

/// The table for a terminal.
pub fn terminal(standings: &LadderStandings) -> String {
    let head = ["place", "bot", "rating", "95 %", "won", "drawn", "lost", "faults", "matches"];
    let rows = standings.table.iter().map(|row| {
        let ([low, high], numbers) =
            (row.interval, [row.wins, row.draws, row.losses, row.faults, row.matches]);
        let words = [
            place_words(row.place, row.tied),
            row.name.clone(),
            format!("{:.0}", row.rating),
            format!("{low:.0}..{high:.0}"),
        ];
        words.into_iter().chain(numbers.iter().map(ToString::to_string)).collect()
    });
    let interrupted = standings.interrupted.iter().take(MOST_INTERRUPTED);
    let lines = interrupted.map(|one| format!("{}\n", shown(one.told.as_bytes())));
    text_table(&head, rows, 1) + &lines.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_words_and_bots_without_a_match_have_no_place() {
        let row = |name: &str, place: Option<usize>| LadderRow {
            place,
            tied: false,
            name: name.to_owned(),
            id: "0123456789abcdef".to_owned(),
            rating: 1512.3,
            interval: [1400.0, 1620.0],
            matches: place.map_or(0, |_| 3),
            points: None,
            wins: 2,
            draws: 0,
            losses: 1,
            faults: 0,
        };
        let table = vec![row("<b>ada", Some(1)), row("bob", None)];
        let told = "<b>ada, bob: void, the host ended while it was played".to_owned();
        let interrupted = vec![Interrupted { id: "fedcba9876543210".to_owned(), void: true, told }];
        let standings =
            LadderStandings { version: 1, game: "zappy".to_owned(), scored: 3, table, interrupted };
        let page = page(&standings);
        for part in ["&lt;b&gt;ada", "merged/index.html#b-0123456789abcdef", "1512 ±110", "3 matches counted"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("<b>ada"));
        let text = terminal(&standings);
        assert!(text.contains("void, the host") && text.lines().count() == 4, "{text}");
        assert!(page.contains("void, the host"), "{page}");
    }
}
