//! The bytes of stdin one by one, each within a limit: none too many is taken, since the rest is for the door or the console.
//!
//! Tested in `tests/sockets.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::next_byte;
#[cfg(windows)]
pub use windows::next_byte;
