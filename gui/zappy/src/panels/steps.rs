//! What leads to victory in three small pictures, for those that see the game for the first time.

use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::constants::WINNING_PLAYERS;

use crate::look::resource_color;
use zappy_observer::ink::{Canvas, Point, Rect};
use zappy_observer::theme;

/// Stones of all kinds, and food in their middle.
pub fn gather(canvas: &mut Canvas, at: Point, r: f32) {
    for (nth, stone) in (0_u8..).zip(&Resource::ALL[1..]) {
        let turn = f32::from(nth) / 6.0 * std::f32::consts::TAU;
        let there = at + Point::new(turn.sin(), -turn.cos()) * (r * 0.74);
        canvas.polygon(there, r * 0.26, 6, 0.0, 0.0, resource_color(*stone));
    }
    canvas.circle(at, r * 0.3, resource_color(Resource::Food));
}

/// Players in a ring of light.
pub fn stand(canvas: &mut Canvas, at: Point, r: f32) {
    canvas.glow(at, r * 1.2, theme::ACCENT.alpha(0.5));
    canvas.ring(at, r, r * 0.1, theme::ACCENT);
    for turn in [0.0, 1.0, 2.0, 3.0].map(|quarter: f32| (quarter + 0.5) / 4.0 * std::f32::consts::TAU) {
        canvas.circle(at + Point::new(turn.sin(), turn.cos()) * (r * 0.48), r * 0.24, theme::TEXT);
    }
}

/// As many full pips as win, below a star.
pub fn win(canvas: &mut Canvas, at: Point, r: f32) {
    canvas.star(at - Point::new(0.0, r * 0.3), r * 0.72, 5, 0.45, 0.0, theme::ACCENT);
    for pip in 0..WINNING_PLAYERS {
        let x = (pip as f32 - (WINNING_PLAYERS - 1) as f32 / 2.0) * r * 0.36;
        let place = Rect::around(at + Point::new(x, r * 0.72), r * 0.28, r * 0.3);
        canvas.round_rect(place, r * 0.08, theme::GOOD);
    }
}
