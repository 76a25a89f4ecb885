//! Other systems have one kind of display, which is there; if a window can't be had, macroquad says so.

use macroquad::miniquad::conf::LinuxBackend;

use super::HeldDisplay;
use crate::window::WindowFailure;

/// There is nothing to choose, and nothing has to be held.
pub fn find() -> Result<(LinuxBackend, HeldDisplay), WindowFailure> {
    Ok((LinuxBackend::X11Only, Box::new(())))
}
