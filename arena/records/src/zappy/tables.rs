//! The heading of a story, and the tables of teams and refusals after it.
//!
//! Tested in `arena/cli/tests/records/`.

use std::cmp::Reverse;
use std::fmt::Write as _;

use zappy_game::Length;
use zappy_play::text::align;
use zappy_protocol::text::{many, shown, thousands};
use zappy_protocol::zappy::story::{name, named, next};

use super::story::{Story, Team};
use super::tally::RecordTally;
use crate::heading::head_with;
use crate::source::Source;

/// The most reasons of refusals that are shown of each team.
const MOST_REASONS: usize = 6;
/// The most players of each team that are named as those with the most refusals.
const MOST_PLAYERS: usize = 5;
/// The most characters of a team's name, so that the tables fit an ordinary terminal.
const NAME_COLUMNS: usize = 20;

/// The match in a few lines.
pub fn head(source: &Source) -> String {
    let header = &source.header;
    let rules = shown(header.option("rules").unwrap_or_default().as_bytes());
    let slots = format!("; {} each", many(header.number("clients").unwrap_or(0), "slot"));
    let own = vec![("rules", format!("{rules}, version {}", header.rules_version))];
    head_with(source, &slots, own, Length::Ticks(source.last_tick))
}

pub fn tables(story: &Story, winner: Option<&str>, full: bool) -> String {
    // The winner comes first, then the teams that have more players higher up.
    let mut teams = story.teams();
    teams.sort_by_key(|team| (Some(team.name) != winner, Reverse(team.strength.rank())));
    let mut out = String::from("\n");
    if full {
        let strength = |team: &Team<'_>| {
            let (deeds, lines) = (&team.deeds, team.tally.lines);
            // Levels without players have a dot, which doesn't catch the eye as a 0 would.
            let levels = team.strength.levels.map(|n| if n == 0 { ".".to_owned() } else { n.to_string() });
            let people = [team.strength.alive(), deeds.joined, deeds.died].map(|n| n.to_string());
            let lines = [lines.lines, lines.refused, lines.dropped].map(|n| n.to_string());
            [&levels[..], &people, &lines].concat()
        };
        let head = "team L1 L2 L3 L4 L5 L6 L7 L8 alive born died lines refused dropped";
        table(head, &teams, strength, &mut out);
        out.push('\n');
        let deeds = |Team { deeds, .. }: &Team<'_>| {
            let counts = [deeds.won, deeds.failed, deeds.eggs, deeds.pushes, deeds.broadcasts];
            counts.iter().chain(&deeds.fates).map(ToString::to_string).collect()
        };
        let head = "team incantations failed eggs pushes broadcasts starved left killed expelled";
        table(head, &teams, deeds, &mut out);
        let roster = &story.tally.roster;
        for running in &story.observed.mirror().incantations {
            let team = running.players.first().and_then(|player| roster.team_of(*player));
            let of = team.map(|team| name(roster, team)).unwrap_or_default();
            let (level, players) = (next(running.level), named(&running.players));
            let _ = writeln!(out, "still under way: an incantation of {of} for {level}: {players}");
        }
        write_refusals(&story.tally, &teams, &mut out);
    } else {
        // All that a record of inputs alone says about a team.
        let inputs = |Team { deeds, tally, .. }: &Team<'_>| {
            [u64::from(deeds.joined), deeds.died.into(), tally.lines.lines].map(|n| n.to_string()).into()
        };
        table("team joined left lines", &teams, inputs, &mut out);
    }
    out
}

fn team_label(team: &Team<'_>) -> String {
    team.name.chars().take(NAME_COLUMNS).collect()
}

/// A table with these words at its head, and a row of cells for each team behind its name.
fn table(head: &str, teams: &[Team<'_>], cells: impl Fn(&Team<'_>) -> Vec<String>, out: &mut String) {
    let row = |team| std::iter::once(team_label(team)).chain(cells(team)).collect();
    let head = head.split(' ').map(str::to_owned).collect();
    align(&std::iter::once(head).chain(teams.iter().map(row)).collect::<Vec<_>>(), 0, out);
}

fn write_refusals(tally: &RecordTally, teams: &[Team<'_>], out: &mut String) {
    for team in teams.iter().filter(|team| team.tally.lines.refused > 0) {
        let lines = team.tally.lines;
        let (refused, lines) = (many(lines.refused, "refusal"), many(lines.lines, "line"));
        // The players to look at first.
        let most = tally.most_refused(team.name).into_iter().take(MOST_PLAYERS);
        let most: Vec<String> = most.map(|(refused, player)| format!("{player} ({refused})")).collect();
        let (team_name, most) = (team_label(team), most.join(", "));
        let _ = writeln!(out, "\n{team_name}: {refused} for {lines}, most of {most}");
        let reasons = team.tally.ranked_reasons();
        for (why, count) in reasons.iter().take(MOST_REASONS) {
            let _ = writeln!(out, "{:>9}  {}", thousands(*count), shown(why.as_bytes()));
        }
        let rest: u64 = reasons.iter().skip(MOST_REASONS).map(|(_, count)| count).sum();
        if rest > 0 {
            let others = many((reasons.len() - MOST_REASONS) as u64, "other reason");
            let _ = writeln!(out, "{:>9}  for {others}", thousands(rest));
        }
    }
}
