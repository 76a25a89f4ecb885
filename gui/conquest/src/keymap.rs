//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! Tested in this module.

use super::state::Topic;
use super::view::{Choice, ConquestChoice};
use zappy_observer::app::action::{Control, Direction, Panel, UserAction};
use zappy_observer::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use zappy_observer::input::Keycap;

/// Ticks of a step ahead or back: a twentieth of the time for which a turn is shown.
pub const STEP: i64 = 50;

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let (t, s) = (BindingGroup::Time, BindingGroup::Selection);
    let turns = |by: i64| Choice::Own(ConquestChoice::Turns(by));
    let lost = |direction: Direction| Choice::Own(ConquestChoice::Lost(direction));
    let steps = vec![
        plain(t, Keycap::Comma, ", .", "a step back, ahead", Control::Step(-STEP)),
        plain(t, Keycap::Period, "", "", Control::Step(STEP)),
        shifted(t, Keycap::Comma, "Shift , .", "turn before, next", turns(-1)),
        shifted(t, Keycap::Period, "", "", turns(1)),
        plain(t, Keycap::PageUp, "PgUp PgDn", "10 turns back, ahead", turns(-10)),
        plain(t, Keycap::PageDown, "", "", turns(10)),
    ];
    let moments = vec![
        shifted(t, Keycap::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(t, Keycap::N, "", "", Choice::KeyMoment(Next)),
    ];
    let selection = vec![
        shifted(s, Keycap::Tab, "Shift Tab, Tab", "unit before, next", Choice::SelectNext(Previous)),
        plain(s, Keycap::Tab, "", "", Choice::SelectNext(Next)),
        plain(s, Keycap::D, "D", "dialogue (records)", Choice::Toggle(Panel::Dialogue)),
        shifted(s, Keycap::U, "Shift U, U", "lost order before, next", lost(Previous)),
        plain(s, Keycap::U, "", "", lost(Next)),
        shifted(s, Keycap::PageUp, "Shift PgUp PgDn", "older, newer lines of it", Choice::DialogueMove(10)),
        shifted(s, Keycap::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(s, Keycap::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ];
    let world = keymap::map(Vec::new());
    let hint = "one faction’s, the next one’s, all";
    let next = plain(BindingGroup::Feed, Keycap::G, "G", hint, Choice::Own(ConquestChoice::CycleFaction));
    let feed = keymap::feed(vec![next], "1 … 5", Topic::ALL.map(ConquestChoice::ToggleTopic));
    let window = keymap::window(keymap::panels());
    let (time, cursor) = (keymap::time(steps, moments), keymap::cursor());
    let mut server = keymap::server();
    // A tick of conquest is a millisecond: there is no tick rate to ask the server for.
    server.retain(|key| !matches!(key.action, UserAction::Control(Control::ServerRate(_))));
    [time, world, cursor, selection, feed, window, server].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_does_two_things() {
        let mut seen = BTreeSet::new();
        for binding in bindings() {
            assert!(seen.insert((binding.key, binding.shift, binding.ctrl)), "{binding:?}");
        }
    }

    #[test]
    fn no_key_asks_for_what_a_server_of_conquest_doesnt_know() {
        let asks =
            |binding: &Binding<Choice>| matches!(binding.action, UserAction::Control(Control::ServerRate(_)));
        assert!(!bindings().iter().any(asks));
        assert!(bindings().iter().any(|binding| binding.action == Control::Retry.into()));
    }
}
