//! Services of the operating system beside sockets: signals and streams that wake the loop, a long queue of
//! connections, enough descriptors, and a timer.
//!
//! Unix has descriptors for streams and signals, which join the poll by themselves; elsewhere threads wait for them and
//! ring a bell that is in the poll. Tested in `tests/sockets.rs` and `tests/hostile`.

mod alarm;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use alarm::Alarm;
#[cfg(unix)]
pub use unix::{Wakes, block_what_would_end_a_match, is_exhaustion, lengthen_queue, raise_descriptor_limit};
#[cfg(windows)]
pub use windows::{
    Wakes, block_what_would_end_a_match, is_exhaustion, lengthen_queue, raise_descriptor_limit,
};

/// Whether a read that doesn't fill its buffer is enough for the poll to report what comes later. On Windows the poll
/// reports nothing more before a read has found nothing.
pub const SHORT_READ_ENDS: bool = cfg!(unix);

/// The end of an error message when descriptors have run out: what to do.
pub const EXHAUSTED: &str = if cfg!(unix) { "; allow more open files with ulimit -n" } else { "" };
