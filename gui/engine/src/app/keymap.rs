//! Keys as tables: a window obeys them and the help overlay shows them.
//!
//! Each screen has its table, and takes the entries that all screens share from this file. A key in no table does
//! nothing. Tested with the tables of the games' screens.

use super::action::{Choice, Control, Direction, Panel, UserAction};
use super::playback::NORMAL_SPEED;
use crate::ink::Point;
use crate::input::{Keycap, Mods};

/// How far an arrow key moves the view, in points.
const PAN_DISTANCE: f32 = 60.0;
/// The factor by which a zoom key enlarges the map.
const ZOOM_STEP: f32 = 1.25;

/// Whether the observer runs in a browser's page, which has no window to close, no server to ask and keys of its own.
pub const IN_A_PAGE: bool = cfg!(target_arch = "wasm32");

/// The groups of keys, in the order of the help overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingGroup {
    Time,
    World,
    Selection,
    Feed,
    Window,
    /// The server, not the view.
    Server,
}

impl BindingGroup {
    /// All groups with their titles, in the order in which they are shown.
    pub const ALL: [(BindingGroup, &str); 6] = [
        (BindingGroup::Time, "Time"),
        (BindingGroup::World, "World"),
        (BindingGroup::Selection, "Selection"),
        (BindingGroup::Feed, "Events"),
        (BindingGroup::Window, "Window"),
        (BindingGroup::Server, "Server (for everybody)"),
    ];
}

/// A key and what it does.
#[derive(Debug, Clone)]
pub struct Binding<C> {
    pub key: Keycap,
    pub shift: bool,
    pub ctrl: bool,
    pub action: UserAction<C>,
    /// Where the help overlay shows it.
    pub group: BindingGroup,
    /// The keys as the help overlay shows them; empty if the entry before names this key too.
    pub keys: &'static str,
    /// What the key does, in a few words.
    pub says: &'static str,
}

/// A key while neither shift nor control is held.
pub fn plain<C>(
    group: BindingGroup,
    key: Keycap,
    keys: &'static str,
    says: &'static str,
    action: impl Into<UserAction<C>>,
) -> Binding<C> {
    Binding { key, shift: false, ctrl: false, action: action.into(), group, keys, says }
}

/// A key while shift is held.
pub fn shifted<C>(
    group: BindingGroup,
    key: Keycap,
    keys: &'static str,
    says: &'static str,
    action: impl Into<UserAction<C>>,
) -> Binding<C> {
    Binding { shift: true, ..plain(group, key, keys, says, action) }
}

/// A key while control is held.
pub fn controlled<C>(
    group: BindingGroup,
    key: Keycap,
    keys: &'static str,
    says: &'static str,
    action: impl Into<UserAction<C>>,
) -> Binding<C> {
    Binding { ctrl: true, ..plain(group, key, keys, says, action) }
}

/// The action of a key in this table.
pub fn action<C>(table: Vec<Binding<C>>, key: Keycap, mods: Mods) -> Option<UserAction<C>> {
    let fits = |b: &Binding<C>| (b.key, b.shift, b.ctrl) == (key, mods.shift, mods.ctrl) && !mods.alt;
    table.into_iter().find(fits).map(|binding| binding.action)
}

/// Steps of 1, 20 and 300 ticks, for games without turns.
pub fn ticks<C>() -> Vec<Binding<C>> {
    let g = BindingGroup::Time;
    vec![
        plain(g, Keycap::Comma, ", .", "one tick back, ahead", Control::Step(-1)),
        plain(g, Keycap::Period, "", "", Control::Step(1)),
        shifted(g, Keycap::Comma, "Shift , .", "20 ticks back, ahead", Control::Step(-20)),
        shifted(g, Keycap::Period, "", "", Control::Step(20)),
        plain(g, Keycap::PageUp, "PgUp PgDn", "300 ticks back, ahead", Control::Step(-300)),
        plain(g, Keycap::PageDown, "", "", Control::Step(300)),
    ]
}

/// Playing and seeking, with the game's keys for steps and for the moments that matter in it.
pub fn time<C>(steps: Vec<Binding<C>>, moments: Vec<Binding<C>>) -> Vec<Binding<C>> {
    let g = BindingGroup::Time;
    let mut all = vec![plain(g, Keycap::Space, "Space", "stop, go on", Control::TogglePlay)];
    all.extend(steps);
    all.extend([
        plain(g, Keycap::LeftBracket, "[ ]", "slower, faster", Control::Slower),
        plain(g, Keycap::RightBracket, "", "", Control::Faster),
        shifted(g, Keycap::Z, "Shift Z", "led in time, or true time", Control::ToggleLed),
        plain(g, Keycap::Backspace, "Backspace", "normal speed", Control::Speed(NORMAL_SPEED)),
    ]);
    all.extend(moments);
    all.push(plain(g, Keycap::Home, "Home", "the beginning", Control::SeekStart));
    all.push(plain(g, Keycap::End, "End", "now; in a record: its end", Control::SeekEnd));
    all
}

