//! `index.html`: the whole tournament on one page that needs nothing else, for graders and for students.
//!
//! No network, no other file, a script of a page that only sorts and filters; without it everything is there, too.
//! All links lead to what the tournament's folder holds. Tested in `arena/cli/tests/merge/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use zappy_protocol::text::{many, thousands};

use super::escape::in_html;
use super::terminal::{ONE_SIDED, all_missing, lost_by, place, suspicious, unsealed};
use super::{bots, links, plots, share_cells};
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::tally::{Match, Ranked, Tally};
use crate::verdict::PairResult;

/// Matches on the page: a browser can hold no more of them on a phone. All of them are in `matches.csv`.
const MOST_MATCHES: usize = 20_000;

/// What stands on the page of one bot, in place of a ranking.
#[derive(Debug, Clone)]
pub struct Front {
    pub bot: usize,
    pub title: String,
    /// What follows the heading, as HTML.
    pub html: String,
    /// The last lines that a program of the bot said in matches that went wrong, by the match.
    pub said: BTreeMap<Id, Vec<String>>,
}

/// The page for a bot that is graded; `matches` is how it names the folder of the matches.
#[must_use]
pub fn page_of(tally: &Tally<'_>, matches: &str, front: &Front) -> String {
    let title = in_html(&front.title);
    let mut out = opening(&title);
    let _ = write!(
        out,
        "<h1>{title}</h1>\n<nav><a href=\"#bots\">What went wrong</a><a href=\"#lost\">Lost</a><a \
         href=\"#matches\">Matches</a></nav>\n{}",
        front.html
    );
    out.push_str(&unscored(tally, matches));
    out.push_str(&bots::section_of(tally, front.bot, matches, &front.said));
    out.push_str(&lost(tally, front.bot, matches));
    out.push_str(&all_matches(tally, matches));
    out.push_str(RECORDS);
    out + CLOSING
}

/// The matches that a bot has lost, and how they are watched.
fn lost(tally: &Tally<'_>, bot: usize, matches: &str) -> String {
    let lost: Vec<&Match<'_>> = tally.scored().filter(|one| one.is_lost_by(bot)).collect();
    let mut out = format!("<h2 id=\"lost\">Lost: {}</h2>\n", bots::matches_of(lost.len()));
    if lost.is_empty() {
        return out;
    }
    out.push_str(if lost.iter().any(|one| one.replay) {
        "<p class=\"faint\">“watch” shows a match in this browser.</p>\n<ul>\n"
    } else {
        "<p class=\"faint\">A match is watched with its record: <code>zappy_gui --replay match.zrec</code>, or in any browser \
         after <code>zappy_arena show match.zrec --html match.html</code>. With <code>--replays 20</code> the grader makes a \
         page that shows them itself.</p>\n<ul>\n"
    });
    for one in lost.iter().take(bots::MOST_LISTED) {
        let (seed, ticks) = (one.seed(), thousands(one.played.ticks));
        let (end, links) = (in_html(one.end()), links(one, matches));
        let _ =
            writeln!(out, "<li>{}, seed {seed}: {end}, at tick {ticks}. {links}</li>", opponents(tally, one));
    }
    if lost.len() > bots::MOST_LISTED {
        let _ = writeln!(out, "<li>and {} more, below</li>", lost.len() - bots::MOST_LISTED);
    }
    out + "</ul>\n"
}

