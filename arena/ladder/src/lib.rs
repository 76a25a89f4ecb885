//! The ladder: bots connect over the network, from wherever they run, and are rated by the matches between them.
//!
//! `names` are the bots with their tokens. `lobby` decides which waiting bots meet, unless `fixtures` lists the
//! matches. `reception` holds the connections without a match; `handed` passes a connection that has logged in on to
//! its match. A match is a `bout`: the server's shell, with its record. `host` is the loop around them all. The
//! ladder's folder is a `season`, played by its `settings`; a `clerk` keeps finished matches in it and makes the table.
//! No program of a bot runs in this process. Knows no game.

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
