//! Which key does what, as one table: the window obeys it and the help overlay shows it.
//!
//! A key that is not in here does nothing. Tested in this module.

use super::action::{Action, Direction, Panel};
use super::view::NORMAL_SPEED;
use crate::ink::Point;
use crate::input::{Key, Mods};
use crate::timeline::happening::Kind;

/// What a group of keys is about, in the order of the help overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Time.
    Time,
    /// The camera.
    World,
    /// Selecting and looking closely.
    Selection,
    /// What happened.
    Feed,
    /// Panels and the window.
    Window,
    /// The server, not the view.
    Server,
}

impl Group {
    /// All groups in the order in which they are shown.
    pub const ALL: [Group; 6] =
        [Group::Time, Group::World, Group::Selection, Group::Feed, Group::Window, Group::Server];

    /// Its heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Group::Time => "Time",
            Group::World => "World",
            Group::Selection => "Selection",
            Group::Feed => "Events",
            Group::Window => "Window",
            Group::Server => "Server (for everybody)",
        }
    }
}

/// A key and what it does.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The key.
    pub key: Key,
    /// Whether shift is held.
    pub shift: bool,
    /// Whether control is held.
    pub ctrl: bool,
    /// What it does.
    pub action: Action,
    /// Where the help overlay shows it.
    pub group: Group,
    /// The keys as the help overlay shows them; empty if the entry before names this key too.
    pub keys: &'static str,
    /// What it does, in a few words.
    pub says: &'static str,
}

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
#[must_use]
pub fn bindings() -> Vec<Binding> {
    [time(), world(), selection(), feed(), window(), server()].concat()
}

/// What a key does.
#[must_use]
pub fn action(key: Key, mods: Mods) -> Option<Action> {
    let fits = |b: &Binding| (b.key, b.shift, b.ctrl) == (key, mods.shift, mods.ctrl) && !mods.alt;
    bindings().into_iter().find(fits).map(|binding| binding.action)
}

fn plain(group: Group, key: Key, keys: &'static str, says: &'static str, action: Action) -> Binding {
    Binding { key, shift: false, ctrl: false, action, group, keys, says }
}

fn shifted(group: Group, key: Key, keys: &'static str, says: &'static str, action: Action) -> Binding {
    Binding { shift: true, ..plain(group, key, keys, says, action) }
}

fn controlled(group: Group, key: Key, keys: &'static str, says: &'static str, action: Action) -> Binding {
    Binding { ctrl: true, ..plain(group, key, keys, says, action) }
}

fn time() -> Vec<Binding> {
    use Direction::{Next, Previous};
    let g = Group::Time;
    vec![
        plain(g, Key::Space, "Space", "stop, go on", Action::TogglePlay),
        plain(g, Key::Comma, ", .", "one tick back, ahead", Action::Step(-1)),
        plain(g, Key::Period, "", "", Action::Step(1)),
        shifted(g, Key::Comma, "Shift , .", "20 ticks back, ahead", Action::Step(-20)),
        shifted(g, Key::Period, "", "", Action::Step(20)),
        plain(g, Key::PageUp, "PgUp PgDn", "300 ticks back, ahead", Action::Step(-300)),
        plain(g, Key::PageDown, "", "", Action::Step(300)),
        plain(g, Key::LeftBracket, "[ ]", "slower, faster", Action::Slower),
        plain(g, Key::RightBracket, "", "", Action::Faster),
        plain(g, Key::Backspace, "Backspace", "normal speed", Action::Speed(NORMAL_SPEED)),
        shifted(g, Key::N, "Shift N, N", "key moment before, next", Action::KeyMoment(Previous)),
        plain(g, Key::N, "", "", Action::KeyMoment(Next)),
        plain(g, Key::Home, "Home", "the beginning", Action::SeekStart),
        plain(g, Key::End, "End", "now; in a record: its end", Action::SeekEnd),
    ]
}

fn world() -> Vec<Binding> {
    let g = Group::World;
    let pan = |x: f32, y: f32| Action::Pan(Point { x: x * PAN, y: y * PAN });
    vec![
        plain(g, Key::Left, "Arrows", "move the view", pan(-1.0, 0.0)),
        plain(g, Key::Right, "", "", pan(1.0, 0.0)),
        plain(g, Key::Up, "", "", pan(0.0, -1.0)),
        plain(g, Key::Down, "", "", pan(0.0, 1.0)),
        plain(g, Key::Plus, "+ -", "zoom in, out", Action::Zoom(ZOOM, None)),
        plain(g, Key::Equal, "", "", Action::Zoom(ZOOM, None)),
        shifted(g, Key::Equal, "", "", Action::Zoom(ZOOM, None)),
        plain(g, Key::Minus, "", "", Action::Zoom(1.0 / ZOOM, None)),
        plain(g, Key::Digit0, "0", "the whole map", Action::Fit),
        plain(g, Key::W, "W", "everybody's words in the world", Action::ToggleWords),
    ]
}

