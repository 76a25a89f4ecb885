//! Whether there is a display at all, asked before macroquad does, which would panic.
//!
//! Tested in `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::find;
#[cfg(target_os = "linux")]
pub use linux::find;

/// A connection that is held until the window has its own: some displays begin anew when the last one closes.
pub type HeldDisplay = Box<dyn std::fmt::Debug>;
