//! What happened when: the past is kept, so that any tick can be shown again.
//!
//! Never draws, never knows a window. Tested in `tests/`.

pub mod chronicle;
pub mod dialogue;
pub mod happening;
pub mod roster;
pub mod series;
pub mod stage;
pub mod track;
