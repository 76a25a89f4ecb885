//! Wakes the loop on time: polls round up to a millisecond, so that without a timer a tick would begin up to a
//! millisecond late.
//!
//! Linux has a timer that is a descriptor in the poll. Elsewhere there is none, and the poll's own timeout has to do,
//! which is kept beside the timer in any case. Shown by the bench `load`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Alarm;
#[cfg(target_os = "linux")]
pub use linux::Alarm;
