//! The ranking of a tournament in every form that people and programs ask for.
//!
//! Each form depends on the tally alone, so its bytes are the same each time. Text of bots and results is escaped by the rules
//! of the form. Reads and writes no files. Tested in `arena/cli/tests/merge/` and in a browser in `arena/cli/tests/browser/`.

pub mod bots;
pub mod csv;
pub mod html;
pub mod json;
pub mod junit;
pub mod plots;
pub mod terminal;
pub mod times;

use std::ffi::OsStr;

use maud::{Markup, PreEscaped, html};
use zappy_play::text::align;
pub use zappy_play::text::in_html;
use zappy_records::viewer_page;

use super::identity::Id;
use super::tally::{Match, Score, Tally};

/// The files of a merge.
pub const FILES: [&str; 7] =
    ["ranking.json", "ranking.csv", "head_to_head.csv", "matches.csv", "junit.xml", "index.html", TIMES];
/// The page on which every match of a tournament is watched. A merge writes it and the viewer if a viewer is installed.
pub const WATCH: &str = "watch.html";
/// The viewer that [`WATCH`] uses for all matches.
pub const VIEWER: &str = "viewer.js";
/// The record of a match as a script, in the folder of the match: a page that was opened as a file can load it, too.
pub const REPLAY: &str = "replay.js";
/// The file of a merge that depends on how long bots took to answer.
pub const TIMES: &str = "times.html";

/// How many matches or opponents a list names; the others are counted.
const MOST_LISTED: usize = 50;

/// The script and the style of the pages, as the tags of a page hold them.
pub const SCRIPT: &str = concat!("\n", include_str!("page.js"));
pub const STYLE: &str = concat!("\n", include_str!("page.css"));

/// The names and contents of all files that don't depend on time. `pass`: the share of points with which a bot passes;
/// `matches`: the address of the folder of the matches; `league`: that of the page of the league to which the
/// tournament belongs; `front`: the beginning of the page of a bot that is graded.
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

