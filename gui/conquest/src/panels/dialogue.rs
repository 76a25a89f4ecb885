//! What the selected faction and the server said to each other: its orders, what was answered, what became of them.

use zappy_protocol::record::dialogue::Spoken;

use super::super::view::Shown;
use super::Ui;
use zappy_observer::app::origin::Origin;
use zappy_observer::ink::Rect;
use zappy_observer::panels::dialogue::{self, Says};

/// Whether a line says that an order was refused, doubted or lost.
fn refused(line: &Spoken) -> bool {
    let text = &line.text;
    text.starts_with("ko ")
        || text.starts_with("maybe ")
        || text.strip_prefix("did ").is_some_and(|of| of.contains(" ko "))
}

pub fn draw(ui: &mut Ui<'_>, rect: Rect, shown: &Shown<'_>) {
    let chosen = shown.view.selection.and_then(|chosen| chosen.faction(&shown.state.mirror));
    let title = chosen.map_or("Dialogue with the server".to_owned(), |faction| {
        format!("Dialogue of {} with the server", shown.story.name(faction))
    });
    let says = Says {
        title: &title,
        spoken: shown.dialogue,
        behind: shown.view.dialogue_at,
        missing: match (shown.origin, chosen) {
            (Origin::Live { .. }, _) => "A server tells observers nothing of this; records hold it.",
            (_, Some(_)) => "Nothing was said up to this moment.",
            _ => "Select a faction, or something of it, to read what it ordered and what became of it.",
        },
        when: &|tick| format!("T {}", shown.story.turn(tick)),
        refused,
        switch: None,
    };
    dialogue::draw(ui, rect, says);
}
