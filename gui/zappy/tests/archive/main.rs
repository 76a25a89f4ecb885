//! The past of a match: records and spools, seeking, scanning, dialogues; with matches played in the process.

mod dialogue;
mod playhead;
mod record_file;
mod refusal;
mod scan;
mod spool;
mod support;
