//! The pages, as HTML: what is played, what was played, and the viewer on one match.
//!
//! Everything that bots and files say stands in pages as text. Pages depend only on what lies in the folder. Tested in
//! this module and in `tests/site/pages.rs`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use httpdate::fmt_http_date;
use maud::{Markup, html};
use zappy_protocol::text::{many, thousands};
use zappy_server::games::GameTable;
use zappy_tournament::report::in_address;

use crate::frame::{ago, escaped, in_frame, listing, page};
use crate::league;
use crate::picture;
use crate::root::Root;
use crate::shelf::{self, Item, Kind, Running, Shelf};
use crate::summary::{self, Summary, Team, Tournament};
use crate::trust::is_record;

/// Rows of a table on one page, and entries of other lists.
pub const PER_PAGE: usize = 50;
/// Teams of a match that are named.
const MAX_TEAMS: usize = 12;
/// Characters of a name that are shown.
const NAME_CHARS: usize = 40;

/// When years begin to have five digits, in seconds since 1970.
const YEAR_10000: u64 = 253_402_300_800;

/// The stylesheet, as its content type and text; the other assets likewise.
pub const CSS: (&str, &str) = ("text/css; charset=utf-8", include_str!("../assets/site.css"));
/// Renews a page while it is looked at.
pub const RENEW: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/site.js"));
pub const WATCH: (&str, &str) = ("text/javascript; charset=utf-8", include_str!("../assets/watch.js"));
pub const ICON: (&str, &str) = ("image/svg+xml", include_str!("../assets/icon.svg"));

/// What pages are made from.
pub struct PageInput<'a> {
    pub root: &'a Root,
    pub games: GameTable,
    /// The number of spectators of the match at a path.
    pub spectators: &'a dyn Fn(&Path) -> usize,
}

/// The page for an address that leads to nothing.
#[must_use]
pub fn missing() -> String {
    let content = html! {
        h1 { "Not here" }
        p {
            "There is nothing for spectators at this address. Logs, notes, seeds and bots are the grader’s, and a record can be \
             watched when its match is over."
        }
        p { a href="/" { "What is played, and what was played" } }
    };
    page("Not here", &[], None, false, &in_frame(&content))
}

/// The address of what lies at that path, `/first/PATH`.
fn link(first: &str, at: &Path) -> String {
    at.iter().fold(format!("/{first}"), |out, name| out + "/" + &in_address(name))
}

/// A path from the served folder as pages name it.
fn name_of(at: &Path) -> String {
    if at.as_os_str().is_empty() { "this folder".to_owned() } else { at.to_string_lossy().into_owned() }
}

/// A name that a bot may have chosen: the beginning of a long one.
fn short(name: &str) -> String {
    let mut text: String = name.chars().take(NAME_CHARS).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    text
}

/// A moment as a date; empty before 1970 and after 9999, which the times of files may claim.
fn date(when: SystemTime) -> String {
    let seconds = when.duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs());
    if seconds < YEAR_10000 { fmt_http_date(when) } else { String::new() }
}

/// The site's first page: what is being played, and what was played; `None` if the list has no such `page`.
#[must_use]
pub fn overview(input: &PageInput<'_>, shelf: &Shelf, page: usize) -> Option<String> {
    // A tournament's own report is linked on the tournament's page.
    let is_tournament = |item: &&Item| matches!(item.kind, Kind::Tournament | Kind::League | Kind::Ladder);
    let folders: HashSet<&Path> = shelf.items.iter().filter(is_tournament).map(|item| &*item.at).collect();
    let is_listed = |item: &&Item| match item.kind {
        Kind::Match | Kind::Record => false,
        Kind::Report => item.at.parent().is_none_or(|folder| !folders.contains(folder)),
        Kind::Tournament | Kind::League | Kind::Ladder | Kind::Series => true,
    };
    let tournaments: Vec<_> = shelf.items.iter().filter(is_listed).take(PER_PAGE).collect();
    let matches = shelf.items.iter().filter(|item| matches!(item.kind, Kind::Match | Kind::Record));
    let matches: Vec<_> = matches.collect();
    let match_row = |item: &&Item| {
        let read = if item.kind == Kind::Record { summary::of_record } else { summary::of_match };
        row(&item.at, Some(item.when), &read(input.root, input.games, &item.at))
    };
    let content = html! {
        h1 { "Matches" }
        @for game in input.games { p.faint { b { (game.name) } " – " (game.about) } }
        @if page == 1 { (running(input, shelf.running.iter())) }
        @if !tournaments.is_empty() && page == 1 {
            h2 { "Tournaments, leagues and series" }
            ul.cards { @for item in tournaments { (list_entry(input, item)) } }
        }
        h2 { "Played" }
        (table(&matches, page, "/", match_row)?)
        @if shelf.more { p.faint { "There is more below this folder than is listed." } }
    };
    Some(listing("Zappy Arena: matches", &content))
}

