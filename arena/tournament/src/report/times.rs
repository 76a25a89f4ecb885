//! `times.html`: how long each bot took to answer, from the results that lie with the matches.
//!
//! The one file of a merge that depends on time, which is why no other one holds any of it. Says where nothing tells. Tested
//! in `arena/cli/tests/tournament/runs.rs`.

use std::fmt::Write as _;

use zappy_play::result::ArenaResult;
use zappy_protocol::text::thousands;

use super::escape::in_html;
use crate::identity::Id;
use crate::tally::Tally;

/// What a bot took in all of its matches.
#[derive(Debug, Default)]
struct Times {
    answers: u64,
    /// The median and the 99th percentile of each match, in microseconds.
    medians: Vec<u64>,
    most_p99: u64,
    waited_ms: u64,
    /// The greatest time, and where it was.
    greatest: Option<(u64, String)>,
}

/// The page. `read` gives what lies with a match, `matches` is how the page names their folder.
#[must_use]
pub fn page(tally: &Tally<'_>, matches: &str, read: impl Fn(Id) -> Option<ArenaResult>) -> String {
    let mut times: Vec<Times> = tally.standings.iter().map(|_| Times::default()).collect();
    for one in &tally.matches {
        let Some(result) = read(one.planned.id) else { continue };
        for (seat, &bot) in one.played.seats.iter().zip(&one.seats) {
            note(&mut times[bot], &result, &seat.team, &format!("{}/{}", in_html(matches), one.planned.id));
        }
    }
    let mut order: Vec<usize> = (0..times.len()).filter(|&bot| times[bot].answers > 0).collect();
    order.sort_by_key(|&bot| (std::cmp::Reverse(times[bot].waited_ms), bot));
    let mut out = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Think times</title>\n<style>\n",
    );
    out += include_str!("page.css");
    out.push_str(
        "</style></head>\n<body>\n<h1>How long each bot took to answer</h1>\n<p><a href=\"index.html\">Back to the \
         ranking</a></p>\n<p>In lockstep, from the server's answers to the next command, in milliseconds. These times are the \
         machine's and not a part of the match: the ranking doesn't hang on them.</p>\n",
    );
    if order.is_empty() {
        return out + "<p>No match tells of any.</p>\n</body>\n</html>\n";
    }
    out.push_str(
        "<div class=\"wide\"><table><thead><tr><th class=\"l\">Bot, the one waited for longest first</th><th>Answers</th>\
         <th>Median</th><th>99th percentile, worst match</th><th>Greatest</th><th>Waited for, s</th><th class=\"l\">Its \
         slowest answer</th></tr></thead><tbody>\n",
    );
    for bot in order {
        let Times { answers, medians, most_p99, waited_ms, greatest } = &mut times[bot];
        medians.sort_unstable();
        let (most, place) = greatest.clone().unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr id=\"b-{}\"><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1}</td><td \
             class=\"l\">{place}</td></tr>",
            tally.book.bots[bot].id,
            in_html(tally.name(bot)),
            thousands(*answers),
            millis(medians[medians.len() / 2]),
            millis(*most_p99),
            millis(most),
            *waited_ms as f64 / 1000.0,
        );
    }
    out + "</tbody></table></div>\n</body>\n</html>\n"
}

fn note(times: &mut Times, result: &ArenaResult, team: &str, folder: &str) {
    let lockstep = result.played().and_then(|played| played.lockstep.as_ref());
    let Some(told) = lockstep.and_then(|lockstep| lockstep.think_times.iter().find(|told| told.team == team))
    else {
        return;
    };
    times.answers += told.all.answers;
    times.medians.push(told.all.p50_us);
    times.most_p99 = times.most_p99.max(told.all.p99_us);
    times.waited_ms += told.all.waited_ms;
    let Some(slowest) = told.players.iter().max_by_key(|player| player.times.max_us) else { return };
    if times.greatest.as_ref().is_some_and(|(most, _)| *most >= slowest.times.max_us) {
        return;
    }
    let programs = result.arena.iter().flat_map(|arena| &arena.teams).flat_map(|team| &team.processes);
    let own = programs.into_iter().find(|program| program.players.contains(&slowest.player));
    let log = own.and_then(|program| program.log.as_deref()).unwrap_or("logs/");
    let log = in_html(log);
    let words = format!("#{} <a href=\"{folder}/{log}\">{log}</a>", slowest.player);
    times.greatest = Some((slowest.times.max_us, words));
}

fn millis(micros: u64) -> String {
    format!("{:.1}", micros as f64 / 1000.0)
}
