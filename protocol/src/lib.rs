//! Both wire dialects of Zappy as types, each with a parser and a printer that are each other's inverse.
//!
//! `player` is what programs speak that play, `observer` what those speak that watch, `line` cuts bytes into
//! bounded lines, `mirror` rebuilds the world from an observer's messages, `record` is the file a match leaves
//! behind. Beside them stand the constants that clients and observers need as much as the server.
//!
//! Nothing in here does input or output, reads a clock or decides what happens in the game. `protocol.md` is
//! the same contract in prose. Tested in each module and in `tests/`.

pub mod constants;
pub mod geometry;
pub mod line;
pub mod mirror;
pub mod observer;
pub mod player;
pub mod record;
pub mod types;
mod words;

pub use types::{
    EggId, Inventory, Level, MapSize, Orientation, PlayerId, Position, Resource, TeamName, Text, Tick,
};
