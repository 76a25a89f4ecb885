//! Which teams play, which one leads, and how far each is from winning.
//!
//! Rows stand in the order of rank; with more teams they become lower, and at last the lowest ranks are only counted.
//! Must never name a leader while the first are even. Tested in this module and in `tests.rs`.

use zappy_protocol::Tick;
use zappy_protocol::text::clock;
use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;
use zappy_protocol::zappy::story::{Strength, TeamIndex, strengths};

use super::{Ui, words};
use crate::draw as marks;
use crate::view::{Choice, Shown, ZappyChoice};
use zappy_observer::ink::{Anchor, Face, Point, Rect, Style};
use zappy_observer::panels::kit::{self, count, number};
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::ranks::{self, Rows};
use zappy_observer::theme::{self, TeamLook, gap, size};

/// Heights of a row, from the roomiest to the tightest, in points.
const ROWS: [f32; 3] = [48.0, 23.0, 18.0];
pub const DENSITY: Rows = Rows(&ROWS);

#[derive(Debug, Clone, PartialEq)]
pub struct TeamRow {
    pub team: TeamIndex,
    pub name: String,
    pub look: TeamLook,
    /// Its players, eggs and food.
    pub strength: Strength,
    pub leads: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// The teams, the best first.
    pub rows: Vec<TeamRow>,
    /// Since when the first leads; nothing while the first are even.
    pub since: Option<Tick>,
}

/// What the scoreboard says at the view's moment.
pub fn board(shown: &Shown<'_>) -> Board {
    let lead = shown.story.chronicle.lead(shown.tick());
    let leader = lead.and_then(|lead| lead.team);
    let strengths = strengths(shown.state.mirror(), &shown.story.roster);
    let row = |(place, strength): (usize, Strength)| {
        let team = TeamIndex(place);
        let name = shown.story.roster.name(team).to_owned();
        TeamRow { team, name, look: shown.look(Some(team)), strength, leads: leader == Some(team) }
    };
    let mut rows: Vec<TeamRow> = strengths.into_iter().enumerate().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.strength.rank()));
    Board { rows, since: lead.filter(|lead| lead.team.is_some()).map(|lead| lead.since) }
}

/// The place of a team's row, the first is 0.
pub fn rank(shown: &Shown<'_>, team: TeamIndex) -> Option<usize> {
    board(shown).rows.iter().position(|row| row.team == team)
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let board = board(shown);
    let rules = [
        format!("{WINNING_PLAYERS} players of a team at level 8 win"),
        format!("{WINNING_PLAYERS} at level 8 win"),
    ];
    let (head, rest) = ranks::draw_head(ui, rect, "Teams", &rules);
    // Since when a team leads, at the right of the head.
    let soft = Style::regular(size::SMALL, theme::TEXT_SOFT);
    let states = match board.since.map(|since| clock(since, shown.story.chronicle.rate())) {
        Some(since) => [format!("leads since {since}"), format!("since {since}")],
        None if board.rows.len() > 1 => ["nobody leads", "even"].map(str::to_owned),
        None => Default::default(),
    };
    let state = kit::fitting(ui.canvas, &states, soft, head.w * 0.6);
    if board.since.is_some() {
        let wide = ui.canvas.measure(state, Face::Regular, size::SMALL);
        kit::crown(ui.canvas, Point::new(head.right() - wide - 11.0, head.y + 6.5), 6.0);
    }
    let at = Point::new(head.right(), head.y);
    kit::text(ui.canvas, at, Anchor::TopRight, head.w * 0.6, state, soft);
    let rows = (&board.rows[..], ("more team", "more teams"));
    ranks::draw(ui, (rect, rest), (DENSITY, shown.view.board_at), rows, |ui, place, row| {
        draw_row(ui, place, row, shown);
    });
    if board.rows.is_empty() {
        kit::line(ui.canvas, rest, "Nobody plays yet", Style::regular(size::BODY, theme::TEXT_SOFT));
    }
}

