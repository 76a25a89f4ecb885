//! The arena's end of the server's door: says which program holds a connection, so that no program comes in
//! under another team's name or watches what its team may not see.
//!
//! The server waits for the answer. Meanwhile the process that opened the connection still holds its other
//! end, and the system tells which process that is: by the socket of these two addresses, and by the
//! descriptors of all processes.
//!
//! - A connection that is surely a team's comes in as that team alone.
//! - A connection of a program that belongs to no match comes in under any name, and is counted.
//! - A connection doesn't come in if no process holds it, if its process can't be told, or if a program of
//!   another match holds it.
//!
//! A team is blamed for nothing but what one of its own connections said, or one of its own processes told the server or
//! the arena by a signal. Where there is no `/proc`, and
//! outside of Linux, the server doesn't ask. Tested in `linux` and in `arena/cli/tests/tournament/names.rs`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod seated;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Door;
#[cfg(target_os = "linux")]
pub use linux::Door;
pub use seated::{AtDoor, Seated, Tally};
