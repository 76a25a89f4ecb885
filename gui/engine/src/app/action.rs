//! Everything a spectator can do, whether by key, by click or by wheel.
//!
//! Plain values: keys, buttons and panels make them, `app` and the game's screen carry them out. Tested with `keymap`.

use zappy_protocol::Tick;

/// Something to do: on every screen, or on that of one game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action<C> {
    /// On every screen.
    Control(Control),
    /// A choice that the game's own screen offers.
    Choice(C),
}

impl<C> From<Control> for Action<C> {
    fn from(control: Control) -> Action<C> {
        Action::Control(control)
    }
}

/// Something to do on every screen: time, the server, the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Stop or go on.
    TogglePlay,
    /// One step up in speed.
    Faster,
    /// One step down in speed.
    Slower,
    /// That step of [`super::playback::SPEEDS`].
    Speed(usize),
    /// So many ticks ahead, or back; stops.
    Step(i64),
    /// Show that tick.
    Seek(Tick),
    /// Show the first tick.
    SeekStart,
    /// Live: return to now. A record: its last tick.
    SeekEnd,
    /// Ask the server for twice its frequency, or half.
    ServerFaster(Direction),
    /// Connect again without waiting.
    Retry,
    /// Open the sample record.
    OpenSample,
    /// Choose a record among the machine's files.
    ChooseRecord,
    /// Connect to this machine's usual port.
    ConnectHere,
    /// Everything larger, or smaller.
    UiScale(Direction),
    /// Save a picture of the window.
    Screenshot,
    /// Close the window.
    Quit,
}

/// A part of the window that can be shown or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// The teams, and which one leads.
    Scoreboard,
    /// What happened.
    Feed,
    /// Numbers over time.
    Charts,
    /// The whole map, small.
    Minimap,
    /// What a player and the server said to each other; records only.
    Dialogue,
    /// All keys.
    Help,
    /// How the match ended.
    Closing,
}

/// One way or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Onwards, more, later.
    Next,
    /// Back, less, earlier.
    Previous,
}

impl Direction {
    /// 1 or -1.
    pub const fn sign(self) -> i64 {
        match self {
            Direction::Next => 1,
            Direction::Previous => -1,
        }
    }
}
