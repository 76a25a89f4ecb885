//! Keys as tables: a window obeys them and the help overlay shows them.
//!
//! Each screen has its table; what is alike for all of them stands here. A key that is in no table does nothing.
//! Tested with the tables of the games' screens.

use super::action::{Action, Choice, Control, Direction, Panel};
use super::playback::NORMAL_SPEED;
use crate::ink::Point;
use crate::input::{Key, Mods};

/// Points that an arrow key moves the view by.
const PAN: f32 = 60.0;
/// Factor of one zoom step.
const ZOOM: f32 = 1.25;

/// Whether the observer runs in a browser's page, which has no window to close, no server to ask and keys of its own.
pub const IN_A_PAGE: bool = cfg!(target_arch = "wasm32");

/// What a group of keys is about, in the order of the help overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Time,
    World,
    Selection,
    Feed,
    Window,
    /// The server, not the view.
    Server,
}

impl Group {
    /// All groups in the order in which they are shown.
    pub const ALL: [Group; 6] =
        [Group::Time, Group::World, Group::Selection, Group::Feed, Group::Window, Group::Server];

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
pub struct Binding<C> {
    pub key: Key,
    pub shift: bool,
    pub ctrl: bool,
    pub action: Action<C>,
    /// Where the help overlay shows it.
    pub group: Group,
    /// The keys as the help overlay shows them; empty if the entry before names this key too.
    pub keys: &'static str,
    /// What it does, in a few words.
    pub says: &'static str,
}

pub fn plain<C>(
    group: Group,
    key: Key,
    keys: &'static str,
    says: &'static str,
    action: impl Into<Action<C>>,
) -> Binding<C> {
    Binding { key, shift: false, ctrl: false, action: action.into(), group, keys, says }
}

/// A key while shift is held.
pub fn shifted<C>(
    group: Group,
    key: Key,
    keys: &'static str,
    says: &'static str,
    action: impl Into<Action<C>>,
) -> Binding<C> {
    Binding { shift: true, ..plain(group, key, keys, says, action) }
}

/// A key while control is held.
pub fn controlled<C>(
    group: Group,
    key: Key,
    keys: &'static str,
    says: &'static str,
    action: impl Into<Action<C>>,
) -> Binding<C> {
    Binding { ctrl: true, ..plain(group, key, keys, says, action) }
}

/// What a key does according to this table.
pub fn action<C>(table: Vec<Binding<C>>, key: Key, mods: Mods) -> Option<Action<C>> {
    let fits = |b: &Binding<C>| (b.key, b.shift, b.ctrl) == (key, mods.shift, mods.ctrl) && !mods.alt;
    table.into_iter().find(fits).map(|binding| binding.action)
}

pub fn ticks<C>() -> Vec<Binding<C>> {
    let g = Group::Time;
    vec![
        plain(g, Key::Comma, ", .", "one tick back, ahead", Control::Step(-1)),
        plain(g, Key::Period, "", "", Control::Step(1)),
        shifted(g, Key::Comma, "Shift , .", "20 ticks back, ahead", Control::Step(-20)),
        shifted(g, Key::Period, "", "", Control::Step(20)),
        plain(g, Key::PageUp, "PgUp PgDn", "300 ticks back, ahead", Control::Step(-300)),
        plain(g, Key::PageDown, "", "", Control::Step(300)),
    ]
}

/// Playing and seeking, with the game's keys for steps and for the moments that matter in it.
pub fn time<C>(steps: Vec<Binding<C>>, moments: Vec<Binding<C>>) -> Vec<Binding<C>> {
    let g = Group::Time;
    let mut all = vec![plain(g, Key::Space, "Space", "stop, go on", Control::TogglePlay)];
    all.extend(steps);
    all.extend([
        plain(g, Key::LeftBracket, "[ ]", "slower, faster", Control::Slower),
        plain(g, Key::RightBracket, "", "", Control::Faster),
        plain(g, Key::Backspace, "Backspace", "normal speed", Control::Speed(NORMAL_SPEED)),
    ]);
    all.extend(moments);
    all.push(plain(g, Key::Home, "Home", "the beginning", Control::SeekStart));
    all.push(plain(g, Key::End, "End", "now; in a record: its end", Control::SeekEnd));
    all
}

/// The view of a map: the director, by so many points, by a factor, and all of it; and what is shown there, the game's own
/// keys before the notes.
pub fn map<S: Copy, O: Copy>(own: Vec<Binding<Choice<S, O>>>) -> Vec<Binding<Choice<S, O>>> {
    let g = Group::World;
    let pan = |x: f32, y: f32| Choice::Pan(Point { x: x * PAN, y: y * PAN });
    let (closer, farther) = (Choice::Zoom(ZOOM, None), Choice::Zoom(1.0 / ZOOM, None));
    let mut all = vec![
        plain(g, Key::Z, "Z", "the director leads", Choice::ToggleDirector),
        plain(g, Key::Left, "Arrows", "move the view", pan(-1.0, 0.0)),
        plain(g, Key::Right, "", "", pan(1.0, 0.0)),
        plain(g, Key::Up, "", "", pan(0.0, -1.0)),
        plain(g, Key::Down, "", "", pan(0.0, 1.0)),
        plain(g, Key::Plus, "+ -", "zoom in, out", closer),
        plain(g, Key::Equal, "", "", closer),
        shifted(g, Key::Equal, "", "", closer),
        plain(g, Key::Minus, "", "", farther),
        plain(g, Key::Digit0, "0", "the whole map", Choice::Fit),
    ];
    all.extend(own);
    all.push(plain(g, Key::A, "A", "what bots noted on tiles (records)", Choice::ToggleNotes));
    all
}

/// The tile that is selected, by so many tiles east and south.
pub fn cursor<S, O>() -> Vec<Binding<Choice<S, O>>> {
    let g = Group::Selection;
    vec![
        shifted(g, Key::Left, "Shift arrows", "select the tile beside", Choice::MoveCursor(-1, 0)),
        shifted(g, Key::Right, "", "", Choice::MoveCursor(1, 0)),
        shifted(g, Key::Up, "", "", Choice::MoveCursor(0, -1)),
        shifted(g, Key::Down, "", "", Choice::MoveCursor(0, 1)),
    ]
}

/// The list of events: by so many entries, to the current one, the game's filters, and the switch of each topic, `1 … N` by
/// its number.
pub fn feed<S, O>(
    filters: Vec<Binding<Choice<S, O>>>,
    says: &'static str,
    topics: impl IntoIterator<Item = O>,
) -> Vec<Binding<Choice<S, O>>> {
    let g = Group::Feed;
    let mut all = vec![
        plain(g, Key::J, "J K", "older, newer entry", Choice::FeedMove(1)),
        plain(g, Key::K, "", "", Choice::FeedMove(-1)),
        plain(g, Key::O, "O", "go to its place and moment", Choice::FeedOpen),
    ];
    all.extend(filters);
    let digits = [Key::Digit1, Key::Digit2, Key::Digit3, Key::Digit4, Key::Digit5, Key::Digit6, Key::Digit7];
    for (place, (key, topic)) in digits.into_iter().zip(topics).enumerate() {
        let (keys, words) = if place == 0 { (says, "kinds of events") } else { ("", "") };
        all.push(plain(g, key, keys, words, Choice::Own(topic)));
    }
    all
}

/// Each panel by its letter, all of them, and what is copied to be shared.
pub fn panels<S, O>() -> Vec<Binding<Choice<S, O>>> {
    let g = Group::Window;
    let toggle = |key, keys, says, panel| plain(g, key, keys, says, Choice::Toggle(panel));
    vec![
        toggle(Key::H, "H  F1  ?", "this help", Panel::Help),
        toggle(Key::F1, "", "", Panel::Help),
        shifted(g, Key::Slash, "", "", Choice::Toggle(Panel::Help)),
        toggle(Key::S, "S", "scoreboard", Panel::Scoreboard),
        toggle(Key::E, "E", "events", Panel::Feed),
        toggle(Key::C, "C", "charts", Panel::Charts),
        toggle(Key::M, "M", "minimap", Panel::Minimap),
        toggle(Key::R, "R", "how it ended", Panel::Closing),
        plain(g, Key::X, "X", "the world alone", Choice::ToggleAll),
        plain(g, Key::Y, "Y", "copy what opens this", Choice::Share),
    ]
}

/// The size of the text, pictures, other matches and the end, behind the keys of a screen's panels.
pub fn window<C>(mut panels: Vec<Binding<C>>) -> Vec<Binding<C>> {
    use Direction::{Next, Previous};
    let g = Group::Window;
    panels.extend([
        controlled(g, Key::Plus, "Ctrl + -", "larger, smaller text", Control::UiScale(Next)),
        controlled(g, Key::Equal, "", "", Control::UiScale(Next)),
        controlled(g, Key::Minus, "", "", Control::UiScale(Previous)),
    ]);
    if IN_A_PAGE {
        panels.push(plain(g, Key::F9, "F9", "save a picture", Control::Screenshot));
        panels.push(controlled(g, Key::O, "Ctrl O", "open a record", Control::ChooseRecord));
    } else {
        panels.push(plain(g, Key::F12, "F12", "save a picture", Control::Screenshot));
        panels.push(controlled(g, Key::O, "Ctrl O", "open the sample record", Control::OpenSample));
        panels.push(controlled(g, Key::Q, "Ctrl Q", "close the window", Control::Quit));
    }
    panels
}

/// The server: what is changed there holds for the whole match.
pub fn server<C>() -> Vec<Binding<C>> {
    use Direction::{Next, Previous};
    let g = Group::Server;
    if IN_A_PAGE {
        // A page is only told what is played, and Ctrl belongs to the browser.
        return vec![shifted(g, Key::R, "Shift R", "connect again", Control::Retry)];
    }
    vec![
        controlled(g, Key::Down, "Ctrl ↓ ↑", "half, twice its frequency", Control::ServerFaster(Previous)),
        controlled(g, Key::Up, "", "", Control::ServerFaster(Next)),
        controlled(g, Key::R, "Ctrl R", "connect again", Control::Retry),
        controlled(g, Key::L, "Ctrl L", "connect to localhost 4242", Control::ConnectHere),
    ]
}