/// `watch.html`; `matches` is the address of the folder of the matches.
pub fn watch_page(matches: &str) -> String {
    let (style, matches) =
        (viewer_page::STYLE, serde_json::json!(matches).to_string().replace('<', "\\u003c"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"connect-src 'none'\">\n<title>Zappy Arena</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <canvas></canvas>\n<script src=\"{VIEWER}\"></script>\n<script>\n\
         const matches = {matches}, script = \"{REPLAY}\";\n{}</script>\n</body>\n</html>\n",
        include_str!("watch.js")
    )
}

/// A whole page with this title and body that needs no other file. With `has_script` its tables can be sorted and
/// filtered.
pub fn document(title: &str, has_script: bool, body: Markup) -> String {
    let (title, body) = (in_html(title), body.into_string());
    let (policy, script) = if has_script {
        ("; script-src 'unsafe-inline'", format!("<script>{SCRIPT}</script>\n"))
    } else {
        ("", String::new())
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'{policy}\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}{script}</body>\n</html>\n"
    )
}

/// Other people's text, escaped for a page: invisible characters and those that change the direction of text become
/// marks.
pub(crate) fn words(text: &str) -> Markup {
    PreEscaped(in_html(text))
}

/// A part of a path, percent-encoded for a link.
pub fn in_address(part: &OsStr) -> String {
    let bytes = part.as_encoded_bytes().iter();
    bytes
        .map(|&byte| match byte {
            _ if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// A table of a page. A title that begins with `<` is that of a column of words, which are aligned to the left; `>` before a
/// title says that it isn't.
pub fn table(
    class: Option<&str>,
    id: Option<&str>,
    columns: &[&str],
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    let titles = columns.iter().map(|title| match title.strip_prefix('<') {
        Some(title) => (Some("l"), title),
        None => (None, title.strip_prefix('>').unwrap_or(title)),
    });
    html! {
        div.wide {
            table class=[class] id=[id] {
                thead { tr { @for (class, title) in titles { th class=[class] { (words(title)) } } } }
                tbody { "\n" @for row in rows { (row) "\n" } }
            }
        }
    }
}

/// A table for a terminal, with the column number `left`, from 0, aligned to the left.
pub fn text_table(head: &[&str], rows: impl Iterator<Item = Vec<String>>, left: usize) -> String {
    let head = head.iter().map(|&title| title.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut text = String::new();
    align(&rows, left, &mut text);
    text
}

/// A place as tables show it: with `=` if another bot has it, too; `–` for `None`.
pub(crate) fn place_words(place: Option<usize>, tied: bool) -> String {
    place.map_or("–".to_owned(), |place| format!("{place}{}", if tied { "=" } else { "" }))
}

/// The place, from 1, of the rating `own` among `played`, the ratings of all bots that have played, and whether another
/// bot has that place, too. Ratings are in tenths of a point.
pub(crate) fn place_among(played: &[i64], own: i64) -> (usize, bool) {
    let above = played.iter().filter(|tenths| **tenths > own).count();
    (1 + above, played.iter().filter(|tenths| **tenths == own).count() > 1)
}

/// A share of the points with three digits; `-` where nothing was played.
pub(crate) fn share_words(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{share:.3}"))
}

/// A text with a capital letter at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The opponents of a bot by their places in the book, with its results against each.
pub(crate) fn opponents(tally: &Tally<'_>, bot: usize) -> impl Iterator<Item = (usize, Score)> {
    tally.pairs.range((bot, 0)..(bot + 1, 0)).map(|(&(_, other), &score)| (other, score))
}

/// The matches that were tried and can't be scored: the id, the match (`None`: it has no result), and the reason.
fn not_scored<'a>(
    tally: &'a Tally<'a>,
) -> impl Iterator<Item = (Id, Option<&'a Match<'a>>, &'a str)> + Clone {
    let unscored = tally.matches.iter().filter(|one| !one.played.cause.counts());
    let unscored = unscored.map(|one| (one.planned.id, Some(one), one.end()));
    unscored.chain(tally.failures.iter().map(|failure| (failure.id, None, &failure.why[..])))
}

/// A list of `count` items. Those after the first [`MOST_LISTED`] are counted, and `elsewhere` says where to find them.
fn list(items: impl Iterator<Item = Markup>, count: usize, elsewhere: &str) -> Markup {
    html! {
        ul {
            @for item in items.take(MOST_LISTED) { li { (item) } "\n" }
            @if count > MOST_LISTED { li { "and " (count - MOST_LISTED) " more" (elsewhere) } }
        }
    }
}

/// A share of the points and its interval as two cells of the page.
fn share_cells(share: Option<f64>, (low, high): (f64, f64)) -> Markup {
    html! {
        @if let Some(share) = share {
            td { (format!("{share:.3}")) } td data-v=(format!("{low:.4}")) { (format!("{low:.2}–{high:.2}")) }
        } @else { td { "–" } td { "–" } }
    }
}

/// A text cut to at most `limit` characters; a cut text ends with `…`.
fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

/// The links to the files of a match; `matches` is the address of the folder of the matches.
fn links(one: &Match<'_>, matches: &str) -> Markup {
    let (id, at) = (one.planned.id, format!("{matches}/{}", one.planned.id));
    html! {
        @if one.replay { a href={ (WATCH) "?match=" (id) } { "watch" } " " }
        a href={ (at) "/match.zrec" } { "record" } " " a href={ (at) "/result.json" } { "result" } " "
        a href={ (at) "/logs/" } { "logs" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        assert_eq!(
            in_html("<b a='\"'>&\u{202e}\u{1b}ö"),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd}ö"
        );
        assert_eq!(in_address(OsStr::new("a b/ö\"#?")), "a%20b%2F%C3%B6%22%23%3F");
    }
}
