//! The pages, as HTML: what is played, what was played, and the viewer on one match.
//!
//! Everything that bots and files say stands in them as text. Each is a function of what lies in the folder. Tested in
//! this module and in `tests/pages.rs`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use httpdate::fmt_http_date;
use zappy_protocol::text::{many, thousands};
use zappy_tournament::report::escape::{in_address, in_html};

use crate::league;
use crate::root::Root;
use crate::shelf::{self, Item, Kind, Running, Shelf};
use crate::summary::{self, Games, Summary, Team, Tournament, matches_of};
use crate::trust::is_record;

pub const PER_PAGE: usize = 50;
/// Teams that are named of a match.
const TEAMS: usize = 12;
/// The characters of a name that are shown.
const NAME: usize = 40;

/// When years begin to have five digits, in seconds since 1970.
const YEAR_10000: u64 = 253_402_300_800;

/// The stylesheet, as its type and text; and so on.
pub const CSS: (&str, &str) = ("text/css; charset=utf-8", include_str!("../assets/site.css"));
/// Renews a page while it is looked at.
pub const RENEW: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/site.js"));
/// Starts the viewer.
pub const WATCH: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/watch.js"));
pub const ICON: (&str, &str) = ("image/svg+xml", include_str!("../assets/icon.svg"));

/// With what pages are made.
pub struct Looks<'a> {
    pub root: &'a Root,
    pub games: Games,
    /// How many watch a match.
    pub spectators: &'a dyn Fn(&Path) -> usize,
}

fn opening(title: &str, script: &str, renewed: bool) -> String {
    let renew =
        if renewed { "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>\n" } else { "" };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"/icon.svg\">\n<link rel=\"stylesheet\" href=\"/site.css\">\n\
         {renew}{script}</head>\n"
    )
}

fn listing(title: &str, content: &str) -> String {
    let script = "<script src=\"/site.js\" defer></script>\n";
    opening(title, script, true)
        + &format!(
            "<body>\n<header><a href=\"/\">Zappy Arena</a></header>\n<main>\n{content}</main>\n</body>\n</html>\n"
        )
}

/// The page for an address that leads to nothing.
#[must_use]
pub fn missing() -> String {
    let content = "<h1>Not here</h1>\n<p>There is nothing for spectators at this address. Logs, notes, seeds and bots are \
                   the grader’s, and a record can be watched when its match is over.</p>\n<p><a href=\"/\">What is played, and \
                   what was played</a></p>\n";
    opening("Not here", "", false)
        + &format!(
            "<body>\n<header><a href=\"/\">Zappy Arena</a></header>\n<main>\n{content}</main>\n</body>\n</html>\n"
        )
}

/// An address below `/first/`.
fn link(first: &str, at: &Path) -> String {
    at.iter().fold(format!("/{first}"), |out, name| out + "/" + &in_address(name))
}

fn name_of(at: &Path) -> String {
    if at.as_os_str().is_empty() { "this folder".to_owned() } else { in_html(&at.to_string_lossy()) }
}

/// A name that a bot may have chosen: the beginning of a long one.
fn short(name: &str) -> String {
    let mut text: String = name.chars().take(NAME).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    in_html(&text)
}

/// How long ago, in words.
fn ago(when: SystemTime) -> String {
    let seconds = when.elapsed().map_or(0, |since| since.as_secs());
    match seconds {
        0..=89 => format!("{seconds} s ago"),
        90..=5399 => format!("{} min ago", seconds.div_euclid(60)),
        5400..=172_799 => format!("{} h ago", seconds.div_euclid(3600)),
        _ => format!("{} days ago", seconds.div_euclid(86_400)),
    }
}

/// The moment itself. A file may say that it is of any; none of a year without four digits is told.
fn date(when: SystemTime) -> String {
    let seconds = when.duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs());
    if seconds < YEAR_10000 { fmt_http_date(when) } else { String::new() }
}