fn selection() -> Vec<Binding> {
    use Direction::{Next, Previous};
    let g = Group::Selection;
    vec![
        shifted(g, Key::Tab, "Shift Tab, Tab", "player before, next", Action::SelectPlayer(Previous)),
        plain(g, Key::Tab, "", "", Action::SelectPlayer(Next)),
        shifted(g, Key::Left, "Shift arrows", "select the tile beside", Action::MoveCursor(-1, 0)),
        shifted(g, Key::Right, "", "", Action::MoveCursor(1, 0)),
        shifted(g, Key::Up, "", "", Action::MoveCursor(0, -1)),
        shifted(g, Key::Down, "", "", Action::MoveCursor(0, 1)),
        plain(g, Key::Enter, "Enter", "the next one on the tile", Action::SelectNextHere),
        plain(g, Key::F, "F", "follow", Action::ToggleFollow),
        plain(g, Key::P, "P", "pin the inspector", Action::TogglePin),
        plain(g, Key::V, "V", "vision", Action::ToggleCone),
        plain(g, Key::T, "T", "trail", Action::ToggleTrail),
        plain(g, Key::D, "D", "dialogue with the server (records)", Action::Toggle(Panel::Dialogue)),
        plain(g, Key::B, "B", "others' broadcasts in it", Action::ToggleHeard),
        shifted(g, Key::U, "Shift U, U", "refusal before, next", Action::Refusal(Previous)),
        plain(g, Key::U, "", "", Action::Refusal(Next)),
        shifted(g, Key::PageUp, "Shift PgUp PgDn", "older, newer lines of it", Action::DialogueMove(10)),
        shifted(g, Key::PageDown, "", "", Action::DialogueMove(-10)),
        plain(g, Key::Escape, "Escape", "close, or select nothing", Action::Escape),
    ]
}

fn feed() -> Vec<Binding> {
    let g = Group::Feed;
    let keys = [Key::Digit1, Key::Digit2, Key::Digit3, Key::Digit4, Key::Digit5, Key::Digit6, Key::Digit7];
    let mut all = vec![
        plain(g, Key::J, "J K", "older, newer entry", Action::FeedMove(1)),
        plain(g, Key::K, "", "", Action::FeedMove(-1)),
        plain(g, Key::O, "O", "go to its place and moment", Action::FeedOpen),
        plain(g, Key::G, "G", "one team's, the next one's, all", Action::CycleTeam),
        plain(g, Key::I, "I", "only the selected player's", Action::FilterSelected),
    ];
    for (place, (key, kind)) in keys.into_iter().zip(Kind::ALL).enumerate() {
        let (keys, says) = if place == 0 { ("1 … 7", "kinds of events") } else { ("", "") };
        all.push(plain(g, key, keys, says, Action::ToggleKind(kind)));
    }
    all
}

fn window() -> Vec<Binding> {
    use Direction::{Next, Previous};
    let g = Group::Window;
    vec![
        plain(g, Key::H, "H  F1  ?", "this help", Action::Toggle(Panel::Help)),
        plain(g, Key::F1, "", "", Action::Toggle(Panel::Help)),
        shifted(g, Key::Slash, "", "", Action::Toggle(Panel::Help)),
        plain(g, Key::S, "S", "scoreboard", Action::Toggle(Panel::Scoreboard)),
        plain(g, Key::E, "E", "events", Action::Toggle(Panel::Feed)),
        plain(g, Key::C, "C", "charts", Action::Toggle(Panel::Charts)),
        plain(g, Key::M, "M", "minimap", Action::Toggle(Panel::Minimap)),
        plain(g, Key::R, "R", "how it ended", Action::Toggle(Panel::Closing)),
        plain(g, Key::X, "X", "the world alone", Action::ToggleAll),
        controlled(g, Key::Plus, "Ctrl + -", "larger, smaller text", Action::UiScale(Next)),
        controlled(g, Key::Equal, "", "", Action::UiScale(Next)),
        controlled(g, Key::Minus, "", "", Action::UiScale(Previous)),
        plain(g, Key::F12, "F12", "save a picture", Action::Screenshot),
        controlled(g, Key::O, "Ctrl O", "open the sample record", Action::OpenSample),
        controlled(g, Key::Q, "Ctrl Q", "close the window", Action::Quit),
    ]
}

fn server() -> Vec<Binding> {
    use Direction::{Next, Previous};
    let g = Group::Server;
    vec![
        controlled(g, Key::Down, "Ctrl ↓ ↑", "half, twice its frequency", Action::ServerFaster(Previous)),
        controlled(g, Key::Up, "", "", Action::ServerFaster(Next)),
        controlled(g, Key::R, "Ctrl R", "connect again", Action::Retry),
        controlled(g, Key::L, "Ctrl L", "connect to localhost 4242", Action::ConnectHere),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(action(Key::Space, held(false, false)), Some(Action::TogglePlay));
        assert_eq!(action(Key::Comma, held(true, false)), Some(Action::Step(-20)));
        assert_eq!(action(Key::Up, held(false, true)), Some(Action::ServerFaster(Direction::Next)));
        assert_eq!(action(Key::Space, held(false, true)), None);
    }
}
