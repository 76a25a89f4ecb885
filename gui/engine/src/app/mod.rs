//! The actions of the spectator and their effects, as far as they are the same for every game.
//!
//! A game's screen is built around a [`watching::Watching`]. Names no game. Plain Rust without a window. Tested in its
//! modules and in `gui/zappy/tests/app.rs`.

pub mod action;
pub mod keymap;
pub mod link;
pub mod observer;
pub mod origin;
pub mod playback;
pub mod session;
pub mod share;
pub mod watching;
