//! Clients of conquest: one that plays to win, and weaker ones as opponents to compare with.
//!
//! `agent` turns the lines that a faction reads into the lines that it sends. `view` is what the faction knows of the
//! world. `level` holds the levels of play: `easy`, the commander of `plan` and `turn` with its doctrines, and `expert`
//! with `battle`; `city` decides about cities for the last two. Tested in `agent` and, against the real rules, in
//! `tests/conquest.rs`.

pub mod agent;
mod battle;
mod city;
mod easy;
mod expert;
pub mod level;
mod plan;
mod turn;
mod view;
