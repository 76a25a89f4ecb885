//! Turn order for any game in turns: which player's turn it is, and how a turn passes.
//!
//! `setting` has the options of turns; `order` is the turn order as a pure value; `engine` leads a game through turns and phases
//! by it; `seats` are the players', and `led` joins them and the engine behind the seam. `play` makes a whole game of its moves
//! alone. None knows a game, a socket or a clock: time comes in as ticks. Tested in `tests/turns/` and in the modules.

#![warn(missing_docs)]

mod acts;
pub mod engine;
pub mod led;
pub mod order;
pub mod play;
mod policy;
pub mod seats;
pub mod setting;
