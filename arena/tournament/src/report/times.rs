//! `times.html`: how long each bot took to answer, from the results that lie with the matches.
//!
//! Only this file of a merge holds times, so that the others don't depend on the machine. If no result holds times, the
//! page says so. Tested in `arena/cli/tests/merge`, which looks only whether the file exists.

use std::cmp::Reverse;

use maud::{Markup, html};
use zappy_play::result::ArenaResult;
use zappy_protocol::text::thousands;

use super::{document, table, words};
use crate::identity::Id;
use crate::tally::Tally;

/// The think times of a bot in all of its matches.
#[derive(Debug, Default)]
struct Times {
    answers: u64,
    /// The median of each match, in microseconds.
    medians: Vec<u64>,
    /// The greatest 99th percentile of a match, in microseconds.
    greatest_p99: u64,
    /// How long the others waited for it in all, in milliseconds.
    waited_ms: u64,
    /// The slowest answer, in microseconds, and the player that gave it, with a link to its log.
    slowest: Option<(u64, Markup)>,
}

/// The page. `read` gives the `result.json` of a match, `matches` is the address of the folder of the matches.
pub fn page(tally: &Tally<'_>, matches: &str, read: impl Fn(Id) -> Option<ArenaResult>) -> String {
    let mut times: Vec<Times> = tally.standings.iter().map(|_| Times::default()).collect();
    for one in &tally.matches {
        let Some(result) = read(one.planned.id) else { continue };
        for (seat, &bot) in one.played.seats.iter().zip(&one.bots) {
            add_match(&mut times[bot], &result, &seat.team, &format!("{matches}/{}", one.planned.id));
        }
    }
    let mut order: Vec<usize> = (0..times.len()).filter(|&bot| times[bot].answers > 0).collect();
    order.sort_by_key(|&bot| (Reverse(times[bot].waited_ms), bot));
    let columns = [
        "<Bot, the one waited for longest first",
        "Answers",
        "Median, of the middle match",
        "99th percentile, worst match",
        "Greatest",
        "Waited for, s",
        "<Its slowest answer",
    ];
    let rows = order.iter().map(|&bot| {
        let Times { answers, medians, greatest_p99, waited_ms, slowest } = &mut times[bot];
        medians.sort_unstable();
        let (slowest, place) = slowest.take().unwrap_or_else(|| (0, html! {}));
        html! {
            tr #{ "b-" (tally.book.bots[bot].id) } {
                td.name { (words(tally.name(bot))) } td { (thousands(*answers)) }
                td { (millis(medians[medians.len() / 2])) } td { (millis(*greatest_p99)) } td { (millis(slowest)) }
                td { (format!("{:.1}", *waited_ms as f64 / 1000.0)) } td.l { (place) }
            }
        }
    });
    let body = html! {
        h1 { "How long each bot took to answer" }
        p { a href="index.html" { "Back to the ranking" } }
        p {
            "In lockstep, from the server's answers to the next command, in milliseconds. These times are the machine's and \
             not a part of the match: the ranking doesn't depend on them."
        }
        @if order.is_empty() { p { "No result holds times." } }
        @else { (table(None, None, &columns, rows)) }
    };
    document("Think times", false, body)
}

/// Adds the times of a bot's team in a match, of which the files lie in `folder`.
fn add_match(times: &mut Times, result: &ArenaResult, team: &str, folder: &str) {
    let lockstep = result.played().and_then(|played| played.lockstep.as_ref());
    let mut teams = lockstep.into_iter().flat_map(|lockstep| &lockstep.think_times);
    let Some(own) = teams.find(|one| one.team == team) else { return };
    times.answers += own.all.answers;
    times.medians.push(own.all.p50_us);
    times.greatest_p99 = times.greatest_p99.max(own.all.p99_us);
    times.waited_ms += own.all.waited_ms;
    let Some(slowest) = own.players.iter().max_by_key(|player| player.times.max_us) else { return };
    if times.slowest.as_ref().is_some_and(|(before, _)| *before >= slowest.times.max_us) {
        return;
    }
    let programs = result.arena.iter().flat_map(|arena| &arena.teams).flat_map(|team| &team.processes);
    let program = programs.into_iter().find(|program| program.players.contains(&slowest.player));
    let log = program.and_then(|program| program.log.as_deref()).unwrap_or("logs/");
    let place = html! { "#" (slowest.player) " " a href={ (folder) "/" (words(log)) } { (words(log)) } };
    times.slowest = Some((slowest.times.max_us, place));
}

fn millis(micros: u64) -> String {
    format!("{:.1}", micros as f64 / 1000.0)
}
