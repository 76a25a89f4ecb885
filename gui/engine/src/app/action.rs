//! Everything a spectator can do, whether by key, by click or by wheel.
//!
//! Plain values: keys, buttons and panels make them, `app` and the game's screen carry them out. Tested with `keymap`.

use zappy_protocol::Tick;

/// Something to do: on every screen, or on that of one game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action<C> {
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
    TogglePlay,
    /// One step up in speed.
    Faster,
    /// One step down in speed.
    Slower,
    Speed(usize),
    /// So many ticks ahead, or back; stops.
    Step(i64),
    Seek(Tick),
    SeekStart,
    /// Live: return to now. A record: its last tick.
    SeekEnd,
    /// Ask the server for twice its frequency, or half.
    ServerFaster(Direction),
    Retry,
    OpenSample,
    /// Choose a record among the machine's files.
    ChooseRecord,
    /// Connect to this machine's usual port.
    ConnectHere,
    UiScale(Direction),
    /// Save a picture of the window.
    Screenshot,
    Quit,
}

/// A part of the window that can be shown or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// The teams, and which one leads.
    Scoreboard,
    Feed,
    Charts,
    Minimap,
    /// What a player and the server said to each other; records only.
    Dialogue,
    Help,
    Closing,
}

/// One way or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Next,
    Previous,
}

impl Direction {
    pub const fn sign(self) -> i64 {
        match self {
            Direction::Next => 1,
            Direction::Previous => -1,
        }
    }
}
