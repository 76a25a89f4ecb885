//! Coordinates along the edges of the view, when tiles are large enough to be counted.

use std::ops::Range;

use super::Scene;
use crate::ink::{Anchor, Canvas, Point, Rect, Style};
use crate::theme::{NIGHT, TEXT_FAINT, TEXT_SOFT, size};
use crate::zappy::scene::smooth;

/// Points per tile from which on coordinates are seen, and from which on fully.
const FROM: (f32, f32) = (22.0, 30.0);
/// Points between two numbers at the least.
const APART: f32 = 34.0;
/// Points that the strip of numbers is high.
const STRIP: f32 = 18.0;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (scale, place) = (scene.camera.scale, scene.place);
    let there = smooth(FROM.0, FROM.1, scale);
    if there <= 0.0 || place.w < STRIP * 4.0 || place.h < STRIP * 4.0 {
        return;
    }
    canvas.faded(there, |canvas| {
        let clear = NIGHT.alpha(0.0);
        canvas.gradient(Rect::new(place.x, place.y, place.w, STRIP * 1.3), NIGHT.alpha(0.85), clear);
        let left = Rect::new(place.x, place.y, STRIP * 1.5, place.h);
        canvas.blend(left, [NIGHT.alpha(0.85), clear, clear, NIGHT.alpha(0.85)]);
        let seen = scene.camera.visible(place, scene.map);
        for (column, number) in numbered(seen.x, scene.map.width(), scale) {
            let x = scene.camera.to_window(place, (column as f64 + 0.5, 0.0)).x;
            if x > place.x + STRIP * 1.5 {
                number_at(canvas, Point::new(x, place.y + STRIP / 2.0), number);
            }
        }
        for (row, number) in numbered(seen.y, scene.map.height(), scale) {
            let y = scene.camera.to_window(place, (0.0, row as f64 + 0.5)).y;
            if y > place.y + STRIP {
                number_at(canvas, Point::new(place.x + STRIP / 2.0 + 1.0, y), number);
            }
        }
    });
}

/// Columns or rows that bear their number: each, or every second, fifth, tenth…
fn numbered(seen: Range<i64>, side: u16, scale: f32) -> impl Iterator<Item = (i64, i64)> {
    let step = [1, 2, 5, 10].into_iter().find(|&step| step as f32 * scale >= APART).unwrap_or(10);
    let named = move |at: i64| (at, at.rem_euclid(i64::from(side)));
    seen.map(named).filter(move |(_, number)| number % step == 0)
}

fn number_at(canvas: &mut Canvas, at: Point, number: i64) {
    // The origin is where the seam is.
    let color = if number == 0 { TEXT_SOFT } else { TEXT_FAINT };
    canvas.text(at, Anchor::Centre, &number.to_string(), Style::regular(size::SMALL, color));
}
