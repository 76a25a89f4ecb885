//! Tournaments: many matches between many bots, planned first, played unattended, and summed up.
//!
//! A tournament is a folder. `bots` says who plays and by what each is known, `plan` which matches are played;
//! `reading` takes a whole folder in, `outcome` is how a match went, `tally` what all come to by `rating`, and `merge`
//! writes that as every `report`.
//! Names are for people and never keys: a bot is the hash of its files, a match the hash of what is played in it.
//! Nothing here decides what happens in a match. Tested in the modules and in `tests/tournament/`.

pub mod bots;
pub mod error;
pub mod identity;
pub mod merge;
pub mod outcome;
pub mod plan;
pub mod rating;
pub mod reading;
pub mod report;
pub mod tally;

pub use error::Error;
