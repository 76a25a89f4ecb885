//! The pages, as HTML: what is played, what was played, and the viewer on one match.
//!
//! Everything that bots and files say stands in them as text. Each is a function of what lies in the folder. Tested in
//! `tests/pages.rs`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use zappy_arena::play::server::reached;
use zappy_arena::tournament::report::escape::{in_address, in_html};
use zappy_protocol::text::thousands;

use crate::root::Root;
use crate::shelf::{self, Item, Kind, Running, Shelf};
use crate::summary::{self, Games, Summary, Tournament, matches_of};

/// What one page lists.
pub const PER_PAGE: usize = 50;
/// Teams that are named of a match.
const TEAMS: usize = 12;
/// The characters of a name that are shown.
const NAME: usize = 40;

/// The stylesheet, as its type and text; and so on.
pub const CSS: (&str, &str) = ("text/css; charset=utf-8", include_str!("../assets/site.css"));
/// Renews a page while it is looked at.
pub const RENEW: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/site.js"));
/// Starts the viewer.
pub const WATCH: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/watch.js"));
/// The site's sign.
pub const ICON: (&str, &str) = ("image/svg+xml", include_str!("../assets/icon.svg"));

/// With what pages are made.
pub struct Looks<'a> {
    /// The folder.
    pub root: &'a Root,
    /// The games.
    pub games: Games,
    /// Where that folder lies.
    pub top: &'a Path,
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

/// The first page: what is being played, and what was played.
#[must_use]
pub fn overview(looks: &Looks<'_>, shelf: &Shelf, page: usize) -> Option<String> {
    let mut out = String::from("<h1>Matches</h1>\n");
    if page == 1 {
        out.push_str(&running(looks, shelf.running.iter()));
    }
    let tournaments =
        shelf.items.iter().filter(|item| matches!(item.kind, Kind::Tournament | Kind::Report | Kind::Series));
    let tournaments: Vec<_> = tournaments.collect();
    if !tournaments.is_empty() && page == 1 {
        out.push_str("<h2>Tournaments and series</h2>\n<ul class=\"cards\">\n");
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

/// What is being played.
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
    let tick = reached(&looks.top.join(&one.folder).join(zappy_arena::play::folder::RECORD)).unwrap_or(0);
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
        _ => (link("folder", &item.at), Tournament::read(looks.root, looks.games, &item.at).progress()),
    };
    let (kind, name, when) = (item.kind, name_of(&item.at), ago(item.when));
    let kind = match kind {
        Kind::Report => "Report",
        Kind::Series => "Series",
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
    let team = |(name, won): &(String, bool)| {
        let name = short(name);
        if *won { format!("<b class=\"won\" title=\"has won\">{name}</b>") } else { name }
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
    let when = when.map(ago).unwrap_or_default();
    format!(
        "<tr><td>{teams}{game}</td><td data-of=\"ended\">{}</td><td data-of=\"length\">{}</td><td data-of=\"when\">{when}</td></tr>\n",
        in_html(&told.how),
        in_html(&told.length)
    )
}

/// The page of a tournament or a series.
#[must_use]
pub fn folder(looks: &Looks<'_>, shelf: &Shelf, at: &Path, page: usize) -> Option<String> {
    let item = shelf.items.iter().find(|item| item.at == at)?;
    let name = name_of(at);
    let address = link("folder", at);
    match item.kind {
        Kind::Tournament => {
            let tournament = Tournament::read(looks.root, looks.games, at);
            let mut out = format!("<h1>Tournament {name}</h1>\n<p>{}</p>\n", tournament.progress());
            let reports =
                shelf.items.iter().filter(|other| other.kind == Kind::Report && other.at.starts_with(at));
            let reports: Vec<String> = reports.take(PER_PAGE).map(|report| event(looks, report)).collect();
            if !reports.is_empty() {
                let _ = write!(out, "<ul class=\"cards\">\n{}</ul>\n", reports.concat());
            }
            out.push_str(&running(looks, shelf.running.iter().filter(|one| one.at.starts_with(at))));
            out.push_str("<h2>Played</h2>\n");
            let made = |result: &std::path::PathBuf| {
                let when = looks.root.facts(result).ok().map(|facts| facts.when);
                let told = tournament.summary(looks.root, at, result);
                told.map(|(place, told)| row(&place, when, &told)).unwrap_or_default()
            };
            out.push_str(&table(&tournament.results, page, &address, made)?);
            Some(listing(&format!("Tournament {name}"), &out))
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
            let teams = teams.into_iter().map(|team| (team, false)).collect();
            ("live", Summary { game, teams, ..Summary::default() }, "<b class=\"badge\">live</b>")
        }
        None => {
            summary::watchable(looks.root, at)?;
            let told = if at.extension().is_some_and(|ending| ending == shelf::ENDING) {
                summary::of_record(looks.root, looks.games, at)
            } else {
                summary::of_match(looks.root, looks.games, at)
            };
            ("record", told, "replay")
        }
    };
    let address = link(source, at);
    let teams: Vec<String> = told
        .teams
        .iter()
        .take(TEAMS)
        .map(|(team, won)| if *won { format!("<b class=\"won\">{}</b>", short(team)) } else { short(team) })
        .collect();
    let title = if teams.is_empty() { name_of(at) } else { teams.join(" <i>vs</i> ") };
    let plain: Vec<String> = told.teams.iter().take(TEAMS).map(|(team, _)| short(team)).collect();
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
