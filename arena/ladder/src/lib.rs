//! Bots that come over the network by themselves.
//!
//! `handed` makes a connection that logged in elsewhere one of a match. Knows no game.

pub mod handed;
