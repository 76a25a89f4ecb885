//! Reads one byte of stdin per call, and waits for it up to a limit. Never reads ahead: what follows the line with the
//! seed is for the door (`net/door`) or the console.
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
