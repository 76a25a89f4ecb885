//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! A key that is not in here does nothing. Tested in this module.

use super::action::{Action, Choice, Panel};
use crate::app::action::Direction;
use crate::app::keymap::{self, Binding, Group, plain, shifted};
use crate::ink::Point;
use crate::input::{Key, Mods};
use crate::zappy::timeline::topic::Topic;

/// Points that an arrow key moves the view by.
const PAN: f32 = 60.0;
/// Factor of one zoom step.
const ZOOM: f32 = 1.25;

/// What the mouse does, for the help overlay.
pub const MOUSE: [(&str, &str); 7] = [
    ("Click", "select; again: the next one on the tile"),
    ("Double click", "follow a player"),
    ("Drag", "move the view; on the timeline: seek"),
    ("Wheel", "zoom about the cursor; over a list: scroll"),
    ("Right click", "clear the selection"),
    ("Click an event", "go to its place and moment"),
    ("Drop a file", "open a record"),
];

/// All keys.
pub fn bindings() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let moments = vec![
        shifted(Group::Time, Key::N, "Shift N, N", "key moment before, next", Choice::KeyMoment(Previous)),
        plain(Group::Time, Key::N, "", "", Choice::KeyMoment(Next)),
    ];
    let (time, window) = (keymap::time(keymap::ticks(), moments), keymap::window(panels()));
    [time, world(), selection(), feed(), window, keymap::server()].concat()
}

/// What a key does.
pub fn action(key: Key, mods: Mods) -> Option<Action> {
    keymap::action(bindings(), key, mods)
}

fn world() -> Vec<Binding<Choice>> {
    let g = Group::World;
    let pan = |x: f32, y: f32| Choice::Pan(Point { x: x * PAN, y: y * PAN });
    vec![
        plain(g, Key::Left, "Arrows", "move the view", pan(-1.0, 0.0)),
        plain(g, Key::Right, "", "", pan(1.0, 0.0)),
        plain(g, Key::Up, "", "", pan(0.0, -1.0)),
        plain(g, Key::Down, "", "", pan(0.0, 1.0)),
        plain(g, Key::Plus, "+ -", "zoom in, out", Choice::Zoom(ZOOM, None)),
        plain(g, Key::Equal, "", "", Choice::Zoom(ZOOM, None)),
        shifted(g, Key::Equal, "", "", Choice::Zoom(ZOOM, None)),
        plain(g, Key::Minus, "", "", Choice::Zoom(1.0 / ZOOM, None)),
        plain(g, Key::Digit0, "0", "the whole map", Choice::Fit),
        plain(g, Key::W, "W", "everybody's words in the world", Choice::ToggleWords),
    ]
}

fn selection() -> Vec<Binding<Choice>> {
    use Direction::{Next, Previous};
    let g = Group::Selection;
    vec![
        shifted(g, Key::Tab, "Shift Tab, Tab", "player before, next", Choice::SelectPlayer(Previous)),
        plain(g, Key::Tab, "", "", Choice::SelectPlayer(Next)),
        shifted(g, Key::Left, "Shift arrows", "select the tile beside", Choice::MoveCursor(-1, 0)),
        shifted(g, Key::Right, "", "", Choice::MoveCursor(1, 0)),
        shifted(g, Key::Up, "", "", Choice::MoveCursor(0, -1)),
        shifted(g, Key::Down, "", "", Choice::MoveCursor(0, 1)),
        plain(g, Key::Enter, "Enter", "the next one on the tile", Choice::SelectNextHere),
        plain(g, Key::F, "F", "follow", Choice::ToggleFollow),
        plain(g, Key::P, "P", "pin the inspector", Choice::TogglePin),
        plain(g, Key::V, "V", "vision", Choice::ToggleCone),
        plain(g, Key::T, "T", "trail", Choice::ToggleTrail),
        plain(g, Key::D, "D", "dialogue with the server (records)", Choice::Toggle(Panel::Dialogue)),
        plain(g, Key::B, "B", "others' broadcasts in it", Choice::ToggleHeard),
        shifted(g, Key::U, "Shift U, U", "refusal before, next", Choice::Refusal(Previous)),
        plain(g, Key::U, "", "", Choice::Refusal(Next)),
        shifted(g, Key::PageUp, "Shift PgUp PgDn", "older, newer lines of it", Choice::DialogueMove(10)),
        shifted(g, Key::PageDown, "", "", Choice::DialogueMove(-10)),
        plain(g, Key::Escape, "Escape", "close, or select nothing", Choice::Escape),
    ]
}

