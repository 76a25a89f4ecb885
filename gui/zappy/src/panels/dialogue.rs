//! What the inspected player and the server said to each other.
//!
//! Must never show a line that was said after the view's tick. Tested in `tests.rs`.

use super::Ui;
use crate::action::{Selection, ZappyChoice};
use crate::shown::Shown;
use crate::view::inspected;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::Rect;
use zappy_observer::panels::dialogue::{self, Says};
use zappy_observer::panels::kit::{Label, number};

/// Why there is nothing to read, if so.
fn missing(shown: &Shown<'_>) -> &'static str {
    match (shown.origin, inspected(shown.view)) {
        (Origin::Live { .. }, _) => "A server tells observers nothing of this; records hold it.",
        (_, Some(Selection::Player(_))) => {
            "Nothing was said up to this tick, or the record has no dialogues."
        }
        _ => "Select a player to read what it and the server say to each other.",
    }
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let title = match inspected(shown.view) {
        Some(Selection::Player(player)) => format!("Dialogue of {player} with the server"),
        _ => "Dialogue with the server".to_owned(),
    };
    let label = Label { words: "Broadcasts", key: "B", hint: "What others say to everybody" };
    let says = Says {
        title: &title,
        spoken: shown.dialogue,
        behind: shown.view.dialogue_at,
        missing: missing(shown),
        when: &number,
        refused: |_| false,
        switch: Some((label, shown.view.own.heard, ZappyChoice::ToggleHeard)),
    };
    dialogue::draw(ui, rect, says);
}
