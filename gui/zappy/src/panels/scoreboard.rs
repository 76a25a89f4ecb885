//! Which teams play, which one leads, and how far each is from winning: the scoreboard, the race, and what the timeline
//! says of a tick.
//!
//! Counts what the teams have, and estimates no chances. Rows are in the order of rank; with more teams they become
//! lower, and at last the lowest ranks are only counted. Must never name a leader while the first are even. Tested in
//! this module and in `tests.rs`.

use zappy_protocol::Tick;
use zappy_protocol::text::clock;
use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Strength, TeamIndex, What, strengths};

use super::{Ui, words};
use crate::draw as marks;
use crate::scene::card::{self, Card, CardState};
use crate::view::{Choice, Shown, ZappyChoice, known_until};
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::kit::{self, count, number};
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::race::{self, Racer};
use zappy_observer::panels::ranks::{self, Rows};
use zappy_observer::theme::{self, TeamLook, gap, size};

/// Heights of a row, from the roomiest to the tightest, in points.
const HEIGHTS: [f32; 3] = [48.0, 23.0, 18.0];
pub const ROWS: Rows = Rows(&HEIGHTS);

/// The teams with their players, eggs and food, the best first.
pub fn ranked(shown: &Shown<'_>) -> Vec<(TeamIndex, Strength)> {
    let strengths = strengths(shown.state.mirror(), &shown.story.roster);
    let mut teams: Vec<_> = (0..).map(TeamIndex).zip(strengths).collect();
    teams.sort_by_key(|(_, strength)| std::cmp::Reverse(strength.rank()));
    teams
}

/// The team that leads and since when; `None` while the first are even.
fn lead(shown: &Shown<'_>) -> Option<(TeamIndex, Tick)> {
    let lead = shown.story.chronicle.lead(shown.tick())?;
    Some((lead.team?, lead.since))
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let (teams, lead) = (ranked(shown), lead(shown));
    let rules = [
        format!("{WINNING_PLAYERS} players of a team at level 8 win"),
        format!("{WINNING_PLAYERS} at level 8 win"),
    ];
    let (head, rest) = ranks::draw_head(ui, rect, "Teams", &rules);
    // Since when a team leads, at the right of the head.
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let states = match lead.map(|(_, since)| clock(since, shown.story.chronicle.rate())) {
        Some(since) => [format!("leads since {since}"), format!("since {since}")],
        None if teams.len() > 1 => ["nobody leads", "even"].map(str::to_owned),
        None => Default::default(),
    };
    let state = kit::fitting(ui.canvas, &states, soft, head.w * 0.6);
    if lead.is_some() {
        let wide = ui.canvas.measure(state, Face::Regular, size::SMALL);
        kit::crown(ui.canvas, Point::new(head.right() - wide - 11.0, head.y + 6.5), 6.0);
    }
    let at = Point::new(head.right(), head.y);
    kit::text(ui.canvas, at, Anchor::TopRight, head.w * 0.6, state, soft);
    let rows = (&teams[..], ("more team", "more teams"));
    ranks::draw(ui, (rect, rest), (ROWS, shown.view.board_at), rows, |ui, place, (team, strength)| {
        let leads = lead.is_some_and(|(leader, _)| leader == *team);
        draw_row(ui, place, (*team, strength, leads), shown);
    });
    if teams.is_empty() {
        kit::line(ui.canvas, rest, "Nobody plays yet", Style::regular(size::BODY, theme::TEXT_SOFT));
    }
}

fn draw_row(
    ui: &mut Ui<'_>,
    place: Rect,
    (team, strength, leads): (TeamIndex, &Strength, bool),
    shown: &Shown<'_>,
) {
    let team_name = (shown.look(Some(team)), shown.story.roster.name(team), leads);
    let chosen = shown.view.own.filter.team == Some(team);
    let action = Choice::Own(ZappyChoice::FilterTeam((!chosen).then_some(team)));
    let hint = if chosen { "Show events of all teams" } else { "Show only this team’s events" };
    kit::row(ui, place.inset_xy(-6.0, 1.0), chosen, action, hint);
    if place.h >= HEIGHTS[0] {
        let (head, rest) = place.inset_xy(0.0, 3.0).cut_top(24.0);
        draw_name(ui, head, team_name, 7.0, &best(strength));
        // Players alive, eggs, food in hand.
        let style = Style::regular(size::SMALL, theme::TEXT_SOFT);
        let (y, step) = (rest.centre().y, rest.w / 3.0);
        let place_at = |nth: f32| Point::new(rest.x + step * nth, y);
        let alive = format!("{} alive", number(strength.alive()));
        kit::text(ui.canvas, place_at(0.0), Anchor::Left, step - 2.0, &alive, style);
        let at = place_at(1.0);
        marks::egg(ui.canvas, at + Point::new(6.0, 0.0), 5.0, Some(team_name.0));
        let eggs = count(strength.eggs, "egg", "eggs");
        kit::text(ui.canvas, at + Point::new(15.0, 0.0), Anchor::Left, step - 16.0, &eggs, style);
        let at = place_at(2.0);
        marks::resource(ui.canvas, at + Point::new(6.0, 0.0), 5.0, Resource::Food);
        let food = format!("{} food", number(strength.food));
        kit::text(ui.canvas, at + Point::new(15.0, 0.0), Anchor::Left, step - 15.0, &food, style);
    } else {
        // The best level comes before the number alive: without room for both, only the first is shown.
        let words = match strength.alive() {
            0 => "no players".to_owned(),
            alive => format!("{} · {alive} alive", best(strength)),
        };
        draw_name(ui, place, team_name, 6.0, &words);
    }
}

