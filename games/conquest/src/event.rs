//! What happened in the world: the only output of the rules.
//!
//! A closed set of values that carry all they tell, so that messages and records can be made from them alone. Says
//! nothing about the wire; `encode` does. Tested in `tests/snapshots.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::player::Actor;
use zappy_protocol::conquest::{Cause, FactionId, Stance, Tile, Unit, UnitId};

use super::refusal::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A tile is different now.
    Tile {
        at: Position,
        tile: Tile,
    },
    /// A bomb of that faction lies there now, or none any more.
    Bomb {
        at: Position,
        owner: Option<FactionId>,
    },
    Appeared {
        unit: UnitId,
        what: Unit,
    },
    Moved {
        unit: UnitId,
        at: Position,
    },
    /// A unit's health or what shields it is different now.
    Health {
        unit: UnitId,
        health: u32,
        stance: Stance,
    },
    /// A unit attacks another one.
    Attacked {
        unit: UnitId,
        target: UnitId,
    },
    /// A unit heals another one.
    Healed {
        unit: UnitId,
        target: UnitId,
    },
    /// A unit belongs to that faction now.
    Converted {
        unit: UnitId,
        faction: FactionId,
    },
    Gone {
        unit: UnitId,
        cause: Cause,
    },
    /// A tile is assigned to that city, or to none any more.
    Assigned {
        at: Position,
        city: Option<Position>,
    },
    /// A camp may recruit again, or has recruited in this turn.
    Camp {
        at: Position,
        ready: bool,
    },
    /// A base has so much strength left.
    Siege {
        at: Position,
        left: u32,
    },
    /// How near the sides are to winning by their land is different now.
    Dominion,
    /// A city is no more; another one may follow on its tile.
    CityEnded {
        at: Position,
    },
    /// An order was carried out, or lost.
    Ordered {
        faction: FactionId,
        actor: Actor<Position>,
        outcome: Result<(), Refusal>,
    },
    /// A faction wasn't done in time.
    Late {
        faction: FactionId,
    },
    /// A faction couldn't pay its upkeep.
    Unpaid {
        faction: FactionId,
    },
    Beaten {
        faction: FactionId,
    },
    /// The operator brought a faction back, which no message can tell by itself.
    Revived,
}
