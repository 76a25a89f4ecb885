//! The match told in five facts.
//!
//! Every fact is counted from the chronicle, none is guessed. The most telling ones come first; of one subject there is
//! one. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::story::{Deeds, Roster, TeamIndex, What};

use super::words::{self, Won};
use crate::panels::kit::{count, number};
use crate::zappy::timeline::chronicle::Chronicle;

/// How many facts tell a match.
pub const FACTS: usize = 5;

/// Teams that are named together at most.
const NAMED: usize = 3;

/// How telling a fact is, and the fact, if there is one.
type Fact = fn(&Chronicle, &Roster) -> Option<(u32, String)>;

/// Up to five facts, in the order in which they are told.
pub fn facts(chronicle: &Chronicle, roster: &Roster) -> Vec<String> {
    let of: [Fact; 9] = [ending, lead, first_up, incantations, deaths, mouths, talk, pushes, brood];
    let mut found: Vec<(u32, String)> = of.iter().filter_map(|fact| fact(chronicle, roster)).collect();
    found.sort_by_key(|(interest, _)| std::cmp::Reverse(*interest));
    found.truncate(FACTS);
    found.into_iter().map(|(_, fact)| fact).collect()
}

/// Which team won, how and when.
fn ending(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let ending = chronicle.finish.as_ref()?;
    let at = number(ending.tick);
    let Some(winner) = &ending.winner else {
        return Some((100, format!("Nobody won: it ended at tick {at}")));
    };
    let name = words::short_name(winner.as_str(), 24);
    let timed = ending.reason.as_deref() == Some("time");
    let fact = match words::won(chronicle, roster) {
        Some(Won::Goal(top)) => format!("{name} reached the goal at tick {at}: {top} players at level 8"),
        Some(Won::Even) => {
            format!("{name} won at tick {at}, though even with others: a lot, or their order, decided")
        }
        Some(Won::Further) => {
            format!("{name} won at tick {at}, even with others but further up before, or there earlier")
        }
        Some(Won::Best) if timed => format!("{name} won when the time was over, at tick {at}"),
        Some(Won::Best) | None => format!("{name} won at tick {at}"),
    };
    Some((100, fact))
}

/// How often the lead changed hands, and from when on the last one held it.
fn lead(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
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
            (80, format!("Only {name} ever led, first at tick {}; in the end nobody did", number(since)))
        }
        (0, Some(_)) => {
            (80, format!("{name} took the lead at tick {} and was never overtaken", number(since)))
        }
        (_, Some(_)) => (
            90,
            format!("The lead changed hands {times}; {name} took it for good at tick {}", number(last.since)),
        ),
        (_, None) => (85, format!("The lead changed hands {times}; in the end nobody had it")),
    })
}

/// The first teams at the highest level that was reached before the end, which is a fact of its own.
fn first_up(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
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
    let fact = match &names[..] {
        [name] => format!("{name} was the first to reach level {level}, at tick {at}"),
        [names @ .., last] if names.len() < NAMED => {
            format!("{} and {last} were the first to reach level {level}, all at tick {at}", names.join(", "))
        }
        many => format!("{} teams were the first to reach level {level}, all at tick {at}", many.len()),
    };
    Some((75, fact))
}

/// How many incantations there were, and how they went.
fn incantations(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let sum = |of: fn(&Deeds) -> u32| chronicle.deeds.iter().map(of).sum::<u32>();
    let (won, failed) = (sum(|done| done.won), sum(|done| done.failed));
    if won + failed == 0 {
        return None;
    }
    let best = most(chronicle, |done| done.won).filter(|_| chronicle.deeds.len() > 1);
    let whose =
        best.map(|(team, many)| format!(", {} of them begun by {}", number(many), words::name(roster, team)));
    let failed = if failed == 0 { "none failed".to_owned() } else { format!("{} failed", number(failed)) };
    let whose = whose.unwrap_or_default();
    Some((70, format!("{} succeeded{whose}; {failed}", count(won, "incantation", "incantations"))))
}

/// How many players died, and of which team most.
fn deaths(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let died: u32 = chronicle.deeds.iter().map(|done| done.died).sum();
    if died == 0 {
        let joined: u32 = chronicle.deeds.iter().map(|done| done.joined).sum();
        return (joined > 1).then(|| (60, format!("Nobody died: all {} lived on", words::players(joined))));
    }
    let (team, most) = most(chronicle, |done| done.died)?;
    let name = words::name(roster, team);
    let whose =
        if most == died { format!("all of {name}") } else { format!("{} of them of {name}", number(most)) };
    if died == 1 {
        return Some((65, format!("Only one player died; it was of {name}")));
    }
    let high = highest_dead(chronicle).filter(|level| level.get() > 2);
    let high = high.map(|level| format!(", the best at level {level}")).unwrap_or_default();
    Some((65, format!("{} died, {whose}{high}", words::players(died))))
}

