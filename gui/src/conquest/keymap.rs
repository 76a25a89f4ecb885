//! Which key does what, as one table: the window obeys it and the help overlay shows it. And what the command line
//! chooses, in conquest's words.
//!
//! Tested in this module.

use zappy_protocol::Position;
use zappy_protocol::conquest::{FactionId, UnitId};

use super::view::{Choice, Panel, Selection};
use super::words::Topic;
use crate::app::action::{Control, Direction};
use crate::app::keymap::{self, Binding, Group, plain, shifted};
use crate::ink::Point;
use crate::input::Key;

/// Points that an arrow key moves the view by.
const PAN: f32 = 60.0;
/// Factor of one zoom step.
const ZOOM: f32 = 1.25;
/// Ticks of a step: a twentieth of a turn of the usual length.
pub const STEP: i64 = 50;

/// What the mouse does, for the help overlay.
pub const MOUSE: [(&str, &str); 6] = [
    ("Click", "select; again: the next one on the tile"),
    ("Drag", "move the view; on the timeline: seek"),
    ("Wheel", "zoom about the cursor; over a list: scroll"),
    ("Right click", "clear the selection"),
    ("Click an event", "go to its place and moment"),
    ("Drop a file", "open a record"),
];

/// All keys.
pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let (t, w, s, f, p) = (Group::Time, Group::World, Group::Selection, Group::Feed, Group::Window);
    let pan = |x: f32, y: f32| Choice::Pan(Point { x: x * PAN, y: y * PAN });
    let steps = vec![
        plain(t, Key::Comma, ", .", "a step back, ahead", Control::Step(-STEP)),
        plain(t, Key::Period, "", "", Control::Step(STEP)),
        shifted(t, Key::Comma, "Shift , .", "turn before, next", Choice::Turn(Previous)),
        shifted(t, Key::Period, "", "", Choice::Turn(Next)),
        plain(t, Key::PageUp, "PgUp PgDn", "10 turns back, ahead", Choice::Turns(-10)),
        plain(t, Key::PageDown, "", "", Choice::Turns(10)),
    ];
    let moments = vec![
        shifted(t, Key::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(t, Key::N, "", "", Choice::KeyMoment(Next)),
    ];
    let world = vec![
        plain(w, Key::Left, "Arrows", "move the view", pan(-1.0, 0.0)),
        plain(w, Key::Right, "", "", pan(1.0, 0.0)),
        plain(w, Key::Up, "", "", pan(0.0, -1.0)),
        plain(w, Key::Down, "", "", pan(0.0, 1.0)),
        plain(w, Key::Plus, "+ -", "zoom in, out", Choice::Zoom(ZOOM, None)),
        plain(w, Key::Equal, "", "", Choice::Zoom(ZOOM, None)),
        shifted(w, Key::Equal, "", "", Choice::Zoom(ZOOM, None)),
        plain(w, Key::Minus, "", "", Choice::Zoom(1.0 / ZOOM, None)),
        plain(w, Key::Digit0, "0", "the whole map", Choice::Fit),
    ];
    let selection = vec![
        shifted(s, Key::Tab, "Shift Tab, Tab", "unit before, next", Choice::SelectUnit(Previous)),
        plain(s, Key::Tab, "", "", Choice::SelectUnit(Next)),
        shifted(s, Key::Left, "Shift arrows", "select the tile beside", Choice::MoveCursor(-1, 0)),
        shifted(s, Key::Right, "", "", Choice::MoveCursor(1, 0)),
        shifted(s, Key::Up, "", "", Choice::MoveCursor(0, -1)),
        shifted(s, Key::Down, "", "", Choice::MoveCursor(0, 1)),
        plain(s, Key::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ];
    let mut feed = vec![
        plain(f, Key::J, "J K", "older, newer entry", Choice::FeedMove(1)),
        plain(f, Key::K, "", "", Choice::FeedMove(-1)),
        plain(f, Key::O, "O", "go to its place and moment", Choice::FeedOpen),
        plain(f, Key::G, "G", "one faction’s, the next one’s, all", Choice::CycleFaction),
    ];
    let digits = [Key::Digit1, Key::Digit2, Key::Digit3, Key::Digit4, Key::Digit5];
    for (place, (key, topic)) in digits.into_iter().zip(Topic::ALL).enumerate() {
        let (keys, says) = if place == 0 { ("1 … 5", "kinds of events") } else { ("", "") };
        feed.push(plain(f, key, keys, says, Choice::ToggleTopic(topic)));
    }
    let panels = vec![
        plain(p, Key::H, "H  F1  ?", "this help", Choice::Toggle(Panel::Help)),
        plain(p, Key::F1, "", "", Choice::Toggle(Panel::Help)),
        shifted(p, Key::Slash, "", "", Choice::Toggle(Panel::Help)),
        plain(p, Key::S, "S", "scoreboard", Choice::Toggle(Panel::Scoreboard)),
        plain(p, Key::E, "E", "events", Choice::Toggle(Panel::Feed)),
        plain(p, Key::C, "C", "charts", Choice::Toggle(Panel::Charts)),
        plain(p, Key::M, "M", "minimap", Choice::Toggle(Panel::Minimap)),
        plain(p, Key::R, "R", "how it ended", Choice::Toggle(Panel::Closing)),
        plain(p, Key::X, "X", "the world alone", Choice::ToggleAll),
    ];
    [keymap::time(steps, moments), world, selection, feed, keymap::window(panels), keymap::server()].concat()
}

/// Reads `unit:N`, `city:X,Y`, `tile:X,Y` or `faction:N`; `None` of anything else.
pub fn selection(text: &str) -> Option<Selection> {
    let (what, which) = text.split_once(':')?;
    let place = || {
        let (x, y) = which.split_once(',')?;
        Some(Position { x: x.parse().ok()?, y: y.parse().ok()? })
    };
    match what {
        "unit" => which.strip_prefix('#').unwrap_or(which).parse().ok().map(UnitId).map(Selection::Unit),
        "faction" => which.parse().ok().map(FactionId).map(Selection::Faction),
        "city" => place().map(Selection::City),
        "tile" => place().map(Selection::Tile),
        _ => None,
    }
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
    fn selections_are_read_in_words() {
        assert_eq!(selection("unit:#7"), Some(Selection::Unit(UnitId(7))));
        assert_eq!(selection("city:3,4"), Some(Selection::City(Position { x: 3, y: 4 })));
        assert_eq!(selection("faction:1"), Some(Selection::Faction(FactionId(1))));
        for bad in ["", "unit", "unit:x", "tile:3", "egg:3"] {
            assert_eq!(selection(bad), None, "{bad}");
        }
    }
}
