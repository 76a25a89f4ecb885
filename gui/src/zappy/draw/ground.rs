//! The ground: tiles when near, a field of colour when far.

use super::{Scene, field};
use crate::camera::Seen;
use crate::ink::{Canvas, Point, Rect};
use crate::theme::{GRID, GROUND, GROUND_ALT, NIGHT};
use crate::torus::smooth;
use crate::zappy::scene::{FAR, NEAR};

/// Tiles drawn one by one at most.
const TILE_LIMIT: i64 = 24_000;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let seen = scene.camera.visible(scene.place, scene.map);
    canvas.rect(scene.place, GROUND.mix(NIGHT, 0.55 * scene.detail.tiles));
    if scene.detail.field > 0.0 {
        canvas.faded(scene.detail.field, |canvas| field::draw(canvas, scene, &seen));
    }
    if scene.detail.tiles > 0.0 {
        canvas.faded(scene.detail.tiles, |canvas| tiles(canvas, scene, &seen));
    }
    scene.seam(canvas, &seen);
}

fn tiles(canvas: &mut Canvas, scene: &Scene<'_>, seen: &Seen) {
    if seen.count() > TILE_LIMIT {
        return;
    }
    let scale = scene.camera.scale;
    let gap = (scale * 0.035).max(canvas.hairline());
    let side = scale - gap;
    let first = scene.camera.to_window(scene.place, (seen.x.start as f64 + 0.5, seen.y.start as f64 + 0.5));
    // A fine edge gives large tiles some depth.
    let edge = 0.6 * smooth(FAR * 1.6, NEAR, scale);
    let veil = 1.0 - 0.55 * scene.detail.field;
    for ((x, y), at) in seen.tiles(scene.map) {
        let color = if (at.x + at.y) % 2 == 0 { GROUND } else { GROUND_ALT };
        let (column, row) = ((x - seen.x.start) as f32, (y - seen.y.start) as f32);
        let middle = first + Point::new(column * scale, row * scale);
        let tile = Rect::around(middle, side, side);
        canvas.round_rect(tile, scale * 0.07, color.alpha(veil));
        if edge > 0.0 {
            canvas.outline(tile, scale * 0.07, 1.0, GRID.alpha(edge));
        }
    }
}
