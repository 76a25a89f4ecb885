//! The ranking of a tournament in every form that people and programs ask for.
//!
//! Each form depends on the tally alone, so its bytes are the same each time. Text of bots and results is escaped by the rules
//! of the form. Reads and writes no files. Tested in `arena/cli/tests/merge/`.

pub mod bots;
pub mod csv;
pub mod escape;
pub mod html;
pub mod json;
pub mod junit;
pub mod plots;
pub mod terminal;
pub mod times;
pub mod watch;

use escape::in_html;
use maud::{Markup, PreEscaped, html};
use zappy_play::text::align;

use super::tally::{Match, Tally};

/// The files of a merge.
pub const FILES: [&str; 7] =
    ["ranking.json", "ranking.csv", "head_to_head.csv", "matches.csv", "junit.xml", "index.html", TIMES];
/// The files that a merge writes besides if it has a viewer.
pub const WATCHED: [&str; 2] = [watch::PAGE, watch::VIEWER];
/// The file of a merge that depends on how long bots took to answer.
pub const TIMES: &str = "times.html";

/// How many matches or opponents a list names; the others are counted.
const MOST_LISTED: usize = 50;

/// The script that stands in the pages, and their styles, as their tags hold them.
pub const SCRIPT: &str = concat!("\n", include_str!("page.js"));
pub const STYLE: &str = concat!("\n", include_str!("page.css"));

/// The contents of all files that don't depend on time. `pass`: the share of points with which a bot passes; `matches`: how
/// the page names the folder of the matches; `league`: the page of the league to which the tournament belongs; `front`: what
/// the page of a bot that is graded begins with.
pub fn files(
    tally: &Tally<'_>,
    pass: f64,
    (matches, league): (&str, Option<&str>),
    front: Option<&html::Front>,
) -> Vec<(&'static str, Vec<u8>)> {
    let page = || html::page(tally, matches, league);
    vec![
        ("ranking.json", json::ranking(tally).into_bytes()),
        ("ranking.csv", csv::ranking(tally)),
        ("head_to_head.csv", csv::head_to_head(tally)),
        ("matches.csv", csv::matches(tally)),
        ("index.html", front.map_or_else(page, |front| html::page_of(tally, matches, front)).into_bytes()),
        ("junit.xml", junit::render(tally, 0..tally.book.bots.len(), pass).into_bytes()),
    ]
}

/// Other people's text for a page: invisible characters and those that change the direction of text become marks.
pub(crate) fn words(text: &str) -> Markup {
    PreEscaped(in_html(text))
}

/// A table of a page. A title that begins with `<` is that of a column of words, which are aligned to the left.
pub fn table(
    class: Option<&str>,
    id: Option<&str>,
    columns: &[&str],
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    let titles = columns
        .iter()
        .map(|title| title.strip_prefix('<').map_or((None, *title), |title| (Some("l"), title)));
    html! {
        div.wide {
            table class=[class] id=[id] {
                thead { tr { @for (class, title) in titles { th class=[class] { (title) } } } }
                tbody { "\n" @for row in rows { (row) "\n" } }
            }
        }
    }
}

/// A table for a terminal, with the column number `left` aligned to the left.
pub fn columns(head: &[&str], rows: impl Iterator<Item = Vec<String>>, left: usize) -> String {
    let head = head.iter().map(|&title| title.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut text = String::new();
    align(&rows, left, &mut text);
    text
}

/// A place as tables tell it, with a sign for one that another bot has, too.
pub(crate) fn place_words(place: Option<usize>, tied: bool) -> String {
    place.map_or("–".to_owned(), |place| format!("{place}{}", if tied { "=" } else { "" }))
}

/// A list of `count` items. If these are too many, the rest is counted, and `rest` says where to find it.
fn list(items: impl Iterator<Item = Markup>, count: usize, rest: &str) -> Markup {
    html! {
        ul {
            @for item in items.take(MOST_LISTED) { li { (item) } "\n" }
            @if count > MOST_LISTED { li { "and " (count - MOST_LISTED) " more" (rest) } }
        }
    }
}

/// A share and its interval as two cells of the page.
fn share_cells(share: Option<f64>, (low, high): (f64, f64)) -> Markup {
    html! {
        @if let Some(share) = share {
            td { (format!("{share:.3}")) } td data-v=(format!("{low:.4}")) { (format!("{low:.2}–{high:.2}")) }
        } @else { td { "–" } td { "–" } }
    }
}

/// A text that is cut where it is longer than so many characters.
fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// The links to what a match left behind.
fn links(one: &Match<'_>, matches: &str) -> Markup {
    let (id, at) = (one.planned.id, format!("{matches}/{}", one.planned.id));
    html! {
        @if one.replay { a href={ (watch::PAGE) "?match=" (id) } { "watch" } " " }
        a href={ (at) "/match.zrec" } { "record" } " " a href={ (at) "/result.json" } { "result" } " "
        a href={ (at) "/logs/" } { "logs" }
    }
}
