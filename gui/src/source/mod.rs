//! Where lines come from: a server over TCP. Records are files and stand in `timeline`.
//!
//! [`live`] reads, [`clock`] estimates the ticks that the dialect doesn't carry, [`feed`] makes messages of lines
//! and keeps the past.

pub mod clock;
pub mod feed;
mod greeting;
pub mod live;
mod news;
mod office;
mod reader;
pub mod trouble;
