//! Players of Zappy: one that plays to win, and weaker ones as opponents to compare with.
//!
//! `agent` turns the lines that a player reads into the lines that it sends. `level` holds the levels of play, and
//! `plan` the strongest of them. Strategies are built on `memory`, what a player knows of the world, and `team`, what
//! it knows of its mates. Two agents share nothing but the game, and what a parent hands to the child it lays. Tested
//! in each module and in `tests/`.

pub mod agent;
mod family;
pub mod level;
mod memory;
mod plan;
mod strategy;
mod team;
