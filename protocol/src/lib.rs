//! What the programs of the arena say to each other, as types: nothing here does input or output, reads a clock
//! or decides what happens in a game.
//!
//! `line` cuts bytes into bounded lines, `text` and `words` take lines apart, `messages` makes a dialect of a table,
//! `types` holds the nouns that every game shares, `record` is the file that a match leaves behind, `published` the
//! lines that any game may send observers. Each game has a room of its own for its lines on the wire: `zappy`,
//! `conquest`. `protocol.md` is the same contract in prose. Tested in each module and in `tests/`.

pub mod commentary;
pub mod conquest;
pub mod line;
mod messages;
pub mod palette;
pub mod published;
pub mod record;
pub mod text;
pub mod types;
mod words;
pub mod zappy;

pub use types::{BadMessage, DEFAULT_FREQUENCY, MapSize, OBSERVER_NAME, Position, TeamName, Text, Tick};