/// The page; `matches` is how it names the folder of the matches, and `league` the page of the league of which this is the tournament.
#[must_use]
pub fn page(tally: &Tally<'_>, matches: &str, league: Option<&str>) -> String {
    let mut out = head(tally, league);
    out.push_str("<h2 id=\"ratings\">Ratings</h2>\n");
    out.push_str(
        "<p class=\"faint\">Each dot is how strong a bot is by all its results, each bar where its true strength lies in \
         about 95 of 100 cases (in 90 of 100 or more with fewer than ten seeds, where bots lie 800 apart). Where bars overlap, \
         the order may be luck.</p>\n",
    );
    out.push_str(&plots::ratings(tally));
    out.push_str(&outclassed(tally));
    out.push_str(&ranking(tally));
    out.push_str("<h2 id=\"pairs\">Who beats whom</h2>\n<p class=\"faint\">The share of points, in percent, of the bot on ");
    out.push_str("the left against the one above. Blue: it wins more; orange: it loses more; strong colours: nearly always.");
    if tally.standings.len() > plots::MOST_IN_TABLE {
        let _ = write!(out, " The best {} are shown; all are in head_to_head.csv.", plots::MOST_IN_TABLE);
    }
    out.push_str("</p>\n");
    out.push_str(&plots::head_to_head(tally));
    out.push_str("<h2 id=\"ends\">How the programs ended</h2>\n");
    out.push_str(&plots::ends(tally));
    for words in suspicious(tally).chain(all_missing(tally)).chain(unsealed(tally)) {
        let _ = writeln!(out, "<p class=\"note\">{}.</p>", in_html(&words));
    }
    out.push_str(&unscored(tally, matches));
    out.push_str(&bots::sections(tally, matches));
    out.push_str(&all_matches(tally, matches));
    out.push_str(EXPLAINED);
    out.push_str(RECORDS);
    out + CLOSING
}

pub const CLOSING: &str = concat!("<script>\n", include_str!("page.js"), "</script>\n</body>\n</html>\n");

const RECORDS: &str = "<p><b>Records.</b> <code>zappy_arena show match.zrec</code> tells what happened in a match, <code>zappy_server --verify
match.zrec</code> proves it, <code>zappy_gui --replay match.zrec</code> shows it.</p>
";

const EXPLAINED: &str = "<h2 id=\"how\">How to read this</h2>
<p><b>Rating.</b> The model of Bradley and Terry, as in chess: 1500 is the average of this tournament, and 400 more means
ten wins for each loss. All results are weighed at once, so the order of the matches means nothing. Of a match of more than
two teams each pair is compared by rank. Ratings of two tournaments can't be compared. The matches of a seed have its map in
common, so the intervals go by how the results of whole seeds scatter. Where all results went one way, how far bots lie apart
is a guess: it leans on what is usual, and may be much more.</p>
<p><b>Points.</b> For each match the share of its opponents that a bot left behind: 1 for a win against one, half for a draw:
a match that no team has won, or that only a lot could decide. The interval is Wilson's, of 95 %, seed by seed.</p>
<p><b>Place.</b> By rating; equal ratings share a place (=). In brackets: the places that the intervals leave it.</p>
<p><b>Marked.</b> Matches that may go otherwise when they are played again: a player was late, a program came in at a time of its own, the machine was too busy. They count.</p>
<p><b>Unscored.</b> Matches that were tried and can't be scored: the clock on the wall cut them off and no team was to blame, or
nothing proves how they went. They count for nothing. If it is known which team spoiled such a match, by coming under another
name, by using up what all need, or by standing behind when something ended it, that team has lost it: it counts among its
matches and lowers its rating, and gives no points to any other, nor a higher rating.</p>
";

/// All before the heading; the title is HTML.
#[must_use]
pub fn opening(title: &str) -> String {
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
    );
    for part in [title, "</title>\n<style>\n", include_str!("page.css"), "</style>\n</head>\n<body>\n"] {
        out.push_str(part);
    }
    out
}

