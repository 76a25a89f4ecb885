//! What the spectator does, and what that changes.
//!
//! Plain Rust without a window. Tested in its modules and in `tests/`.

pub mod action;
pub mod keymap;
pub mod shown;
pub mod view;
