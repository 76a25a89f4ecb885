//! The screen of Zappy: what its lines say, the world, the panels around it, and what can be chosen there.
//!
//! Nothing but the table of screens and the command line in `gui/app` knows it. Tested in `tests/`.

pub mod app;
pub mod draw;
pub mod keymap;
mod panels;
pub mod scene;
pub mod timeline;
pub mod view;
