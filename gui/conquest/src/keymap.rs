//! Which key does what, as one table: the window obeys it and the help overlay shows it. And what the command line
//! chooses, in conquest's words.
//!
//! Tested in this module.

use crate::view::ConquestChoice;
use zappy_protocol::conquest::{FactionId, UnitId};

use super::topic::Topic;
use super::view::{Choice, Selection};
use zappy_observer::app::action::{Control, Direction, Panel, UserAction};
use zappy_observer::app::keymap::{self, Binding, BindingGroup, plain, shifted};
use zappy_observer::app::link::position;
use zappy_observer::input::Keycap;

/// Ticks of a step: a twentieth of a turn of the usual length.
pub const STEP: i64 = 50;

pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let (t, s) = (BindingGroup::Time, BindingGroup::Selection);
    let steps = vec![
        plain(t, Keycap::Comma, ", .", "a step back, ahead", Control::Step(-STEP)),
        plain(t, Keycap::Period, "", "", Control::Step(STEP)),
        shifted(t, Keycap::Comma, "Shift , .", "turn before, next", Choice::Own(ConquestChoice::Turns(-1))),
        shifted(t, Keycap::Period, "", "", Choice::Own(ConquestChoice::Turns(1))),
        plain(
            t,
            Keycap::PageUp,
            "PgUp PgDn",
            "10 turns back, ahead",
            Choice::Own(ConquestChoice::Turns(-10)),
        ),
        plain(t, Keycap::PageDown, "", "", Choice::Own(ConquestChoice::Turns(10))),
    ];
    let moments = vec![
        shifted(t, Keycap::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(t, Keycap::N, "", "", Choice::KeyMoment(Next)),
    ];
    let selection = vec![
        shifted(s, Keycap::Tab, "Shift Tab, Tab", "unit before, next", Choice::SelectNext(Previous)),
        plain(s, Keycap::Tab, "", "", Choice::SelectNext(Next)),
        plain(s, Keycap::D, "D", "dialogue (records)", Choice::Toggle(Panel::Dialogue)),
        shifted(
            s,
            Keycap::U,
            "Shift U, U",
            "lost order before, next",
            Choice::Own(ConquestChoice::Lost(Previous)),
        ),
        plain(s, Keycap::U, "", "", Choice::Own(ConquestChoice::Lost(Next))),
        shifted(s, Keycap::PageUp, "Shift PgUp PgDn", "older, newer lines of it", Choice::DialogueMove(10)),
        shifted(s, Keycap::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(s, Keycap::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ];
    let world = keymap::map(Vec::new());
    let says = "one faction’s, the next one’s, all";
    let next = plain(BindingGroup::Feed, Keycap::G, "G", says, Choice::Own(ConquestChoice::CycleFaction));
    let feed = keymap::feed(vec![next], "1 … 5", Topic::ALL.map(ConquestChoice::ToggleTopic));
    let window = keymap::window(keymap::panels());
    let (time, cursor) = (keymap::time(steps, moments), keymap::cursor());
    let mut server = keymap::server();
    // A tick of conquest is a millisecond: there is no frequency to ask for.
    server.retain(|key| !matches!(key.action, UserAction::Control(Control::ServerFaster(_))));
    [time, world, cursor, selection, feed, window, server].concat()
}

/// Reads `unit:N`, `city:X,Y`, `tile:X,Y` or `faction:N`; `None` of anything else.
pub fn selection(text: &str) -> Option<Selection> {
    let (what, which) = text.split_once(':')?;
    match what {
        "unit" => which.strip_prefix('#').unwrap_or(which).parse().ok().map(UnitId).map(Selection::Unit),
        "faction" => which.parse().ok().map(FactionId).map(Selection::Faction),
        "city" => position(which).map(Selection::City),
        "tile" => position(which).map(Selection::Tile),
        _ => None,
    }
}

/// The words by which a command line selects this.
pub fn named(selection: Selection) -> String {
    match selection {
        Selection::Unit(unit) => format!("unit:{}", unit.0),
        Selection::City(at) => format!("city:{},{}", at.x, at.y),
        Selection::Tile(at) => format!("tile:{},{}", at.x, at.y),
        Selection::Faction(faction) => format!("faction:{}", faction.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use zappy_protocol::Position;

    #[test]
    fn no_key_does_two_things() {
        let mut seen = BTreeSet::new();
        for binding in bindings() {
            assert!(seen.insert((binding.key, binding.shift, binding.ctrl)), "{binding:?}");
        }
    }

    #[test]
    fn no_key_asks_for_what_a_server_of_conquest_doesnt_know() {
        let asks = |binding: &Binding<Choice>| {
            matches!(binding.action, UserAction::Control(Control::ServerFaster(_)))
        };
        assert!(!bindings().iter().any(asks));
        assert!(bindings().iter().any(|binding| binding.action == Control::Retry.into()));
    }

    #[test]
    fn selections_are_read_in_words() {
        assert_eq!(selection("unit:#7"), Some(Selection::Unit(UnitId(7))));
        assert_eq!(selection("city:3,4"), Some(Selection::City(Position { x: 3, y: 4 })));
        assert_eq!(selection("faction:1"), Some(Selection::Faction(FactionId(1))));
        for one in ["unit:7", "city:3,4", "tile:0,9", "faction:1"] {
            assert_eq!(selection(one).map(named).as_deref(), Some(one));
        }
        for bad in ["", "unit", "unit:x", "tile:3", "egg:3"] {
            assert_eq!(selection(bad), None, "{bad}");
        }
    }
}
