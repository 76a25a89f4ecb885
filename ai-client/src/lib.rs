//! The reference client of Zappy as a library: a player that plays to win.
//!
//! `agent` turns the lines a player reads into the lines it sends and knows no socket and no clock; inside it
//! `memory` is what it knows of the world, `team` what it knows of its mates, `plan` what it does next. `level` holds
//! the weaker players and the disturber that others measure themselves against. `client` joins an agent to a
//! connection, and `cli` is what the program understands. Two agents share nothing but the game, and what a parent
//! hands to the child it lays. Tested in each module and in `tests/`.

pub mod agent;
mod chance;
pub mod cli;
pub mod client;
pub mod level;
mod memory;
mod plan;
mod team;
