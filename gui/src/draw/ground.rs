//! The ground: tiles when near, a field of colour when far, and the seam where the map begins anew.

use zappy_protocol::{Inventory, Position, Resource};

use super::Scene;
use crate::camera::{Seen, wrapped};
use crate::ink::{Canvas, Color, Point, Rect};
use crate::theme::{GROUND, GROUND_ALT, NIGHT, SEAM, resource_color};

/// Cells of the field at most; beyond, several tiles share a cell.
const FIELD_CELLS: i64 = 14_000;
/// Tiles drawn one by one at most.
const TILE_LIMIT: i64 = 24_000;
/// Where there are more stones than food.
const STONES: Color = Color::hex(0x8a_84_d8);
/// How strong the field may become.
const FIELD_STRENGTH: f32 = 0.5;
/// Units on a tile at which the field has most of its strength.
const FIELD_UNITS: f32 = 2.6;

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let seen = scene.camera.visible(scene.place, scene.map);
    canvas.rect(scene.place, GROUND.mix(NIGHT, 0.55 * scene.detail.tiles));
    if scene.detail.field > 0.0 {
        canvas.faded(scene.detail.field, |canvas| field(canvas, scene, &seen));
    }
    if scene.detail.tiles > 0.0 {
        canvas.faded(scene.detail.tiles, |canvas| tiles(canvas, scene, &seen));
    }
    seam(canvas, scene, &seen);
}

fn tiles(canvas: &mut Canvas, scene: &Scene<'_>, seen: &Seen) {
    if area(seen) > TILE_LIMIT {
        return;
    }
    let scale = scene.camera.scale;
    let gap = (scale * 0.035).max(canvas.hairline());
    let side = scale - gap;
    let first = scene.camera.to_window(scene.place, (seen.x.start as f64 + 0.5, seen.y.start as f64 + 0.5));
    let veil = 1.0 - 0.55 * scene.detail.field;
    for ((x, y), at) in seen.tiles(scene.map) {
        let color = if (at.x + at.y) % 2 == 0 { GROUND } else { GROUND_ALT };
        let (column, row) = ((x - seen.x.start) as f32, (y - seen.y.start) as f32);
        let middle = first + Point::new(column * scale, row * scale);
        canvas.round_rect(Rect::around(middle, side, side), scale * 0.07, color.alpha(veil));
    }
}

fn area(seen: &Seen) -> i64 {
    (seen.x.end - seen.x.start).saturating_mul(seen.y.end - seen.y.start)
}

/// The borders of the field's cells along one side: every `step` tiles, and where the map begins anew.
fn borders(from: i64, to: i64, side: u16, step: i64) -> Vec<i64> {
    let side = i64::from(side);
    let aligned = from - from.rem_euclid(side).rem_euclid(step);
    let mut borders = vec![aligned];
    let mut at = aligned;
    while at < to {
        at = (at + step).min((at.div_euclid(side) + 1) * side);
        borders.push(at);
    }
    borders
}

/// What lies in a cell on average per tile: food and stones.
fn load(scene: &Scene<'_>, (left, right): (i64, i64), (top, bottom): (i64, i64)) -> [f32; 2] {
    // Of large cells some tiles speak for all, the same ones wherever the camera is.
    let every = |from: i64, to: i64| (from..to).step_by(usize::try_from((to - from) / 2).unwrap_or(1).max(1));
    let (mut food, mut stones, mut count) = (0, 0, 0.0f32);
    for y in every(top, bottom) {
        for x in every(left, right) {
            let Some(tile) = scene.shown.stage.mirror().tile(wrapped(scene.map, x, y)) else { continue };
            food += tile.get(Resource::Food);
            stones += stones_of(tile);
            count += 1.0;
        }
    }
    [food as f32 / count.max(1.0), stones as f32 / count.max(1.0)]
}

fn stones_of(tile: &Inventory) -> u32 {
    tile.amounts()[1..].iter().fold(0, |sum: u32, units| sum.saturating_add(*units))
}