/// The list of matches that are being played.
fn running<'a>(input: &PageInput<'_>, running: impl Iterator<Item = &'a Running>) -> Markup {
    let running: Vec<&Running> = running.take(PER_PAGE).collect();
    html! {
        h2 { "Now" }
        @if running.is_empty() {
            p.faint { "No match is being played. This page renews itself." }
        } @else {
            ul.cards {
                @for one in running {
                    @let header = summary::running_header(input.root, &one.folder);
                    @let tick = summary::reached(input.root, &one.folder).unwrap_or(0);
                    @let watching = (input.spectators)(&one.at) as u64;
                    li.live {
                        a href=(link("watch", &one.at)) {
                            b.badge { "live" } " "
                            @match &header {
                                Some(header) => (versus(header.teams.iter().take(MAX_TEAMS).map(|team| escaped(&short(team.as_str()))))),
                                None => "starting",
                            }
                        }
                        small {
                            @if let Some(header) = &header { (escaped(&header.game)) " · " }
                            @if tick == 0 { "waiting for teams" } @else { "tick " (thousands(tick)) }
                            @if watching > 0 { " · " (many(watching, "spectator")) }
                            " · began " (ago(one.since)) " · " (escaped(&name_of(&one.at)))
                        }
                    }
                }
            }
        }
    }
}

fn versus(teams: impl Iterator<Item = Markup>) -> Markup {
    html! { @for (i, team) in teams.enumerate() { @if i > 0 { " " i { "vs" } " " } (team) } }
}

/// A tournament, a report or a series in the list.
fn list_entry(input: &PageInput<'_>, item: &Item) -> Markup {
    let folder = || link("folder", &item.at);
    let tournament = || Tournament::read(input.root, &item.at);
    let (kind, address, what) = match item.kind {
        Kind::Report => ("Report", link("report", &item.at.join("index.html")), "report".to_owned()),
        Kind::Series => ("Series", folder(), "many matches of one setup".to_owned()),
        Kind::League => {
            let Tournament { bots, matches } = tournament();
            let versions = many(bots as u64, "version");
            (
                "League",
                folder(),
                format!("{versions} of bots, {} played", many(matches.len() as u64, "match")),
            )
        }
        Kind::Ladder => ("Ladder", folder(), tournament().progress()),
        _ => ("Tournament", folder(), tournament().progress()),
    };
    html! {
        li {
            a href=(address) { (kind) " " b { (escaped(&name_of(&item.at))) } }
            small { (escaped(&what)) " · " (ago(item.when)) }
        }
    }
}

