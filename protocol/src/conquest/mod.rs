//! Conquest on the wire: both dialects, the observer's mirror of the world, and the published numbers.
//!
//! `player` is the dialect of programs that play, `observer` that of programs that watch; `mirror` rebuilds the world
//! from an observer's messages. `types` holds the nouns that both dialects carry, `geometry` what is near what on the
//! torus, `constants` the numbers that clients and observers need as much as the server, `production` what a city
//! produces, `battles` which losses belong together, `commentary` how a match stands. Nothing here decides what happens
//! in the game. Tested in each module and in `tests/conquest.rs`.
//!
//! ```
//! use zappy_protocol::Position;
//! use zappy_protocol::conquest::player::{Order, PlayerLine, ServerLine, UnitOrder};
//! use zappy_protocol::conquest::{UnitId, UnitType};
//!
//! let line = PlayerLine::parse(b"Unit 7 travel 11 5").unwrap();
//! let order = UnitOrder::Travel(Position { x: 11, y: 5 });
//! assert_eq!(line, PlayerLine::Order(Order::Unit(UnitId(7), order)));
//! let refusal = PlayerLine::parse(b"Unit 7 travel north").unwrap_err();
//! assert_eq!(refusal.to_string(), "expected Unit N travel X Y");
//!
//! let Ok(ServerLine::Unit { id, unit }) = ServerLine::parse(b"unit 7 0 pioneer 10 5 3 -") else { panic!() };
//! assert_eq!((id, unit.kind), (UnitId(7), UnitType::Pioneer));
//! ```

pub mod battles;
pub mod commentary;
pub mod constants;
pub mod geometry;
pub mod mirror;
pub mod observer;
mod options;
pub mod player;
pub mod production;
pub mod retelling;
mod types;
mod words;

pub use options::GameOptions;
pub use types::{
    Building, Cause, Edition, FactionId, Flags, Holdings, Mode, Placement, Slot, Stance, Terrain, Tile, Unit,
    UnitId, UnitType,
};
pub use words::Dominion;
