//! Where the lines of a live match come from: a server over TCP, or a site through a page. For records see `timeline`.
//!
//! [`live`] reads a server, [`socket`] a page's WebSocket, [`clock`] estimates the ticks that published lines don't
//! carry, [`feed`] makes messages of lines and keeps the past.

pub mod clock;
mod control;
mod decoder;
pub mod feed;
mod greeting;
pub mod live;
mod news;
mod reader;
pub mod socket;
pub mod trouble;
