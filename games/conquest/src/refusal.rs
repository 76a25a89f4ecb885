//! Why an order isn't allowed, in words: students debug with them.
//!
//! The words stand with the rules that refuse. `conquest.md` lists them all, and a test of `server/tests/protocol_md/` finds
//! them in the sources. Tested through the rules.

use std::fmt::{self, Display, Formatter};

use zappy_game::Words;
use zappy_protocol::Text;
use zappy_protocol::conquest::player::ServerLine;

/// Why an order isn't allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    words: Words,
    is_final: bool,
}

impl Refusal {
    /// The order isn't allowed as things stand, and may be at the resolution.
    pub(super) fn not_now(words: impl Into<Words>) -> Refusal {
        Refusal { words: words.into(), is_final: false }
    }

    /// The order can't become right by the resolution.
    pub(super) fn never(words: impl Into<Words>) -> Refusal {
        Refusal { words: words.into(), is_final: true }
    }

    /// Whether an order with this fault isn't even taken.
    pub const fn is_final(&self) -> bool {
        self.is_final
    }

    /// The words as a text of the wire.
    pub(super) fn text(&self) -> Text {
        Text::new(self.words.as_bytes())
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// Refuses an order for now, unless the condition holds.
pub(super) fn require<W: Into<Words>>(condition: bool, why: impl FnOnce() -> W) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(Refusal::not_now(why())) }
}

/// Refuses an order in any case, unless the condition holds.
pub(super) fn require_or_never<W: Into<Words>>(
    condition: bool,
    why: impl FnOnce() -> W,
) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(Refusal::never(why())) }
}

/// The answer to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            Answer::Maybe(why) => ServerLine::Maybe(why.text()),
            Answer::Ko(why) => ServerLine::Ko(why.text()),
        }
    }
}
