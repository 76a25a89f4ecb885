//! `index.html`: the whole tournament on one page that needs nothing else, for graders and for students.
//!
//! The page loads nothing from a network or another file. Its script sorts and filters tables, and opens the part to
//! which an address leads. All links lead to what the tournament's folder holds. Tested in `arena/cli/tests/merge/`.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use zappy_game::Length;
use zappy_protocol::text::many;

use super::terminal::{self, ONE_SIDED, lost_by};
use super::{
    bots, capital, document, links, list, not_scored, place_words, plots, share_cells, share_words, table,
    words,
};
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::tally::{Match, Ranked, Tally};
use crate::verdict::PairResult;

/// The most matches on the page, more than which a browser on a phone can't hold. All of them are in `matches.csv`.
const MOST_MATCHES: usize = 20_000;

/// The beginning of the page of one bot, in place of a ranking.
#[derive(Debug, Clone)]
pub struct Front {
    pub bot: usize,
    pub title: String,
    pub html: Markup,
    /// The last lines that a program of the bot printed in matches that went wrong, by the match.
    pub last_lines: BTreeMap<Id, Vec<String>>,
}

/// The page for a bot that is graded; `matches` is the address of the folder of the matches.
pub fn page_of(tally: &Tally<'_>, matches: &str, front: &Front) -> String {
    let lost: Vec<&Match<'_>> = tally.scored().filter(|one| one.is_lost_by(front.bot)).collect();
    let items = lost.iter().map(|one| {
        // How the bot lost, in its game's words, if it says so.
        let seats = one.bots.iter().zip(&one.played.seats).filter(|&(&seated, _)| seated == front.bot);
        let falls = seats.filter_map(|(_, seat)| seat.details.get("fall")?.as_str());
        let falls: String = falls.map(|words| format!("; {words}")).collect();
        html! {
            (bots_by_rank(tally, one)) ", seed " (one.seed()) ": " (words(one.end())) ", at "
            (one.played.length().moment()) (falls) ". " (links(one, matches))
        }
    });
    let body = html! {
        h1 { (words(&front.title)) }
        nav { a href="#bots" { "What went wrong" } a href="#lost" { "Lost" } a href="#matches" { "Matches" } }
        (front.html)
        (by_variant(tally))
        (unscored(tally, matches))
        (bots::section_of(tally, front.bot, matches, &front.last_lines))
        h2 #lost { "Lost: " (many(lost.len() as u64, "match")) }
        @if !lost.is_empty() {
            p.faint {
                @if lost.iter().any(|one| one.replay) { "“watch” shows a match in this browser." } @else {
                    "A match is watched with its record: " code { "zappy_gui --replay match.zrec" }
                    ", or in any browser after " code { "zappy_arena show match.zrec --html match.html" } ". With "
                    code { "--replays 20" } " the grader makes a page that shows them itself."
                }
            }
            (list(items, lost.len(), ", below"))
        }
        (all_matches(tally, matches))
        (PreEscaped(RECORDS))
    };
    document(&front.title, true, body)
}

/// The page; `matches` is the address of the folder of the matches, `league` that of the page of the league to which
/// the tournament belongs.
pub fn page(tally: &Tally<'_>, matches: &str, league: Option<&str>) -> String {
    let title = if league.is_some() { "League: all versions" } else { "Tournament: ranking" };
    let body = html! {
        (head(tally, league))
        h2 #ratings { "Ratings" }
        p.faint {
            "Each dot is how strong a bot is by all its results, each bar where its true strength lies in about 95 of 100 \
             cases (in 90 of 100 or more with fewer than ten seeds, where bots lie 800 apart). Where bars overlap, the order \
             may be luck."
        }
        (plots::ratings(tally))
        (outclassed(tally))
        (ranking(tally))
        (by_variant(tally))
        h2 #pairs { "Who beats whom" }
        p.faint {
            "The share of points, in percent, of the bot on the left against the one above. Blue: it wins more; orange: it \
             loses more; strong colours: nearly always."
            @if tally.standings.len() > plots::MOST_IN_TABLE {
                " The best " (plots::MOST_IN_TABLE) " are shown; all are in head_to_head.csv."
            }
        }
        (plots::head_to_head(tally))
        h2 #ends { "How the programs ended" }
        (plots::ends(tally))
        @for remark in terminal::remarks(tally) { p.note { (words(&remark)) "." } }
        (unscored(tally, matches))
        h2 #bots { "Each bot" }
        @for section in bots::Section::all(tally, matches, None) { (section.render()) }
        (all_matches(tally, matches))
        (PreEscaped(EXPLAINED))
        (PreEscaped(RECORDS))
    };
    document(title, true, body)
}

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

