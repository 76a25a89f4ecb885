//! What happened when: the past is kept, so that any tick can be shown again.
//!
//! Works for every game that brings a [`fold`], and names none. Never draws, never knows a window. Tested in
//! `gui/zappy/tests/archive/` and in its modules.

pub mod archive;
pub mod dialogue;
pub mod fold;
mod index;
mod medium;
pub mod notes;
pub mod playhead;
pub mod record_file;
pub mod scan;
pub mod spool;
pub mod tape;
pub mod tempo;
