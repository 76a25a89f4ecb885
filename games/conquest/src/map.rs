//! The drawing of a map: starts as far apart as possible, and the same surroundings for each.
//!
//! A function of size, number of factions and seed. Tested in `tests/maps.rs`.

use std::collections::BTreeMap;

use zappy_protocol::conquest::constants::{TILES_PER_FOREST, TILES_PER_RESOURCE};
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::{MapSize, Position};

use zappy_game::chance::Chance;

/// The purposes of the game's draws; each has its own stream. The order of the factions in a turn is drawn by the engine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// Where the pattern of the starts begins.
    Starts = 32,
    /// Which faction gets which start.
    Lots = 33,
    Resources = 34,
    Forests = 35,
    /// Which faction chooses first in a draft.
    DraftOrder = 36,
    /// The start of a faction that chose none.
    DraftLot = 37,
    /// Which faction acts first if that is drawn.
    PhaseOrder = 38,
}

/// What lies where at the start of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) starts: Vec<Position>,
    pub(super) resources: Vec<Position>,
    /// Tiles with forest, none of them with a resource; empty without cities.
    pub(super) forests: Vec<Position>,
    /// Bases that belong to no faction.
    pub(super) bases: Vec<Position>,
    /// The belongings of each start, besides those that every start has.
    pub(super) belongings: BTreeMap<Position, Belongings>,
}

/// The things that belong to the faction of a start from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Belongings {
    pub(super) land: Vec<Position>,
    /// Tiles of that land with a fort.
    pub(super) forts: Vec<Position>,
    pub(super) bombs: Vec<Position>,
}

/// Draws the map of a match with so many factions; each has at least 25 tiles.
pub(super) fn draw(size: MapSize, factions: usize, seed: u64, cities: bool) -> Drawn {
    let starts = starts(size, factions, seed);
    let radius = i32::try_from(equal_distance(size, &starts)).unwrap_or(i32::MAX);
    let side = -radius..=radius;
    let offsets: Vec<(i32, i32)> = side.clone().flat_map(|dx| side.clone().map(move |dy| (dx, dy))).collect();
    let mut near = vec![false; size.area() as usize];
    let mut taken = near.clone();
    for &start in &starts {
        offsets.iter().for_each(|&offset| near[size.index(size.offset(start, offset))] = true);
        [-1, 0, 1].iter().for_each(|&dx| taken[size.index(size.offset(start, (dx, 0)))] = true);
    }
    let far: Vec<Position> = size.tiles().filter(|&at| !near[size.index(at)]).collect();
    // Puts a thing on about one of `one_of` tiles.
    let mut scatter = |purpose: Purpose, one_of: usize| {
        let mut chance = Chance::new(seed, purpose as u64, 0, 0);
        // Around the first start by lot, their number rounded to the nearest so that small surroundings have some, too;
        // at the same offsets around the others.
        let free = |offset: &(i32, i32)| !taken[size.index(size.offset(starts[0], *offset))];
        let mut around: Vec<(i32, i32)> = offsets.iter().copied().filter(free).collect();
        chance.shuffle(&mut around);
        around.truncate((offsets.len() + one_of / 2) / one_of);
        let copies = |&offset: &(i32, i32)| starts.iter().map(move |&start| size.offset(start, offset));
        let mut places: Vec<Position> = around.iter().flat_map(copies).collect();
        let mut others: Vec<Position> = far.iter().copied().filter(|&at| !taken[size.index(at)]).collect();
        chance.shuffle(&mut others);
        places.extend(others.into_iter().take(far.len() / one_of));
        places.iter().for_each(|&at| taken[size.index(at)] = true);
        places
    };
    let resources = scatter(Purpose::Resources, TILES_PER_RESOURCE);
    let forests = if cities { scatter(Purpose::Forests, TILES_PER_FOREST) } else { Vec::new() };
    Drawn { starts, resources, forests, bases: Vec::new(), belongings: BTreeMap::new() }
}

/// The distance within which all starts have the same surroundings: so far that they don't overlap.
pub(super) fn equal_distance(size: MapSize, starts: &[Position]) -> u32 {
    (least_distance(size, starts) - 1) / 2
}

/// The least distance of two starts; of a single one it is the map's shorter side.
pub(super) fn least_distance(size: MapSize, starts: &[Position]) -> u32 {
    let alone = u32::from(size.width().min(size.height()));
    pairs(starts).map(|(one, other)| reach(size, one, other)).min().unwrap_or(alone)
}

fn pairs(starts: &[Position]) -> impl Iterator<Item = (Position, Position)> {
    starts.iter().enumerate().flat_map(|(i, &one)| starts[..i].iter().map(move |&other| (one, other)))
}

/// Places the starts: of all lattices and grids with so many points it takes the one with the widest gaps between
/// points, and moves it by lot.
fn starts(size: MapSize, count: usize, seed: u64) -> Vec<Position> {
    let (width, height) = (usize::from(size.width()), usize::from(size.height()));
    let position = |x: usize, y: usize| size.position((y % height) * width + x % width);
    // A lattice looks the same from each of its points; a grid may have more points than are needed.
    let lattices = (0..count)
        .map(|skew| (0..count).map(|k| position(k * width / count, k * skew * height / count)).collect());
    let grids = (1..=count).map(|rows| {
        let columns = count.div_ceil(rows);
        let cells = (0..columns * rows).map(|k| (k % columns, k / columns));
        cells.map(|(x, y)| position(x * width / columns, y * height / rows)).take(count).collect()
    });
    let distances = |starts: &Vec<Position>| {
        let steps = pairs(starts).map(|(one, other)| size.distance(one, other));
        (least_distance(size, starts), steps.min().unwrap_or(0))
    };
    let candidates: Vec<Vec<Position>> = lattices.chain(grids).collect();
    // Of several that are the best, the first one.
    let best = candidates.into_iter().rev().max_by_key(distances).unwrap_or_default();
    let mut chance = Chance::new(seed, Purpose::Starts as u64, 0, 0);
    let by = [size.width(), size.height()].map(|side| i32::try_from(chance.below(side.into())).unwrap_or(0));
    best.into_iter().map(|at| size.offset(at, (by[0], by[1]))).collect()
}