fn head(tally: &Tally<'_>, league: Option<&str>) -> Markup {
    let count = tally.standings.len() as u64;
    let provisional = (tally.scored().count() < tally.planned).then_some("note");
    html! {
        h1 {
            @if league.is_some() { "All " (many(count, "version")) " of the league" }
            @else { "Tournament of " (many(count, "bot")) }
        }
        @if let Some(page) = league {
            p.note {
                "These are all versions that ever entered, also those that were replaced or have left. The table that counts \
                 is " a href=(page) { "the league's" } "."
            }
        }
        p class=[provisional] { (words(&capital(&tally.progress()))) "." }
        nav {
            a href="#ranking" { "Ranking" } a href="#pairs" { "Who beats whom" } a href="#ends" { "Endings" }
            a href="#bots" { "Each bot" } a href="#matches" { "Matches" } a href="#how" { "How to read this" }
        }
    }
}

/// A note that names the neighbours in the ranking between which all results went one way.
fn outclassed(tally: &Tally<'_>) -> Markup {
    let names: Vec<&str> = tally.standings.iter().map(|standing| tally.name(standing.bot)).collect();
    let places = (1..names.len()).filter(|&place| tally.standings[place].outclassed);
    let gaps: Vec<String> = places.map(|place| format!("{} › {}", names[place - 1], names[place])).collect();
    html! {
        @if !gaps.is_empty() { p.note { (capital(ONE_SIDED)) ": " (words(&gaps.join("; "))) "." } }
    }
}

fn ranking(tally: &Tally<'_>) -> Markup {
    let columns = [
        "Place", "<Bot", "Rating", "95 %", "Points", "95 %", "Won", "Drawn", "Lost", "Matches", "Unscored",
        "Faults", "Late", "Marked",
    ];
    let rows = tally.standings.iter().map(|standing| {
        let (bot, (from, to), (low, high)) =
            (&tally.book.bots[standing.bot], standing.rank_range, standing.rating.interval());
        let Ranked { score, matches, unscored, late, marked, .. } = *standing;
        let counts =
            [score.wins, score.draws, score.losses, matches, unscored, standing.bad_ends(), late, marked];
        html! {
            tr {
                td data-v=(standing.rank) {
                    (place_words(Some(standing.rank), standing.tied)) @if from != to { " " span.faint { (format!("({from}–{to})")) } }
                }
                td.name { a href={ "#b-" (bot.id) } { (words(&bot.name)) } }
                td { (format!("{:.0}", standing.rating.value)) }
                td data-v=(format!("{low:.1}")) { (format!("{low:.0}–{high:.0}")) }
                (share_cells(standing.share(), standing.by_seed.interval()))
                @for count in counts { td { (count) } }
            }
        }
    });
    html! {
        h2 #ranking { "Ranking" }
        (table(Some("sorts"), None, &columns, rows))
    }
}

/// The points per match of each bot in each variant of the game that was played.
fn by_variant(tally: &Tally<'_>) -> Markup {
    let variants = tally.variants();
    let head: Vec<&str> = ["<Bot"].into_iter().chain(variants.iter().copied()).collect();
    let rows = tally.standings.iter().map(|standing| {
        html! {
            tr {
                td.name { (words(tally.name(standing.bot))) }
                @for variant in &variants {
                    td { (share_words(tally.share_in(variant, standing.bot))) }
                }
            }
        }
    });
    html! {
        @if !variants.is_empty() {
            h2 #variants { "Points by variant" }
            p.faint { "Points per match with these options of the game; with few matches much of it is luck." }
            (table(Some("sorts"), None, &head, rows))
        }
    }
}

