//! Why an order isn't allowed, in words: students debug with them.
//!
//! A closed set of plain values. Tested through the rules.

use zappy_protocol::conquest::constants::ASSIGN_DISTANCE;
use zappy_protocol::conquest::player::{ServerLine, UnitOrderKind};
use zappy_protocol::conquest::{UnitId, UnitType};
use zappy_protocol::{Position, Text};

/// Why an order isn't allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the faction is beaten")]
    Beaten,
    /// The tile doesn't exist.
    #[error("{0} is off the map")]
    OffMap(Position),
    /// No unit of that number belongs to the faction.
    #[error("not your unit")]
    NotYourUnit,
    /// Units of that type can't do this.
    #[error("a {0} can't {1}")]
    NotInTable(UnitType, UnitOrderKind),
    /// The match is played without cities.
    #[error("this match has no cities")]
    NoCities,
    /// No own city is on that tile.
    #[error("not your city")]
    NotYourCity,

    /// The unit was there when the order was given.
    #[error("the unit is gone")]
    Gone,
    /// The unit belonged to the faction when the order was given.
    #[error("the unit changed sides")]
    ChangedSides,
    /// By the rules of loyalty it takes no orders until the end of its new faction's next phase.
    #[error("it was converted")]
    Converted,
    /// It is no order: what a faction reads of a unit that left.
    #[error("it left: upkeep unpaid")]
    Left,
    /// A unit on its own current base is loyal.
    #[error("it stands on its base")]
    OnItsBase,
    /// The tile isn't among the eight around the unit.
    #[error("the tile isn't next to the unit")]
    NotAdjacent,
    #[error("a unit stands there")]
    Occupied,
    /// The tile has an owner.
    #[error("the tile isn't neutral")]
    NotNeutral,
    /// The tile is neutral, own or an ally's.
    #[error("the tile isn't an enemy's")]
    NotEnemys,
    /// The tile isn't the faction's.
    #[error("the tile isn't your own")]
    NotOwn,
    /// No such enemy is around the unit.
    #[error("no enemy's unit {0} is next to it")]
    NoEnemy(UnitId),
    /// No such friend is around the unit; it isn't its own.
    #[error("no other friendly unit {0} is next to it")]
    NoFriend(UnitId),
    /// The unit has its health.
    #[error("unit {0} isn't hurt")]
    NotHurt(UnitId),
    #[error("a fort stands there already")]
    FortThere,
    /// The gold that it costs, and the gold that the faction has.
    #[error("not enough gold: {0} of {1}")]
    Gold(u64, u64),
    /// The wood that it costs, and the wood that the faction has.
    #[error("not enough wood: {0} of {1}")]
    Wood(u64, u64),
    /// The cleric has to pray first.
    #[error("the cleric isn't enlightened; it has to pray first")]
    NotEnlightened,
    #[error("the population is at its cap: {0} of {1}")]
    Cap(u32, u32),
    /// The faction has no bomb.
    #[error("no bomb left; the base makes them")]
    NoBombLeft,
    #[error("a bomb lies there already")]
    BombThere,
    /// There is nothing to clear.
    #[error("no bomb lies there")]
    NoBombThere,
    /// Nothing can be built on, and no tile assigned that has, a base.
    #[error("a base stands there")]
    BaseThere,
    /// A tile carries one building.
    #[error("a building stands there already")]
    BuildingThere,
    /// The base isn't the faction's any more.
    #[error("the base isn't your own")]
    BaseLost,
    /// No own base is on that tile.
    #[error("no base of your own stands there")]
    NoBaseThere,
    #[error("the slot is busy with a {0}")]
    SlotBusy(UnitType),
    #[error("the slot is empty")]
    SlotEmpty,
    /// The tile is too far from the city.
    #[error("the tile is more than {ASSIGN_DISTANCE} tiles from the city")]
    TooFar,
    /// A city uses the tile.
    #[error("the tile is assigned already")]
    Assigned,
    /// The city doesn't use the tile.
    #[error("the tile isn't assigned to this city")]
    NotAssigned,
    #[error("no citizen is idle")]
    NoIdleCitizen,
    /// The city has no such camp.
    #[error("no camp-{0} is assigned to this city")]
    NoCamp(UnitType),
    /// Each camp recruits once a turn.
    #[error("no camp-{0} of this city is left in this turn")]
    CampsUsed(UnitType),
    /// Units stand on the base and all around it.
    #[error("no tile is free on the base or next to it")]
    NoRoom,
}

impl Refusal {
    /// Whether an order with this fault isn't even taken: it can't become right by the resolution.
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Refusal::Beaten
                | Refusal::OffMap(_)
                | Refusal::NotYourUnit
                | Refusal::Converted
                | Refusal::NotInTable(..)
                | Refusal::NoCities
                | Refusal::NotYourCity
        )
    }
}

/// The answer to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Taken, and allowed as things stand.
    Ok,
    /// Taken, not allowed as things stand, tried at the resolution.
    Maybe(Refusal),
    /// Not taken; an earlier order stays.
    Ko(Refusal),
}

impl Answer {
    /// The line that the player reads.
    pub fn line(self) -> ServerLine {
        match self {
            Answer::Ok => ServerLine::Ok,
            Answer::Maybe(why) => ServerLine::Maybe(text(why)),
            Answer::Ko(why) => ServerLine::Ko(text(why)),
        }
    }
}

/// The reason as a text of the wire.
pub(super) fn text(why: Refusal) -> Text {
    Text::new(why.to_string().as_bytes())
}
