//! What a spectator of Zappy can do beside what every screen offers.
//!
//! Plain values: keys, buttons and panels make them, `perform` carries them out. Tested with `keymap`.

use zappy_protocol::Position;
use zappy_protocol::zappy::story::TeamIndex;
use zappy_protocol::zappy::{EggId, PlayerId};

use crate::timeline::topic::Topic;
pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{self, Direction};

/// What can be selected in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    Player(PlayerId),
    Egg(EggId),
    Tile(Position),
}

/// Something to do on the screen of Zappy.
pub type Choice = action::Choice<Selection, ZappyChoice>;
/// Something to do on this screen or on every screen.
pub type UserAction = action::UserAction<Choice>;

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZappyChoice {
    /// To the next moment at which the inspected player was refused something, or to the one before.
    Refusal(Direction),
    /// Select the next thing on the tile of the selection.
    SelectNextHere,
    /// Keep the inspector on this selection while others are clicked, or not.
    TogglePin,
    /// Know nothing of what comes later than the moment shown, or all that is known.
    ToggleUnspoiled,
    /// Show what the selected player can see, or not.
    ToggleCone,
    /// Show where the selected player walked, or not.
    ToggleTrail,
    /// Show all players' words in the world, or not.
    ToggleWords,
    /// Show what others say in the dialogue, or not.
    ToggleHeard,
    /// Let events of a topic through the feed's filter, or not.
    ToggleTopic(Topic),
    /// Only events of this team, or of all.
    FilterTeam(Option<TeamIndex>),
    /// The next team in the filter, then all.
    CycleTeam,
    /// Only events of the selected player, or of all.
    FilterSelected,
    /// Move through what is on the inspected tile by so many lines.
    ThereMove(i32),
}