/// The matches that were tried and can't be scored, with the reason of each.
fn unscored(tally: &Tally<'_>, matches: &str) -> Markup {
    let count = not_scored(tally).count();
    let items = not_scored(tally).map(|(id, one, why)| {
        html! {
            @if let Some(one) = one { (bots_by_rank(tally, one)) } @else { code { (id) } }
            ": " (words(why)) (words(&lost_by(tally, id)))
            @if let Some(one) = one { ". " (links(one, matches)) }
        }
    });
    html! {
        @if count > 0 {
            h2 #unscored { "Not scored" }
            p { (many(count as u64, "match")) ", of which nothing proves who would have won:" }
            (list(items, count, ""))
        }
    }
}

/// The bots of a match, the best first; `=` between two that drew, and the winners in bold.
fn bots_by_rank(tally: &Tally<'_>, one: &Match<'_>) -> Markup {
    let mut order: Vec<usize> = (0..one.bots.len()).collect();
    order.sort_by_key(|&seat| (one.played.seats[seat].rank, seat));
    let counts = one.played.cause.counts();
    let is_draw = |i: usize| !counts || one.compare(order[i - 1], order[i]) == PairResult::Draw;
    let has_won = |seat: usize| one.played.has_won(seat) && counts && !one.played.is_drawn_by_lot();
    html! {
        @for (i, &seat) in order.iter().enumerate() {
            @if i > 0 { (if is_draw(i) { " = " } else { " › " }) }
            @let name = words(tally.name(one.bots[seat]));
            @if has_won(seat) { b { (name) } } @else { (name) }
        }
    }
}

/// A row for each match that has a result.
fn all_matches(tally: &Tally<'_>, matches: &str) -> Markup {
    let in_turns = tally.matches.iter().any(|one| matches!(one.played.length(), Length::Turns(_)));
    let unit = if in_turns { "Turns" } else { "Ticks" };
    let has_variants = tally.has_variants();
    let mut columns = vec!["<Match", "<Bots, the best first", "Seed", "<End", unit, "<Remarks", "<Files"];
    if has_variants {
        columns.insert(3, "<Variant");
    }
    let rows = tally.matches.iter().take(MOST_MATCHES).map(|one| {
        let played = one.played;
        let bad = played.seats.iter().zip(&one.bots).filter(|(seat, _)| seat.end != BotEnd::Played);
        let mut remarks: Vec<String> =
            bad.map(|(seat, &bot)| format!("{} {}", tally.name(bot), seat.end.words())).collect();
        let is_irreproducible = one.planned.clock == "lockstep" && !played.reproducible;
        let facts = [
            (played.is_drawn_by_lot(), "a draw: a lot put the first before the second"),
            (is_irreproducible, "not reproducible"),
            (played.verified == Some(false), "the record doesn't verify"),
        ];
        remarks.extend(facts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, words)| words.to_owned()));
        remarks.extend(played.earlier.iter().map(|why| format!("played again: {why}")));
        remarks.extend(played.disturbed.iter().map(|why| format!("disturbed: {why}")));
        html! {
            tr #{ "m-" (one.planned.id) } {
                td.l { code { (one.planned.id) } }
                td.w { (bots_by_rank(tally, one)) }
                td { (one.seed()) }
                @if has_variants { td.l { (words(&one.variant)) } }
                td.l { (PreEscaped(one.played.end(tally.game))) }
                td { (one.played.length().count()) }
                td.w { (words(&remarks.join("; "))) }
                td.l { (links(one, matches)) }
            }
        }
    });
    html! {
        h2 #matches { "Matches" }
        details {
            summary { (many(tally.matches.len() as u64, "match")) " with a result" }
            @if tally.matches.len() > MOST_MATCHES {
                p { "The first " (MOST_MATCHES) " are shown; all are in matches.csv." }
            }
            input type="search" id="filter" placeholder="only those with …" aria-label="Show only matches with these words" hidden;
            (table(Some("sorts"), Some("all"), &columns, rows))
        }
    }
}
