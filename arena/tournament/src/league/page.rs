//! `index.html`: how a league stands, for the students that take part.
//!
//! Made from the standings alone. The page needs no network and no other file; its links lead to the tournament's page
//! in `merged`, which links to every match. Tested in this module and in `arena/cli/tests/league/`.

use maud::{Markup, PreEscaped, html};
use zappy_protocol::text::many;

use super::round::label;
use super::standings::{Career, CupStandings, DuelScore, Moment, Refused, Row, Standings};
use crate::merge::{LEAGUE_PAGE, MERGED};
use crate::report::plots::Scale;
use crate::report::{document, in_html, share_words, table, text_table, words};

pub(super) const PAGE: &str = LEAGUE_PAGE;
/// On a phone each bot is a card: place, change, name and rating in its first line, the reason below them.
const STYLE: &str = "<style>.pic svg { width: 8rem; height: 1.2rem; display: block; overflow: visible; } .up { color: #1a7f4b; } \
    .down { color: #b4501f; } @media (prefers-color-scheme: dark) { .up { color: #5fd39a; } .down { color: #f0935e; } } .path { \
    fill: none; stroke: var(--dot); stroke-width: 2; } .band { fill: var(--win); fill-opacity: .25; } .trail svg { width: 100%; \
    max-width: 40rem; height: 7rem; display: block; overflow: visible; margin: .5rem 0; } .league th, .league td { padding: .3rem \
    .45rem; } .league td.pic { text-align: left; } @media (max-width: 40rem) { .league, .league tbody { display: block; } .league \
    thead { display: none; } .league tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--rule); } .league td { \
    border: 0; } .league td.name { position: static; flex: 1; background: none; min-width: 6rem; } .league td.w { flex-basis: 100%; } \
    .league td[data-l]::before { content: attr(data-l) \" \"; color: var(--faint); } }</style>\n";
const EXPLAINED: &str = "<h2 id=\"how\">How to read this</h2>
<p><b>Bot.</b> <code>ada@2</code> is the second version of the bot in the folder <code>ada</code>: a changed file makes a new
version, which plays for its own rating. Results of older versions stay.</p>
<p><b>Rating.</b> The model of Bradley and Terry, as in chess: 400 more means ten wins for each loss. All results of all versions
are weighed at once; 1500 is the average of all versions that ever entered, so that a strong newcomer lowers everybody.
<b>Gained</b> says what a version gained since the field last changed, beside what all gained that were there.</p>
<p><b>Change.</b> Places since the field last changed: a bot came, left or was renewed. Why tells against which of those that
passed it, or that it passed, a bot did worst or best since then; that it lost half or more of what it lost by its own faults; or
how a new version is rated beside the one before it.</p>
<p><b>Drawn.</b> Matches that no team has won, or that only a lot could decide.</p>
<p><b>Faults.</b> Matches in which a program did something other than play: crashed, was late, broke the protocol.</p>
";

/// The page of a league.
pub(super) fn page(standings: &Standings) -> String {
    let Standings { round, planned, scored, complete, .. } = standings;
    let state = if *complete { "all played" } else { "the table is provisional" };
    let rows = &standings.table;
    let scale = Scale::new(rows.iter().map(|row| row.interval.into()));
    let columns =
        ["Place", "Change", "<Bot", "<Rating", "<Why", "Gained", "Won", "Drawn", "Lost", "Faults", "Matches"];
    let lines = rows.iter().map(|row| {
        let (name, (up, class, change)) = (label(&row.name, row.number), change(row));
        let numbers = [row.wins, row.draws, row.losses, row.faults];
        html! {
            tr #{ "b-" (row.id) } {
                td data-v=(row.place.unwrap_or(usize::MAX)) { (row.place_text()) }
                td data-v=(up) { span class=(class) { (change) } }
                td.name {
                    a href={ "#v-" (row.id) } { (words(&name)) }
                    @if let Some(folder) = &row.folder { br; span.faint { (words(folder)) } }
                }
                (scale.cell(&name, row.rating, row.interval))
                td.w { (words(row.why.as_deref().unwrap_or_default())) }
                td data-l="gained" { (row.gain_text()) }
                @for (label, number) in ["won", "drawn", "lost", "faults"].iter().zip(numbers) {
                    td data-l=(label) { (number) }
                }
                td data-l="matches" { a href={ (MERGED) "/index.html#b-" (row.id) } { (row.matches) } }
            }
        }
    });
    let body = html! {
        (PreEscaped(STYLE))
        h1 { "League of " (many(rows.len() as u64, "bot")) }
        p class=[(!complete).then_some("note")] {
            (words(&standings.game)) ", " (standings.pairing.name()) ", round " (round) ": " (scored) " of " (planned)
            " matches count, " (state) "."
        }
        nav {
            a href="#table" { "Table" }
            @if standings.cup.is_some() { a href="#cup" { "Cup" } }
            @if !standings.refused.is_empty() { a href="#refused" { "What did not enter" } }
            a href="#history" { "History" }
            a href={ (MERGED) "/index.html" } { "Who beats whom, and all matches" }
            a href="#how" { "How to read this" }
        }
        h2 #table { "Table" }
        p.faint {
            "Each dot is how strong a bot is by all its results, each bar where its true strength lies in about 95 of 100 \
             cases. Where bars overlap, the order may be luck."
        }
        (table(Some("sorts league"), None, &columns, lines))
        @if let Some(last) = &standings.cup { (cup(last)) }
        (refused(standings))
        (history(standings))
        (PreEscaped(EXPLAINED))
    };
    document("League", true, body)
}