/// The first page: what is being played, and what was played.
#[must_use]
pub fn overview(looks: &Looks<'_>, shelf: &Shelf, page: usize) -> Option<String> {
    let mut out = String::from("<h1>Matches</h1>\n");
    if page == 1 {
        out.push_str(&running(looks, shelf.running.iter()));
    }
    // A tournament's own report is found on its page.
    let whole: HashSet<&Path> =
        shelf.items.iter().filter(|item| item.kind.is_tournament()).map(|item| &*item.at).collect();
    let is_listed = |item: &&Item| match item.kind {
        Kind::Match | Kind::Record => false,
        Kind::Report => item.at.parent().is_none_or(|folder| !whole.contains(folder)),
        Kind::Tournament | Kind::League | Kind::Series => true,
    };
    let tournaments: Vec<_> = shelf.items.iter().filter(is_listed).collect();
    if !tournaments.is_empty() && page == 1 {
        out.push_str("<h2>Tournaments, leagues and series</h2>\n<ul class=\"cards\">\n");
        tournaments.iter().take(PER_PAGE).for_each(|item| out.push_str(&event(looks, item)));
        out.push_str("</ul>\n");
    }
    let matches = shelf.items.iter().filter(|item| matches!(item.kind, Kind::Match | Kind::Record));
    let matches: Vec<_> = matches.collect();
    let row = |item: &&Item| {
        let told = match item.kind {
            Kind::Record => summary::of_record(looks.root, looks.games, &item.at),
            _ => summary::of_match(looks.root, looks.games, &item.at),
        };
        row(&item.at, Some(item.when), &told)
    };
    out.push_str("<h2>Played</h2>\n");
    out.push_str(&table(&matches, page, "/", row)?);
    if shelf.more {
        out.push_str("<p class=\"faint\">There is more below this folder than is listed.</p>\n");
    }
    Some(listing("Zappy Arena: matches", &out))
}

fn running<'a>(looks: &Looks<'_>, running: impl Iterator<Item = &'a Running>) -> String {
    let cards: Vec<String> = running.take(PER_PAGE).map(|one| live_card(looks, one)).collect();
    let content = if cards.is_empty() {
        "<p class=\"faint\">No match is being played. This page renews itself.</p>\n".to_owned()
    } else {
        format!("<ul class=\"cards\">\n{}</ul>\n", cards.concat())
    };
    format!("<h2>Now</h2>\n{content}")
}

fn live_card(looks: &Looks<'_>, one: &Running) -> String {
    let known = summary::of_running(looks.root, &one.folder);
    let teams = known.as_ref().map_or_else(
        || "starting".to_owned(),
        |(_, teams)| teams.iter().take(TEAMS).map(|team| short(team)).collect::<Vec<_>>().join(" <i>vs</i> "),
    );
    let game = known.as_ref().map_or_else(String::new, |(game, _)| in_html(game) + " · ");
    let tick = summary::reached(looks.root, &one.folder).unwrap_or(0);
    let state = if tick == 0 { "waiting for teams".to_owned() } else { format!("tick {}", thousands(tick)) };
    let watching = match (looks.spectators)(&one.at) {
        0 => String::new(),
        1 => " · 1 spectator".to_owned(),
        count => format!(" · {} spectators", thousands(count as u64)),
    };
    format!(
        "<li class=\"live\"><a href=\"{}\"><b class=\"badge\">live</b> {teams}</a><small>{game}{state}{watching} · began \
         {} · {}</small></li>\n",
        link("watch", &one.at),
        ago(one.since),
        name_of(&one.at),
    )
}

/// A tournament, a report or a series in the list.
fn event(looks: &Looks<'_>, item: &Item) -> String {
    let (address, what) = match item.kind {
        Kind::Report => (link("report", &item.at.join("index.html")), "report".to_owned()),
        Kind::Series => (link("folder", &item.at), "many matches of one setup".to_owned()),
        Kind::League => (link("folder", &item.at), {
            let Tournament { bots, matches } = Tournament::read(looks.root, &item.at);
            format!("{} of bots, {} played", many(bots as u64, "version"), matches_of(matches.len()))
        }),
        _ => (link("folder", &item.at), Tournament::read(looks.root, &item.at).progress()),
    };
    let (kind, name, when) = (item.kind, name_of(&item.at), ago(item.when));
    let kind = match kind {
        Kind::Report => "Report",
        Kind::Series => "Series",
        Kind::League => "League",
        _ => "Tournament",
    };
    format!("<li><a href=\"{address}\">{kind} <b>{name}</b></a><small>{what} · {when}</small></li>\n")
}