/// The colour of that much food and that many stones.
pub(super) fn tint([food, stones]: [f32; 2]) -> Color {
    let all = food + stones;
    let strength = FIELD_STRENGTH * (1.0 - (-all / FIELD_UNITS).exp());
    let share = if all > 0.0 { stones / all } else { 0.0 };
    GROUND.mix(resource_color(Resource::Food).mix(STONES, share), strength)
}

/// The mean of what lies on these tiles, as the minimap shows it.
pub(super) fn tint_of(scene_tile: impl Fn(Position) -> Option<Inventory>, tiles: &[Position]) -> Color {
    let (mut food, mut stones) = (0.0, 0.0);
    for tile in tiles.iter().filter_map(|&at| scene_tile(at)) {
        food += tile.get(Resource::Food) as f32;
        stones += stones_of(&tile) as f32;
    }
    let count = tiles.len().max(1) as f32;
    tint([food / count, stones / count])
}

/// Colours at the cells' corners are the means of what lies around them.
fn field(canvas: &mut Canvas, scene: &Scene<'_>, seen: &Seen) {
    let mut step = 1;
    while area(seen) / (step * step) > FIELD_CELLS {
        step += 1;
    }
    let columns = borders(seen.x.start - step, seen.x.end + step, scene.map.width(), step);
    let rows = borders(seen.y.start - step, seen.y.end + step, scene.map.height(), step);
    let px = 1.0 / canvas.hairline();
    let snap = |value: f32| (value * px).round() / px;
    let xs: Vec<f32> =
        columns.iter().map(|&x| snap(scene.camera.to_window(scene.place, (x as f64, 0.0)).x)).collect();
    let ys: Vec<f32> =
        rows.iter().map(|&y| snap(scene.camera.to_window(scene.place, (0.0, y as f64)).y)).collect();
    let line = |row: usize| -> Vec<[f32; 2]> {
        let rows = (rows[row], rows[row + 1]);
        columns.windows(2).map(|pair| load(scene, (pair[0], pair[1]), rows)).collect()
    };
    // Colours along the upper border of a row of cells, from the cells above and below it.
    let border = |above: &[[f32; 2]], below: &[[f32; 2]]| -> Vec<Color> {
        let mean = |index: usize| {
            let sum = |part: usize| {
                above[index][part] + above[index + 1][part] + below[index][part] + below[index + 1][part]
            };
            tint([sum(0) / 4.0, sum(1) / 4.0])
        };
        (0..above.len().saturating_sub(1)).map(mean).collect()
    };
    let count = rows.len().saturating_sub(1);
    let (mut above, mut upper): (Vec<[f32; 2]>, Vec<Color>) = (Vec::new(), Vec::new());
    for row in 0..count {
        let here = line(row);
        let lower = if row == 0 { Vec::new() } else { border(&above, &here) };
        // The cells between the last border and this one.
        for (column, pair) in upper.windows(2).enumerate().take(lower.len().saturating_sub(1)) {
            let (left, right) = (xs[column + 1], xs[column + 2]);
            let area = Rect::new(left, ys[row - 1], right - left, ys[row] - ys[row - 1]);
            canvas.blend(area, [pair[0], pair[1], lower[column + 1], lower[column]]);
        }
        (above, upper) = (here, lower);
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

/// What is seen a second time is dimmer, so that everything is there once at full light.
pub(super) fn shade(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (place, middle) = (scene.place, scene.place.centre());
    let w = f32::from(scene.map.width()) * scene.camera.scale;
    let h = f32::from(scene.map.height()) * scene.camera.scale;
    let once = Rect::around(middle, w, h).intersect(place);
    let dim = NIGHT.alpha(0.5);
    canvas.rect(Rect::new(place.x, place.y, place.w, once.y - place.y), dim);
    canvas.rect(Rect::new(place.x, once.bottom(), place.w, place.bottom() - once.bottom()), dim);
    canvas.rect(Rect::new(place.x, once.y, once.x - place.x, once.h), dim);
    canvas.rect(Rect::new(once.right(), once.y, place.right() - once.right(), once.h), dim);
}
