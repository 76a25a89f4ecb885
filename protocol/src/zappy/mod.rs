//! Zappy on the wire: both dialects, the observer's mirror of the world, and the constants.
//!
//! `player` is the dialect of programs that play, `observer` that of programs that watch. `mirror` rebuilds the world
//! from an observer's messages, `geometry` numbers the tiles of a look and the directions of sounds, `constants`
//! holds the numbers that clients and observers need as much as the server. Nothing here decides what happens in the
//! game. Tested in each module and in `tests/roundtrip.rs`.
//!
//! ```
//! use zappy_protocol::zappy::player::{BadCommand, Command, CommandKind, Response};
//! use zappy_protocol::zappy::{Resource, constants};
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
mod lists;
pub mod mirror;
pub mod observer;
pub mod player;
mod request;
pub mod retelling;
pub mod story;
mod types;

pub use types::{EggId, Inventory, Level, Orientation, PlayerId, Resource};