fn highest_dead(chronicle: &Chronicle) -> Option<Level> {
    let dead = chronicle.entries.iter().filter_map(|noted| match &noted.happening.what {
        What::Gone { last, .. } => Some(last.level),
        _ => None,
    });
    dead.max()
}

/// Which team gathered the most food.
fn mouths(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let (team, most) = most(chronicle, |done| done.meals)?;
    let all: u32 = chronicle.deeds.iter().map(|done| done.meals).sum();
    let name = words::name(roster, team);
    Some((40, format!("{name} gathered the most food: {} of {} units", number(most), number(all))))
}

/// How much was said.
fn talk(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let all: u32 = chronicle.deeds.iter().map(|done| done.broadcasts).sum();
    let (team, most) = most(chronicle, |done| done.broadcasts)?;
    let name = words::name(roster, team);
    let whose =
        if most == all { format!(", all by {name}") } else { format!(", {} by {name}", number(most)) };
    Some((45, format!("{} went over the map{whose}", count(all, "broadcast", "broadcasts"))))
}

/// Which team pushed most.
fn pushes(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let (team, most) = most(chronicle, |done| done.pushes)?;
    let times = if most == 1 { "once".to_owned() } else { format!("{} times", number(most)) };
    Some((50, format!("{} pushed others off their tile {times}", words::name(roster, team))))
}

/// Which team laid the most eggs.
fn brood(chronicle: &Chronicle, roster: &Roster) -> Option<(u32, String)> {
    let (team, most) = most(chronicle, |done| done.eggs)?;
    Some((35, format!("{} laid the most eggs: {}", words::name(roster, team), number(most))))
}

/// The team that has more of something than every other one.
fn most(chronicle: &Chronicle, of: fn(&Deeds) -> u32) -> Option<(TeamIndex, u32)> {
    let deeds = &chronicle.deeds;
    let best = deeds.iter().map(of).max().filter(|best| *best > 0)?;
    let mut those = (0..deeds.len()).filter(|&team| of(&deeds[team]) == best);
    let first = those.next()?;
    those.next().is_none().then_some((TeamIndex(first), best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zappy::panels::testing::Scene;

    #[test]
    fn a_known_match_gives_known_facts() {
        let scene = Scene::small_match();
        let told = &scene.chronicler;
        let facts = facts(&told.overview.chronicle, &told.overview.roster);
        assert_eq!(
            facts,
            [
                "blue won at tick 950",
                "The lead changed hands once; blue took it for good at tick 900",
                "blue was the first to reach level 3, at tick 900",
                "Only one player died; it was of blue",
                "1 broadcast went over the map, all by blue",
            ]
        );
    }

    #[test]
    fn facts_differ_and_an_empty_match_has_none() {
        let scene = Scene::told(&[]);
        assert!(facts(&scene.chronicler.overview.chronicle, &scene.chronicler.overview.roster).is_empty());
        let quiet = ["0 msz 9 9", "0 tna red", "0 ppo #9 0 0 1", "5 pnw #0 1 1 1 1 red"];
        let told = Scene::told(&quiet).chronicler;
        let all = facts(&told.overview.chronicle, &told.overview.roster);
        assert_eq!(all, ["red took the lead at tick 5 and was never overtaken"]);
    }

    #[test]
    fn who_shares_the_most_is_not_named_alone() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "6 pnw #1 1 1 1 1 blue",
            "7 pbc #0 a",
            "7 pbc #1 b",
        ];
        let told = Scene::told(&lines).chronicler;
        assert_eq!(talk(&told.overview.chronicle, &told.overview.roster), None);
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
        let told = Scene::told(&lines).chronicler;
        let lead = lead(&told.overview.chronicle, &told.overview.roster).map(|(_, fact)| fact);
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
        let told = Scene::told(&lines).chronicler;
        let first = first_up(&told.overview.chronicle, &told.overview.roster).map(|(_, fact)| fact);
        assert_eq!(first.as_deref(), Some("red was the first to reach level 7, at tick 7"));
    }
}
