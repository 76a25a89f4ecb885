//! Tournaments: many matches between many bots, planned first, played unattended, and summed up.
//!
//! A tournament is a folder, a `place`, of files that are there `whole` or not at all. `bots` says which bots play and by what
//! each is known (a graded one with its opponents: `gauntlet`), `plan` which matches are
//! played, on which `seeds` and `terms`, and a
//! `shard` is a part of it. `run` has the missing ones played by processes of this program (a `worker`), each of which plays a `single` one on
//! `copies` of the bots while it holds its `claim`, contained as `team_sandbox` says, and makes an `outcome` of it, with `blame` where it is due; a
//! `ledger` says where the time went. `status` counts what there is, and `verify` proves a finished tournament from its records. `reading` takes a whole folder in and trusts
//! none of it, `verdict` says what a result means, `tally` what all come to by `rating`, and `merge` writes that as
//! every `report`. Names are for people and never keys: a bot is the hash of its files, a
//! match the hash of what is played in it. Nothing here decides what happens in a match. Tested in the modules and in
//! `arena/cli/tests/tournament/`.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

mod blame;
pub mod bots;
pub mod claim;
pub mod compare;
pub mod copies;
pub mod error;
pub mod forecast;

pub mod gauntlet;
pub mod grading;
pub mod identity;
pub mod judge;
pub mod ladder;
pub mod league;
pub mod ledger;
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
pub mod shard;
pub mod single;
pub mod status;
mod sums;
pub mod tally;
pub mod team_sandbox;
pub mod terms;
pub mod variants;
pub mod verdict;
pub mod verify;
mod whole;
pub mod worker;

pub use error::Error;