/// How many places a bot rose since the field last changed (negative: fell; 0 without two places), the style class of
/// the cell, and the text of the cell, such as `▲2`, `=` or `new`.
pub fn change(row: &Row) -> (i64, &'static str, String) {
    let up = row.place_before.zip(row.place).map_or(0, |(before, now)| before as i64 - now as i64);
    match (up, row.place_before, row.place) {
        (1.., ..) => (up, "up", format!("\u{25b2}{up}")),
        (..0, ..) => (up, "down", format!("\u{25bc}{}", -up)),
        (0, Some(_), Some(_)) => (up, "faint", "=".to_owned()),
        (0, None, Some(_)) => (up, "faint", "new".to_owned()),
        (0, _, None) => (up, "faint", String::new()),
    }
}

/// A cup, stage by stage.
pub fn cup(cup: &CupStandings) -> Markup {
    let points = |halves: u64| format!("{}{}", halves / 2, if halves.is_multiple_of(2) { "" } else { "½" });
    html! {
        h2 #cup { "Cup " (cup.cup) }
        @if let Some(winner) = &cup.winner { p { b { (words(winner)) } " has won it." } }
        @for (stage, number) in cup.stages.iter().zip(1..) {
            h3 { "Stage " (number) }
            ul {
                @for DuelScore { one, other, half_points: [own, others] } in stage {
                    li {
                        (words(one))
                        @if let Some(other) = other { " – " (words(other)) ": " (points(*own)) " to " (points(*others)) }
                        @else { " goes on without a match" }
                    }
                }
            }
        }
    }
}

fn refused(standings: &Standings) -> Markup {
    html! {
        @if !standings.refused.is_empty() {
            h2 #refused { "What did not enter" }
            p { "The report lies in each one's folder, as " code { "check-report.txt" } "." }
            ul {
                @for Refused { name, why, number, plays_on } in &standings.refused {
                    li {
                        b { (words(name)) }
                        @if let Some(label) = plays_on {
                            "'s new version (" (number) ") did not enter; " b { (words(label)) } " plays on: "
                        } @else { " is not in the league: " }
                        (words(why))
                    }
                }
            }
        }
    }
}

/// A section for each bot in the order of the table; bots that have left the league come last.
fn history(standings: &Standings) -> Markup {
    let mut names: Vec<&str> = standings.table.iter().map(|row| &row.name[..]).collect();
    for career in &standings.versions {
        if !names.contains(&&career.name[..]) {
            names.push(&career.name);
        }
    }
    html! {
        h2 #history { "History" }
        @for name in names {
            h3 { (words(name)) }
            @for career in standings.versions.iter().rev().filter(|career| career.name == name) { (version(career)) }
        }
    }
}

/// A version and its standing after each round.
fn version(career: &Career) -> Markup {
    let Career { name, number, id, entered, rating, interval: [low, high], history, .. } = career;
    let label = in_html(&label(name, *number));
    let state = if career.in_field { "in the field" } else { "no more in the field" };
    let rows = history.iter().rev().map(|Moment { round, place, rating, interval: [low, high], matches }| {
        html! {
            tr {
                td { (round) } td { (place.map_or("–".to_owned(), |place| place.to_string())) }
                td { (format!("{rating:.0}")) } td { (format!("{low:.0}–{high:.0}")) } td { (matches) }
            }
        }
    });
    html! {
        details #{ "v-" (id) } open[career.in_field] {
            summary {
                b { (PreEscaped(&label)) }
                (format!(", since round {entered}, {state}; by all results {rating:.0} ({low:.0}–{high:.0}); "))
                a href={ (MERGED) "/index.html#b-" (id) } { "matches" }
            }
            @if history.len() > 1 { div.trail { (PreEscaped(trail(history, &label))) } }
            (table(None, None, &["Round", "Place", "Rating", "95 %", "Matches"], rows))
        }
    }
}

