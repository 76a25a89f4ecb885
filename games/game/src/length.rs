//! How long a match lasts, in the unit in which its game is counted: turns, or ticks.
//!
//! A game in turns says so by `turns` among its details, the last turn that was played, and by an option `turns`, the
//! last one that can be. Tested in this module.

use std::fmt;

use serde_json::{Map, Value};
use zappy_protocol::Tick;
use zappy_protocol::text::{many, thousands};

use crate::Options;

/// The detail, and the option, by which a game counts turns.
const TURNS: &str = "turns";

/// How long a match lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Length {
    /// So many ticks, for a game by the clock.
    Ticks(Tick),
    /// So many turns, for a game in turns.
    Turns(u64),
}

impl Length {
    /// How long a match lasted, from the details of one of its teams; `ticks` if they name no turns.
    pub fn played(details: Option<&Map<String, Value>>, ticks: Tick) -> Length {
        let turns = details.and_then(|details| details.get(TURNS)?.as_u64());
        turns.map_or(Length::Ticks(ticks), Length::Turns)
    }

    /// How long a match may last, from the options of its game; `ticks` if they name no turns.
    pub fn most(options: &Options, ticks: Tick) -> Length {
        options.get(TURNS).parse().map_or(Length::Ticks(ticks), Length::Turns)
    }

    /// The number without its unit.
    pub const fn count(self) -> u64 {
        match self {
            Length::Ticks(count) | Length::Turns(count) => count,
        }
    }

    /// The unit in the singular.
    pub const fn unit(self) -> &'static str {
        match self {
            Length::Ticks(_) => "tick",
            Length::Turns(_) => "turn",
        }
    }

    /// The moment at which that much of the match is over: `turn 36`.
    pub fn moment(self) -> String {
        format!("{} {}", self.unit(), thousands(self.count()))
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&many(self.count(), self.unit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_game_in_turns_is_counted_in_turns_and_any_other_in_ticks() {
        let said = |details: Value, ticks| {
            let length = Length::played(details.as_object(), ticks);
            (length.to_string(), length.moment())
        };
        let words = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(said(json!({ "turns": 36 }), 36_036), words("36 turns", "turn 36"));
        assert_eq!(said(json!({ "turns": 1 }), 1_001), words("1 turn", "turn 1"));
        assert_eq!(said(json!({ "land": 36 }), 36_036), words("36,036 ticks", "tick 36,036"));
        assert_eq!(Length::played(None, 7), Length::Ticks(7));
    }
}
