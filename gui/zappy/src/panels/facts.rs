//! Why a match ended as it did, in a few sentences.
//!
//! Every one is counted from the chronicle, none is guessed. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::story::{Deeds, Roster, Strength, TeamIndex};

use super::words::{self, Won, possessive};
use crate::timeline::attempt::{AttemptOutcome, Flaw};
use crate::timeline::chronicle::{Chronicle, Finish};
use zappy_observer::panels::kit::{count, number};

/// Teams that are named together at most.
const NAMED: usize = 3;

/// How it was won, why by this team, and how the lead changed; at most four sentences.
pub fn why(chronicle: &Chronicle, roster: &Roster) -> Vec<String> {
    let Some(finish) = &chronicle.finish else { return Vec::new() };
    let goal = matches!(words::won(chronicle, roster), Some(Won::Goal(_)));
    let winner = finish.winner.as_ref().and_then(|winner| roster.team(winner));
    let rival = winner.and_then(|winner| incantations(chronicle, roster, finish, winner));
    // The moments tell the levels of a match that was won by them.
    let first = if goal { None } else { first_up(chronicle, roster) };
    [Some(ending(chronicle, roster, finish)), rival, first, lead(chronicle, roster)]
        .into_iter()
        .flatten()
        .collect()
}

/// Which team won, how and when.
fn ending(chronicle: &Chronicle, roster: &Roster, finish: &Finish) -> String {
    let at = number(finish.tick);
    let Some(winner) = &finish.winner else {
        let why = match finish.reason.as_deref() {
            None => String::new(),
            Some("time") => ": the time was over".to_owned(),
            Some("extinction") => ": nobody was left alive".to_owned(),
            Some("stopped") => ": it was stopped".to_owned(),
            Some(reason) => format!(": {reason}"),
        };
        return format!("It ended at tick {at}{why}");
    };
    let name = words::short_name(winner.as_str(), 24);
    let timed = finish.reason.as_deref() == Some("time");
    match words::won(chronicle, roster) {
        Some(Won::Goal(top)) => format!("{name} had {} at tick {at}", words::at_top(top)),
        Some(Won::Even) => {
            format!("{name} won at tick {at}, though even with others: a lot, or their order, decided")
        }
        Some(Won::Further) => {
            format!("{name} won at tick {at}, even with others but further up before, or there earlier")
        }
        Some(Won::Best) => {
            let best = roster.team(winner).and_then(|TeamIndex(team)| finish.teams.get(team));
            let best = best.map(|best| format!(": {}", heights(best))).unwrap_or_default();
            let when = if timed { "when the time was over, at tick" } else { "at tick" };
            format!("{name} was the best {when} {at}{best}")
        }
        None => format!("{name} won at tick {at}"),
    }
}

/// `2 players at level 5`.
fn heights(team: &Strength) -> String {
    let high = team.highest();
    let there = team.levels.get(usize::from(high).wrapping_sub(1)).copied().unwrap_or_default();
    format!("{} at level {high}", words::players(there))
}

/// How the winner's incantations went, and how those of the team that came next.
fn incantations(
    chronicle: &Chronicle,
    roster: &Roster,
    finish: &Finish,
    winner: TeamIndex,
) -> Option<String> {
    let tried = |TeamIndex(team): TeamIndex| {
        let (won, failed) = chronicle.deeds.get(team).map_or((0, 0), |deeds| (deeds.won, deeds.failed));
        (won + failed, won)
    };
    let (all, won) = tried(winner);
    if all == 0 {
        return None;
    }
    let own = format!(
        "{} of {} {} succeeded",
        number(won),
        possessive(&words::name(roster, winner)),
        count(all, "incantation", "incantations")
    );
    let others = (0..finish.teams.len()).filter(|&team| TeamIndex(team) != winner);
    let next =
        others.max_by_key(|&team| (finish.teams[team].rank(), tried(TeamIndex(team)).0)).map(TeamIndex);
    let Some(next) = next else { return Some(own) };
    let (name, (all, won)) = (words::name(roster, next), tried(next));
    if all == 0 {
        return Some(format!("{own}; {name} ended none"));
    }
    let broken = broken(chronicle, roster, next);
    let broken = broken.map(|(many, by)| format!(", {} broken by {} pushes", number(many), possessive(&by)));
    let (whose, broken) = (possessive(&name), broken.unwrap_or_default());
    Some(format!("{own}; {} of {whose} {}{broken}", number(won), number(all)))
}

/// How many of a team's incantations failed by pushes of the team that broke most of them.
fn broken(chronicle: &Chronicle, roster: &Roster, of: TeamIndex) -> Option<(u32, String)> {
    let mut by = vec![0_u32; roster.teams().len()];
    let own = chronicle.attempts.iter().filter(|attempt| attempt.stake.is_some_and(|stake| stake.team == of));
    for attempt in own {
        if let AttemptOutcome::Failed(Some(Flaw::Pushed { by: player, .. })) = attempt.outcome
            && let Some(count) = roster.team_of(player).and_then(|TeamIndex(team)| by.get_mut(team))
        {
            *count += 1;
        }
    }
    let (many, team) =
        by.into_iter().zip(0..).max_by_key(|(many, team)| (*many, std::cmp::Reverse(*team)))?;
    (many > 0).then(|| (many, words::name(roster, TeamIndex(team))))
}

