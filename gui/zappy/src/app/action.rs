//! What a spectator of Zappy can do beside what every screen offers.
//!
//! Plain values: keys, buttons and panels make them, `perform` carries them out. Tested with `keymap`.

use zappy_protocol::zappy::story::TeamIndex;
use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_protocol::{Position, Tick};

use crate::timeline::topic::Topic;
pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{self, Direction};
use zappy_observer::ink::Point;

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

impl Choice {
    /// Whether the spectator takes the camera, so that the director lets go of it.
    pub fn takes_camera(&self) -> bool {
        matches!(
            self,
            Choice::KeyMoment(_)
                | Choice::Select(_)
                | Choice::SelectAt(_)
                | Choice::SelectNextHere
                | Choice::SelectPlayer(_)
                | Choice::MoveCursor(..)
                | Choice::ToggleFollow
                | Choice::Zoom(..)
                | Choice::Pan(_)
                | Choice::Fit
                | Choice::FeedOpen
                | Choice::Visit(..)
        )
    }
}

/// Something to do.
pub type Action = action::Action<Choice>;

impl From<Choice> for Action {
    fn from(choice: Choice) -> Action {
        Action::Choice(choice)
    }
}

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
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
    /// Let the director lead the camera, or not.
    ToggleDirector,
    /// Show this moment again at a fitting speed, from a little before it, led by the director.
    Replay(Tick),
    /// Know nothing of what comes later than the moment shown, or all that is known.
    ToggleUnspoiled,
    /// Copy what opens this very moment and selection.
    Share,
    /// Let the camera go with the selection, or not.
    ToggleFollow,
    /// Show what the selected player can see, or not.
    ToggleCone,
    /// Show where the selected player walked, or not.
    ToggleTrail,
    /// Show all players' words in the world, or not.
    ToggleWords,
    /// Show what bots noted on tiles, or not.
    ToggleNotes,
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
    /// Let events of a topic through the feed's filter, or not.
    ToggleTopic(Topic),
    /// Only events of this team, or of all.
    FilterTeam(Option<TeamIndex>),
    /// The next team in the filter, then all.
    CycleTeam,
    /// Only events of the selected player, or of all.
    FilterSelected,
    /// Move through the scoreboard by so many rows; positive is towards the last ranks.
    BoardMove(i32),
    /// Move through what is on the inspected tile by so many lines.
    ThereMove(i32),
    /// Move through the feed by so many entries; positive is older.
    FeedMove(i32),
    /// Go to the place and the moment of the feed's current entry.
    FeedOpen,
    /// Go to this moment, and to this place if there is one.
    Visit(Tick, Option<Position>),
    /// Move through the dialogue by so many lines; positive is older.
    DialogueMove(i32),
}