/// How many players are at the team's highest level: `2 at level 5`.
fn best(strength: &Strength) -> String {
    let high = strength.highest();
    let players = strength.levels.get(usize::from(high).wrapping_sub(1));
    players.map(|players| format!("{players} at level {high}")).unwrap_or_default()
}

/// Mark, crown, name, and a few words.
fn draw_name(ui: &mut Ui<'_>, place: Rect, (look, name, leads): (TeamLook, &str, bool), r: f32, few: &str) {
    let middle = place.centre().y;
    emblem(ui.canvas, Point::new(place.x + r, middle), r, look);
    let mut from = place.x + 2.0 * r + gap::BODY;
    let mut to = place.right();
    let name_size = if place.h < 24.0 { size::BODY } else { size::LARGE };
    let crown = if leads { 19.0 } else { 0.0 };
    let wide = ui.canvas.measure(name, Face::Strong, name_size).min((to - from) * 0.5);
    let room = to - from - wide - crown - gap::BODY;
    // Whole words or none: the first parts alone, where there is no room for all.
    let parts = [
        few,
        few.rsplit_once(" · ").map_or("", |(most, _)| most),
        few.split(" · ").next().unwrap_or_default(),
    ];
    let fits = |few: &&str| ui.canvas.measure(few, Face::Regular, size::SMALL) <= room;
    if let Some(few) = parts.into_iter().find(fits).filter(|few| !few.is_empty()) {
        let style = Style::regular(size::SMALL, theme::TEXT_FAINT);
        let drawn = ui.canvas.text(Point::new(to, middle), Anchor::Right, few, style);
        to -= drawn.w + gap::SMALL;
    }
    if leads {
        kit::crown(ui.canvas, Point::new(from + 6.0, middle), 6.5);
        from += 19.0;
    }
    let at = Point::new(from, middle);
    let style = Style::strong(name_size, look.color);
    let name = words::fitting_name(ui.canvas, name, style, to - from);
    kit::text(ui.canvas, at, Anchor::Left, to - from, &name, style);
}

/// Teams that `hover` names; of the others it says only how far the best is.
const NAMED_TEAMS: usize = 4;
/// Characters of a team's name at most.
const NAME_LIMIT: usize = 24;
/// Happenings that are searched for a change: more than come within a second, except in the largest matches.
const CHANGE_BUDGET: usize = 256;

/// The teams in the race, each with how far its best six players have risen.
pub fn race(shown: &Shown<'_>) -> Vec<Racer> {
    let (roster, running) = (&shown.story.roster, card::running(shown));
    let leader = lead(shown).map(|(team, _)| team);
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
        let last = shown.state.recent.iter().rev().take(CHANGE_BUDGET).find(|one| change(&one.what));
        last.map_or(0.0, |one| race::pulse(shown.since(one.tick), shown.pace.rate))
    };
    let racer = |(number, strength): (usize, Strength)| {
        let (team, made) = (TeamIndex(number), percent(strength.progress()));
        let top = strength.at_top();
        let (standing, goal) = match strength.alive() {
            0 => ("no players".to_owned(), ""),
            _ if top > 0 => (format!("{top} of {WINNING_PLAYERS} at level 8"), ""),
            _ => (format!("level {}", strength.highest()), " to 6 at level 8"),
        };
        Racer {
            name: words::short_name(roster.name(team), NAME_LIMIT),
            look: shown.look(Some(team)),
            way: strength.levels_risen().map(|levels| f32::from(levels) / 7.0).to_vec(),
            says: vec![format!("{standing} · {made} of the way{goal}"), format!("{standing} · {made}"), made],
            base: None,
            leads: leader == Some(team),
            danger: doomed(team).then_some("incantation about to fail"),
            pulse: changed(team),
            out: strength.alive() == 0 && strength.eggs == 0,
        }
    };
    strengths(shown.state.mirror(), roster).into_iter().enumerate().map(racer).collect()
}

