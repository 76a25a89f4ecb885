//! The help overlay: every key, what the mouse does, what the marks mean, the rules in three sentences. And three small
//! pictures of what leads to victory, for newcomers.
//!
//! Tested in `tests.rs`.

use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;

use super::Ui;
use crate::draw as marks;
use crate::keymap::bindings;
use crate::view::{Choice, Panel};
use zappy_observer::ink::{Anchor, Color, Point, Rect, Style};
use zappy_observer::map_screen::opening::OpeningStep;
use zappy_observer::panels::help::{self, Block, HelpMark, drawn, timeline};
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::{kit, race};
use zappy_observer::theme::{self, TeamLook, TeamShape};
use zappy_observer::torus::cross;

/// The rules in three sentences, for a first look.
pub const RULES: [&str; 3] = [
    "Players search the map for food, without which they die, and for stones.",
    "With the right stones and partners on a tile they hold an incantation, and each of them rises a level.",
    "The first team with 6 living players at level 8 wins.",
];

/// The colour of the team in the examples.
const TEAM: Color = theme::TEAM_COLORS[0];

/// The timeline's marks, each as it is drawn there, with what it means.
fn signs() -> Vec<(HelpMark<Choice>, &'static str)> {
    let incantation = drawn(move |ui, at, r| {
        let line = timeline(ui, at, r, theme::PANEL_LINE);
        ui.canvas.rect(Rect::new(at.x - 1.0, line.y - 1.0 - r * 1.3, 2.0, r * 1.3), TEAM);
    });
    let failure = drawn(|ui, at, r| {
        let line = timeline(ui, at, r, theme::PANEL_LINE);
        cross(ui.canvas, Point::new(at.x, line.y - 4.5), 2.2, 1.5, theme::BAD);
    });
    let death = drawn(|ui, at, r| {
        let line = timeline(ui, at, r, theme::PANEL_LINE);
        ui.canvas.rect(Rect::new(at.x - 1.0, line.bottom() + 1.0, 2.0, 4.0), theme::TEXT_SOFT);
    });
    let lead = drawn(move |ui, at, r| {
        timeline(ui, at, r, TEAM);
    });
    let note = drawn(move |ui, centre, _| {
        let at = |x: f32, y: f32| centre + Point::new(x, y);
        ui.canvas.triangle(at(-4.0, -3.0), at(4.0, -3.0), at(0.0, 5.0), TEAM);
    });
    vec![
        (incantation, "an incantation; the higher, the higher its level"),
        (failure, "an incantation that failed"),
        (death, "deaths, below the line"),
        (lead, "who leads, by the team’s colour"),
        (note, "what a bot noted"),
        (drawn(|ui, at, r| ui.canvas.star(at, r * 1.2, 5, 0.45, 0.0, theme::ACCENT)), "the end"),
    ]
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, window: Rect) {
    let mut blocks = help::keys(&bindings());
    blocks.push(Block { title: "On the timeline", entries: signs() });
    blocks.push(Block { title: "Race and scoreboard", entries: scoreboard() });
    blocks.push(help::mouse(Some("follow a player")));
    let stone =
        |stone: Resource| (drawn(move |ui, at, r| marks::resource(ui.canvas, at, r, stone)), stone.name());
    let mut legend: Vec<_> = Resource::ALL.into_iter().map(stone).collect();
    legend.push((drawn(|ui, at, r| marks::egg(ui.canvas, at, r, None)), "egg: room for one more player"));
    let player = "player: shape and colour are its team’s, the number its level, the beak its direction; hungry ones pale";
    let token = drawn(|ui, at, r| {
        let look = TeamLook { shape: TeamShape::Square, ..TeamLook::NEUTRAL };
        let beak = |x: f32, y: f32| at + Point::new(x * r, y * r);
        ui.canvas.triangle(beak(-0.5, -0.7), beak(0.5, -0.7), beak(0.0, -1.5), look.color);
        emblem(ui.canvas, at, r, look);
        ui.canvas.text(at, Anchor::Centre, "3", Style::strong((r * 1.5).round(), theme::NIGHT));
    });
    legend.push((token, player));
    legend.push((HelpMark::None, "rim, crown, halo, gold: from level 2, 4, 6, 8"));
    let ring = drawn(move |ui, at, r| ui.canvas.ring(at, r * 0.9, 1.5, TEAM));
    legend.push((ring, "ring: an incantation; in pieces: it lacks something"));
    blocks.push(Block { title: "On the map", entries: legend });
    blocks.push(Block { title: "The rules", entries: RULES.map(|words| (HelpMark::None, words)).into() });
    help::draw(ui, rect, window, &blocks, Choice::Toggle(Panel::Help).into());
}

/// The marks of the race and the scoreboard, with what each means.
fn scoreboard() -> Vec<(HelpMark<Choice>, &'static str)> {
    let places = move |ui: &mut Ui<'_>, at: Point, r: f32| {
        let left = Rect::around(at - Point::new(r * 0.7, 0.0), r * 1.1, 4.0);
        ui.canvas.round_rect(left, 2.0, TEAM);
        ui.canvas.round_rect(left.moved(Point::new(r * 1.4, 0.0)), 2.0, theme::PANEL_LINE);
    };
    vec![
        (drawn(|ui, at, r| kit::crown(ui.canvas, at, r)), "crown: leads"),
        (drawn(places), "the race: the best six, filled by level"),
        (drawn(|ui, at, _| race::sign(ui.canvas, at)), "it loses something soon"),
        (drawn(|ui, at, r| marks::resource(ui.canvas, at, r, Resource::Food)), "food: in the players’ hands"),
    ]
}

/// What leads to victory: pictures with their words.
pub const STEPS: [OpeningStep; 3] = [
    (
        // Stones of all kinds, and food in their middle.
        |canvas, at, r| {
            for (nth, stone) in (0_u8..).zip(&Resource::ALL[1..]) {
                let turn = f32::from(nth) / 6.0 * std::f32::consts::TAU;
                let centre = at + Point::new(turn.sin(), -turn.cos()) * (r * 0.74);
                canvas.polygon(centre, r * 0.26, 6, 0.0, 0.0, marks::resource_color(*stone));
            }
            canvas.circle(at, r * 0.3, marks::resource_color(Resource::Food));
        },
        "gather stones and food",
    ),
    (
        // Players in a ring of light.
        |canvas, at, r| {
            canvas.glow(at, r * 1.2, theme::ACCENT.alpha(0.5));
            canvas.ring(at, r, r * 0.1, theme::ACCENT);
            for turn in [0.0, 1.0, 2.0, 3.0].map(|quarter: f32| (quarter + 0.5) / 4.0 * std::f32::consts::TAU)
            {
                canvas.circle(at + Point::new(turn.sin(), turn.cos()) * (r * 0.48), r * 0.24, theme::TEXT);
            }
        },
        "stand together to rise a level",
    ),
    (
        // A star, and below it a pip for each player that a team needs to win.
        |canvas, at, r| {
            canvas.star(at - Point::new(0.0, r * 0.3), r * 0.72, 5, 0.45, 0.0, theme::ACCENT);
            for pip in 0..WINNING_PLAYERS {
                let x = (pip as f32 - (WINNING_PLAYERS - 1) as f32 / 2.0) * r * 0.36;
                let place = Rect::around(at + Point::new(x, r * 0.72), r * 0.28, r * 0.3);
                canvas.round_rect(place, r * 0.08, theme::GOOD);
            }
        },
        "six at level 8 win",
    ),
];