/// A diagram of 400 by 100 units: the rating after each round as a line, its 95 % intervals as a band.
fn trail(history: &[Moment], label: &str) -> String {
    let scale = Scale::new(history.iter().map(|moment| moment.interval.into()));
    let across = |i: usize| i as f64 * 400.0 / (history.len() - 1).max(1) as f64;
    let down = |rating: f64| 100.0 - scale.percent(rating);
    let points = |of: fn(&Moment) -> f64| -> Vec<String> {
        let points = history.iter().enumerate();
        points.map(|(i, moment)| format!("{:.1},{:.1}", across(i), down(of(moment)))).collect()
    };
    let (path, low, mut band) =
        (points(|one| one.rating), points(|one| one.interval[0]), points(|one| one.interval[1]));
    band.extend(low.into_iter().rev());
    let line = |mark: f64| {
        let (y, below) = (down(mark), down(mark) + 4.0);
        format!(
            "<line class=\"g\" x1=\"0\" x2=\"400\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"t\" x=\"404\" y=\"{below:.1}\">{mark:.0}</text>"
        )
    };
    let marks: String = scale.marks().map(line).collect();
    format!(
        "<svg viewBox=\"0 0 440 100\" role=\"img\"><title>{label}: rating after each round</title>{marks}<polygon class=\"band\" \
         points=\"{}\"/><polyline class=\"path\" points=\"{}\"/></svg>",
        band.join(" "),
        path.join(" ")
    )
}

/// The table for a terminal.
pub(super) fn terminal(standings: &Standings) -> String {
    let head = ["place", "", "bot", "rating", "95 %", "points", "matches", "why"];
    let rows = standings.table.iter().map(|row| {
        let [low, high] = row.interval;
        vec![
            row.place.map_or("-".to_owned(), |place| format!("{place}{}", if row.tied { "=" } else { "" })),
            change(row).2,
            label(&row.name, row.number),
            format!("{:.0}", row.rating),
            format!("{low:.0}..{high:.0}"),
            share_words(row.points),
            row.matches.to_string(),
            row.why.clone().unwrap_or_default(),
        ]
    });
    let refused = standings.refused.iter().map(|refused| format!("{}\n", refused.words()));
    text_table(&head, rows, 2) + &refused.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::super::settings::Pairing;
    use super::*;

    fn row(name: &str, place: Option<usize>, before: Option<usize>) -> Row {
        Row {
            place,
            tied: false,
            name: name.to_owned(),
            folder: Some("<i> folder".to_owned()),
            number: 2,
            id: "0123456789abcdef".to_owned(),
            rating: 1512.3,
            interval: [1400.0, 1620.0],
            matches: 12,
            points: Some(0.5),
            wins: 6,
            draws: 0,
            losses: 6,
            faults: 0,
            not_scored: 0,
            place_before: before,
            rating_change: Some(-12.4),
            why: before.map(|_| "fell from 2 to 4: lost 7 of 10 to newcomer <eve>@1".to_owned()),
        }
    }

    #[test]
    fn names_stay_words_and_links_lead_to_matches() {
        let moment = |round, rating| Moment {
            round,
            place: Some(2),
            rating,
            interval: [rating - 90.0, rating + 90.0],
            matches: 2,
        };
        let standings = Standings {
            version: 1,
            game: "zappy".to_owned(),
            pairing: Pairing::Swiss,
            round: 3,
            complete: false,
            planned: 20,
            scored: 12,
            table: vec![row("<b>ada", Some(4), Some(2)), row("bob", None, None)],
            versions: vec![Career {
                name: "<b>ada".to_owned(),
                number: 2,
                id: "0123456789abcdef".to_owned(),
                entered: 1,
                in_field: true,
                rating: 1512.3,
                interval: [1400.0, 1620.0],
                history: vec![moment(1, 1500.0), moment(2, 1512.3)],
            }],
            cup: None,
            refused: vec![
                Refused { name: "x".to_owned(), why: "<script>".to_owned(), number: 1, plays_on: None },
                Refused {
                    name: "eve".to_owned(),
                    why: "0 of 1".to_owned(),
                    number: 3,
                    plays_on: Some("eve@2".to_owned()),
                },
            ],
        };
        let page = page(&standings);
        for words in [
            "12 of 20 matches count, the table is provisional",
            "&lt;b&gt;ada@2",
            "\u{25bc}2",
            "fell from 2 to 4: lost 7 of 10 to newcomer &lt;eve&gt;@1",
            "merged/index.html#b-0123456789abcdef",
            "<polyline class=\"path\"",
            "<b>x</b> is not in the league: &lt;script&gt;",
            "<b>eve</b>'s new version (3) did not enter; <b>eve@2</b> plays on: 0 of 1",
            "&lt;i&gt; folder",
            "-12",
        ] {
            assert!(page.contains(words), "{words}");
        }
        assert!(!page.contains("<b>ada") && !page.contains("<script>\n<"));
        assert!(is_balanced(&page));
        assert!(terminal(&standings).contains("\u{25bc}2  <b>ada@2"));
    }

    /// Whether each of these tags is closed as often as it is opened.
    fn is_balanced(page: &str) -> bool {
        ["<table", "<details", "<svg", "<ul", "<div"]
            .iter()
            .all(|tag| page.matches(tag).count() == page.matches(&tag.replace('<', "</")).count())
    }
}
