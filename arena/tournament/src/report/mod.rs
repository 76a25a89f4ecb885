//! A tally in every form that people and programs ask for.
//!
//! Each is a function of the tally: the same bytes each time. What bots and results say of themselves is escaped
//! in each form by its own rules. Reads and writes no files. Tested in `arena/cli/tests/merge/`.

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

use super::tally::{Match, Tally};
use escape::in_html;

/// The files of a merge.
pub const FILES: [&str; 7] =
    ["ranking.json", "ranking.csv", "head_to_head.csv", "matches.csv", "junit.xml", "index.html", TIMES];
/// Those that are there only with a viewer.
pub const WATCHED: [&str; 2] = [watch::PAGE, watch::VIEWER];
/// The one among them that depends on time.
pub const TIMES: &str = "times.html";

/// The script that stands in the pages, and their styles, as their tags hold them.
pub const SCRIPT: &str = concat!("\n", include_str!("page.js"));
pub const STYLE: &str = concat!("\n", include_str!("page.css"));

/// The contents of all that are the same whenever the matches were played. `pass` is the share of points with which a bot passes, `matches` how the page names the folder of
/// the matches, `league` the page of the league of which this is the tournament. With a `front` the page is that of a bot that is graded.
#[must_use]
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

/// A share and its interval as two cells of the page.
fn share_cells(share: Option<f64>, (low, high): (f64, f64)) -> String {
    share.map_or("<td>–</td><td>–</td>".to_owned(), |share| {
        format!("<td>{share:.3}</td><td data-v=\"{low:.4}\">{low:.2}–{high:.2}</td>")
    })
}

/// A text that is cut where it is longer than so many characters.
fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// Where all that is left of a match lies.
fn links(one: &Match<'_>, matches: &str) -> String {
    let at = format!("{}/{}", in_html(matches), one.planned.id);
    let replay = if one.replay { watch::link(one.planned.id) } else { String::new() };
    format!(
        "{replay}<a href=\"{at}/match.zrec\">record</a> <a href=\"{at}/result.json\">result</a> <a href=\"{at}/logs/\">logs</a>"
    )
}
