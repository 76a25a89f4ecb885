//! Everything a spectator can do, whether by key, by click or by wheel.
//!
//! Plain values: keys, buttons and panels make them, `app` carries them out. Tested with `keymap`.

use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_protocol::{Position, Tick};

use crate::ink::Point;
use crate::timeline::happening::Kind;
use crate::timeline::roster::TeamIndex;

/// What can be selected in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// A player.
    Player(PlayerId),
    /// An egg.
    Egg(EggId),
    /// A tile.
    Tile(Position),
}

/// A part of the window that can be shown or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Panel {
    /// Who plays and who leads.
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

/// Something to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Stop or go on.
    TogglePlay,
    /// One step up in speed.
    Faster,
    /// One step down in speed.
    Slower,
    /// That step of [`super::view::SPEEDS`].
    Speed(usize),
    /// So many ticks ahead, or back; stops.
    Step(i64),
    /// Show that tick.
    Seek(Tick),
    /// Show the first tick.
    SeekStart,
    /// Live: return to now. A record: its last tick.
    SeekEnd,
    /// To the next key moment, or to the one before.
    KeyMoment(Direction),
    /// To the next moment at which the inspected player was refused something, or to the one before.
    Refusal(Direction),
    /// Select this.
    Select(Selection),
    /// Select what is at this place of the window; again: the next one there.
    SelectAt(Point),
    /// The next thing on the tile of the selection.
    SelectNextHere,
    /// The next player, or the one before.
    SelectPlayer(Direction),
    /// Move the selected tile by so many tiles east and south.
    MoveCursor(i32, i32),
    /// Nothing is selected; closes what lies over the world first.
    Escape,
    /// Keep the inspector on this selection while others are clicked, or not.
    TogglePin,
    /// Let the camera go with the selection, or not.
    ToggleFollow,
    /// Show what the selected player can see, or not.
    ToggleCone,
    /// Show where the selected player walked, or not.
    ToggleTrail,
    /// Show what everybody says, in the world, or not.
    ToggleWords,
    /// Zoom by a factor about a place of the window, or about its middle.
    Zoom(f32, Option<Point>),
    /// Move the view by so many points.
    Pan(Point),
    /// The whole map.
    Fit,
    /// Show what others say in the dialogue, or not.
    ToggleHeard,
    /// Show or hide a panel.
    Toggle(Panel),
    /// All panels off, or on again.
    ToggleAll,
    /// Let a kind of events through the feed's filter, or not.
    ToggleKind(Kind),
    /// Only events of this team, or of all.
    FilterTeam(Option<TeamIndex>),
    /// The next team in the filter, then all.
    CycleTeam,
    /// Only events of the selected player, or of all.
    FilterSelected,
    /// Move through the feed by so many entries; positive is older.
    FeedMove(i32),
    /// Go to the place and the moment of the feed's current entry.
    FeedOpen,
    /// Go to this moment, and to this place if there is one.
    Visit(Tick, Option<Position>),
    /// Move through the dialogue by so many lines; positive is older.
    DialogueMove(i32),
    /// Ask the server for twice its frequency, or half.
    ServerFaster(Direction),
    /// Connect again without waiting.
    Retry,
    /// Open the sample record.
    OpenSample,
    /// Connect to this machine's usual port.
    ConnectHere,
    /// Everything larger, or smaller.
    UiScale(Direction),
    /// Save a picture of the window.
    Screenshot,
    /// Close the window.
    Quit,
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
    #[must_use]
    pub const fn sign(self) -> i64 {
        match self {
            Direction::Next => 1,
            Direction::Previous => -1,
        }
    }
}
