//! The ground: tiles when near, a field of colour when far, and the seam where the map begins anew.

use super::{Scene, field};
use crate::camera::Seen;
use crate::ink::{Canvas, Point, Rect};
use crate::theme::{GRID, GROUND, GROUND_ALT, NIGHT, SEAM};
use crate::zappy::scene::{FAR, NEAR, smooth};

/// How much darker repeats are.
const DIM: f32 = 0.55;
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
    seam(canvas, scene, &seen);
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

/// Where the map begins anew.
fn seam(canvas: &mut Canvas, scene: &Scene<'_>, seen: &Seen) {
    let (w, h) = (i64::from(scene.map.width()), i64::from(scene.map.height()));
    let width = (scene.camera.scale * 0.04).clamp(1.0, 2.5);
    let narrow = w.min(h) as f32 * scene.camera.scale;
    let color = SEAM.alpha(0.75 * (narrow / 90.0).clamp(0.15, 1.0));
    let place = scene.place;
    let turns = |from: i64, to: i64, side: i64| {
        (from.div_euclid(side)..=to.div_euclid(side)).map(move |turn| turn * side)
    };
    for x in turns(seen.x.start, seen.x.end, w) {
        let at = scene.camera.to_window(place, (x as f64, 0.0)).x;
        canvas.rect(Rect::new(at - width / 2.0, place.y, width, place.h), color);
    }
    for y in turns(seen.y.start, seen.y.end, h) {
        let at = scene.camera.to_window(place, (0.0, y as f64)).y;
        canvas.rect(Rect::new(place.x, at - width / 2.0, place.w, width), color);
    }
}

/// What is seen a second time is dimmer, so that everything is there once at full light; the light fades over
/// a tile.
pub(super) fn shade(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (place, scale) = (scene.place, scene.camera.scale);
    let lit = scene.tiles_around(f32::from(scene.map.width()), f32::from(scene.map.height()));
    if lit.inset(scale / 2.0).encloses(place, 0.0) {
        return;
    }
    let cuts = |from: f32, to: f32, first: f32, last: f32| {
        let half = scale / 2.0;
        let (outer, inner) = (from - half, to + half);
        [first.min(outer), outer, from + half, to - half, inner, last.max(inner)]
    };
    let xs = cuts(lit.x, lit.right(), place.x, place.right());
    let ys = cuts(lit.y, lit.bottom(), place.y, place.bottom());
    let dim = |x: usize, y: usize| {
        let inside = (2..=3).contains(&x) && (2..=3).contains(&y);
        NIGHT.alpha(if inside { 0.0 } else { DIM })
    };
    for (y, high) in ys.windows(2).enumerate() {
        for (x, wide) in xs.windows(2).enumerate() {
            let area = Rect::new(wide[0], high[0], wide[1] - wide[0], high[1] - high[0]);
            canvas.blend(area, [dim(x, y), dim(x + 1, y), dim(x + 1, y + 1), dim(x, y + 1)]);
        }
    }
}
