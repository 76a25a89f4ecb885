//! What happened, said once: the unit of the feed, of effects in the world and of the chronicle.
//!
//! Made by `stage` from messages. Holds what was known at that moment, so that it can be told later without
//! looking anything up. Tested with `stage`.

use zappy_protocol::zappy::mirror::MirrorPlayer;
use zappy_protocol::zappy::{EggId, Level, PlayerId, Resource};
use zappy_protocol::{Position, TeamName, Text, Tick};

/// Something that happened at a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happening {
    /// When, in ticks.
    pub tick: Tick,
    /// Where, if it has a place.
    pub at: Option<Position>,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A player came in.
    Joined(PlayerId),
    /// A player died or left; how it last was.
    Died(PlayerId, Box<MirrorPlayer>),
    /// A player's level changed.
    Level {
        /// Whose.
        player: PlayerId,
        /// What it was.
        from: Level,
        /// What it is.
        to: Level,
    },
    /// An incantation began.
    RiteBegan {
        /// The level its players have.
        level: Level,
        /// Who takes part, the initiator first.
        players: Vec<PlayerId>,
    },
    /// An incantation ended.
    RiteEnded {
        /// The level its players had; unknown if its beginning wasn't told.
        level: Option<Level>,
        /// Who took part, the initiator first; empty if its beginning wasn't told.
        players: Vec<PlayerId>,
        /// Whether they rose.
        success: bool,
    },
    /// A player said something to everybody.
    Broadcast(PlayerId, Text),
    /// A player pushed the others off its tile.
    Ejected {
        /// Who pushed.
        player: PlayerId,
        /// Who was moved by it, as far as one can tell.
        victims: Vec<PlayerId>,
    },
    /// A player began to lay an egg.
    Laying(PlayerId),
    /// An egg lies on the map.
    EggLaid(EggId, Option<PlayerId>),
    /// A player came out of an egg, or is about to.
    EggHatched(EggId),
    /// An egg was destroyed.
    EggDestroyed(EggId),
    /// A player picked one unit up.
    Took(PlayerId, Resource),
    /// A player put one unit down.
    Dropped(PlayerId, Resource),
    /// The server runs at another frequency, in ticks per second.
    Rate(u32),
    /// The server said something.
    Said(Text),
    /// A team has won.
    Won(TeamName),
}

/// What the feed can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Joining and dying.
    Lives,
    /// Incantations and levels.
    Rites,
    /// Broadcasts.
    Words,
    /// Ejections.
    Pushes,
    /// Eggs laid, hatched, destroyed.
    Eggs,
    /// Resources taken and put down.
    Items,
    /// The server, and the end of the match.
    Server,
}

impl Kind {
    /// All kinds in the order in which filters show them.
    pub const ALL: [Kind; 7] =
        [Kind::Rites, Kind::Lives, Kind::Words, Kind::Pushes, Kind::Eggs, Kind::Items, Kind::Server];
}

impl What {
    /// Which filter lets it through.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            What::Joined(_) | What::Died(..) => Kind::Lives,
            What::Level { .. } | What::RiteBegan { .. } | What::RiteEnded { .. } => Kind::Rites,
            What::Broadcast(..) => Kind::Words,
            What::Ejected { .. } => Kind::Pushes,
            What::Laying(_) | What::EggLaid(..) | What::EggHatched(_) | What::EggDestroyed(_) => Kind::Eggs,
            What::Took(..) | What::Dropped(..) => Kind::Items,
            What::Rate(_) | What::Said(_) | What::Won(_) => Kind::Server,
        }
    }

    /// Who did it, or whom it happened to first.
    #[must_use]
    pub fn player(&self) -> Option<PlayerId> {
        match self {
            What::Joined(player)
            | What::Died(player, _)
            | What::Level { player, .. }
            | What::Broadcast(player, _)
            | What::Ejected { player, .. }
            | What::Laying(player)
            | What::Took(player, _)
            | What::Dropped(player, _) => Some(*player),
            What::RiteBegan { players, .. } | What::RiteEnded { players, .. } => players.first().copied(),
            What::EggLaid(_, layer) => *layer,
            _ => None,
        }
    }

    /// Whether the player has a part in it.
    #[must_use]
    pub fn concerns(&self, player: PlayerId) -> bool {
        match self {
            What::RiteBegan { players, .. } | What::RiteEnded { players, .. } => players.contains(&player),
            What::Ejected { player: ejector, victims } => *ejector == player || victims.contains(&player),
            _ => self.player() == Some(player),
        }
    }
}
