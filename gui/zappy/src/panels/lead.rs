//! How far each team is on its way to six players at level 8: the race, and what the timeline says of a tick.
//!
//! What stands on the map, and no probability of anything. Knows nothing of later where it shall not. Tested in this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Strength, TeamIndex, What, strengths};

use super::words;
use crate::scene::card::{self, Card, CardState};
use crate::view::{Shown, known_until};
use zappy_observer::panels::race::{self, Racer};

/// Teams that hovering names; of the others it tells the most that one has made.
const NAMED: usize = 4;
/// Characters of a team's name.
const NAME: usize = 24;
/// Happenings that are looked at for a change: more than happens within a second, but in the largest matches.
const BUDGET: usize = 256;

/// The teams in the race: their best six, each as far as it has risen.
pub fn race(shown: &Shown<'_>) -> Vec<Racer> {
    let (roster, running) = (&shown.story.roster, card::running(shown));
    let leads = shown.story.chronicle.lead(shown.tick()).and_then(|lead| lead.team);
    // Of a team's incantations the one that decides most, as on the cards.
    let doomed = |team: TeamIndex| {
        let own = |card: &&Card| card.initiator.and_then(|one| roster.team_of(one)) == Some(team);
        running.iter().find(own).is_some_and(|card| matches!(card.state, CardState::Doomed(_)))
    };
    let changed = |team: TeamIndex| {
        let change = |what: &What| match what {
            What::Level { .. } => what.team(roster) == Some(team),
            What::Gone { last, .. } => last.level.get() > 1 && what.team(roster) == Some(team),
            _ => false,
        };
        let last = shown.state.recent.iter().rev().take(BUDGET).find(|one| change(&one.what));
        last.map_or(0.0, |one| race::pulse(shown.since(one.tick), shown.pace.rate))
    };
    let racer = |(number, strength): (usize, Strength)| {
        let (team, made) = (TeamIndex(number), percent(strength.progress()));
        let top = strength.at_top();
        let (stands, goal) = match strength.alive() {
            0 => ("no players".to_owned(), ""),
            _ if top > 0 => (format!("{top} of {WINNING_PLAYERS} at level 8"), ""),
            _ => (format!("level {}", strength.highest()), " to 6 at level 8"),
        };
        Racer {
            name: words::short_name(roster.name(team), NAME),
            look: shown.look(Some(team)),
            way: strength.way().map(|levels| f32::from(levels) / 7.0).to_vec(),
            says: vec![format!("{stands} · {made} of the way{goal}"), format!("{stands} · {made}"), made],
            base: None,
            leads: leads == Some(team),
            danger: doomed(team).then_some("incantation about to fail"),
            pulse: changed(team),
            out: strength.alive() == 0 && strength.eggs == 0,
        }
    };
    strengths(shown.state.mirror(), roster).into_iter().enumerate().map(racer).collect()
}

/// Thousandths in hundredths: `43 %`.
fn percent(share: u32) -> String {
    format!("{} %", (share + 5) / 10)
}

/// How far each team is at a tick: `on the way to 6 at level 8: red 43 %, blue 12 %`; empty where nothing is known.
pub fn hover(shown: &Shown<'_>, tick: Tick) -> String {
    let samples = &shown.story.chronicle.series.samples;
    let known = samples.partition_point(|sample| sample.tick <= tick);
    let Some(sample) = samples[..known].last().filter(|_| tick <= known_until(shown)) else {
        return String::new();
    };
    let mut teams: Vec<(u32, usize)> = sample.teams.iter().map(Strength::progress).zip(0..).collect();
    teams.sort_by_key(|(made, _)| std::cmp::Reverse(*made));
    let said = |(made, team): &(u32, usize)| {
        format!("{} {}", words::name(&shown.story.roster, TeamIndex(*team)), percent(*made))
    };
    let mut named: Vec<String> = teams.iter().take(NAMED).map(said).collect();
    // The order is that of their ways, so that the first of the others has made the most of them.
    if let Some((most, _)) = teams.get(NAMED) {
        named.push(format!("the other {} at most {}", teams.len() - NAMED, percent(*most)));
    }
    format!("on the way to {WINNING_PLAYERS} at level 8: {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    #[test]
    fn the_pointer_reads_it_and_nothing_of_later_where_that_is_hidden() {
        let mut scene = ToldMatch::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 8 red",
            "6 pnw #1 1 1 1 2 blue",
            "30 ppo #9 0 0 1",
            "100 plv #1 8",
            "200 ppo #9 0 0 1",
        ]);
        let says = "on the way to 6 at level 8: red 17 %, blue 2 %";
        scene.show(60.0, |shown| assert_eq!(hover(shown, 60), says));
        scene.show(60.0, |shown| assert!(hover(shown, 200).contains("blue 17 %")));
        scene.view.own.unspoiled = true;
        scene.show(60.0, |shown| {
            assert_eq!((hover(shown, 60).as_str(), hover(shown, 200).as_str()), (says, ""));
        });
    }

    #[test]
    fn the_race_tells_how_far_each_is_who_leads_what_changed_and_what_is_in_danger() {
        let scene = ToldMatch::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 8 red",
            "6 pnw #1 1 1 1 2 blue",
            "6 pnw #2 1 1 1 2 blue",
            "60 pic 1 1 2 #1 #2",
            "90 ppo #2 2 1 1",
            "200 plv #1 3",
        ]);
        scene.show(210.0, |shown| {
            let racers = race(shown);
            assert_eq!(racers[0].way[..2], [1.0, 0.0]);
            assert_eq!(racers[0].says[0], "1 of 6 at level 8 · 17 % of the way");
            assert_eq!(racers[1].says, ["level 3 · 7 % of the way to 6 at level 8", "level 3 · 7 %", "7 %"]);
            let of = |look: fn(&Racer) -> bool| racers.iter().map(look).collect::<Vec<_>>();
            assert_eq!(of(|one| one.leads), [true, false]);
            assert_eq!(of(|one| one.danger.is_some()), [false, true], "too few are left for its incantation");
            assert_eq!(of(|one| one.pulse > 0.8), [false, true]);
            assert!(!racers[0].out && racers[0].base.is_none());
        });
    }

    #[test]
    fn of_many_teams_no_value_is_left_out_under_the_pointer() {
        let mut lines: Vec<String> = (0..9).map(|n| format!("0 tna t{n}")).collect();
        lines.push("0 ppo #99 0 0 1".to_owned());
        lines.extend((0..9).map(|n| format!("5 pnw #{n} 1 1 1 {} t{n}", n % 8 + 1)));
        lines.push("60 ppo #99 0 0 1".to_owned());
        let all: Vec<&str> = ["0 msz 9 9"].into_iter().chain(lines.iter().map(String::as_str)).collect();
        ToldMatch::told(&all).show(60.0, |shown| {
            let says = "t7 17 %, t6 14 %, t5 12 %, t4 10 %, the other 5 at most 7 %";
            assert!(hover(shown, 60).ends_with(says), "{}", hover(shown, 60));
        });
    }
}
