//! What the spectator of conquest has chosen to see, and what may be shown.
//!
//! Plain state; the screen changes it, panels and drawing read it.

use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::{FactionId, UnitId};

use super::ConquestMap;
use super::state::Topic;
pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{self, Direction};
use zappy_observer::map_screen::MapView;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    Unit(UnitId),
    /// A city, by its tile.
    City(Position),
    Tile(Position),
    Faction(FactionId),
}

impl Selection {
    /// The faction that it is, or belongs to.
    pub fn faction(self, mirror: &Mirror) -> Option<FactionId> {
        match self {
            Selection::Unit(unit) => mirror.units.get(&unit).map(|known| known.faction),
            Selection::City(at) | Selection::Tile(at) => mirror.tile(at)?.owner,
            Selection::Faction(faction) => Some(faction),
        }
    }

    /// Where it is; `None` if it isn't there.
    pub fn place(self, mirror: &Mirror) -> Option<Position> {
        match self {
            Selection::Unit(unit) => mirror.units.get(&unit).map(|known| known.at),
            Selection::City(at) | Selection::Tile(at) => mirror.tile(at).map(|_| at),
            Selection::Faction(faction) => mirror.factions.get(faction.index())?.holdings.base,
        }
    }
}

/// Something to do on the screen of conquest.
pub type Choice = action::Choice<Selection, ConquestChoice>;

/// Something to do that this screen alone offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConquestChoice {
    /// So many turns ahead, or back, to the beginning of a turn; stops.
    Turns(i64),
    /// To the next moment at which an order of the selected faction was lost, or to the one before.
    Lost(Direction),
    /// Let events of a topic through the feed's filter, or not.
    ToggleTopic(Topic),
    /// The next faction in the filter, then all.
    CycleFaction,
}

/// What the spectator has chosen.
pub type View = MapView<Selection, ConquestView>;

/// What the spectator has chosen of what this screen alone offers.
#[derive(Debug)]
pub struct ConquestView {
    /// Topics that the feed shows.
    pub topics: BTreeSet<Topic>,
    /// The faction of which the feed shows events; all if none.
    pub faction: Option<FactionId>,
}

impl Default for ConquestView {
    /// Everything but tiles and lost orders, which come by the hundred.
    fn default() -> ConquestView {
        let topics = BTreeSet::from([Topic::Fights, Topic::Works, Topic::Match]);
        ConquestView { topics, faction: None }
    }
}

/// What is to be shown.
pub type Shown<'a> = zappy_observer::map_screen::shown::MapShown<'a, ConquestMap>;
