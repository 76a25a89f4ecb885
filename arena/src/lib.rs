//! Matches between programs, run unattended, and what people do with their records afterwards.
//!
//! `play` runs one match between `programs`; `local` plays matches between our own bots in this process. `compare`
//! tells whether a version of a bot is stronger than another, and whether seats are alike; `tournament` plays many
//! bots against each other and sums it up, `grading` makes points of that, and a `league` goes on with it as bots come and
//! change; `check` puts one bot into crafted situations. `records` is what people
//! do with the records of many matches. `os` is the operating system beneath all of it. Nothing here decides what
//! happens in a game.

pub mod check;
pub mod cli;
pub mod compare;
pub mod error;
pub mod grading;
pub mod league;
pub mod local;
pub mod os;
pub mod play;
pub mod programs;
pub mod records;
mod text;
pub mod tournament;

pub use error::Error;
