//! What the spectator of conquest has chosen to see, and what may be shown.
//!
//! Plain state; the screen changes it, panels and drawing read it.

use std::collections::BTreeSet;

use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::{FactionId, UnitId};
use zappy_protocol::record::dialogue::Spoken;
use zappy_protocol::{Position, Tick};

use super::state::{ConquestState, TURN};
use super::story::Overview;
use super::topic::Topic;
pub use zappy_observer::app::action::Panel;
use zappy_observer::app::action::{self, Direction};
use zappy_observer::app::origin::{Oddities, Origin};
use zappy_observer::app::playback::Playback;
use zappy_observer::map_screen::MapView;
use zappy_observer::panels::status::Status;
use zappy_observer::theme::TeamLook;
use zappy_observer::timeline::notes::Notebook;

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

/// What is to be shown: the match at the view's moment, and how the view came by it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub time: Playback,
    /// What is known at that tick.
    pub state: &'a ConquestState,
    /// What is told of the whole match.
    pub story: &'a Overview,
    pub looks: &'a [TeamLook],
    /// What the spectator has chosen.
    pub view: &'a View,
    pub origin: &'a Origin,
    pub oddities: &'a Oddities,
    /// What the selected faction and the server said to each other up to the moment shown, the oldest first.
    pub dialogue: &'a [Spoken],
    /// What bots noted for their authors.
    pub notes: &'a Notebook,
    /// Milliseconds since the newest phase began; only live.
    pub waited: Option<f64>,
    /// The first and the last tick that can be shown.
    pub range: (Tick, Tick),
    /// Whether the director leads the camera.
    pub director: bool,
    /// A word about what was just done.
    pub notice: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// What may be said over the world's lower edge.
    pub fn status(&self) -> Status<'a> {
        Status { notice: self.notice, oddities: self.oddities, bare: self.view.bare }
    }

    /// How a faction looks; a neutral look for none.
    pub fn look(&self, faction: Option<FactionId>) -> TeamLook {
        let known = faction.and_then(|faction| self.looks.get(faction.index()));
        known.copied().unwrap_or(TeamLook::NOBODY)
    }

    pub fn mirror(&self) -> &'a Mirror {
        &self.state.mirror
    }

    /// The whole tick of the moment shown.
    pub fn tick(&self) -> Tick {
        self.time.whole_tick()
    }

    /// Whether the match has ended at the moment shown.
    pub fn is_over(&self) -> bool {
        self.story.finish.as_ref().is_some_and(|finish| self.tick() >= finish.tick)
    }

    /// Seconds until the running phase falls due; `None` without a limit, and for a past phase.
    pub fn left(&self) -> Option<f64> {
        let time = self.mirror().options.as_ref().map(|options| options.time).filter(|time| *time > 0)?;
        let newest = self.story.phases.back().is_some_and(|phase| phase.tick <= self.tick());
        let waited = self.waited.filter(|_| newest && self.mirror().phase.is_some())?;
        Some(((f64::from(time) - waited) / 1_000.0).max(0.0))
    }

    /// Turns between the moment shown and the newest one, if now is followed.
    pub fn behind(&self) -> Tick {
        if self.waited.is_some() && self.time.at_now {
            self.range.1.saturating_sub(self.tick()) / TURN
        } else {
            0
        }
    }
}
