//! What a window shows: the seam between the application and the window. Must never name a window library.

use std::time::Duration;

use crate::app::watching::ScreenState;
use crate::{ink::Canvas, input::InputEvent};

/// When the next frame is wanted. Whatever is asked for, an event brings a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Again,
    /// After a while, or at an event.
    After(Duration),
    WhenSomethingHappens,
    Quit,
}

/// Something that fills a window.
pub trait Screen {
    /// An event; those since the last frame come in order before the frame.
    fn event(&mut self, event: InputEvent);

    /// Draws a frame. `width` and `height` are logical px, `dpi` physical px per logical px, `seconds` (wall time) since
    /// the last frame. The screen calls [`Canvas::begin`] itself, with physical px and its own scale.
    fn frame(&mut self, seconds: f32, width: f32, height: f32, dpi: f32, canvas: &mut Canvas) -> Next;

    /// What the program around the screen is asked for, after each frame, and told.
    fn state(&mut self) -> &mut ScreenState;
}
