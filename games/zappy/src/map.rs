//! The ground: the resources, players and eggs on each tile, and the sum of each resource.
//!
//! Keeps the sums that the refill needs, so that nothing walks over all tiles. Decides nothing. Tested by the
//! simulator's invariants.

use zappy_protocol::zappy::constants::natural_amount;
use zappy_protocol::zappy::{EggId, Inventory, PlayerId, Resource};
use zappy_protocol::{MapSize, Position};

#[derive(Debug, Clone, Default)]
pub(super) struct Tile {
    pub(super) resources: Inventory,
    pub(super) players: Vec<PlayerId>,
    pub(super) eggs: Vec<EggId>,
}

#[derive(Debug)]
pub(super) struct Map {
    pub(super) size: MapSize,
    tiles: Vec<Tile>,
    /// Units of each resource on the whole map.
    on_ground: [u64; Resource::COUNT],
    /// As many as there are when nothing is missing.
    natural: [u64; Resource::COUNT],
}

impl Map {
    pub(super) fn new(size: MapSize) -> Map {
        Map {
            size,
            tiles: vec![Tile::default(); size.area() as usize],
            on_ground: [0; Resource::COUNT],
            natural: Resource::ALL.map(|resource| natural_amount(resource, size.area()).into()),
        }
    }

    pub(super) fn tile(&self, at: Position) -> &Tile {
        &self.tiles[self.size.index(at)]
    }

    pub(super) fn tile_mut(&mut self, at: Position) -> &mut Tile {
        &mut self.tiles[self.size.index(at)]
    }

    /// Units of a resource on the ground of the whole map.
    pub(super) fn on_ground(&self, resource: Resource) -> u64 {
        self.on_ground[resource.index()]
    }

    /// Units of a resource on the ground of the whole map when nothing is missing.
    pub(super) fn natural(&self, resource: Resource) -> u64 {
        self.natural[resource.index()]
    }

    pub(super) fn set_units(&mut self, at: Position, resource: Resource, units: u32) {
        let tile = self.tile_mut(at);
        let before = tile.resources.get(resource);
        tile.resources.set(resource, units);
        let sum = &mut self.on_ground[resource.index()];
        *sum = *sum - u64::from(before) + u64::from(units);
    }

    /// Adds one unit to those on a tile.
    pub(super) fn put(&mut self, at: Position, resource: Resource) {
        let units = self.tile(at).resources.get(resource);
        self.set_units(at, resource, units.saturating_add(1));
    }

    /// Takes one unit away; false if there is none.
    pub(super) fn take(&mut self, at: Position, resource: Resource) -> bool {
        let units = self.tile(at).resources.get(resource);
        self.set_units(at, resource, units.saturating_sub(1));
        units > 0
    }

    pub(super) fn add_player(&mut self, at: Position, player: PlayerId) {
        let players = &mut self.tile_mut(at).players;
        // In ascending order, so that the order in which the rules visit them is known.
        let place = players.partition_point(|&other| other < player);
        players.insert(place, player);
    }

    pub(super) fn remove_player(&mut self, at: Position, player: PlayerId) {
        self.tile_mut(at).players.retain(|&other| other != player);
    }

    pub(super) fn remove_egg(&mut self, at: Position, egg: EggId) {
        self.tile_mut(at).eggs.retain(|&other| other != egg);
    }
}
