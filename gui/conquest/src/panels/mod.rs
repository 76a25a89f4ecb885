//! Everything around the world of conquest, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as hits. Tested
//! in `tests/conquest/`.

mod closing;
pub mod feed;
mod help;
mod inspector;
pub mod race;
pub mod scoreboard;
mod time;

use zappy_protocol::record::dialogue::Spoken;

use super::view::{Choice, Shown};
use super::{ConquestMap, draw};
use zappy_observer::ink::Rect;
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::panels::dialogue::{self, Says};
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
    charts: scoreboard::draw_charts,
    dialogue,
    transport: time::draw_transport,
    race: race::race,
    steps: [
        (help::expand, "take land"),
        (help::feed, "pay for your units"),
        (help::take, "take the other’s base"),
    ],
    help: help::draw,
    closing_size: closing::size,
    closing: closing::draw,
};

/// What the selected faction and the server said to each other: its orders, what was answered, what became of them.
fn dialogue(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let chosen = shown.view.selection.and_then(|chosen| chosen.faction(&shown.state.mirror));
    let says = Says {
        speaker: chosen.map(|faction| shown.story.name(faction).to_owned()),
        origin: shown.origin,
        spoken: shown.dialogue,
        behind: shown.view.dialogue_at,
        missing: [
            "Nothing was said up to this moment.",
            "Select a faction, or something of it, to read what it ordered and what became of it.",
        ],
        when: &|tick| format!("T {}", shown.story.turn(tick)),
        refused: is_refused,
        switch: None,
    };
    dialogue::draw(ui, rect, says);
}

/// Whether a line says that an order was refused, doubted or lost.
fn is_refused(line: &Spoken) -> bool {
    let text = &line.text;
    text.starts_with("ko ")
        || text.starts_with("maybe ")
        || text.strip_prefix("did ").is_some_and(|outcome| outcome.contains(" ko "))
}
