//! The ground: tiles when near; when far, a field of colour that stands for what lies there. And what lies on tiles:
//! resources, each kind at its own place, and eggs.
//!
//! The field's colours are smooth from tile to tile; where tiles are smaller still, several share a cell. Tested below.

use std::collections::BTreeMap;

use zappy_protocol::Position;
use zappy_protocol::zappy::story::What;
use zappy_protocol::zappy::{EggId, Inventory, Resource};

use super::marks::{self, resource_color};
use super::{Scene, ease_out};
use crate::scene::{self, Effect};
use crate::view::Shown;
use zappy_observer::camera::{VisibleTiles, wrapped};
use zappy_observer::ink::{Anchor, Canvas, Color, Point, Rect, Style};
use zappy_observer::theme::{GRID, GROUND, NIGHT, TEXT};
use zappy_observer::torus::Land;

/// Tiles drawn one by one at most.
const TILE_LIMIT: i64 = 24_000;
/// Cells of the field at most; beyond, several tiles share a cell.
const CELL_LIMIT: i64 = 6_000;
/// The field's colour for stones.
const STONES_COLOR: Color = Color::hex(0x6c_68_a4);
/// The field's colour where nothing lies.
const LAND_COLOR: Color = Color::hex(0x27_2f_36);
/// How much the colour of food and stones may cover that of land, 0 to 1.
const MAX_STRENGTH: f32 = 0.21;
/// Units on a tile at which the field has half of its strength.
const HALF_STRENGTH_UNITS: f32 = 1.6;

/// Units of food and of stones per tile, on average.
type Load = [f32; 2];

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    let seen = scene.camera.visible(scene.place, scene.map);
    canvas.rect(scene.place, GROUND.mix(NIGHT, 0.55 * scene.detail.tiles));
    if scene.detail.field > 0.0 {
        canvas.faded(scene.detail.field, |canvas| draw_field(canvas, scene, &seen));
    }
    if scene.detail.tiles > 0.0 {
        canvas.faded(scene.detail.tiles, |canvas| draw_tiles(canvas, scene, &seen));
    }
    scene.seam(canvas, &seen);
}