/// One page of many rows; none if there is no such page.
fn table<T>(all: &[T], page: usize, address: &str, row: impl Fn(&T) -> String) -> Option<String> {
    let pages = all.len().div_ceil(PER_PAGE).max(1);
    let rows = all.chunks(PER_PAGE).nth(page.checked_sub(1)?);
    if rows.is_none() && page != 1 {
        return None;
    }
    let Some(rows) = rows else {
        return Some("<p class=\"faint\">No match was played yet.</p>\n".to_owned());
    };
    let mut out = String::from(
        "<table><thead><tr><th>Teams</th><th>How it ended</th><th>Length</th><th>When</th></tr></thead>\n<tbody>\n",
    );
    rows.iter().for_each(|one| out.push_str(&row(one)));
    out.push_str("</tbody></table>\n");
    if pages > 1 {
        out.push_str("<nav class=\"pages\">");
        let turn = |to: usize, words: &str| format!("<a href=\"{address}?page={to}\">{words}</a> ");
        if page > 1 {
            out.push_str(&turn(page - 1, "newer"));
        }
        let _ = write!(out, "<span>page {page} of {pages}</span> ");
        if page < pages {
            out.push_str(&turn(page + 1, "older"));
        }
        out.push_str("</nav>\n");
    }
    Some(out)
}

fn row(at: &Path, when: Option<SystemTime>, told: &Summary) -> String {
    let team = |team: &Team| {
        let score = |score| format!(" <span class=\"faint\" title=\"its score\">{score}</span>");
        marked(team) + &team.score.map(score).unwrap_or_default()
    };
    let mut teams = told.teams.iter().take(TEAMS).map(team).collect::<Vec<_>>().join(" <i>vs</i> ");
    if told.teams.len() > TEAMS {
        let _ = write!(teams, " and {} more", told.teams.len() - TEAMS);
    }
    if teams.is_empty() {
        teams = "unknown".to_owned();
    }
    if told.has_record {
        teams = format!("<a href=\"{}\">{teams}</a>", link("watch", at));
    }
    let game = if told.game.is_empty() {
        String::new()
    } else {
        format!("<small>{} · {}</small>", in_html(&told.game), name_of(at))
    };
    let when = when.map(|when| format!("{}<small>{}</small>", ago(when), date(when))).unwrap_or_default();
    format!(
        "<tr><td>{teams}{game}</td><td data-of=\"ended\">{}</td><td data-of=\"length\">{}</td><td data-of=\"when\">{when}</td></tr>\n",
        ended(told),
        in_html(&told.length)
    )
}

/// A team's name, marked if it has won.
fn marked(team: &Team) -> String {
    let name = short(&team.name);
    if team.won { format!("<b class=\"won\" title=\"has won\">{name}</b>") } else { name }
}

/// The winners, or that it is a draw, and why the match was over.
fn ended(told: &Summary) -> String {
    if told.how.is_empty() {
        return String::new();
    }
    let winners: Vec<String> =
        told.teams.iter().filter(|team| team.won).take(TEAMS).map(|team| short(&team.name)).collect();
    let winners = if winners.is_empty() { "no team".to_owned() } else { winners.join(", ") };
    let won = if told.by_lot { "a draw".to_owned() } else { format!("{winners} won") };
    format!("{won}: {}", in_html(&told.how))
}

