//! What happened when: the past is kept, so that any tick can be shown again.
//!
//! Never draws, never knows a window. Tested in `tests/` and in its modules.

pub mod archive;
pub mod chronicle;
pub mod dialogue;
pub mod happening;
mod index;
mod limits;
pub mod playhead;
pub mod record_file;
pub mod refusal;
pub mod roster;
pub mod scan;
pub mod series;
pub mod spool;
pub mod stage;
pub mod tape;
pub mod track;
