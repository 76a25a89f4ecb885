//! Tournaments: many matches between many bots, planned first, played unattended, and summed up.
//!
//! The folder of a tournament is a `place`, and each of its files is written as a `whole` or not at all.
//!
//! - Before: `bots` reads the bots (`gauntlet` a graded one with its opponents), and `plan` makes the matches from `pairing`
//!   and `seeds`.
//! - Played: `run` starts processes of this program (`worker`), one for each match. Such a process holds the match's `claim`,
//!   plays it (`single`) with `copies` of the bots in a `team_sandbox`, and makes an `outcome` of it (`judge`, `blame`).
//!   `no_start` finds bots that can't be started, and `speed` forecasts how long the rest will take.
//! - Afterwards: `status` counts matches, `verify` proves all results again from the records, `reading` checks each file that
//!   it reads, `verdict` says what a result means, `tally` makes a ranking by `rating`, and `merge` writes each `report`.
//!
//! Names are for people and never keys: the id of a bot is a hash of its files, that of a match a hash of what is played. Nothing
//! here decides what happens in a match. Tested in the modules and in `arena/cli/tests/tournament/`.

#![allow(missing_docs, reason = "only this workspace uses the crate, and plain names need no comment")]

mod blame;
pub mod bots;
pub mod claim;
pub mod compare;
pub mod copies;
pub mod error;
pub mod gauntlet;
pub mod grading;
pub mod identity;
pub mod judge;
pub mod ladder;
pub mod league;
pub mod merge;
pub mod no_start;
pub mod outcome;
mod pairing;
pub mod place;
pub mod plan;
pub mod rating;
pub mod reading;
pub mod report;
pub mod run;
pub mod scores;
pub mod seeds;
pub mod single;
pub mod speed;
pub mod status;
mod sums;
pub mod tally;
pub mod team_sandbox;
pub mod variants;
pub mod verdict;
pub mod verify;
mod whole;
pub mod worker;

pub use error::Error;
