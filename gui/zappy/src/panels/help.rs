//! Every key, what the mouse does, what the marks mean, and the rules in three sentences.
//!
//! Tested in `tests.rs`.

use zappy_protocol::zappy::Resource;

use super::Ui;
use crate::action::{Choice, Panel};
use crate::draw as marks;
use crate::keymap::{MOUSE, bindings};
use zappy_observer::ink::{Anchor, Point, Rect, Style};
use zappy_observer::panels::help::{self, Block, HelpMark};
use zappy_observer::panels::kit;
use zappy_observer::panels::marks::emblem;
use zappy_observer::panels::race;
use zappy_observer::theme::{self, TeamLook, TeamShape};
use zappy_observer::torus::cross;

/// The rules in three sentences, for a first look.
pub const RULES: [&str; 3] = [
    "Players search the map for food, without which they die, and for stones.",
    "With the right stones and partners on a tile they hold an incantation, and each of them rises a level.",
    "The first team with 6 living players at level 8 wins.",
];

/// A mark of the timeline.
#[derive(Debug, Clone, Copy)]
enum Sign {
    Incantation,
    Failure,
    Death,
    Lead,
    Note,
    End,
}

/// What the timeline's marks say.
const SIGNS: [(Sign, &str); 6] = [
    (Sign::Incantation, "an incantation; the higher, the higher its level"),
    (Sign::Failure, "an incantation that failed"),
    (Sign::Death, "deaths, below the line"),
    (Sign::Lead, "who leads, by the team’s colour"),
    (Sign::Note, "what a bot noted"),
    (Sign::End, "the end"),
];

fn drawn(draw: impl Fn(&mut Ui<'_>, Point, f32) + 'static) -> HelpMark<Choice> {
    HelpMark::Drawn(Box::new(draw))
}

fn blocks() -> Vec<Block<Choice>> {
    let mut blocks = help::keys(&bindings());
    let sign = |(sign, words)| (drawn(move |ui, at, r| draw_sign(ui, at, r, sign)), words);
    blocks.push(Block { title: "On the timeline", entries: SIGNS.into_iter().map(sign).collect() });
    blocks.push(Block { title: "Race and scoreboard", entries: scoreboard() });
    let mouse = MOUSE.into_iter().map(|(keys, words)| (HelpMark::Key(keys), words));
    blocks.push(Block { title: "Mouse", entries: mouse.collect() });
    let stone =
        |stone: Resource| (drawn(move |ui, at, r| marks::resource(ui.canvas, at, r, stone)), stone.name());
    let mut legend: Vec<_> = Resource::ALL.into_iter().map(stone).collect();
    legend.push((drawn(|ui, at, r| marks::egg(ui.canvas, at, r, None)), "egg: room for one more player"));
    let player = "player: shape and colour are its team’s, the number its level, the beak its direction; hungry ones pale";
    let token = drawn(|ui, at, r| {
        let look = TeamLook { shape: TeamShape::Square, ..TeamLook::NOBODY };
        let beak = |x: f32, y: f32| at + Point::new(x * r, y * r);
        ui.canvas.triangle(beak(-0.5, -0.7), beak(0.5, -0.7), beak(0.0, -1.5), look.color);
        emblem(ui.canvas, at, r, look);
        ui.canvas.text(at, Anchor::Centre, "3", Style::strong((r * 1.5).round(), theme::NIGHT));
    });
    legend.push((token, player));
    legend.push((HelpMark::None, "rim, crown, halo, gold: from level 2, 4, 6, 8"));
    let team = theme::TEAM_COLORS[0];
    let ring = drawn(move |ui, at, r| ui.canvas.ring(at, r * 0.9, 1.5, team));
    legend.push((ring, "ring: an incantation; in pieces: it lacks something"));
    blocks.push(Block { title: "On the map", entries: legend });
    blocks.push(Block { title: "The rules", entries: RULES.map(|words| (HelpMark::None, words)).into() });
    blocks
}

/// What the marks of the scoreboard say.
fn scoreboard() -> Vec<(HelpMark<Choice>, &'static str)> {
    let team = theme::TEAM_COLORS[0];
    let places = move |ui: &mut Ui<'_>, at: Point, r: f32| {
        let left = Rect::around(at - Point::new(r * 0.7, 0.0), r * 1.1, 4.0);
        ui.canvas.round_rect(left, 2.0, team);
        ui.canvas.round_rect(left.moved(Point::new(r * 1.4, 0.0)), 2.0, theme::PANEL_LINE);
    };
    vec![
        (drawn(|ui, at, r| kit::crown(ui.canvas, at, r)), "crown: leads"),
        (drawn(places), "the race: the best six, filled by level"),
        (drawn(|ui, at, _| race::sign(ui.canvas, at)), "it loses something soon"),
        (drawn(|ui, at, r| marks::resource(ui.canvas, at, r, Resource::Food)), "food: in the players’ hands"),
    ]
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, window: Rect) {
    help::draw(ui, rect, window, &blocks(), Choice::Toggle(Panel::Help).into());
}

/// As it stands on the timeline, with a piece of the line below it.
fn draw_sign(ui: &mut Ui<'_>, centre: Point, r: f32, sign: Sign) {
    let team = theme::TEAM_COLORS[0];
    let line = Rect::around(centre + Point::new(0.0, r * 0.4), r * 2.2, 3.0);
    if matches!(sign, Sign::End) {
        return ui.canvas.star(centre, r * 1.2, 5, 0.45, 0.0, theme::ACCENT);
    }
    if matches!(sign, Sign::Note) {
        let at = |x: f32, y: f32| centre + Point::new(x, y);
        return ui.canvas.triangle(at(-4.0, -3.0), at(4.0, -3.0), at(0.0, 5.0), team);
    }
    let ink = if matches!(sign, Sign::Lead) { team } else { theme::PANEL_LINE };
    ui.canvas.round_rect(line, 1.5, ink);
    match sign {
        Sign::Incantation => {
            ui.canvas.rect(Rect::new(centre.x - 1.0, line.y - 1.0 - r * 1.3, 2.0, r * 1.3), team);
        }
        Sign::Failure => cross(ui.canvas, Point::new(centre.x, line.y - 4.5), 2.2, 1.5, theme::BAD),
        Sign::Death => {
            ui.canvas.rect(Rect::new(centre.x - 1.0, line.bottom() + 1.0, 2.0, 4.0), theme::TEXT_SOFT);
        }
        Sign::Lead | Sign::Note | Sign::End => {}
    }
}
