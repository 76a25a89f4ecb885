//! What games in turns share: in which order players act, how a turn passes, and their seats.
//!
//! `setting` has the options of turns. `order` is the turn order as a pure value, by which `engine` leads a game through turns
//! and phases. `seats` are the players' connections, and `led` joins them and the engine to a match that the server can run.
//! `play` makes a whole game of one that says only what its moves do. No module knows a particular game, a socket or a clock:
//! time comes in as ticks. Tested in `tests/turns/` and in the modules.

#![warn(missing_docs)]

mod acts;
pub mod engine;
pub mod led;
pub mod order;
pub mod play;
mod policy;
pub mod seats;
pub mod setting;
