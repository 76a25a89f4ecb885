//! The open arena: bots come over the network by themselves, from wherever they run, and climb.
//!
//! `names` says which bots there are, and `lobby` which of them wait and meet, or `fixtures`. `reception` has the connections without a match; `handed`
//! makes one that logged in there one of a match, which is a `bout`: the server's shell, with its record. `host` is the loop around
//! them all. The folder is a `season`, played by its `settings`; a `clerk` keeps there what is over, and sums it up. No program of a
//! bot runs here. Knows no game.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

mod bout;
pub mod clerk;
mod fixtures;
mod handed;
pub mod host;
pub mod lobby;
pub mod names;
mod reception;
pub mod season;
pub mod settings;
