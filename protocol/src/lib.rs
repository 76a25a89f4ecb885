//! Both wire dialects of Zappy as types, each with a parser and a printer that are each other's inverse.
//!
//! `player` is what programs speak that play, `observer` what those speak that watch, `line` cuts bytes into
//! bounded lines, `mirror` rebuilds the world from an observer's messages, `record` is the file a match leaves
//! behind. Beside them stand the constants that clients and observers need as much as the server.
//!
//! Nothing in here does input or output, reads a clock or decides what happens in the game. `protocol.md` is
//! the same contract in prose. Tested in each module and in `tests/`.
//!
//! ```
//! use zappy_protocol::player::{BadCommand, Command, CommandKind, Response};
//! use zappy_protocol::{Resource, constants};
//!
//! assert_eq!(Command::parse(b"Take linemate"), Ok(Command::Take(Resource::Linemate)));
//! assert_eq!(Command::parse(b"Fork twice"), Err(BadCommand::Arguments(CommandKind::Fork)));
//! assert_eq!(CommandKind::Fork.cost(), constants::FORK_TICKS);
//!
//! let Ok(Response::Look(tiles)) = Response::parse(b"[ player food, linemate,, ]") else { panic!() };
//! assert_eq!(tiles[1].resources.get(Resource::Linemate), 1);
//! ```

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
