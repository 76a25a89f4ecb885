//! What the feed can be filtered by.

use super::state::IncidentKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Units that fall, those that change sides, and bases under siege.
    Fights,
    Land,
    /// Units, forts, buildings and bombs that appear or go.
    Works,
    /// Orders that were lost, and factions that were late.
    Orders,
    /// Defeats, dominion, unpaid upkeep, what the server says, and the end.
    Match,
}

impl Topic {
    /// All topics in the order in which filters show them.
    pub const ALL: [Topic; 5] = [Topic::Fights, Topic::Land, Topic::Works, Topic::Orders, Topic::Match];

    /// Its name on a switch, and what it lets through.
    pub const fn says(self) -> (&'static str, &'static str) {
        match self {
            Topic::Fights => ("Fights", "Units that fall or change sides, bases under siege"),
            Topic::Land => ("Land", "Tiles that change hands"),
            Topic::Works => ("Works", "New units, forts, buildings and bombs"),
            Topic::Orders => ("Orders", "Orders that were lost, and why; factions that were late"),
            Topic::Match => ("Match", "Defeats, dominion, unpaid upkeep, the server, and the end"),
        }
    }

    /// The filter that lets it through; `None` for what is only seen on the map.
    pub const fn of(what: &IncidentKind) -> Option<Topic> {
        Some(match what {
            IncidentKind::Gone { .. } | IncidentKind::Converted(..) | IncidentKind::Siege(..) => {
                Topic::Fights
            }
            IncidentKind::Land(..) => Topic::Land,
            IncidentKind::Appeared(..)
            | IncidentKind::Fort(..)
            | IncidentKind::Built(..)
            | IncidentKind::Bomb(..) => Topic::Works,
            IncidentKind::Lost(..) | IncidentKind::Late(_) => Topic::Orders,
            IncidentKind::Beaten(_)
            | IncidentKind::Unpaid(_)
            | IncidentKind::Dominion(..)
            | IncidentKind::Said(_)
            | IncidentKind::Won(_) => Topic::Match,
            IncidentKind::Turn(_)
            | IncidentKind::Moved(..)
            | IncidentKind::Attacked(..)
            | IncidentKind::Healed(..)
            | IncidentKind::Changed(..) => {
                return None;
            }
        })
    }
}
