//! What lies on the ground: resources, each at its own place of the tile, and eggs.

use std::collections::BTreeMap;

use zappy_protocol::Position;
use zappy_protocol::zappy::story::What;
use zappy_protocol::zappy::{EggId, Resource};

use super::{Scene, ease_out, marks};
use crate::scene::{self, Effect};
use crate::view::Shown;
use zappy_observer::ink::{Anchor, Canvas, Point, Style};
use zappy_observer::theme::{NIGHT, TEXT};

/// Where a resource lies, in tiles from the tile's middle: the eye learns the place as well as the shape.
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
const EGG: f64 = 0.115;
/// Eggs drawn one by one on a tile at most.
const EGGS_SIDE_BY_SIDE: usize = 3;
/// Digits are no smaller than this, in points.
const DIGITS_MIN: f32 = 9.0;

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

pub(super) fn draw(canvas: &mut Canvas, scene: &Scene<'_>) {
    if scene.detail.marks > 0.0 {
        canvas.faded(scene.detail.marks, |canvas| resources(canvas, scene));
    }
    eggs(canvas, scene);
}

fn resources(canvas: &mut Canvas, scene: &Scene<'_>) {
    let (scale, r, lit) = (scene.camera.scale, mark_radius(scene), scene.lit());
    for ((x, y), at) in scene.camera.visible(scene.place, scene.map).tiles(scene.map) {
        let Some(tile) = scene.shown.state.mirror().tile(at) else { continue };
        let middle = scene.camera.to_window(scene.place, (x as f64 + 0.5, y as f64 + 0.5));
        for (resource, units) in tile.iter().filter(|&(_, units)| units > 0) {
            let (dx, dy) = spot(scene, resource);
            let at = middle + Point::new(dx * scale, dy * scale);
            // A pile is one gem; a larger one while there is no number beside it.
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
                amount(canvas, scene, (at + by * scale, anchor), units);
            }
        }
    }
}

fn amount(canvas: &mut Canvas, scene: &Scene<'_>, (at, anchor): (Point, Anchor), units: u32) {
    let size = (scene.camera.scale * 0.118).max(DIGITS_MIN);
    let text = if units > 99 { "99+".to_owned() } else { units.to_string() };
    canvas.text(at, anchor, &text, Style::strong(size, TEXT.alpha(scene.detail.numbers)));
}

/// Where an egg is drawn, as a tile point, and half its height in tiles: beside its neighbours on the tile.
pub(super) fn egg_place(rank: usize, count: usize, at: Position) -> ((f64, f64), f64) {
    let (x, y) = scene::middle(at);
    let shown = count.min(EGGS_SIDE_BY_SIDE) as f64;
    let step = if shown > 1.0 { 0.2 } else { 0.0 };
    let row = rank.min(EGGS_SIDE_BY_SIDE - 1) as f64 - (shown - 1.0) / 2.0;
    ((x + NEST.0, y + NEST.1 + row * step), if shown > 1.0 { EGG * 0.8 } else { EGG })
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

fn eggs(canvas: &mut Canvas, scene: &Scene<'_>) {
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
                amount(canvas, scene, (side, Anchor::Left), u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
    }
}
