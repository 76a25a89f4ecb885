//! Where those panels are that every screen has: a pure function of the window's size.
//!
//! Must never panic on a size. Tested with the layout of Zappy.

use super::status::{self, Status};
use super::transport;
use crate::ink::{Point, Rect};
use crate::theme::gap;

/// Around and between panels, in points.
pub const MARGIN: f32 = gap::LARGE;

/// The whole window, whatever size the system says, in points.
pub fn window(width: f32, height: f32) -> Rect {
    let size = |side: f32| if side.is_finite() { side.clamp(0.0, 65_536.0) } else { 0.0 };
    Rect::new(0.0, 0.0, size(width), size(height))
}

/// The bar of time along the lower edge; small and alone if all panels are hidden.
pub fn transport_place(window: Rect, bare: bool) -> Rect {
    if window.w < 40.0 || window.h < 120.0 {
        return Rect::default();
    }
    if bare {
        let width = transport::TINY.0.min(window.w - 2.0 * MARGIN).max(0.0);
        let at = Point::new(window.centre().x, window.bottom() - MARGIN - transport::TINY.1 / 2.0);
        return Rect::around(at, width, transport::TINY.1);
    }
    let height = transport::HEIGHT.min(window.h);
    Rect::new(0.0, window.h - height, window.w, height)
}

/// What is left above the bar of time.
pub fn above(window: Rect, transport: Rect) -> Rect {
    let bottom = if transport.is_empty() { window.h } else { transport.y - MARGIN };
    Rect::new(0.0, 0.0, window.w, bottom.max(0.0))
}

/// Over the world's lower edge.
pub fn status_place(world: Rect, transport: Rect, says: Status<'_>) -> Rect {
    if !status::wanted(says) || world.w < 120.0 || world.h < 80.0 {
        return Rect::default();
    }
    let bottom = if transport.is_empty() { world.bottom() } else { world.bottom().min(transport.y) };
    let width = (world.w - 2.0 * MARGIN).min(560.0);
    Rect::new(world.centre().x - width / 2.0, bottom - MARGIN - status::HEIGHT, width, status::HEIGHT)
}

/// As large as wanted or as the window allows.
pub fn centred(window: Rect, (width, height): (f32, f32)) -> Rect {
    let room = window.inset(if window.w < 900.0 { gap::SMALL } else { 2.0 * MARGIN });
    Rect::around(window.centre(), width.min(room.w), height.min(room.h))
}
