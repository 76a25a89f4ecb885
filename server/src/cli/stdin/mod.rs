//! The bytes of stdin one by one, each waited for up to a limit. No further byte is taken, since the others are for the
//! door or the console.
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
