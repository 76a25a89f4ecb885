//! The Zappy server as a library: the rules as a pure state machine, and what runs them.
//!
//! `zappy` is the rules and knows no socket, clock or log. `net` is the event loop and knows no rules. Both
//! know `game`, the seam between them. `record` writes what passes through the seam and plays it again.

pub mod chance;
pub mod config;
pub mod game;
pub mod net;
pub mod record;
pub mod result;
pub mod zappy;
