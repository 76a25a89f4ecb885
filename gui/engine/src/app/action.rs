//! Everything a spectator can do, whether by key, by click or by wheel.
//!
//! Plain values: keys, buttons and panels make them, `app` and the game's screen carry them out. Tested with `keymap`.

use zappy_protocol::{Position, Tick};

use crate::ink::Point;

/// Something to do: on every screen, or on that of one game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UserAction<C> {
    Control(Control),
    /// A choice that the game's own screen offers.
    Choice(C),
}

impl<C> From<Control> for UserAction<C> {
    fn from(control: Control) -> UserAction<C> {
        UserAction::Control(control)
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
    /// Sets the speed: an index of [`SPEEDS`](super::playback::SPEEDS).
    Speed(usize),
    /// Switches a record between an even pace and one that is slow where the match is decided ([`crate::led`]).
    ToggleLed,
    /// Goes this many ticks ahead, or back if negative, and stops there.
    Step(i64),
    Seek(Tick),
    SeekStart,
    /// Live: return to now. A record: its last tick.
    SeekEnd,
    /// Asks the server for twice its frequency (`Next`), or half (`Previous`).
    ServerRate(Direction),
    Retry,
    OpenSample,
    /// Opens a dialog to choose a record among the machine's files.
    ChooseRecord,
    /// Connect to this machine's usual port.
    ConnectHere,
    /// Larger text and panels (`Next`), or smaller ones (`Previous`).
    UiScale(Direction),
    /// Let the match be heard, or not.
    ToggleSound,
    /// Save a picture of the window.
    Screenshot,
    Quit,
}

/// Something to do on the screen of a map; `S` is what can be selected, `O` what one game alone offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice<S, O> {
    /// To the next moment that matters, or to the one before.
    KeyMoment(Direction),
    Select(S),
    /// Select what is at this point of the window; when repeated, the next thing at that point.
    SelectAt(Point),
    /// Select the next thing that acts, such as a player, or the one before.
    SelectNext(Direction),
    /// Move the selected tile by so many tiles east and south.
    MoveCursor(i32, i32),
    /// Nothing is selected; closes what lies over the world first.
    Escape,
    /// Let the director lead the camera, or not.
    ToggleDirector,
    /// Let the camera go with the selection, or not.
    ToggleFollow,
    /// Show this moment again at a fitting speed, from a little before it, led by the director.
    Replay(Tick),
    /// Copy a link, or a command, that opens this moment and this selection.
    Share,
    /// Show what bots noted on tiles, or not.
    ToggleNotes,
    /// Zoom by a factor; this point of the window (`None`: its middle) keeps its place.
    Zoom(f32, Option<Point>),
    /// Move the view by so many points.
    Pan(Point),
    /// Show the whole map.
    Fit,
    Toggle(Panel),
    /// All panels off, or on again.
    ToggleAll,
    /// Move through the scoreboard by so many rows; positive is towards the last ranks.
    BoardMove(i32),
    /// Move through the feed by so many entries; positive is older.
    FeedMove(i32),
    /// Go to the place and the moment of the feed's current entry.
    FeedOpen,
    /// Go to this moment, and to this place if there is one.
    Visit(Tick, Option<Position>),
    /// Move through the dialogue by so many lines; positive is older.
    DialogueMove(i32),
    /// A choice that this game alone offers.
    Own(O),
}

impl<S, O> From<Choice<S, O>> for UserAction<Choice<S, O>> {
    fn from(choice: Choice<S, O>) -> Self {
        UserAction::Choice(choice)
    }
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Next = 1,
    Previous = -1,
}

impl Direction {
    /// The item after `current`, or the one before it, in `all`, which is sorted; the first item follows the last one.
    pub fn around<T: Ord>(
        self,
        mut all: impl DoubleEndedIterator<Item = T> + Clone,
        current: Option<&T>,
    ) -> Option<T> {
        let mut others = all.clone();
        match self {
            Direction::Next => others.find(|one| current.is_none_or(|at| one > at)).or_else(|| all.next()),
            Direction::Previous => {
                others.rfind(|one| current.is_none_or(|at| one < at)).or_else(|| all.next_back())
            }
        }
    }

    /// The first moment after the tick `current`, or the last one before it; `moments` come in the order of their
    /// ticks.
    pub fn from<T>(
        self,
        current: Tick,
        mut moments: impl DoubleEndedIterator<Item = T>,
        tick: impl Fn(&T) -> Tick,
    ) -> Option<T> {
        match self {
            Direction::Next => moments.find(|one| tick(one) > current),
            Direction::Previous => moments.rfind(|one| tick(one) < current),
        }
    }
}
