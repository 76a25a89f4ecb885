//! Whether there is a display at all, asked before macroquad does, which would panic.
//!
//! Tested in `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{OpenDisplay, find};
#[cfg(target_os = "linux")]
pub use linux::{OpenDisplay, find};
