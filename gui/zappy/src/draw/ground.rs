//! The ground: tiles when near, a field of colour when far.

use super::{Scene, field};
use zappy_observer::camera::VisibleTiles;
use zappy_observer::ink::{Canvas, Rect};
use zappy_observer::theme::{GRID, GROUND, NIGHT};
use zappy_observer::torus::Land;

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

fn tiles(canvas: &mut Canvas, scene: &Scene<'_>, seen: &VisibleTiles) {
    if seen.count() > TILE_LIMIT {
        return;
    }
    let (scale, land) = (scene.camera.scale, Land::of(scene.map, seen));
    let first = scene.camera.to_window(scene.place, (seen.x.start as f64, seen.y.start as f64));
    let veil = 1.0 - 0.55 * scene.detail.field;
    let edge = |from: f32, tiles: i64| canvas.snap(Rect::new(from + tiles as f32 * scale, 0.0, 1.0, 1.0)).x;
    let xs: Vec<f32> = (0..=seen.x.end - seen.x.start).map(|column| edge(first.x, column)).collect();
    let ys: Vec<f32> = (0..=seen.y.end - seen.y.start).map(|row| edge(first.y, row)).collect();
    for (y, high) in (seen.y.clone()).zip(ys.windows(2)) {
        for (x, wide) in (seen.x.clone()).zip(xs.windows(2)) {
            let tile = Rect::new(wide[0], high[0], wide[1] - wide[0], high[1] - high[0]);
            canvas.blend(tile, land.tile((x, y)).map(|color| color.alpha(veil)));
        }
    }
    // A dark furrow with a lit bank between tiles, so that they can be counted.
    let (dark, bank) = (NIGHT.alpha(0.55 * veil), GRID.alpha(0.4 * veil));
    let (place, width) = (scene.place, (scale * 0.02).max(canvas.hairline()));
    for x in xs {
        canvas.rect(Rect::new(x - width, place.y, width, place.h), dark);
        canvas.rect(Rect::new(x, place.y, width, place.h), bank);
    }
    for y in ys {
        canvas.rect(Rect::new(place.x, y - width, place.w, width), dark);
        canvas.rect(Rect::new(place.x, y, place.w, width), bank);
    }
}
