//! What the feed can be filtered by.

use zappy_protocol::zappy::story::What;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Lives,
    Incantations,
    Words,
    Pushes,
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

    /// Which filter lets it through.
    pub fn of(what: &What) -> Topic {
        match what {
            What::Joined(_) | What::Gone { .. } => Topic::Lives,
            What::Level { .. }
            | What::First { .. }
            | What::Lead { .. }
            | What::IncantationBegan { .. }
            | What::IncantationEnded { .. } => Topic::Incantations,
            What::Broadcast(..) => Topic::Words,
            What::Ejected { .. } => Topic::Pushes,
            What::Laying(_) | What::EggLaid(..) | What::EggHatched(_) | What::EggDestroyed(_) => Topic::Eggs,
            What::Took(..) | What::Dropped(..) => Topic::Items,
            What::Rate(_)
            | What::ServerMessage(_)
            | What::Won(_)
            | What::Refused(..)
            | What::Ignored(..)
            | What::TooLong(_)
            | What::Console(_)
            | What::Ended(..) => Topic::Server,
        }
    }
}
