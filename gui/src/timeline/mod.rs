//! What happened when.

pub mod archive;
pub mod dialogue;
mod index;
pub mod playhead;
pub mod record_file;
pub mod scan;
pub mod spool;
pub mod tape;