/// A table of matches, of which `page` is shown, counted from 1; `None` if there is no such page. `address` is that of
/// page 1.
fn table<T>(all: &[T], page: usize, address: &str, row: impl Fn(&T) -> Markup) -> Option<Markup> {
    let pages = all.len().div_ceil(PER_PAGE).max(1);
    let Some(rows) = all.chunks(PER_PAGE).nth(page.checked_sub(1)?) else {
        return (page == 1).then(|| html! { p.faint { "No match was played yet." } });
    };
    let page_link = |to: usize, words: &str| html! { a href={ (address) "?page=" (to) } { (words) } " " };
    Some(html! {
        table {
            thead { tr { th {} th { "Teams" } th { "How it ended" } th { "Length" } th { "When" } } }
            tbody { @for one in rows { (row(one)) } }
        }
        @if pages > 1 {
            nav.pages {
                @if page > 1 { (page_link(page - 1, "newer")) }
                span { "page " (page) " of " (pages) } " "
                @if page < pages { (page_link(page + 1, "older")) }
            }
        }
    })
}

/// A match in a table; `when` it ended, if that is known.
fn row(at: &Path, when: Option<SystemTime>, summary: &Summary) -> Markup {
    let team = |team: &Team| {
        html! {
            (marked(team))
            @if let Some(score) = team.score { " " span.faint title="its score" { (score) } }
        }
    };
    let teams = html! {
        (versus(summary.teams.iter().take(MAX_TEAMS).map(team)))
        @if summary.teams.is_empty() { "unknown" }
        @if summary.teams.len() > MAX_TEAMS { " and " (summary.teams.len() - MAX_TEAMS) " more" }
    };
    html! {
        tr {
            td.picture {
                @if summary.has_record {
                    a href=(link("watch", at)) tabindex="-1" {
                        img src=(link("picture", at)) alt="The last moment, and the race of the teams" width=(picture::SIZE.0) height=(picture::SIZE.1) loading="lazy";
                    }
                }
            }
            td {
                @if summary.has_record { a href=(link("watch", at)) { (teams) } } @else { (teams) }
                @if !summary.game.is_empty() { small { (escaped(&summary.game)) " · " (escaped(&name_of(at))) } }
            }
            td data-of="ended" { (escaped(&ended(summary))) }
            td data-of="length" { (escaped(&summary.length)) }
            td data-of="when" { @if let Some(when) = when { (ago(when)) small { (date(when)) } } }
        }
    }
}

/// A team's name, marked if it has won.
fn marked(team: &Team) -> Markup {
    let name = escaped(&short(&team.name));
    html! { @if team.won { b.won title="has won" { (name) } } @else { (name) } }
}

/// The winners, or that it is a draw, and why the match was over.
fn ended(summary: &Summary) -> String {
    if summary.how.is_empty() {
        return String::new();
    }
    let winners: Vec<String> =
        summary.teams.iter().filter(|team| team.won).take(MAX_TEAMS).map(|team| short(&team.name)).collect();
    let winners = if winners.is_empty() { "no team".to_owned() } else { winners.join(", ") };
    let won = if summary.by_lot { "a draw".to_owned() } else { format!("{winners} won") };
    format!("{won}: {}", summary.how)
}

