//! What panels of every game are made of, and those panels that are alike for all of them, as ink.
//!
//! Must never keep anything between frames, and never change anything: what can be clicked comes back as [`Hits`].
//! Names no game. Tested in its modules, and with the panels of the games.

pub mod charts;
pub mod closing;
pub mod feed;
pub mod flow;
pub mod help;
mod hits;
pub mod kit;
pub mod layout;
pub mod marks;
pub mod now;
pub mod start;
pub mod status;
pub mod transport;

pub use hits::{Hits, Region};
