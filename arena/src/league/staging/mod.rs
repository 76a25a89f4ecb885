//! A copy of what an author handed in, made so that nothing in it can do harm: no link is followed, nothing is waited for, and
//! as much is read as a bot may have.
//!
//! The folder may change under our hands, so each step goes from a folder that is open, never by a path again. Tested in
//! `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;
