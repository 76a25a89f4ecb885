//! What is played and was played below a folder, for browsers: a small web server that only reads.
//!
//! `root` looks into the folder and follows no link; `trust` tells what of it is the arena's own, `shelf` finds what lies there and `summary` says what came of it.
//! `live` carries a running match to any number of spectators over one connection to its server, with the `match_state` that brings
//! a late one up to date. `gzip` compresses what is sent, `replay` makes of any record one that can be watched.
//! `page` writes the pages in the `frame` of all, with `league` for how a league stands. `routes` answers requests, `access`
//! says which are answered at all, and `listener` takes connections in, each to its `place`; `setup` holds the settings.
//! Nothing here writes below the folder, and nothing decides what happens in a game. Tested in the modules and in
//! `tests/`.
//!
//! Unix's alone: elsewhere this library is empty, and the program says so.

#![cfg(unix)]

mod access;
pub mod cli;
mod frame;
mod gzip;
mod ladder;
mod league;
mod listener;
mod live;
mod match_state;
mod page;
mod picture;
mod place;
mod replay;
mod root;
mod routes;
mod setup;
mod shelf;
mod summary;
mod trust;

pub use listener::{Site, open};
pub use setup::{CONNECTIONS, PER_ADDRESS, Setup};
