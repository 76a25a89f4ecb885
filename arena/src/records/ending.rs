//! What stands around the story: the match in a few lines before it, teams and refusals as tables after it.
//!
//! Tested in `tests/records/`.

use std::cmp::Reverse;
use std::fmt::Write as _;

use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;

use super::happening::Fate;
use super::source::{End, Source, shown};
use super::story::Story;
use super::tally::{Player, Tally, Team};
use super::words::{many, name, named, thousands};
use crate::play::table::align;

/// Reasons of refusals that are told of each team.
const REASONS: usize = 6;
/// Players of each team that are told to have been refused most.
const PLAYERS: usize = 5;
/// Longer names are cut: the tables shall fit an ordinary terminal.
const NAME_COLUMNS: usize = 20;

/// The match in a few lines.
#[must_use]
pub fn head(source: &Source) -> String {
    let header = &source.header;
    let mut out = String::new();
    let mut put = |key: &str, words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{key:<9} {words}");
    };
    put("record", format!("{}, {}", source.path.display(), level(source)));
    let teams: Vec<String> = header.teams.iter().map(|team| shown(team.as_str().as_bytes())).collect();
    put(
        "teams",
        format!("{}; {} each", teams.join(", "), many(header.number("clients").unwrap_or(0), "slot")),
    );
    put("map", format!("{}x{}, seed {}", header.map.width(), header.map.height(), header.seed));
    put(
        "rules",
        format!(
            "{}, version {}",
            shown(header.option("rules").unwrap_or_default().as_bytes()),
            header.rules_version
        ),
    );
    let rate = many(header.frequency.into(), "tick");
    let limit =
        header.max_ticks.map(|ticks| format!(", {} at most", many(ticks, "tick"))).unwrap_or_default();
    put("clock", format!("{}, {rate} per second at the start{limit}", shown(header.clock.as_bytes())));
    put("end", end(source.end.as_ref(), source.last_tick));
    if let Some(note) = &source.note {
        put("note", note.clone());
    }
    out
}

fn level(source: &Source) -> &'static str {
    match (source.header.level, source.replayed) {
        (RecordLevel::Full, _) => "full",
        (RecordLevel::Inputs, true) => "inputs alone, the rest played again",
        (RecordLevel::Inputs, false) => "inputs alone",
    }
}

fn end(end: Option<&End>, tick: Tick) -> String {
    let tick = thousands(tick);
    match end {
        Some(End { reason, winner: Some(team) }) => {
            format!("{} has won ({reason}) at tick {tick}", shown(team.as_bytes()))
        }
        Some(End { reason, winner: None }) => format!("no winner ({reason}) at tick {tick}"),
        None => format!("cut off after tick {tick}: how it went on is not known"),
    }
}

/// The teams in their order: the winner, then who has more players higher up.
fn ranked<'a>(tally: &'a Tally, winner: Option<&str>) -> Vec<&'a Team> {
    let mut teams: Vec<&Team> = tally.teams.iter().collect();
    teams.sort_by_key(|team| (Some(&team.name[..]) != winner, Reverse(team.rank())));
    teams
}

/// The tables.
#[must_use]
pub fn tables(story: &Story, winner: Option<&str>, full: bool) -> String {
    let teams = ranked(&story.tally, winner);
    let mut out = String::from("\n");
    if full {
        align(&standing_rows(&teams), 0, &mut out);
        out.push('\n');
        align(&deed_rows(&teams), 0, &mut out);
        under_way(story, &mut out);
        refusals(&story.tally, &teams, &mut out);
    } else {
        align(&input_rows(&teams), 0, &mut out);
    }
    out
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn short(team: &Team) -> String {
    shown(team.name.as_bytes()).chars().take(NAME_COLUMNS).collect()
}

fn gone(team: &Team) -> u32 {
    team.gone.values().sum()
}

fn standing_rows(teams: &[&Team]) -> Vec<Vec<String>> {
    let mut head = row(&["team"]);
    head.extend((1..=8).map(|level| format!("L{level}")));
    head.extend(row(&["alive", "born", "died", "lines", "refused", "dropped"]));
    let mut rows = vec![head];
    for team in teams {
        let mut row = vec![short(team)];
        // Where nobody is, nothing shall catch the eye.
        row.extend(team.levels.iter().map(|&n| if n == 0 { ".".to_owned() } else { n.to_string() }));
        row.extend([team.alive(), team.joined, gone(team)].map(|n| n.to_string()));
        row.extend([team.lines, team.refused, team.dropped].map(|n| n.to_string()));
        rows.push(row);
    }
    rows
}

fn deed_rows(teams: &[&Team]) -> Vec<Vec<String>> {
    let mut rows = vec![row(&[
        "team",
        "rites",
        "failed",
        "eggs",
        "pushes",
        "broadcasts",
        "starved",
        "left",
        "killed",
        "expelled",
    ])];
    for team in teams {
        let mut row = vec![short(team)];
        let deeds = [team.rites_won, team.rites_failed, team.eggs, team.pushes, team.broadcasts];
        row.extend(deeds.map(|n| n.to_string()));
        let fates = [Fate::Starved, Fate::Left, Fate::Killed, Fate::Expelled];
        row.extend(fates.map(|fate| team.gone.get(&fate).copied().unwrap_or_default().to_string()));
        rows.push(row);
    }
    rows
}

/// What inputs alone say.
fn input_rows(teams: &[&Team]) -> Vec<Vec<String>> {
    let mut rows = vec![row(&["team", "joined", "left", "lines"])];
    for team in teams {
        let numbers = [u64::from(team.joined), gone(team).into(), team.lines];
        rows.push(std::iter::once(short(team)).chain(numbers.map(|n| n.to_string())).collect());
    }
    rows
}

fn under_way(story: &Story, out: &mut String) {
    for (level, players) in story.under_way() {
        let team = players.first().and_then(|player| story.tally.team_of(*player));
        let of = team.map(|team| name(&story.tally, team)).unwrap_or_default();
        let _ = writeln!(out, "still under way: a rite of {of} for level {level}: {}", named(players));
    }
}

fn refusals(tally: &Tally, teams: &[&Team], out: &mut String) {
    for team in teams.iter().filter(|team| team.refused > 0) {
        let (refused, lines) = (many(team.refused, "refusal"), many(team.lines, "line"));
        let _ = writeln!(out, "\n{}: {refused} for {lines}{}", short(team), most_refused(tally, team));
        let reasons = team.ranked_reasons();
        for (why, count) in reasons.iter().take(REASONS) {
            let _ = writeln!(out, "{:>TICK$}  {}", thousands(*count), shown(why.as_bytes()), TICK = 9);
        }
        let rest: u64 = reasons.iter().skip(REASONS).map(|(_, count)| count).sum();
        if rest > 0 {
            let _ = writeln!(
                out,
                "{:>TICK$}  for {}",
                thousands(rest),
                many((reasons.len() - REASONS) as u64, "other reason"),
                TICK = 9
            );
        }
    }
}

/// Where to look first.
fn most_refused(tally: &Tally, team: &Team) -> String {
    let of_team = |player: &Player| tally.teams[player.team].name == team.name && player.refused > 0;
    let mut players: Vec<_> = tally.players.iter().filter(|(_, player)| of_team(player)).collect();
    players.sort_by_key(|(number, player)| (Reverse(player.refused), **number));
    let most: Vec<String> = players
        .iter()
        .take(PLAYERS)
        .map(|(number, player)| format!("{number} ({})", player.refused))
        .collect();
    format!(", most of {}", most.join(", "))
}
