//! What leads to victory in three small pictures, for those that see the game for the first time.

use zappy_observer::ink::{Canvas, Point, Rect};
use zappy_observer::theme;

/// Tiles of one colour that grow into others.
pub fn expand(canvas: &mut Canvas, at: Point, r: f32) {
    for (x, y) in (-1_i8..=1).flat_map(|y| (-1_i8..=1).map(move |x| (x, y))) {
        let color = if x + y <= 0 { theme::GOOD } else { theme::PANEL_LINE };
        let there = at + Point::new(f32::from(x), f32::from(y)) * (r * 0.6);
        canvas.round_rect(Rect::around(there, r * 0.54, r * 0.54), r * 0.08, color);
    }
}

/// A unit between two coins.
pub fn feed(canvas: &mut Canvas, at: Point, r: f32) {
    canvas.polygon(at, r * 0.62, 4, 0.0, r * 0.1, theme::TEXT);
    for x in [-0.82, 0.82] {
        canvas.circle(at + Point::new(r * x, 0.0), r * 0.3, theme::ACCENT);
        canvas.ring(at + Point::new(r * x, 0.0), r * 0.2, r * 0.05, theme::NIGHT);
    }
}

/// A base, and those that have come for it.
pub fn take(canvas: &mut Canvas, at: Point, r: f32) {
    canvas.star(at, r * 0.6, 5, 0.5, 0.0, theme::ACCENT);
    canvas.ring(at, r * 0.74, r * 0.07, theme::ACCENT);
    for turn in [0.12, 0.37, 0.62, 0.87_f32].map(|turn| turn * std::f32::consts::TAU) {
        let there = at + Point::new(turn.sin(), turn.cos()) * r;
        canvas.polygon(there, r * 0.22, 3, 0.0, 0.0, theme::BAD);
    }
}
