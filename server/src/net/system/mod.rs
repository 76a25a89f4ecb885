//! Services of the operating system beside sockets: the loop is woken by signals and streams, too, has a long queue of
//! connections, and enough descriptors.
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

/// Whether the poll reports what comes after a read that didn't fill its buffer. On Windows it reports nothing more before a
/// read has found nothing.
pub const SHORT_READ_ENDS: bool = cfg!(unix);

/// What to do when descriptors have run out.
pub const EXHAUSTED: &str = if cfg!(unix) { "; allow more open files with ulimit -n" } else { "" };
