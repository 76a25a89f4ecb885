//! How a league stands, as a part of its page: the table, the last cup and the rounds.
//!
//! A function of the league's own `standings.json`. What it says of bots that aren't in the field stays between them and their
//! grader. Tested in this module and in `tests/pages.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use zappy_protocol::text::thousands;
use zappy_tournament::league::page::{change, cup};
use zappy_tournament::league::standings::{Row, Standings};
use zappy_tournament::report::escape::in_html;
use zappy_tournament::report::plots::Scale;

/// Rounds that are told, the latest.
const ROUNDS: usize = 50;
/// Ratings beyond this on either side are none that the arena writes.
const RATING: u32 = 100_000;

/// A round as it is told.
#[derive(Debug, Default)]
struct Round {
    leaders: Vec<String>,
    entered: Vec<String>,
}

/// Whether standings can be drawn.
pub fn is_sound(standings: &Standings) -> bool {
    let bounded = |rating: f64| rating.abs() <= f64::from(RATING);
    standings.table.iter().all(|row| {
        let [low, high] = row.interval;
        [row.rating, low, high].into_iter().all(bounded) && low < high
    })
}

/// How far the league is, in words, as HTML.
#[must_use]
pub fn state(standings: &Standings) -> String {
    let Standings { round, planned, scored, .. } = standings;
    let state = if standings.complete { "all played" } else { "the table is provisional" };
    format!(
        "{}, {}, round {round}: {} of {} matches count, {state}",
        in_html(&standings.game),
        standings.pairing.name(),
        thousands(*scored),
        thousands(*planned)
    )
}

/// How the field stands, as HTML.
#[must_use]
pub fn table(standings: &Standings) -> String {
    let rows = &standings.table;
    if rows.is_empty() {
        return "<p class=\"faint\">No bot has entered yet.</p>\n".to_owned();
    }
    let scale = Scale::new(rows.iter().map(|row| (row.interval[0], row.interval[1])));
    let mut out = String::from(
        "<table class=\"standings\"><thead><tr><th>Place</th><th>Bot</th><th>Rating</th><th>Gained</th><th>Won</th>\
         <th>Drawn</th><th>Lost</th><th>Faults</th></tr></thead>\n<tbody>\n",
    );
    rows.iter().for_each(|row| out.push_str(&line(row, &scale)));
    out + "</tbody></table>\n<p class=\"faint\">Each dot is how strong a bot is by all its results, each bar where its true \
           strength lies in about 95 of 100 cases. Gained and the change of place count since the field last changed.</p>\n"
}

fn line(row: &Row, scale: &Scale) -> String {
    let [low, high] = row.interval;
    let name = label(&row.name, row.number);
    let place = row.place_in_words();
    let (_, class, sign) = change(row);
    let why = row.why.as_deref().map_or_else(String::new, |why| format!("<small>{}</small>", in_html(why)));
    let gained = row.gained_in_words();
    let mut out = format!(
        "<tr><td><b>{place}</b> <span class=\"{class}\">{sign}</span></td><td><b>{name}</b>{why}</td><td \
         class=\"interval\">{} {:.0} ±{:.0}</td>",
        scale.picture(&name, row.rating, (low, high)),
        row.rating,
        (high - low) / 2.0
    );
    let numbers = [row.wins, row.draws, row.losses, row.faults].map(thousands);
    for (of, value) in
        ["gained", "won", "drawn", "lost", "faults"].iter().zip([gained].iter().chain(&numbers))
    {
        let _ = write!(out, "<td data-of=\"{of}\">{value}</td>");
    }
    out + "</tr>\n"
}

fn label(name: &str, number: u32) -> String {
    in_html(&format!("{name}@{number}"))
}

/// The last cup, the leader after each round, and the versions that came in with it, as HTML.
#[must_use]
pub fn rounds(standings: &Standings) -> String {
    let mut out = standings.cup.as_ref().map(cup).unwrap_or_default();
    let mut rounds: BTreeMap<u32, Round> = BTreeMap::new();
    let mut over = BTreeSet::new();
    for career in &standings.versions {
        let name = label(&career.name, career.number);
        for moment in &career.history {
            over.insert(moment.round);
            if moment.place == Some(1) {
                rounds.entry(moment.round).or_default().leaders.push(name.clone());
            }
        }
        rounds.entry(career.entered).or_default().entered.push(name);
    }
    // Of a long league the earliest are known no more.
    let told: Vec<_> = rounds.iter().rev().filter(|(round, _)| over.contains(round)).take(ROUNDS).collect();
    if told.is_empty() {
        return out;
    }
    out.push_str("<h2>Rounds</h2>\n<ul class=\"rounds\">\n");
    for (number, round) in &told {
        let mut words = match &round.leaders[..] {
            [] => "nothing counted".to_owned(),
            [one] => format!("<b>{one}</b> led"),
            many => format!("<b>{}</b> led together", many.join(", ")),
        };
        if !round.entered.is_empty() {
            let _ = write!(words, "; new: {}", round.entered.join(", "));
        }
        let _ = writeln!(out, "<li>Round {number}: {words}</li>");
    }
    out.push_str("</ul>\n");
    if told.len() < over.len() {
        out.push_str("<p class=\"faint\">Earlier rounds aren’t listed.</p>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn standings(low: f64) -> Standings {
        let row = |place: u32, name: &str| {
            json!({
                "place": place, "tied": false, "name": name, "number": 2, "id": "0123456789abcdef", "rating": 1500.0,
                "interval": [low, 1600.0], "matches": 4, "points": 0.5, "wins": 2, "draws": 1, "losses": 1, "faults": 0,
                "not_scored": 0, "place_before": 2, "rating_change": 12.3, "why": "rose from 2 to 1"
            })
        };
        let moment = |round: u32, place: u32| json!({ "round": round, "place": place, "rating": 1500.0, "interval": [low, 1600.0], "matches": 4 });
        serde_json::from_value(json!({
            "version": 1, "game": "zappy", "pairing": "swiss", "round": 60, "complete": false, "planned": 1234, "scored": 1200,
            "table": [row(1, "<b>"), row(2, "bob")],
            "versions": [{
                "name": "<b>", "number": 2, "id": "0123456789abcdef", "entered": 60, "in_field": true, "rating": 1500.0,
                "interval": [low, 1600.0], "history": (1..=60).map(|round| moment(round, 1)).collect::<Vec<_>>()
            }],
            "refused": [{ "name": "eve", "number": 1, "why": "it crashed" }]
        }))
        .unwrap()
    }

    #[test]
    fn a_table_stands_with_its_rounds_and_keeps_to_itself_what_is_the_authors() {
        let told = standings(1400.0);
        assert!(is_sound(&told));
        let text = table(&told) + &rounds(&told);
        assert!(text.contains("<b>&lt;b&gt;@2</b><small>rose from 2 to 1</small>"), "{text}");
        assert!(text.contains("<span class=\"up\">▲1</span>") && text.contains("1500 ±100"), "{text}");
        assert!(text.contains("<li>Round 60: <b>&lt;b&gt;@2</b> led; new: &lt;b&gt;@2</li>"), "{text}");
        assert_eq!(text.matches("<li>Round ").count(), ROUNDS);
        assert!(text.contains("Earlier rounds") && !text.contains("eve") && !text.contains("crashed"));
        assert_eq!(
            state(&told),
            "zappy, swiss, round 60: 1,200 of 1,234 matches count, the table is provisional"
        );
    }

    #[test]
    fn what_cannot_be_drawn_is_not_sound() {
        assert!(!is_sound(&standings(-1e300)) && !is_sound(&standings(1600.0)));
    }
}
