//! What happened in the world: the only output of the rules.
//!
//! A closed set of values with everything in them that responses, messages and records are made of. Knows nothing of the wire,
//! which is `encode`'s. Tested by the transcripts.

use zappy_protocol::zappy::player::Sight;
use zappy_protocol::zappy::{EggId, Inventory, Level, Orientation, PlayerId, Resource};
use zappy_protocol::{Position, TeamName, Text};

use zappy_game::{Verdict, Words};

/// How a player's life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It had no food left.
    Starved,
    Killed,
    /// Its client closed the connection, or the connection was lost.
    Left,
    /// The server ended it because of its client.
    Expelled,
}

impl Fate {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Starved => "starved",
            Fate::Killed => "killed",
            Fate::Left => "left",
            Fate::Expelled => "expelled",
        }
    }

    /// The reason that records and logs give.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Fate::Starved => "it starved",
            Fate::Killed => "the console killed it",
            Fate::Left => "its client left",
            Fate::Expelled => "it was expelled",
        }
    }
}

/// Something that happened, by player, team, tile or incantation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A client hatched from an egg of its team.
    Joined {
        player: PlayerId,
        at: Position,
        orientation: Orientation,
        level: Level,
        team: TeamName,
        inventory: Inventory,
        egg: EggId,
    },
    Gone {
        player: PlayerId,
        how: Fate,
    },
    /// A command was carried out, and `ok` says so.
    Done {
        player: PlayerId,
    },
    /// A command was refused, or failed.
    Refused {
        player: PlayerId,
        why: Words,
    },
    /// A line was dropped without an answer.
    Dropped {
        player: PlayerId,
        why: Words,
    },
    Looked {
        player: PlayerId,
        sights: Vec<Sight>,
    },
    /// A player counted what it carries; food in the unit of the rule set.
    Counted {
        player: PlayerId,
        inventory: Inventory,
    },
    /// A player asked how many slots its team has left.
    SlotsCounted {
        player: PlayerId,
        slots: u32,
    },
    /// A player stands elsewhere, or faces another way.
    Moved {
        player: PlayerId,
        at: Position,
        orientation: Orientation,
    },
    /// What a player carries has changed.
    Carries {
        player: PlayerId,
        at: Position,
        inventory: Inventory,
    },
    /// What lies on a tile has changed.
    TileChanged {
        at: Position,
        resources: Inventory,
    },
    /// A refill has brought something to a tile.
    Refilled {
        at: Position,
        resources: Inventory,
    },
    /// A player picked something up.
    Took {
        player: PlayerId,
        resource: Resource,
    },
    /// A player put something down.
    PutDown {
        player: PlayerId,
        resource: Resource,
    },
    Spoke {
        player: PlayerId,
        text: Text,
    },
    /// Players heard something, each from a direction of its own, 0 to 8.
    Heard {
        text: Text,
        listeners: Vec<(PlayerId, u8)>,
    },
    /// A player was pushed. `from` is the direction from which the push came, 1 to 8.
    Pushed {
        player: PlayerId,
        from: u8,
    },
    /// A player pushed all others off its tile.
    PushedAll {
        player: PlayerId,
    },
    /// A player began to lay an egg.
    Laying {
        player: PlayerId,
    },
    Laid {
        egg: EggId,
        layer: Option<PlayerId>,
        at: Position,
    },
    Broken {
        egg: EggId,
    },
    /// An incantation began; the initiator is the first.
    Began {
        number: u32,
        at: Position,
        level: Level,
        players: Vec<PlayerId>,
    },
    /// A player rose to that level by an incantation.
    Rose {
        player: PlayerId,
        level: Level,
    },
    /// A player's level was set.
    LevelSet {
        player: PlayerId,
        level: Level,
    },
    Ended {
        number: u32,
        at: Position,
        success: bool,
    },
    /// The frequency changed, in ticks per second. `by_console`: the operator changed it, and no observer.
    RateChanged {
        rate: u32,
        by_console: bool,
    },
    /// The server says something to the observers.
    Announced {
        text: Text,
    },
    Over {
        verdict: Verdict,
        winner: Option<TeamName>,
    },
}
