//! Requests of the system or of other processes to end the match: signals, or what the system has in their place.
//!
//! Tested in `unix` and in `tests/sockets.rs`.

mod sender;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use sender::Sender;
#[cfg(unix)]
pub use unix::EndSignals;
#[cfg(windows)]
pub use windows::EndSignals;
