//! `index.html`: how a ladder stands, for the authors of its bots; and the same table for a terminal.
//!
//! A function of the standings that needs no network and no other file. Tested in this module.

use maud::{Markup, PreEscaped, html};
use zappy_protocol::text::{many, shown};

use super::standings::{LadderRow, LadderStandings};
use crate::merge::MERGED;
use crate::report::escape::in_html;
use crate::report::html::{CLOSING, opening};
use crate::report::plots::Scale;
use crate::report::{columns, place_words, table, words};

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
    opening("Ladder") + &body.into_string() + CLOSING
}

/// What was interrupted, the void matches and those that went on; nothing where there is nothing.
pub fn interrupted(standings: &LadderStandings) -> Markup {
    let told = standings.interrupted.iter().take(MOST_INTERRUPTED);
    html! {
        @if !standings.interrupted.is_empty() {
            h2 { "Interrupted" }
            ul { @for one in told { li { code { (one.id) } " " (words(&one.told)) } } }
        }
    }
}

/// The table, with a link to the matches of each bot.
pub fn table_of(standings: &LadderStandings, link: &dyn Fn(&LadderRow) -> String) -> Markup {
    let rows = &standings.table;
    if rows.is_empty() {
        return html! { p.faint { "No bot has a name yet." } };
    }
    let scale = Scale::new(rows.iter().map(|row| (row.interval[0], row.interval[1])));
    let titles = ["Place", "<Bot", "<Rating", "Won", "Drawn", "Lost", "Faults", "Matches"];
    let line = |row: &LadderRow| {
        let ([low, high], numbers) = (row.interval, [row.wins, row.draws, row.losses, row.faults]);
        html! {
            tr {
                td data-v=(row.place.unwrap_or(usize::MAX)) { (place_words(row.place, row.tied)) }
                td.name { (words(&row.name)) }
                td.pic data-v=(row.rating) {
                    (format!("{:.0} ±{:.0}", row.rating, (high - low) / 2.0))
                    (PreEscaped(scale.picture(&in_html(&row.name), row.rating, (low, high))))
                }
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
    let told = standings.interrupted.iter().take(MOST_INTERRUPTED);
    columns(&head, rows, 1) + &told.map(|one| format!("{}\n", shown(one.told.as_bytes()))).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::super::standings::Interrupted;
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
