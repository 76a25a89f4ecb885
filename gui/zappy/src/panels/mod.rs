//! Everything around the world, as ink: how far each team is, what happens, time, and what is selected.
//!
//! Each panel is a view-model, computed from [`Shown`] and tested by itself, and a drawing of it. Must never keep
//! anything between frames, and never change anything: what can be clicked comes back as hits. Tested in
//! `tests.rs` and in the modules.

pub mod card;
pub mod charts;
mod closing;
pub mod feed;
mod help;
pub mod inspector;
pub mod needs;
pub mod now;
pub mod scoreboard;
mod stand;
pub mod track;
pub mod words;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use stand::free;
pub use zappy_observer::panels::layout::Layout;

use zappy_protocol::text::clock;

use crate::view::{Choice, Shown, ZappyChoice, ZappyMap, inspected_player, known_until, span};
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::Rect;
use zappy_observer::map_screen::panels::Panels;
use zappy_observer::panels::dialogue::{self, Says};
use zappy_observer::panels::kit::{self, Label, number};
use zappy_observer::panels::start;
use zappy_observer::panels::transport::{self, Bar};

/// What the panels draw with.
pub type Ui<'a> = kit::Ui<'a, Choice>;

const ABOUT: &str = "Teams of programs search a world without edges for food and stones, rise level by level in common \
                     incantations, and win with six players at level 8. Here you watch them.";

pub const PANELS: Panels<ZappyMap> = Panels {
    // This screen is also shown while a server has named no game.
    about: |origin| if matches!(origin, Origin::Live { .. }) { start::ANY_GAME } else { ABOUT },
    world: crate::draw::world,
    minimap: crate::draw::minimap,
    over: card::draw,
    headline: now::now,
    unit: "",
    scoreboard: scoreboard::draw,
    rows: scoreboard::ROWS,
    feed: feed::draw,
    inspector: inspector::draw,
    inspector_height: inspector::height,
    charts: charts::draw,
    dialogue,
    transport: |ui, rect, shown| {
        let name = |tick| clock(tick, shown.story.chronicle.rate());
        let finish = shown.story.chronicle.finish.as_ref();
        let bar = Bar {
            range: span(shown),
            last: (!shown.view.own.unspoiled).then_some(shown.range.1),
            ended: finish.is_some_and(|finish| finish.tick <= known_until(shown)),
            ..shown.bar(&name)
        };
        transport::draw(ui, rect, &bar, &track::MatchMarks(shown));
    },
    race: scoreboard::race,
    steps: &help::STEPS,
    help: help::draw,
    closing: closing::draw,
};

/// What the inspected player and the server said to each other up to the tick shown.
fn dialogue(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let label = Label { words: "Broadcasts", key: "B", hint: "What others say to everybody" };
    let says = Says {
        speaker: inspected_player(shown.view).map(|player| player.to_string()),
        origin: shown.origin,
        spoken: shown.dialogue,
        behind: shown.view.dialogue_at,
        missing: [
            "Nothing was said up to this tick, or the record has no dialogues.",
            "Select a player to read what it and the server say to each other.",
        ],
        when: &number,
        refused: |_| false,
        switch: Some((label, shown.view.own.heard, ZappyChoice::ToggleHeard)),
    };
    dialogue::draw(ui, rect, says);
}

/// The rectangles of what lies over the part of the world that the panels leave free.
pub fn covered(layout: &Layout, shown: &Shown<'_>) -> Vec<Rect> {
    let mut found: Vec<Rect> = vec![layout.status];
    if !shown.view.bare {
        found.extend(stand::standing(layout, shown).1.covers());
        if shown.view.film.is_none() {
            found.extend(kit::director_place(layout.world));
        }
    }
    found.retain(|rect| !rect.is_empty());
    found
}
