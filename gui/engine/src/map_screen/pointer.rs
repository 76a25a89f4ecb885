//! Where the pointer is on the screen of a match, and what it drags. Tested with the screens of the games.

use crate::ink::Point;
use crate::instant::Instant;

/// What a held button drags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drag {
    /// Not moved far enough yet.
    Pending(Point),
    World,
    /// Pressed at this place of the strip; the pointer may leave it.
    Timeline(Point),
    Minimap,
}

/// The pointer between two events.
#[derive(Debug)]
pub struct Pointer {
    /// Where it is, in points; `None` beside the window.
    pub at: Option<Point>,
    pub(super) drag: Option<Drag>,
    pub(super) last: Point,
    pub(super) clicked: Option<(Instant, Point)>,
    /// How many px of the window make a point.
    pub(super) scale: f32,
    /// Whether the last input came from a finger: then panels name no keys.
    pub touched: bool,
}

impl Default for Pointer {
    fn default() -> Pointer {
        Pointer { at: None, drag: None, last: Point::ZERO, clicked: None, scale: 1.0, touched: false }
    }
}
