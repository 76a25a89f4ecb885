//! Everything around the world of conquest, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as hits. Tested
//! in `tests/conquest/`.

mod charts;
mod closing;
mod dialogue;
pub mod feed;
mod help;
mod inspector;
pub mod race;
pub mod scoreboard;
mod steps;
mod time;

use super::view::Choice;
use super::{ConquestMap, draw};
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::panels::kit;

/// What the panels draw with.
pub type Ui<'a> = kit::Ui<'a, Choice>;

const ABOUT: &str = "Factions take the land of a world without edges turn by turn: they build units, conquer, fight and \
                     lay bombs, and are out when their base falls. Here you watch them.";

pub const PANELS: Panels<ConquestMap> = Panels {
    about: |_| ABOUT,
    world: draw::world,
    minimap: draw::minimap,
    over: |_, _, _| {},
    headline: time::headline,
    unit: "turns",
    scoreboard: scoreboard::draw,
    rows: scoreboard::DENSITY,
    feed: feed::draw,
    inspector: inspector::draw,
    inspector_height: inspector::height,
    charts: charts::draw,
    dialogue: dialogue::draw,
    transport: time::draw_transport,
    race: race::race,
    steps: [
        (steps::expand, "take land"),
        (steps::feed, "pay for your units"),
        (steps::take, "take the other’s base"),
    ],
    help: help::draw,
    closing_size: closing::size,
    closing: closing::draw,
};
