//! Other systems have one kind of display, which is there; if a window can't be had, macroquad says so.

use macroquad::miniquad::conf::LinuxBackend;

use crate::window::WindowFailure;

/// Nothing has to be held.
#[derive(Debug)]
pub struct OpenDisplay;

/// There is nothing to choose.
pub fn find() -> Result<(LinuxBackend, OpenDisplay), WindowFailure> {
    Ok((LinuxBackend::X11Only, OpenDisplay))
}