fn draw_row(ui: &mut Ui<'_>, place: Rect, row: &TeamRow, shown: &Shown<'_>) {
    let chosen = shown.view.own.filter.team == Some(row.team);
    let action = Choice::Own(ZappyChoice::FilterTeam((!chosen).then_some(row.team)));
    let hint = if chosen { "Show events of all teams" } else { "Show only this team’s events" };
    kit::row(ui, place.inset_xy(-6.0, 1.0), chosen, action, hint);
    if place.h >= ROWS[0] {
        let (head, rest) = place.inset_xy(0.0, 3.0).cut_top(24.0);
        draw_name(ui, head, row, 7.0, &best(&row.strength));
        // Players alive, eggs, food in hand.
        let style = Style::regular(size::SMALL, theme::TEXT_SOFT);
        let (y, step) = (rest.centre().y, rest.w / 3.0);
        let place_at = |nth: f32| Point::new(rest.x + step * nth, y);
        let alive = format!("{} alive", number(row.strength.alive()));
        kit::text(ui.canvas, place_at(0.0), Anchor::Left, step - 2.0, &alive, style);
        let at = place_at(1.0);
        marks::egg(ui.canvas, at + Point::new(6.0, 0.0), 5.0, Some(row.look));
        let eggs = count(row.strength.eggs, "egg", "eggs");
        kit::text(ui.canvas, at + Point::new(15.0, 0.0), Anchor::Left, step - 16.0, &eggs, style);
        let at = place_at(2.0);
        marks::resource(ui.canvas, at + Point::new(6.0, 0.0), 5.0, Resource::Food);
        let food = format!("{} food", number(row.strength.food));
        kit::text(ui.canvas, at + Point::new(15.0, 0.0), Anchor::Left, step - 15.0, &food, style);
    } else {
        // How far it is before how many it has: where there isn't room for both, that is what counts.
        let few = match row.strength.alive() {
            0 => "no players".to_owned(),
            alive => format!("{} · {alive} alive", best(&row.strength)),
        };
        draw_name(ui, place, row, 6.0, &few);
    }
}

/// How many are at the highest level that one of them has.
fn best(strength: &Strength) -> String {
    let high = strength.highest();
    let there = strength.levels.get(usize::from(high).wrapping_sub(1));
    there.map(|there| format!("{there} at level {high}")).unwrap_or_default()
}

/// Mark, crown, name, and a few words.
fn draw_name(ui: &mut Ui<'_>, place: Rect, row: &TeamRow, r: f32, few: &str) {
    let middle = place.centre().y;
    emblem(ui.canvas, Point::new(place.x + r, middle), r, row.look);
    let mut from = place.x + 2.0 * r + gap::BODY;
    let mut to = place.right();
    let name_size = if place.h < 24.0 { size::BODY } else { size::LARGE };
    let crown = if row.leads { 19.0 } else { 0.0 };
    let name = ui.canvas.measure(&row.name, Face::Strong, name_size).min((to - from) * 0.5);
    let room = to - from - name - crown - gap::BODY;
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
    if row.leads {
        kit::crown(ui.canvas, Point::new(from + 6.0, middle), 6.5);
        from += 19.0;
    }
    let at = Point::new(from, middle);
    let style = Style::strong(name_size, row.look.color);
    let name = words::fitting_name(ui.canvas, &row.name, style, to - from);
    kit::text(ui.canvas, at, Anchor::Left, to - from, &name, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::ToldMatch;

    #[test]
    fn the_best_stand_first_and_the_leader_is_marked() {
        let scene = ToldMatch::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "6 pnw #1 1 1 1 3 blue",
            "7 pnw #2 1 1 1 1 red",
        ]);
        scene.show(7.0, |shown| {
            let board = board(shown);
            let names: Vec<_> = board.rows.iter().map(|row| (row.name.as_str(), row.leads)).collect();
            assert_eq!(names, [("blue", true), ("red", false)]);
            assert_eq!(board.since, Some(6));
        });
        scene.show(5.0, |shown| assert_eq!(board(shown).since, None, "no player has risen"));
    }

    #[test]
    fn nobody_leads_while_the_first_are_even() {
        let scene = ToldMatch::told(&[
            "0 msz 9 9",
            "0 tna red",
            "0 tna blue",
            "0 ppo #9 0 0 1",
            "5 pnw #0 1 1 1 1 red",
            "6 pnw #1 1 1 1 1 blue",
        ]);
        scene.show(7.0, |shown| {
            assert_eq!(board(shown).since, None);
            assert!(board(shown).rows.iter().all(|row| !row.leads));
        });
    }

    /// What is written in a scoreboard of that size.
    fn written(scene: &ToldMatch, tick: f64, (width, height): (f32, f32)) -> Vec<String> {
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
        let said = written(&ToldMatch::told(&lines), 9.0, (195.0, 112.0));
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
        let said = written(&ToldMatch::told(&all), 900.0, (280.0, 300.0));
        assert!(said.contains(&"7 at level 8".to_owned()), "{said:?}");
    }

    #[test]
    fn rows_grow_tighter_with_more_teams() {
        assert_eq!(DENSITY.density(2, 400.0), (ROWS[0], 2));
        assert_eq!(DENSITY.density(15, 400.0), (ROWS[1], 15));
        assert_eq!(DENSITY.density(20, 400.0), (ROWS[2], 20));
        assert_eq!(DENSITY.density(20, 200.0), (ROWS[2], 10));
        assert_eq!(DENSITY.density(20, -5.0), (ROWS[2], 1));
    }
}
