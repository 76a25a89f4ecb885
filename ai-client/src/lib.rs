//! The reference client as a library: players that play to win.
//!
//! An `agent` turns lines into lines and knows no socket and no clock; each game has a module of its own with the
//! agents that play it: `zappy` and `conquest`. `client` joins an agent to a connection and doesn't know the game;
//! `cli` reads the command line. Tested in each module and in `tests/`.

pub mod agent;
mod chance;
pub mod cli;
pub mod client;
pub mod conquest;
pub mod zappy;
