//! Means by which other people's programs stay within reach.
//!
//! Three means, none of which needs a privilege: each program leads a session of its own; the arena
//! adopts what its children leave behind, so that a process that forked away is found as a child; and the
//! launcher, which becomes the program, asks the kernel to end it when the arena dies. A program that changes
//! its user, or that asks another service to start something, is out of reach. On other Unix systems only the
//! sessions work. Windows has jobs in their place.
//! Tested in `arena/cli/tests/containment.rs`.

mod seen;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use seen::Swept;
#[cfg(target_os = "linux")]
pub use seen::root_of;
pub use seen::{Seen, is_below, processes};
#[cfg(unix)]
pub use unix::{Orphans, become_program, close_memory, launch, signal_at_death_of};
#[cfg(windows)]
pub use windows::{Orphans, become_program, launch, signal_at_death_of};
