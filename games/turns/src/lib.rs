//! The change of turns for any game in turns: which player's turn it is, and how a turn passes.
//!
//! `order` is the turn order as a pure value; `engine` leads a game through turns and phases by it; `seats` are those of its
//! players, and `led` joins both behind the seam. `play` makes a whole game of what only that game knows. None knows a game, a socket or a clock: time comes in as ticks. Tested in `tests/turns/` and in the modules.

#![warn(missing_docs)]

mod acts;
pub mod engine;
pub mod led;
pub mod order;
pub mod play;
mod policy;
pub mod seats;
pub mod setting;
