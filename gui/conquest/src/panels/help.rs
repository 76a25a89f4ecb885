//! The help overlay: every key, what the mouse does, what the marks mean, the rules in four sentences. And three small
//! pictures of what leads to victory, for newcomers. Tested in `tests/conquest/`.

use zappy_protocol::conquest::{Building, Stance, UnitType};

use super::super::keymap::bindings;
use super::super::pieces;
use super::super::view::{Choice, Panel};
use super::Ui;
use zappy_observer::ink::{Point, Rect};
use zappy_observer::map_screen::opening::OpeningStep;
use zappy_observer::panels::help::{self, Block, HelpMark, drawn, timeline};
use zappy_observer::panels::kit;
use zappy_observer::theme::{self, TEAM_COLORS, TeamLook, TeamShape};
use zappy_observer::torus::cross;

/// The rules, for a first look.
const RULES: [&str; 4] = [
    "In each turn every faction gives orders; they are carried out one faction after the other.",
    "Pioneers take land, workers earn gold, fighters fight, clerics heal and convert, sappers lay bombs.",
    "Land lets a faction have more units; units cost upkeep each turn.",
    "A faction is out when its base isn’t its own; the last one wins, or the best score at the last turn.",
];

/// The look of the faction in the examples.
const LOOK: TeamLook = TeamLook { color: TEAM_COLORS[1], shape: TeamShape::Square };

pub fn draw(ui: &mut Ui<'_>, rect: Rect, window: Rect) {
    let unit = |kind: UnitType, stance: Stance| {
        drawn(move |ui, at, r| {
            // The shield is drawn around the unit, which is smaller to leave room for it.
            let (at, r) =
                if stance == Stance::default() { (at, r) } else { (at + Point::new(0.0, r * 0.2), r * 0.76) };
            pieces::unit(ui.canvas, at, r, LOOK, (kind, Some(kind.numbers().health), stance));
        })
    };
    let mut blocks = help::keys(&bindings());
    blocks.push(help::mouse(None));
    let mut units: Vec<_> = UnitType::ALL.map(|kind| (unit(kind, Stance::default()), kind.name())).into();
    let shield = Stance { defended: true, ..Stance::default() };
    let halo = Stance { enlightened: true, ..Stance::default() };
    units.push((unit(UnitType::Fighter, shield), "an arc: it defends, the next hit is halved"));
    units.push((unit(UnitType::Cleric, halo), "a halo: enlightened, the next hit does nothing"));
    blocks.push(Block { title: "Units bear their faction’s mark", entries: units });
    let base = drawn(|ui, at, r| {
        let (at, r) = (at + Point::new(-r * 0.2, r * 0.3), r * 0.72);
        pieces::base(ui.canvas, at, r, Some(LOOK));
        pieces::flag(ui.canvas, at, r, LOOK);
    });
    let fort = drawn(|ui, at, r| pieces::fort(ui.canvas, at, r, LOOK.color));
    let building = |what| drawn(move |ui, at, r| pieces::building(ui.canvas, at, r, what));
    let tiles = vec![
        (base, "a base; with a flag and a name: the faction lives by it"),
        (fort, "a fort: it falls before the tile does"),
        (drawn(|ui, at, r| pieces::resource(ui.canvas, at, r)), "a resource"),
        (drawn(|ui, at, r| pieces::bomb(ui.canvas, at, r * 0.8, LOOK)), "a bomb, with its owner’s mark"),
        (drawn(|ui, at, r| pieces::forest(ui.canvas, at, r)), "forest"),
        (building(Building::Mill), "house, Mill, Sawmill, marKet, Bakery, Factory, bank $"),
        (building(Building::Camp(UnitType::Fighter)), "a camp"),
    ];
    blocks.push(Block { title: "Tiles, hatched by owner", entries: tiles });
    let leads = drawn(move |ui, at, r| {
        timeline(ui, at, r, LOOK.color);
    });
    let fall = drawn(|ui, at, r| {
        timeline(ui, at, r, theme::PANEL_LINE);
        ui.canvas.rect(Rect::new(at.x - 1.0, at.y + r * 0.4 + 2.5, 2.0, 4.0), theme::TEXT_SOFT);
    });
    let beaten = drawn(move |ui, at, r| {
        timeline(ui, at, r, theme::PANEL_LINE);
        cross(ui.canvas, at - Point::new(0.0, r * 0.5), 3.0, 1.5, LOOK.color);
    });
    let board = vec![
        (drawn(|ui, at, r| kit::crown(ui.canvas, at, r)), "crown: leads, its base is safe"),
        (leads, "bar at the top: its way to win; on the timeline: leads"),
        (fall, "below the timeline: units fall"),
        (beaten, "a cross above it: a faction is beaten"),
        (drawn(|ui, at, r| ui.canvas.star(at, r * 1.2, 5, 0.45, 0.0, theme::ACCENT)), "the end"),
    ];
    blocks.push(Block { title: "Scoreboard and timeline", entries: board });
    blocks.push(Block { title: "The rules", entries: RULES.map(|words| (HelpMark::None, words)).into() });
    help::draw(ui, rect, window, &blocks, Choice::Toggle(Panel::Help).into());
}

/// What leads to victory: pictures with their words.
pub const STEPS: [OpeningStep; 3] = [
    (
        // Tiles of one colour that grow into others.
        |canvas, at, r| {
            for (x, y) in (-1_i8..=1).flat_map(|y| (-1_i8..=1).map(move |x| (x, y))) {
                let color = if x + y <= 0 { theme::GOOD } else { theme::PANEL_LINE };
                let centre = at + Point::new(f32::from(x), f32::from(y)) * (r * 0.6);
                canvas.round_rect(Rect::around(centre, r * 0.54, r * 0.54), r * 0.08, color);
            }
        },
        "take land",
    ),
    (
        // A unit between two coins.
        |canvas, at, r| {
            canvas.polygon(at, r * 0.62, 4, 0.0, r * 0.1, theme::TEXT);
            for x in [-0.82, 0.82] {
                canvas.circle(at + Point::new(r * x, 0.0), r * 0.3, theme::ACCENT);
                canvas.ring(at + Point::new(r * x, 0.0), r * 0.2, r * 0.05, theme::NIGHT);
            }
        },
        "pay for your units",
    ),
    (
        // A base, and the enemies around it.
        |canvas, at, r| {
            canvas.star(at, r * 0.6, 5, 0.5, 0.0, theme::ACCENT);
            canvas.ring(at, r * 0.74, r * 0.07, theme::ACCENT);
            for turn in [0.12, 0.37, 0.62, 0.87_f32].map(|turn| turn * std::f32::consts::TAU) {
                let centre = at + Point::new(turn.sin(), turn.cos()) * r;
                canvas.polygon(centre, r * 0.22, 3, 0.0, 0.0, theme::BAD);
            }
        },
        "take the other’s base",
    ),
];