/// A share in thousandths as a percentage: `43 %`.
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
    let mut named: Vec<String> = teams.iter().take(NAMED_TEAMS).map(said).collect();
    // Teams are in the order of their progress: the first of the others is the best of them.
    if let Some((most, _)) = teams.get(NAMED_TEAMS) {
        named.push(format!("the other {} at most {}", teams.len() - NAMED_TEAMS, percent(*most)));
    }
    format!("on the way to {WINNING_PLAYERS} at level 8: {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ScriptedMatch;

    #[test]
    fn the_best_stand_first_and_the_leader_is_marked() {
        let scene = ScriptedMatch::of(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "6 pnw #1 1 1 1 3 blue",
            "7 pnw #2 1 1 1 1 red",
        ]);
        scene.show(7.0, |shown| {
            let teams: Vec<TeamIndex> = ranked(shown).into_iter().map(|(team, _)| team).collect();
            assert_eq!(teams, [TeamIndex(1), TeamIndex(0)]);
            assert_eq!(lead(shown), Some((TeamIndex(1), 6)));
        });
        scene.show(5.0, |shown| assert_eq!(lead(shown), None, "no player has risen"));
    }

    #[test]
    fn nobody_leads_while_the_first_are_even() {
        let scene = ScriptedMatch::of(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "6 pnw #1 1 1 1 1 blue",
        ]);
        scene.show(7.0, |shown| assert_eq!(lead(shown), None));
    }

    /// What is written in a scoreboard of that size.
    fn written(scene: &ScriptedMatch, tick: f64, (width, height): (f32, f32)) -> Vec<String> {
        scene.show(tick, |shown| {
            let mut canvas = zappy_observer::ink::Canvas::new();
            canvas.begin(width, height, 1.0);
            canvas.watch_text(true);
            let mut hits = zappy_observer::panels::Hits::default();
            let mut ui = Ui { canvas: &mut canvas, hits: &mut hits, mouse: None };
            draw(&mut ui, Rect::new(0.0, 0.0, width, height), shown);
            canvas.runs().iter().map(|run| run.text.clone()).collect()
        })
    }

    #[test]
    fn also_the_leader_tells_its_best_level_where_rows_are_low() {
        let lines = [
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 4 blue",
            "6 pnw #1 1 1 1 2 red",
        ];
        let said = written(&ScriptedMatch::of(&lines), 9.0, (195.0, 112.0));
        for best in ["1 at level 4", "1 at level 2"] {
            assert!(said.iter().any(|text| text.starts_with(best)), "{best}: {said:?}");
        }
    }

    #[test]
    fn more_at_the_top_than_win_are_all_counted() {
        let mut lines: Vec<String> = (0..7).map(|n| format!("5 pnw #{n} 1 1 1 8 red")).collect();
        lines.push("800 seg red".to_owned());
        let before = ["0 msz 9 9", "0 tna red", "0 ppo #9 0 0 1"];
        let all: Vec<&str> = before.into_iter().chain(lines.iter().map(String::as_str)).collect();
        let said = written(&ScriptedMatch::of(&all), 900.0, (280.0, 300.0));
        assert!(said.contains(&"7 at level 8".to_owned()), "{said:?}");
    }

    #[test]
    fn rows_grow_tighter_with_more_teams() {
        assert_eq!(ROWS.density(2, 400.0), (HEIGHTS[0], 2));
        assert_eq!(ROWS.density(15, 400.0), (HEIGHTS[1], 15));
        assert_eq!(ROWS.density(20, 400.0), (HEIGHTS[2], 20));
        assert_eq!(ROWS.density(20, 200.0), (HEIGHTS[2], 10));
        assert_eq!(ROWS.density(20, -5.0), (HEIGHTS[2], 1));
    }

    #[test]
    fn the_pointer_reads_it_and_nothing_of_later_where_that_is_hidden() {
        let mut scene = ScriptedMatch::of(&[
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
        let scene = ScriptedMatch::of(&[
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
        ScriptedMatch::of(&all).show(60.0, |shown| {
            let says = "t7 17 %, t6 14 %, t5 12 %, t4 10 %, the other 5 at most 7 %";
            assert!(hover(shown, 60).ends_with(says), "{}", hover(shown, 60));
        });
    }
}
