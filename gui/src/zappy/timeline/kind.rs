//! What the feed can be filtered by.

use zappy_protocol::zappy::story::What;

/// A kind of happenings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Joining and dying.
    Lives,
    /// Incantations and levels.
    Levels,
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
        [Kind::Levels, Kind::Lives, Kind::Words, Kind::Pushes, Kind::Eggs, Kind::Items, Kind::Server];

    /// Which filter lets it through.
    #[must_use]
    pub fn of(what: &What) -> Kind {
        match what {
            What::Joined(_) | What::Gone { .. } => Kind::Lives,
            What::Level { .. }
            | What::First { .. }
            | What::Lead { .. }
            | What::IncantationBegan { .. }
            | What::IncantationEnded { .. } => Kind::Levels,
            What::Broadcast(..) => Kind::Words,
            What::Ejected { .. } => Kind::Pushes,
            What::Laying(_) | What::EggLaid(..) | What::EggHatched(_) | What::EggDestroyed(_) => Kind::Eggs,
            What::Took(..) | What::Dropped(..) => Kind::Items,
            What::Rate(_)
            | What::Said(_)
            | What::Won(_)
            | What::Refused(..)
            | What::Ignored(..)
            | What::TooLong(_)
            | What::Console(_)
            | What::Ended(..) => Kind::Server,
        }
    }
}