/// The page of a tournament or a series; `None` if there is none at that path, or no such `page` of its matches.
#[must_use]
pub fn folder(input: &PageInput<'_>, shelf: &Shelf, at: &Path, page: usize) -> Option<String> {
    let item = shelf.items.iter().find(|item| item.at == at)?;
    let name = name_of(at);
    let address = link("folder", at);
    match item.kind {
        Kind::Tournament | Kind::League | Kind::Ladder => {
            let tournament = Tournament::read(input.root, at);
            let is_league = item.kind == Kind::League;
            let ladder = (item.kind == Kind::Ladder).then(|| summary::of_ladder(input.root, at)).flatten();
            let kind = match item.kind {
                Kind::League => "League",
                Kind::Ladder => "Ladder",
                _ => "Tournament",
            };
            let is_root = at.as_os_str().is_empty();
            let title = if is_root { kind.to_owned() } else { format!("{kind} {name}") };
            let standings = is_league.then(|| summary::of_league(input.root, at)).flatten();
            let state = standings.as_ref().map_or_else(|| tournament.progress(), league::state);
            let standings = standings.filter(|_| page == 1);
            let reports =
                shelf.items.iter().filter(|other| other.kind == Kind::Report && other.at.starts_with(at));
            let reports: Vec<_> = reports.take(PER_PAGE).collect();
            let match_row = |(when, place): &(SystemTime, PathBuf)| {
                row(place, Some(*when), &summary::of_match(input.root, input.games, place))
            };
            let content = html! {
                h1 { (escaped(&title)) }
                p { (escaped(&state)) }
                @if let Some(standings) = &standings { (league::table(standings)) }
                @if let Some((standings, lobby)) = ladder.as_ref().filter(|_| page == 1) { (league::ladder(standings, lobby)) }
                @if !reports.is_empty() { ul.cards { @for report in reports { (list_entry(input, report)) } } }
                (running(input, shelf.running.iter().filter(|one| one.at.starts_with(at))))
                @if let Some(standings) = &standings { (league::rounds(standings)) }
                h2 { "Played" }
                (table(&tournament.matches, page, &address, match_row)?)
            };
            Some(listing(&title, &content))
        }
        Kind::Series => {
            let (matches, more) = summary::of_series(input.root, input.games, at);
            let title = format!("Series {name}");
            let content = html! {
                h1 { (escaped(&title)) }
                p { (many(matches.len() as u64, "match")) @if more { ", and more" } }
                (table(&matches, page, &address, |(place, summary)| row(place, None, summary))?)
            };
            Some(listing(&title, &content))
        }
        Kind::Match | Kind::Record | Kind::Report => None,
    }
}

/// The page with the viewer on one match, live or over; `None` if the match can't be watched.
#[must_use]
pub fn watch(input: &PageInput<'_>, at: &Path, has_viewer: bool) -> Option<String> {
    let running = shelf::running_at(input.root, at);
    let is_live = running.is_some();
    let known = if let Some(running) = &running {
        summary::running_header(input.root, &running.folder).map_or_else(Summary::default, |header| Summary {
            teams: header.teams.iter().map(Team::named).collect(),
            game: header.game,
            ..Summary::default()
        })
    } else {
        summary::watchable(input.root, at)?;
        let read = if is_record(at) { summary::of_record } else { summary::of_match };
        read(input.root, input.games, at)
    };
    let why = if is_live { Vec::new() } else { summary::why(input.root, at) };
    let address = link(if is_live { "live" } else { "record" }, at);
    let teams = || known.teams.iter().take(MAX_TEAMS);
    let names: Vec<String> = teams().map(|team| short(&team.name)).collect();
    let facts = [&known.game, &known.how, &known.length].into_iter().filter(|text| !text.is_empty());
    let facts = facts.map(String::as_str).collect::<Vec<_>>().join(" · ");
    let body = html! {
        body.watch {
            header {
                a href="/" { "Zappy Arena" } " "
                span {
                    @if is_live { b.badge { "live" } } @else { "replay" }
                    " "
                    @if names.is_empty() { (escaped(&name_of(at))) } @else { (versus(teams().map(marked))) }
                }
                " "
                small {
                    (escaped(&facts))
                    @if let Some(first) = why.first() { " · " span title=(escaped(&why.join(". "))) { (escaped(first)) } }
                    @if !is_live { " · " a href={ (address) "?download" } download { "download the record" } }
                }
            }
            @if has_viewer {
                canvas #view data-live=[is_live.then_some(&address)] data-record=[(!is_live).then_some(&address)]
                    tabindex="0" {}
                p #said role="status" {}
            } @else {
                main {
                    p {
                        "The viewer isn’t there, so nothing can be shown in the browser. The operator of this site makes it with "
                        code { "make web" } ", or names it with " code { "--viewer" } "."
                    }
                }
            }
        }
    };
    let scripts: &[&str] = if has_viewer { &["/viewer.js", "/watch.js"] } else { &[] };
    let title = format!("{}: {}", if is_live { "Live" } else { "Replay" }, names.join(", "));
    let about = if why.is_empty() { facts } else { why.join(". ") };
    let picture = (!is_live).then(|| link("picture", at));
    Some(page(&title, scripts, Some((&about, picture)), false, &body))
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