/// The view of a map: director, moving, zooming; then the game's own keys, and the one for notes.
pub fn map<S: Copy, O: Copy>(own: Vec<Binding<Choice<S, O>>>) -> Vec<Binding<Choice<S, O>>> {
    let g = BindingGroup::World;
    let pan = |x: f32, y: f32| Choice::Pan(Point { x: x * PAN_DISTANCE, y: y * PAN_DISTANCE });
    let (closer, farther) = (Choice::Zoom(ZOOM_STEP, None), Choice::Zoom(1.0 / ZOOM_STEP, None));
    let mut all = vec![
        plain(g, Keycap::Z, "Z", "the director leads", Choice::ToggleDirector),
        plain(g, Keycap::Left, "Arrows", "move the view", pan(-1.0, 0.0)),
        plain(g, Keycap::Right, "", "", pan(1.0, 0.0)),
        plain(g, Keycap::Up, "", "", pan(0.0, -1.0)),
        plain(g, Keycap::Down, "", "", pan(0.0, 1.0)),
        plain(g, Keycap::Plus, "+ -", "zoom in, out", closer),
        plain(g, Keycap::Equal, "", "", closer),
        shifted(g, Keycap::Equal, "", "", closer),
        plain(g, Keycap::Minus, "", "", farther),
        plain(g, Keycap::Digit0, "0", "the whole map", Choice::Fit),
    ];
    all.extend(own);
    all.push(plain(g, Keycap::A, "A", "what bots noted on tiles (records)", Choice::ToggleNotes));
    all
}

/// Moving the selection to the tile beside.
pub fn cursor<S, O>() -> Vec<Binding<Choice<S, O>>> {
    let g = BindingGroup::Selection;
    vec![
        shifted(g, Keycap::Left, "Shift arrows", "select the tile beside", Choice::MoveCursor(-1, 0)),
        shifted(g, Keycap::Right, "", "", Choice::MoveCursor(1, 0)),
        shifted(g, Keycap::Up, "", "", Choice::MoveCursor(0, -1)),
        shifted(g, Keycap::Down, "", "", Choice::MoveCursor(0, 1)),
    ]
}

/// The list of events: moving through it, opening its current entry, the game's filters, and a switch for each of up to
/// seven topics, on the digit keys from 1 on; `keys` is how the help overlay shows the digits.
pub fn feed<S, O>(
    filters: Vec<Binding<Choice<S, O>>>,
    keys: &'static str,
    topics: impl IntoIterator<Item = O>,
) -> Vec<Binding<Choice<S, O>>> {
    let g = BindingGroup::Feed;
    let mut all = vec![
        plain(g, Keycap::J, "J K", "older, newer entry", Choice::FeedMove(1)),
        plain(g, Keycap::K, "", "", Choice::FeedMove(-1)),
        plain(g, Keycap::O, "O", "go to its place and moment", Choice::FeedOpen),
    ];
    all.extend(filters);
    use Keycap::{Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7};
    let digits = [Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7];
    for (index, (key, topic)) in digits.into_iter().zip(topics).enumerate() {
        let (keys, says) = if index == 0 { (keys, "kinds of events") } else { ("", "") };
        all.push(plain(g, key, keys, says, Choice::Own(topic)));
    }
    all
}

/// A letter for each panel, for all panels at once, for the sound, and for copying a link.
pub fn panels<S, O>() -> Vec<Binding<Choice<S, O>>> {
    let g = BindingGroup::Window;
    let toggle = |key, keys, says, panel| plain(g, key, keys, says, Choice::Toggle(panel));
    vec![
        toggle(Keycap::H, "H  F1  ?", "this help", Panel::Help),
        toggle(Keycap::F1, "", "", Panel::Help),
        shifted(g, Keycap::Slash, "", "", Choice::Toggle(Panel::Help)),
        toggle(Keycap::S, "S", "scoreboard", Panel::Scoreboard),
        toggle(Keycap::E, "E", "events", Panel::Feed),
        toggle(Keycap::C, "C", "charts", Panel::Charts),
        toggle(Keycap::M, "M", "minimap", Panel::Minimap),
        shifted(g, Keycap::M, "Shift M", "sound off, on", Control::ToggleSound),
        toggle(Keycap::R, "R", "how it ended", Panel::Closing),
        plain(g, Keycap::X, "X", "the world alone", Choice::ToggleAll),
        plain(g, Keycap::Y, "Y", "copy what opens this", Choice::Share),
    ]
}

/// Adds to the keys of a screen's panels: text size, saving a picture, opening a record, closing the window.
pub fn window<C>(mut panels: Vec<Binding<C>>) -> Vec<Binding<C>> {
    use Direction::{Next, Previous};
    let g = BindingGroup::Window;
    panels.extend([
        controlled(g, Keycap::Plus, "Ctrl + -", "larger, smaller text", Control::UiScale(Next)),
        controlled(g, Keycap::Equal, "", "", Control::UiScale(Next)),
        controlled(g, Keycap::Minus, "", "", Control::UiScale(Previous)),
    ]);
    if IN_A_PAGE {
        panels.push(plain(g, Keycap::F9, "F9", "save a picture", Control::Screenshot));
        panels.push(controlled(g, Keycap::O, "Ctrl O", "open a record", Control::ChooseRecord));
    } else {
        panels.push(plain(g, Keycap::F12, "F12", "save a picture", Control::Screenshot));
        panels.push(controlled(g, Keycap::O, "Ctrl O", "open the sample record", Control::OpenSample));
        panels.push(controlled(g, Keycap::Q, "Ctrl Q", "close the window", Control::Quit));
    }
    panels
}

/// The server: a changed frequency holds for the whole match and all who watch it.
pub fn server<C>() -> Vec<Binding<C>> {
    use Direction::{Next, Previous};
    let g = BindingGroup::Server;
    if IN_A_PAGE {
        // A page only receives what is played, and Ctrl belongs to the browser.
        return vec![shifted(g, Keycap::R, "Shift R", "connect again", Control::Retry)];
    }
    vec![
        controlled(g, Keycap::Down, "Ctrl ↓ ↑", "half, twice its frequency", Control::ServerRate(Previous)),
        controlled(g, Keycap::Up, "", "", Control::ServerRate(Next)),
        controlled(g, Keycap::R, "Ctrl R", "connect again", Control::Retry),
        controlled(g, Keycap::L, "Ctrl L", "connect to localhost 4242", Control::ConnectHere),
    ]
}
