//! The change of turns for any game in turns: which player's turn it is, and how a turn passes.
//!
//! `order` is the turn order as a pure value; `engine` leads a game through turns and phases by it. Neither knows a
//! game, a socket or a clock: time comes in as ticks. Tested in `tests/turns/` and in the modules.

#![warn(missing_docs)]

mod acts;
pub mod engine;
pub mod order;
mod policy;
pub mod setting;
