//! The Zappy server as a library: the event loop around any game, its records and its results.
//!
//! `net` is the event loop and knows no rules; `games` is the table of the games that can be played. `record` writes what
//! passes through the seam and plays it again; `result` says how a match went. `cli` makes a program of it all.
//! Each module says where it is tested.

pub mod cli;
pub mod files;
pub mod games;
pub mod net;
pub mod record;
pub mod result;
