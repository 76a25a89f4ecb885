//! What the feed can be filtered by.

use super::state::What;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Units that fall, and those that change sides.
    Fights,
    Land,
    /// Units, forts, buildings and bombs that appear or go.
    Works,
    /// Orders that were lost, and factions that were late.
    Orders,
    /// Defeats, what the server says, and the end.
    Match,
}

impl Topic {
    /// All topics in the order in which filters show them.
    pub const ALL: [Topic; 5] = [Topic::Fights, Topic::Land, Topic::Works, Topic::Orders, Topic::Match];

    /// Its name on a switch, and what it lets through.
    pub const fn says(self) -> (&'static str, &'static str) {
        match self {
            Topic::Fights => ("Fights", "Units that fall or change sides"),
            Topic::Land => ("Land", "Tiles that change hands"),
            Topic::Works => ("Works", "New units, forts, buildings and bombs"),
            Topic::Orders => ("Orders", "Orders that were lost, and why; factions that were late"),
            Topic::Match => ("Match", "Defeats, the server, and the end"),
        }
    }

    /// The filter that lets it through; `None` for what is only seen on the map.
    pub const fn of(what: &What) -> Option<Topic> {
        Some(match what {
            What::Gone { .. } | What::Converted(..) => Topic::Fights,
            What::Land(..) => Topic::Land,
            What::Appeared(..) | What::Fort(..) | What::Built(..) | What::Bomb(..) => Topic::Works,
            What::Lost(..) | What::Late(_) => Topic::Orders,
            What::Beaten(_) | What::Said(_) | What::Won(_) => Topic::Match,
            What::Turn(_) | What::Moved(..) | What::Attacked(..) | What::Healed(..) | What::Changed(..) => {
                return None;
            }
        })
    }
}