fn head(tally: &Tally<'_>, league: Option<&str>) -> String {
    let mut out = opening(if league.is_some() { "League: all versions" } else { "Tournament: ranking" });
    let count = tally.standings.len() as u64;
    let title = if league.is_some() {
        format!("All {} of the league", many(count, "version"))
    } else {
        format!("Tournament of {}", many(count, "bot"))
    };
    let note = league.map_or(String::new(), |page| {
        format!(
            "<p class=\"note\">These are all versions that ever entered, also those that were replaced or have left. The table that \
             counts is <a href=\"{}\">the league's</a>.</p>\n",
            in_html(page)
        )
    });
    let progress = tally.progress();
    let class = if tally.scored().count() < tally.planned { " class=\"note\"" } else { "" };
    let _ = write!(
        out,
        "<h1>{title}</h1>\n{note}<p{class}>{}.</p>\n<nav><a \
         href=\"#ranking\">Ranking</a><a href=\"#pairs\">Who beats whom</a><a href=\"#ends\">Endings</a><a \
         href=\"#bots\">Each bot</a><a href=\"#matches\">Matches</a><a href=\"#how\">How to read this</a></nav>\n",
        in_html(&bots::capital(&progress)),
    );
    out
}

/// Between which places the results went one way alone.
fn outclassed(tally: &Tally<'_>) -> String {
    let names: Vec<&str> = tally.standings.iter().map(|standing| tally.name(standing.bot)).collect();
    let places = (1..names.len()).filter(|&place| tally.standings[place].outclassed);
    let told: Vec<String> =
        places.map(|place| format!("{} › {}", in_html(names[place - 1]), in_html(names[place]))).collect();
    if told.is_empty() {
        return String::new();
    }
    format!("<p class=\"note\">{}: {}.</p>\n", bots::capital(ONE_SIDED), told.join("; "))
}

fn ranking(tally: &Tally<'_>) -> String {
    let mut out = String::from(
        "<h2 id=\"ranking\">Ranking</h2>\n<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Place</th><th \
         class=\"l\">Bot</th><th>Rating</th><th>95 %</th><th>Points</th><th>95 \
         %</th><th>Won</th><th>Drawn</th><th>Lost</th><th>Matches</th><th>Unscored</th><th>Faults</th><th>Late</th><th>Marked</th></tr>\
         </thead><tbody>\n",
    );
    for standing in &tally.standings {
        out.push_str(&ranked(tally, standing));
    }
    out + "</tbody></table></div>\n"
}

fn ranked(tally: &Tally<'_>, standing: &Ranked) -> String {
    let bot = &tally.book.bots[standing.bot];
    let (from, to) = standing.places;
    let places =
        if from == to { String::new() } else { format!(" <span class=\"faint\">({from}–{to})</span>") };
    let points = share_cells(standing.share(), standing.interval());
    let (low, high) = standing.rating.interval();
    let mut out = format!(
        "<tr><td data-v=\"{}\">{}{places}</td><td class=\"name\"><a href=\"#b-{}\">{}</a></td><td>{:.0}</td><td \
         data-v=\"{low:.1}\">{low:.0}–{high:.0}</td>{points}",
        standing.place,
        place(standing),
        bot.id,
        in_html(&bot.name),
        standing.rating.value,
    );
    let score = standing.score;
    for count in [
        score.wins,
        score.draws,
        score.losses,
        standing.matches,
        standing.unscored,
        standing.faults(),
        standing.late,
        standing.marked,
    ] {
        let _ = write!(out, "<td>{count}</td>");
    }
    out + "</tr>\n"
}

fn unscored(tally: &Tally<'_>, matches: &str) -> String {
    let mut out = String::new();
    let count = tally.unscored().count() + tally.failures.len();
    if count == 0 {
        return out;
    }
    let _ = writeln!(
        out,
        "<h2 id=\"unscored\">Not scored</h2>\n<p>{}, of which nothing proves who would have won:</p><ul>",
        bots::matches_of(count)
    );
    let unscored = tally
        .unscored()
        .map(|one| (one, in_html(one.end()), in_html(&lost_by(tally, one.planned.id))))
        .map(|(one, end, lost)| format!("{}: {end}{lost}. {}", opponents(tally, one), links(one, matches)));
    let failed = tally.failures.iter();
    let failed = failed.map(|one| {
        format!("<code>{}</code>: {}{}", one.id, in_html(&one.why), in_html(&lost_by(tally, one.id)))
    });
    for words in unscored.chain(failed).take(bots::MOST_LISTED) {
        let _ = writeln!(out, "<li>{words}</li>");
    }
    if count > bots::MOST_LISTED {
        let _ = writeln!(out, "<li>and {} more</li>", count - bots::MOST_LISTED);
    }
    out + "</ul>\n"
}