fn feed() -> Vec<Binding<Choice>> {
    let g = Group::Feed;
    let keys = [Key::Digit1, Key::Digit2, Key::Digit3, Key::Digit4, Key::Digit5, Key::Digit6, Key::Digit7];
    let mut all = vec![
        plain(g, Key::J, "J K", "older, newer entry", Choice::FeedMove(1)),
        plain(g, Key::K, "", "", Choice::FeedMove(-1)),
        plain(g, Key::O, "O", "go to its place and moment", Choice::FeedOpen),
        plain(g, Key::G, "G", "one team's, the next one's, all", Choice::CycleTeam),
        plain(g, Key::I, "I", "only the selected player's", Choice::FilterSelected),
    ];
    for (place, (key, topic)) in keys.into_iter().zip(Topic::ALL).enumerate() {
        let (keys, says) = if place == 0 { ("1 … 7", "kinds of events") } else { ("", "") };
        all.push(plain(g, key, keys, says, Choice::ToggleTopic(topic)));
    }
    all
}

fn panels() -> Vec<Binding<Choice>> {
    let g = Group::Window;
    vec![
        plain(g, Key::H, "H  F1  ?", "this help", Choice::Toggle(Panel::Help)),
        plain(g, Key::F1, "", "", Choice::Toggle(Panel::Help)),
        shifted(g, Key::Slash, "", "", Choice::Toggle(Panel::Help)),
        plain(g, Key::S, "S", "scoreboard", Choice::Toggle(Panel::Scoreboard)),
        plain(g, Key::E, "E", "events", Choice::Toggle(Panel::Feed)),
        plain(g, Key::C, "C", "charts", Choice::Toggle(Panel::Charts)),
        plain(g, Key::M, "M", "minimap", Choice::Toggle(Panel::Minimap)),
        plain(g, Key::R, "R", "how it ended", Choice::Toggle(Panel::Closing)),
        plain(g, Key::X, "X", "the world alone", Choice::ToggleAll),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::Control;

    #[test]
    fn no_key_does_two_things() {
        let all = bindings();
        for (place, one) in all.iter().enumerate() {
            let twice =
                all[..place].iter().any(|b| (b.key, b.shift, b.ctrl) == (one.key, one.shift, one.ctrl));
            assert!(!twice, "{:?} shift {} ctrl {}", one.key, one.shift, one.ctrl);
        }
    }

    #[test]
    fn every_key_is_in_the_help_or_beside_one_of_its_group() {
        let all = bindings();
        for group in Group::ALL {
            let first = all.iter().find(|b| b.group == group).unwrap();
            assert!(!first.keys.is_empty() && !first.says.is_empty());
            assert!(!group.title().is_empty());
        }
        assert!(all.iter().all(|b| b.keys.is_empty() == b.says.is_empty()));
    }

    #[test]
    fn keys_do_what_the_table_says() {
        let held = |shift, ctrl| Mods { shift, ctrl, alt: false };
        assert_eq!(action(Key::Space, held(false, false)), Some(Control::TogglePlay.into()));
        assert_eq!(action(Key::Comma, held(true, false)), Some(Control::Step(-20).into()));
        assert_eq!(action(Key::Up, held(false, true)), Some(Control::ServerFaster(Direction::Next).into()));
        assert_eq!(action(Key::Space, held(false, true)), None);
    }
}
