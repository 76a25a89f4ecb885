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
        /// The player.
        player: PlayerId,
        /// What it was.
        from: Level,
        /// What it is.
        to: Level,
    },
    /// An incantation began.
    IncantationBegan {
        /// The level its players have.
        level: Level,
        /// The players that take part, the initiator first.
        players: Vec<PlayerId>,
    },
    /// An incantation ended.
    IncantationEnded {
        /// The level its players had; unknown if its beginning wasn't told.
        level: Option<Level>,
        /// The players that took part, the initiator first; empty if its beginning wasn't told.
        players: Vec<PlayerId>,
        /// Whether they rose.
        success: bool,
    },
    /// A player broadcast something.
    Broadcast(PlayerId, Text),
    /// A player pushed the others off its tile.
    Ejected {
        /// The player that pushed.
        player: PlayerId,
        /// The players that it moved, as far as one can tell.
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
pub enum Topic {
    /// Joining and dying.
    Lives,
    /// Incantations and levels.
    Incantations,
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

impl Topic {
    /// All topics in the order in which filters show them.
    pub const ALL: [Topic; 7] = [
        Topic::Incantations,
        Topic::Lives,
        Topic::Words,
        Topic::Pushes,
        Topic::Eggs,
        Topic::Items,
        Topic::Server,
    ];
}

impl What {
    /// Which filter lets it through.
    #[must_use]
    pub fn topic(&self) -> Topic {
        match self {
            What::Joined(_) | What::Died(..) => Topic::Lives,
            What::Level { .. } | What::IncantationBegan { .. } | What::IncantationEnded { .. } => {
                Topic::Incantations
            }
            What::Broadcast(..) => Topic::Words,
            What::Ejected { .. } => Topic::Pushes,
            What::Laying(_) | What::EggLaid(..) | What::EggHatched(_) | What::EggDestroyed(_) => Topic::Eggs,
            What::Took(..) | What::Dropped(..) => Topic::Items,
            What::Rate(_) | What::Said(_) | What::Won(_) => Topic::Server,
        }
    }

    /// The player that did it, or the first one to which it happened.
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
            What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => {
                players.first().copied()
            }
            What::EggLaid(_, layer) => *layer,
            _ => None,
        }
    }

    /// Whether the player has a part in it.
    #[must_use]
    pub fn concerns(&self, player: PlayerId) -> bool {
        match self {
            What::IncantationBegan { players, .. } | What::IncantationEnded { players, .. } => {
                players.contains(&player)
            }
            What::Ejected { player: ejector, victims } => *ejector == player || victims.contains(&player),
            _ => self.player() == Some(player),
        }
    }
}
