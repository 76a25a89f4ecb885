//! Stands by while another process of this program plays a match.
//!
//! Whichever of the two is killed, the other one is left to end what was started: the player ends its match in
//! order when the keeper dies, and the keeper ends what is left when the player dies. Only when both are killed
//! at once, what a bot itself had started can live on. Never touches the match. Tested in
//! `arena/cli/tests/containment.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::keep;
#[cfg(windows)]
pub use windows::keep;
