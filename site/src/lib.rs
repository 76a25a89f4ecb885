//! What is played and was played below a folder, for browsers: a small web server that only reads.
//!
//! `listener` takes connections in, `access` says which requests are answered, and `routes` answers them with the pages of
//! `page` and with files. `trust` decides what below the folder may be shown. Nothing here writes below the folder, and nothing
//! decides what happens in a game. Tested in the modules and in `tests/`.
//!
//! It is for Unix alone: elsewhere this library is empty, and the program says so.

#![cfg(unix)]

mod access;
pub mod cli;
mod frame;
mod gzip;
mod league;
mod listener;
mod live;
mod match_state;
mod page;
mod picture;
mod place;
mod root;
mod routes;
mod setup;
mod shelf;
mod summary;
mod trust;

pub use listener::{Site, open};
pub use setup::{CONNECTIONS, PER_ADDRESS, Setup};
