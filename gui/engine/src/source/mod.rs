//! Where lines come from: a server over TCP, or a site through a page. Records are files and stand in `timeline`.
//!
//! [`live`] reads a server, [`socket`] follows a page's WebSocket, [`clock`] estimates the ticks that the dialect doesn't
//! carry, [`feed`] makes messages of lines and keeps the past.

pub mod clock;
pub mod feed;
mod greeting;
mod hearing;
pub mod live;
mod news;
mod office;
mod reader;
pub mod socket;
pub mod trouble;
