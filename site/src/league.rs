//! How a league or a ladder stands, as a part of its page: the table, a league's last cup and rounds, a ladder's lobby.
//!
//! Made only from files of the league or ladder. Why bots were refused isn't shown: that concerns their authors and the
//! grader. Tested in this module and in `tests/site/pages.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

use maud::{Markup, html};
use zappy_protocol::text::thousands;
use zappy_tournament::ladder::{LadderStandings, LobbyState, interrupted, table_of};
use zappy_tournament::league::page::{change, cup};
use zappy_tournament::league::round::label;
use zappy_tournament::league::standings::Standings;
use zappy_tournament::report::plots::Scale;

use crate::frame::{ago, escaped};

/// The most rounds that are listed: the latest.
const ROUNDS: usize = 50;
/// The most waiting bots that are listed, and the most matches that are being played.
const LISTED_IN_LOBBY: usize = 50;
/// The arena writes no rating above this or below its negative.
const MOST_RATING: u32 = 100_000;

/// A round of a league as the page shows it: versions of bots that led after it, and those that entered in it.
#[derive(Debug, Default)]
struct Round {
    leaders: Vec<String>,
    entered: Vec<String>,
}

/// Whether standings can be drawn.
pub fn is_sound(standings: &Standings) -> bool {
    let bounded = |rating: f64| rating.abs() <= f64::from(MOST_RATING);
    standings.table.iter().all(|row| {
        let [low, high] = row.interval;
        [row.rating, low, high].into_iter().all(bounded) && low < high
    })
}

/// How far the league is, in words.
#[must_use]
pub fn state(standings: &Standings) -> String {
    let Standings { round, planned, scored, .. } = standings;
    let state = if standings.complete { "all played" } else { "the table is provisional" };
    format!(
        "{}, {}, round {round}: {} of {} matches count, {state}",
        standings.game,
        standings.pairing.name(),
        thousands(*scored),
        thousands(*planned)
    )
}

/// The table of a league.
#[must_use]
pub fn table(standings: &Standings) -> Markup {
    let rows = &standings.table;
    if rows.is_empty() {
        return html! { p.faint { "No bot has entered yet." } };
    }
    let scale = Scale::new(rows.iter().map(|row| row.interval.into()));
    let columns = ["Place", "Bot", "Rating", "Gained", "Won", "Drawn", "Lost", "Faults"];
    let lines = rows.iter().map(|row| {
        let [low, high] = row.interval;
        let name = label(&row.name, row.number);
        let (_, class, sign) = change(row);
        let numbers = [row.wins, row.draws, row.losses, row.faults].map(thousands);
        html! {
            tr {
                td { b { (row.place_text()) } " " span class=(class) { (sign) } }
                td {
                    b { (escaped(&name)) }
                    @if let Some(why) = &row.why { small { (escaped(why)) } }
                }
                td.interval {
                    (scale.picture(&name, row.rating, row.interval))
                    " " (format!("{:.0} ±{:.0}", row.rating, (high - low) / 2.0))
                }
                td data-of="gained" { (row.gain_text()) }
                @for (of, value) in ["won", "drawn", "lost", "faults"].iter().zip(&numbers) {
                    td data-of=(of) { (value) }
                }
            }
        }
    });
    html! {
        table.standings {
            thead { tr { @for column in columns { th { (column) } } } }
            tbody { @for line in lines { (line) } }
        }
        p.faint {
            "Each dot is how strong a bot is by all its results, each bar where its true strength lies in about 95 of 100 \
             cases. Gained and the arrows tell what changed since bots last joined, left or were renewed."
        }
    }
}

/// The last cup, the leader after each round, and the versions that entered in that round.
#[must_use]
pub fn rounds(standings: &Standings) -> Markup {
    let mut rounds: BTreeMap<u32, Round> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for career in &standings.versions {
        let name = label(&career.name, career.number);
        for moment in &career.history {
            known.insert(moment.round);
            if moment.place == Some(1) {
                rounds.entry(moment.round).or_default().leaders.push(name.clone());
            }
        }
        rounds.entry(career.entered).or_default().entered.push(name);
    }
    // A round without any standing isn't played yet, or was too long ago to be kept.
    let shown: Vec<_> = rounds.iter().rev().filter(|(round, _)| known.contains(round)).take(ROUNDS).collect();
    html! {
        @if let Some(last) = &standings.cup { (cup(last)) }
        @if !shown.is_empty() {
            h2 { "Rounds" }
            ul.rounds {
                @for (number, Round { leaders, entered }) in &shown {
                    li {
                        "Round " (number) ": "
                        @if leaders.is_empty() { "nothing counted" } @else { b { (escaped(&leaders.join(", "))) } " led" }
                        @if leaders.len() > 1 { " together" }
                        @if !entered.is_empty() { "; new: " (escaped(&entered.join(", "))) }
                    }
                }
            }
            @if shown.len() < known.len() { p.faint { "Earlier rounds aren’t listed." } }
        }
    }
}

/// A ladder's table, which bots wait, and what is played.
#[must_use]
pub fn ladder(standings: &LadderStandings, lobby: &LobbyState) -> Markup {
    let when = |second: u64| UNIX_EPOCH.checked_add(Duration::from_secs(second)).map(ago).unwrap_or_default();
    html! {
        (table_of(standings, &|_| "#played".to_owned()))
        @if !lobby.waiting.is_empty() {
            h2 { "Waiting" }
            ul { @for (name, second) in lobby.waiting.iter().take(LISTED_IN_LOBBY) {
                li { b { (escaped(name)) } ", came " (when(*second)) }
            } }
        }
        @if !lobby.playing.is_empty() {
            h2 { "Playing" }
            ul { @for (_, bots) in lobby.playing.iter().take(LISTED_IN_LOBBY) { li { (escaped(&bots.join(" vs "))) } } }
        }
        (interrupted(standings))
    }
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
    fn a_page_shows_the_table_and_rounds_but_no_refusals() {
        let told = standings(1400.0);
        assert!(is_sound(&told));
        let text = table(&told).into_string() + &rounds(&told).into_string();
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

    #[test]
    fn a_lobby_is_told_with_words_that_stay_words() {
        let (table, interrupted) = (Vec::new(), Vec::new());
        let standings =
            LadderStandings { version: 1, game: "zappy".to_owned(), scored: 0, table, interrupted };
        let lobby = LobbyState {
            waiting: vec![("<b>ada".to_owned(), u64::MAX)],
            playing: vec![("0123456789abcdef".to_owned(), vec!["bob".to_owned(), "eve".to_owned()])],
        };
        let text = ladder(&standings, &lobby).into_string();
        assert!(text.contains("&lt;b&gt;ada") && text.contains("bob vs eve"), "{text}");
    }
}
