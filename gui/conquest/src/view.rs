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
    /// The selected faction, or the owner of what is selected; `None` if it has none or isn't known.
    pub fn faction(self, mirror: &Mirror) -> Option<FactionId> {
        match self {
            Selection::Unit(unit) => mirror.units.get(&unit).map(|known| known.faction),
            Selection::City(at) | Selection::Tile(at) => mirror.tile(at)?.owner,
            Selection::Faction(faction) => Some(faction),
        }
    }

    /// Its tile, for a faction that of its base; `None` if it doesn't exist at this moment.
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
    /// Go this many turns ahead, or back if negative, to the beginning of a turn, and pause.
    Turns(i64),
    /// Go to the next or previous moment at which an order of the selected faction was lost.
    Lost(Direction),
    /// Show the events of a topic in the feed, or hide them.
    ToggleTopic(Topic),
    /// Show only the next faction's events in the feed; after the last faction, those of all.
    CycleFaction,
}

/// What the spectator has chosen.
pub type View = MapView<Selection, ConquestView>;

/// The spectator's choices that only this screen offers.
#[derive(Debug)]
pub struct ConquestView {
    /// Topics that the feed shows.
    pub topics: BTreeSet<Topic>,
    /// The faction of which the feed shows events; `None` for all.
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
