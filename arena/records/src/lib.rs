//! What graders and students do with records: prove many, read what happened in one, make a full record of its inputs
//! alone.
//!
//! `verify` plays many records again, `expand` makes a full record of a record of inputs, and `show` shows what
//! happened in one, by the room of its game (a module for that game) or, for a game without a room, by `any_game`. The
//! rules and the replay live in the server's library. Never changes a record, nor holds more of a record than its
//! inputs. Tested in `arena/cli/tests/records/`.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

mod annotations;
mod any_game;
pub mod args;
pub mod conquest;
mod expand;
mod files;
mod heading;
mod players;
mod progress;
mod show;
mod showing;
mod source;
mod verify;
pub mod viewer_page;
pub mod zappy;

pub use args::{ExpandArgs, ShowArgs, VerifyArgs};
pub use expand::expand;
pub use files::Error;
pub use progress::Progress;
pub use show::{refusals, show};
pub use showing::{RecordRoom, RecordRooms};
pub use verify::{on_all_cores, verify};

/// Everything asked for was done.
const FINE: u8 = 0;
/// Some of it could not be done.
const FAILED: u8 = 1;
/// What was asked for makes no sense.
const USAGE: u8 = 2;
/// It was asked to stop.
const INTERRUPTED: u8 = 130;

/// Says on standard error what is wrong with a file; gives the exit code.
fn complain(path: &Path, words: impl Display, code: u8) -> u8 {
    let _ = writeln!(io::stderr(), "zappy_arena: {}: {words}", path.display());
    code
}