/// The page of a tournament or a series.
#[must_use]
pub fn folder(looks: &Looks<'_>, shelf: &Shelf, at: &Path, page: usize) -> Option<String> {
    let item = shelf.items.iter().find(|item| item.at == at)?;
    let name = name_of(at);
    let address = link("folder", at);
    match item.kind {
        Kind::Tournament | Kind::League => {
            let tournament = Tournament::read(looks.root, at);
            let is_league = item.kind == Kind::League;
            let title = format!("{} {name}", if is_league { "League" } else { "Tournament" });
            let standings = is_league.then(|| summary::of_league(looks.root, at)).flatten();
            let state = standings.as_ref().map_or_else(|| tournament.progress(), league::state);
            let mut out = format!("<h1>{title}</h1>\n<p>{state}</p>\n");
            let standings = standings.filter(|_| page == 1);
            out.extend(standings.as_ref().map(league::table));
            let reports =
                shelf.items.iter().filter(|other| other.kind == Kind::Report && other.at.starts_with(at));
            let reports: Vec<String> = reports.take(PER_PAGE).map(|report| event(looks, report)).collect();
            if !reports.is_empty() {
                let _ = write!(out, "<ul class=\"cards\">\n{}</ul>\n", reports.concat());
            }
            out.push_str(&running(looks, shelf.running.iter().filter(|one| one.at.starts_with(at))));
            out.extend(standings.as_ref().map(league::rounds));
            out.push_str("<h2>Played</h2>\n");
            let made = |(when, place): &(SystemTime, PathBuf)| {
                row(place, Some(*when), &summary::of_match(looks.root, looks.games, place))
            };
            out.push_str(&table(&tournament.matches, page, &address, made)?);
            Some(listing(&title, &out))
        }
        Kind::Series => {
            let (matches, more) = summary::of_series(looks.root, looks.games, at);
            let more = if more { ", and more" } else { "" };
            let mut out = format!("<h1>Series {name}</h1>\n<p>{}{more}</p>\n", matches_of(matches.len()));
            out.push_str(&table(&matches, page, &address, |(place, told)| row(place, None, told))?);
            Some(listing(&format!("Series {name}"), &out))
        }
        Kind::Match | Kind::Record | Kind::Report => None,
    }
}

/// The viewer on one match, live or over.
#[must_use]
pub fn watch(looks: &Looks<'_>, at: &Path, has_viewer: bool) -> Option<String> {
    let running = shelf::running_at(looks.root, at);
    let (source, told, state) = match &running {
        Some(running) => {
            let (game, teams) = summary::of_running(looks.root, &running.folder).unwrap_or_default();
            let teams = teams.iter().map(Team::named).collect();
            ("live", Summary { game, teams, ..Summary::default() }, "<b class=\"badge\">live</b>")
        }
        None => {
            summary::watchable(looks.root, at)?;
            let told = if is_record(at) {
                summary::of_record(looks.root, looks.games, at)
            } else {
                summary::of_match(looks.root, looks.games, at)
            };
            ("record", told, "replay")
        }
    };
    let address = link(source, at);
    let teams: Vec<String> = told.teams.iter().take(TEAMS).map(marked).collect();
    let title = if teams.is_empty() { name_of(at) } else { teams.join(" <i>vs</i> ") };
    let plain: Vec<String> = told.teams.iter().take(TEAMS).map(|team| short(&team.name)).collect();
    let facts: Vec<String> = [&told.game, &told.how, &told.length]
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| in_html(text))
        .collect();
    let download = if source == "record" {
        format!(" · <a href=\"{address}?download\" download>download the record</a>")
    } else {
        String::new()
    };
    let (script, stage) = if has_viewer {
        (
            "<script src=\"/viewer.js\" defer></script>\n<script src=\"/watch.js\" defer></script>\n",
            format!(
                "<canvas id=\"view\" data-{source}=\"{address}\" tabindex=\"0\"></canvas>\n<p id=\"said\" role=\"status\"></p>\n"
            ),
        )
    } else {
        (
            "",
            "<main><p>The viewer isn’t there, so nothing can be shown in the browser. The operator of this site makes it \
             with <code>make web</code>, or names it with <code>--viewer</code>.</p></main>\n"
                .to_owned(),
        )
    };
    Some(
        opening(
            &format!("{}: {}", if source == "live" { "Live" } else { "Replay" }, plain.join(", ")),
            script,
            false,
        ) + &format!(
            "<body class=\"watch\">\n<header><a href=\"/\">Zappy Arena</a> <span>{state} {title}</span> <small>{}{download}</small></header>\n\
                 {stage}</body>\n</html>\n",
            facts.join(" · ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_moment_is_told_where_calendars_have_it() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(1_790_000_000), "Mon, 21 Sep 2026 14:13:20 GMT");
        assert_eq!(at(YEAR_10000 - 1), "Fri, 31 Dec 9999 23:59:59 GMT");
        assert_eq!(
            (at(YEAR_10000), date(UNIX_EPOCH - Duration::from_secs(1))),
            (String::new(), String::new())
        );
    }
}