fn draw_tiles(canvas: &mut Canvas, scene: &Scene<'_>, seen: &VisibleTiles) {
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

/// The field: the colour at a corner of its cells is the mean of what lies around it.
fn draw_field(canvas: &mut Canvas, scene: &Scene<'_>, seen: &VisibleTiles) {
    let mut step = 1;
    while seen.count() / (step * step) > CELL_LIMIT {
        step += 1;
    }
    let columns = borders(seen.x.start - step, seen.x.end + step, scene.map.width(), step);
    let rows = borders(seen.y.start - step, seen.y.end + step, scene.map.height(), step);
    let px = 1.0 / canvas.hairline();
    let snap = |value: f32| (value * px).round() / px;
    let window = |x: i64, y: i64| scene.camera.to_window(scene.place, (x as f64, y as f64));
    let xs: Vec<f32> = columns.iter().map(|&x| snap(window(x, 0).x)).collect();
    let ys: Vec<f32> = rows.iter().map(|&y| snap(window(0, y).y)).collect();
    let (mut above, mut upper): (Vec<Load>, Vec<Color>) = (Vec::new(), Vec::new());
    for (row, pair) in rows.windows(2).enumerate() {
        let here: Vec<Load> =
            columns.windows(2).map(|side| load(scene, (side[0], side[1]), (pair[0], pair[1]))).collect();
        let lower = corners(&above, &here);
        // The cells between the last line of corners and this one.
        for (column, (top, bottom)) in upper.windows(2).zip(lower.windows(2)).enumerate() {
            let (left, right) = (xs[column + 1], xs[column + 2]);
            let area = Rect::new(left, ys[row - 1], right - left, ys[row] - ys[row - 1]);
            canvas.blend(area, [top[0], top[1], bottom[1], bottom[0]]);
        }
        (above, upper) = (here, lower);
    }
}

/// Colours where four cells meet, along the line between two rows of cells.
fn corners(above: &[Load], below: &[Load]) -> Vec<Color> {
    let meet = |(above, below): (&[Load], &[Load])| {
        let mean = |part: usize| (above[0][part] + above[1][part] + below[0][part] + below[1][part]) / 4.0;
        tint([mean(0), mean(1)])
    };
    above.windows(2).zip(below.windows(2)).map(meet).collect()
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
fn load(scene: &Scene<'_>, (left, right): (i64, i64), (top, bottom): (i64, i64)) -> Load {
    // In a large cell a few tiles stand for all, and they are the same ones wherever the camera is.
    let every = |from: i64, to: i64| (from..to).step_by(usize::try_from((to - from) / 2).unwrap_or(1).max(1));
    let places = every(top, bottom).flat_map(|y| every(left, right).map(move |x| (x, y)));
    mean(places.filter_map(|(x, y)| scene.shown.state.mirror().tile(wrapped(scene.map, x, y))))
}

/// The average of what lies on some tiles.
pub(super) fn mean<'a>(tiles: impl Iterator<Item = &'a Inventory>) -> Load {
    let (mut food, mut stones, mut count) = (0u32, 0u32, 0.0f32);
    for tile in tiles {
        food = food.saturating_add(tile.get(Resource::Food));
        stones = tile.amounts()[1..].iter().fold(stones, |sum, units| sum.saturating_add(*units));
        count += 1.0;
    }
    [food, stones].map(|units| units as f32 / count.max(1.0))
}

/// The field's colour where that much lies.
pub(super) fn tint([food, stones]: Load) -> Color {
    let all = food + stones;
    let strength = MAX_STRENGTH * all / (all + HALF_STRENGTH_UNITS);
    let share = if all > 0.0 { stones / all } else { 0.0 };
    LAND_COLOR.mix(resource_color(Resource::Food).mix(STONES_COLOR, share), strength)
}

/// Where each resource lies, in tiles from the tile's middle: it is recognised by its place as well.
const PLACES: [(f32, f32); Resource::COUNT] = [
    (-0.335, 0.0),
    (-0.335, -0.335),
    (0.0, -0.345),
    (0.335, -0.335),
    (-0.335, 0.335),
    (0.0, 0.345),
    (0.335, 0.335),
];
/// How far to the west things lie where there are numbers beside them, by the column, in tiles.
const ASIDE: [f32; 3] = [0.045, 0.065, 0.08];
/// Where eggs lie, in tiles from the tile's middle.
const NEST: (f64, f64) = (0.34, 0.0);
/// Half an egg's height, in tiles.
const EGG_HALF_HEIGHT: f64 = 0.115;
/// Eggs drawn one by one on a tile at most.
const EGGS_SIDE_BY_SIDE: usize = 3;
/// The least size of digits, in points.
const MIN_DIGIT_SIZE: f32 = 9.0;

/// Where a resource lies, in tiles from the tile's middle; numbers need some room.
pub(super) fn spot(scene: &Scene<'_>, resource: Resource) -> (f32, f32) {
    let (x, y) = PLACES[resource.index()];
    let column = if x < 0.0 { 0 } else { usize::from(x > 0.0) + 1 };
    (x - ASIDE[column] * scene.detail.numbers, y)
}

/// A mark's radius on the ground, in points.
pub(super) fn mark_radius(scene: &Scene<'_>) -> f32 {
    let share = 0.105 - 0.035 * scene.detail.numbers;
    (scene.camera.scale * share).max(1.7)
}

pub(super) fn draw_resources(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (scale, r, lit) = (scene.camera.scale, mark_radius(scene), scene.lit());
    for ((x, y), at) in scene.camera.visible(scene.place, scene.map).tiles(scene.map) {
        let Some(tile) = scene.shown.state.mirror().tile(at) else { continue };
        let middle = scene.camera.to_window(scene.place, (x as f64 + 0.5, y as f64 + 0.5));
        for (resource, units) in tile.iter().filter(|&(_, units)| units > 0) {
            let (dx, dy) = spot(scene, resource);
            let at = middle + Point::new(dx * scale, dy * scale);
            // Several units are one gem; a larger one while there is no number beside it.
            let grown = if units < 4 { 0.22 } else { 0.42 };
            let heap = if units > 1 { 1.0 + (1.0 - scene.detail.numbers) * grown } else { 1.0 };
            marks::resource(canvas, at, r * heap, resource);
            if units > 1 && scene.detail.numbers > 0.0 && lit.contains(middle) {
                // In the middle row players stand beside the mark, so the number is below it.
                let (by, anchor) = if dy == 0.0 {
                    (Point::new(0.0, 0.075), Anchor::Top)
                } else {
                    (Point::new(0.089, 0.0), Anchor::Left)
                };
                draw_amount(canvas, scene, (at + by * scale, anchor), units);
            }
        }
    }
}

fn draw_amount(canvas: &mut Canvas, scene: &Scene<'_>, (at, anchor): (Point, Anchor), units: u32) {
    let size = (scene.camera.scale * 0.118).max(MIN_DIGIT_SIZE);
    let text = if units > 99 { "99+".to_owned() } else { units.to_string() };
    canvas.text(at, anchor, &text, Style::strong(size, TEXT.alpha(scene.detail.numbers)));
}

/// The tile point of the middle of an egg, the `rank`th of `count` on a tile, and half its height in tiles.
pub(super) fn egg_place(rank: usize, count: usize, at: Position) -> ((f64, f64), f64) {
    let (x, y) = scene::middle(at);
    let shown = count.min(EGGS_SIDE_BY_SIDE) as f64;
    let step = if shown > 1.0 { 0.2 } else { 0.0 };
    let row = rank.min(EGGS_SIDE_BY_SIDE - 1) as f64 - (shown - 1.0) / 2.0;
    ((x + NEST.0, y + NEST.1 + row * step), if shown > 1.0 { EGG_HALF_HEIGHT * 0.8 } else { EGG_HALF_HEIGHT })
}

/// An egg: its place as a tile point with half its height in tiles, its rank on its tile, and how many lie there.
type Nest = (EggId, ((f64, f64), f64), usize, usize);

/// All eggs, those of a tile together.
pub(super) fn nests(shown: &Shown<'_>) -> Vec<Nest> {
    let mut eggs: Vec<(Position, EggId)> =
        shown.state.mirror().eggs.iter().map(|(&egg, known)| (known.at, egg)).collect();
    eggs.sort_unstable();
    let nest = |nest: &[(Position, EggId)]| {
        let one = |(rank, &(at, egg)): (usize, _)| (egg, egg_place(rank, nest.len(), at), rank, nest.len());
        nest.iter().enumerate().map(one).collect::<Vec<Nest>>()
    };
    eggs.chunk_by(|one, other| one.0 == other.0).flat_map(nest).collect()
}

pub(super) fn draw_eggs(canvas: &mut Canvas, scene: &Scene<'_>) {
    let laid = |effect: &Effect<'_>| match effect.happening.what {
        What::EggLaid(egg, _) => Some((egg, effect.age)),
        _ => None,
    };
    let laid: BTreeMap<EggId, f64> = scene.effects.iter().filter_map(laid).collect();
    for (egg, (point, half), rank, count) in nests(scene.shown) {
        if rank >= EGGS_SIDE_BY_SIDE {
            continue;
        }
        let grown = laid.get(&egg).map_or(1.0, |age| ease_out(age * 1.5));
        let r = scene.tiles(half).max(2.2) * grown;
        let look = scene.shown.story.roster.team_of_egg(egg).map(|team| scene.shown.look(Some(team)));
        let many = count > EGGS_SIDE_BY_SIDE && rank + 1 == EGGS_SIDE_BY_SIDE;
        for middle in scene.seen(point, r * 2.0) {
            canvas.glow(middle + Point::new(0.0, r * 0.7), r * 1.5, NIGHT.alpha(0.7));
            marks::egg(canvas, middle, r, look);
            if many && scene.detail.numbers > 0.0 && scene.lit().contains(middle) {
                let side = middle + Point::new(r * 0.9, r * 0.2);
                draw_amount(canvas, scene, (side, Anchor::Left), u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::theme::TEAM_COLORS;

    #[test]
    fn the_field_is_below_a_fifth_of_the_pieces_light() {
        let pieces = TEAM_COLORS.iter().map(|color| color.luminance()).fold(f32::MAX, f32::min);
        for load in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [900.0, 0.0], [0.0, 900.0], [50.0, 50.0]] {
            assert!(tint(load).luminance() * 5.0 < pieces, "{load:?}: {}", tint(load).luminance());
        }
    }
}