/// The bots that have played, the best first, and what stands between them.
fn opponents(tally: &Tally<'_>, one: &Match<'_>) -> String {
    let mut order: Vec<usize> = (0..one.seats.len()).collect();
    order.sort_by_key(|&seat| (one.played.seats[seat].rank, seat));
    let mut out = String::new();
    for (i, &seat) in order.iter().enumerate() {
        if i > 0 {
            let even = !one.played.cause.counts() || one.compare(order[i - 1], seat) == PairResult::Draw;
            out.push_str(if even { " = " } else { " › " });
        }
        let name = in_html(tally.name(one.seats[seat]));
        let won = one.played.has_won(seat) && one.played.cause.counts() && !one.played.is_drawn_by_lot();
        let _ = if won { write!(out, "<b>{name}</b>") } else { write!(out, "{name}") };
    }
    out
}

fn all_matches(tally: &Tally<'_>, matches: &str) -> String {
    let count = tally.matches.len();
    let mut out = format!(
        "<h2 id=\"matches\">Matches</h2>\n<details><summary>{} with a result</summary>\n",
        bots::matches_of(count)
    );
    if count > MOST_MATCHES {
        let _ = write!(out, "<p>The first {MOST_MATCHES} are shown; all are in matches.csv.</p>");
    }
    out.push_str(
        "<input type=\"search\" id=\"filter\" placeholder=\"only those with …\" aria-label=\"Show only matches with these \
         words\" hidden>\n<div class=\"wide\"><table class=\"sorts\" id=\"all\"><thead><tr><th class=\"l\">Match</th><th \
         class=\"l\">Bots, the best first</th><th>Seed</th><th class=\"l\">End</th><th>Ticks</th><th \
         class=\"l\">Remarks</th><th class=\"l\">Files</th></tr></thead><tbody>\n",
    );
    for one in tally.matches.iter().take(MOST_MATCHES) {
        let (planned, played) = (one.planned, one.played);
        let _ = writeln!(
            out,
            "<tr id=\"m-{0}\"><td class=\"l\"><code>{0}</code></td><td class=\"w\">{1}</td><td>{2}</td><td \
             class=\"l\">{3}</td><td>{4}</td><td class=\"w\">{5}</td><td class=\"l\">{6}</td></tr>",
            planned.id,
            opponents(tally, one),
            one.seed(),
            played.end(tally.game),
            played.ticks,
            in_html(&remarks(tally, one)),
            links(one, matches),
        );
    }
    out + "</tbody></table></div>\n</details>\n"
}

fn remarks(tally: &Tally<'_>, one: &Match<'_>) -> String {
    let played = one.played;
    let mut told = Vec::new();
    for (seat, &bot) in played.seats.iter().zip(&one.seats).filter(|(seat, _)| seat.end != BotEnd::Played) {
        told.push(format!("{} {}", tally.name(bot), seat.end.words()));
    }
    if played.is_drawn_by_lot() {
        told.push("a draw: a lot put the first before the second".to_owned());
    }
    if one.planned.clock == "lockstep" && !played.reproducible {
        told.push("not reproducible".to_owned());
    }
    if played.verified == Some(false) {
        told.push("the record doesn't verify".to_owned());
    }
    told.extend(played.earlier.iter().map(|why| format!("played again: {why}")));
    told.extend(played.disturbed.iter().map(|why| format!("disturbed: {why}")));
    told.join("; ")
}