/// How often the lead changed hands, and from when on the last one held it.
fn lead(chronicle: &Chronicle, roster: &Roster) -> Option<String> {
    let mut holders: Vec<(TeamIndex, Tick)> = Vec::new();
    for lead in &chronicle.leads {
        if let Some(team) = lead.team
            && holders.last().is_none_or(|(last, _)| *last != team)
        {
            holders.push((team, lead.since));
        }
    }
    let (team, since) = *holders.last()?;
    let name = words::name(roster, team);
    let changes = (holders.len() - 1) as u64;
    let times = if changes == 1 { "once".to_owned() } else { format!("{} times", number(changes)) };
    let last = chronicle.leads.back()?;
    Some(match (changes, last.team) {
        (0, None) => {
            format!("Only {name} ever led, first at tick {}; in the end nobody did", number(since))
        }
        (0, Some(_)) => {
            format!("{name} took the lead at tick {} and was never overtaken", number(since))
        }
        (_, Some(_)) => {
            format!("The lead changed hands {times}; {name} took it for good at tick {}", number(last.since))
        }
        (_, None) => format!("The lead changed hands {times}; in the end nobody had it"),
    })
}

/// The first teams at the highest level that was reached before the end.
fn first_up(chronicle: &Chronicle, roster: &Roster) -> Option<String> {
    let end = chronicle.finish.as_ref().map_or(Tick::MAX, |ending| ending.tick);
    let firsts = |level: usize| {
        let of = |(team, done): (usize, &Deeds)| {
            done.first_at[level].filter(|tick| *tick < end).map(|tick| (tick, team))
        };
        let reached: Vec<(Tick, usize)> = chronicle.deeds.iter().enumerate().filter_map(of).collect();
        let first = reached.iter().map(|(tick, _)| *tick).min()?;
        let those = reached.into_iter().filter(|(tick, _)| *tick == first);
        Some((first, those.map(|(_, team)| team).collect::<Vec<_>>()))
    };
    let (level, (tick, those)) = (1..8).rev().find_map(|level| Some((level, firsts(level)?)))?;
    let (level, at) = (level + 1, number(tick));
    let names: Vec<String> = those.iter().map(|&team| words::name(roster, TeamIndex(team))).collect();
    Some(match &names[..] {
        [name] => format!("{name} was the first to reach level {level}, at tick {at}"),
        [names @ .., last] if names.len() < NAMED => {
            format!("{} and {last} were the first to reach level {level}, all at tick {at}", names.join(", "))
        }
        many => format!("{} teams were the first to reach level {level}, all at tick {at}", many.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    fn told(lines: &[&str]) -> Vec<String> {
        let overview = ToldMatch::told(lines).chronicler.overview;
        why(&overview.chronicle, &overview.roster)
    }

    #[test]
    fn a_known_match_is_explained_by_what_was_counted() {
        let overview = ToldMatch::small_match().chronicler.overview;
        assert_eq!(
            why(&overview.chronicle, &overview.roster),
            [
                "blue was the best at tick 950: 1 player at level 3",
                "blue was the first to reach level 3, at tick 900",
                "The lead changed hands once; blue took it for good at tick 900",
            ]
        );
        assert!(told(&[]).is_empty() && told(&["0 msz 9 9", "0 tna red", "5 pnw #0 1 1 1 1 red"]).is_empty());
    }

    #[test]
    fn the_cause_is_told_by_the_incantations_of_winner_and_rival() {
        let mut lines: Vec<String> = (0..7).map(|n| format!("5 pnw #{n} 1 1 1 7 blue")).collect();
        lines.extend((10..12).map(|n| format!("5 pnw #{n} 5 5 1 2 red")));
        lines.push("5 pnw #26 4 5 2 2 wolves".to_owned());
        lines.extend(["100 pic 5 5 2 #10 #11", "150 ppo #26 5 5 2", "200 ppo #10 6 5 1"].map(str::to_owned));
        lines.extend(
            ["200 pex #26", "400 pie 5 5 0", "500 pic 1 1 7 #0 #1 #2 #3 #4 #5 #6"].map(str::to_owned),
        );
        lines.extend((0..7).map(|n| format!("800 plv #{n} 8")));
        lines.extend(["800 pie 1 1 1", "800 seg blue"].map(str::to_owned));
        let before = ["0 msz 9 9", "0 tna red", "0 tna blue", "0 tna wolves", "0 bct 5 5 0 9 9 9 9 9 9"];
        let all: Vec<&str> =
            before.into_iter().chain(["0 ppo #99 0 0 1"]).chain(lines.iter().map(String::as_str)).collect();
        let said = told(&all);
        assert_eq!(said[0], "blue had 7 players at level 8 (6 needed) at tick 800");
        assert_eq!(said[1], "1 of blue’s 1 incantation succeeded; 0 of red’s 1, 1 broken by wolves’ pushes");
        assert_eq!(said.len(), 3, "{said:?}");
    }

    #[test]
    fn a_lead_that_was_lost_is_not_told_as_kept() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "9 pnw #1 2 2 1 1 blue",
        ];
        let told = ToldMatch::told(&lines).chronicler;
        let lead = lead(&told.overview.chronicle, &told.overview.roster);
        assert_eq!(lead.as_deref(), Some("Only red ever led, first at tick 5; in the end nobody did"));
    }

    #[test]
    fn the_level_that_won_is_told_once() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 6 red",
            "7 plv #0 7",
            "9 plv #0 8",
            "9 seg red",
        ];
        let told = ToldMatch::told(&lines).chronicler;
        let first = first_up(&told.overview.chronicle, &told.overview.roster);
        assert_eq!(first.as_deref(), Some("red was the first to reach level 7, at tick 7"));
    }
}
