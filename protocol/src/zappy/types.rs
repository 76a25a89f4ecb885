//! The nouns of Zappy: resources, inventories, directions, levels, and the numbers of players and eggs.
//!
//! Plain values without behaviour beyond their own arithmetic; every value of these types can be written on the
//! wire. Tested in this module.

use std::fmt;

use crate::types::{named, numbered};

named! { Resource, "What lies on the ground and what players carry.",
    /// Number 0; keeps players alive.
    Food = "food",
    Linemate = "linemate",
    Deraumere = "deraumere",
    Sibur = "sibur",
    Mendiane = "mendiane",
    Phiras = "phiras",
    /// Number 6, the rarest stone.
    Thystame = "thystame",
}

impl Resource {
    /// How many kinds there are.
    pub const COUNT: usize = Resource::ALL.len();

    /// The number on the wire, 0 to 6.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Units of each resource: on a tile, in a player's hands, or asked for by an elevation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Inventory([u32; Resource::COUNT]);

impl Inventory {
    /// Amounts in the order of the resources' numbers.
    pub const fn new(amounts: [u32; Resource::COUNT]) -> Inventory {
        Inventory(amounts)
    }

    pub const fn get(&self, resource: Resource) -> u32 {
        self.0[resource.index()]
    }

    /// Sets the units of one resource.
    pub fn set(&mut self, resource: Resource, units: u32) {
        self.0[resource.index()] = units;
    }

    /// Adds units; the sum stops at `u32::MAX`.
    pub fn add(&mut self, resource: Resource, units: u32) {
        let slot = &mut self.0[resource.index()];
        *slot = slot.saturating_add(units);
    }

    /// Takes one unit away if there is one, and returns whether there was.
    pub fn take_one(&mut self, resource: Resource) -> bool {
        let slot = &mut self.0[resource.index()];
        let had_one = *slot > 0;
        *slot = slot.saturating_sub(1);
        had_one
    }

    /// Whether it holds at least as much of each resource as `other`.
    pub fn covers(&self, other: &Inventory) -> bool {
        self.0.iter().zip(other.0).all(|(have, need)| *have >= need)
    }

    /// What `wanted` holds beyond this: the resources of which more are wanted, and how many more.
    pub fn short_of(&self, wanted: &Inventory) -> impl Iterator<Item = (Resource, u32)> {
        let short = |resource| (resource, wanted.get(resource).saturating_sub(self.get(resource)));
        Resource::ALL.map(short).into_iter().filter(|(_, units)| *units > 0)
    }

    /// Removes what `other` holds, of each resource at most what is there.
    pub fn subtract(&mut self, other: &Inventory) {
        for (have, gone) in self.0.iter_mut().zip(other.0) {
            *have = have.saturating_sub(gone);
        }
    }

    /// Amounts in the order of the resources' numbers.
    pub const fn amounts(&self) -> &[u32; Resource::COUNT] {
        &self.0
    }

    /// Each resource with its units, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Resource, u32)> + '_ {
        Resource::ALL.into_iter().map(|r| (r, self.get(r)))
    }
}

/// The direction in which a player faces. `y` grows south.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Orientation {
    /// 1 on the wire, towards smaller `y`.
    North,
    /// 2 on the wire, towards greater `x`.
    East,
    /// 3 on the wire, towards greater `y`.
    South,
    /// 4 on the wire, towards smaller `x`.
    West,
}

impl Orientation {
    /// All four, clockwise from north.
    pub const ALL: [Orientation; 4] =
        [Orientation::North, Orientation::East, Orientation::South, Orientation::West];

    /// The number on the wire, 1 to 4.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The orientation of that number, 1 to 4.
    pub fn from_number(number: u8) -> Option<Orientation> {
        Orientation::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    #[must_use]
    pub const fn right(self) -> Orientation {
        Orientation::ALL[(self as usize + 1) % 4]
    }

    #[must_use]
    pub const fn left(self) -> Orientation {
        Orientation::ALL[(self as usize + 3) % 4]
    }

    #[must_use]
    pub const fn opposite(self) -> Orientation {
        Orientation::ALL[(self as usize + 2) % 4]
    }

    /// One step in this direction, as `(dx, dy)`.
    #[must_use]
    pub const fn step(self) -> (i32, i32) {
        [(0, -1), (1, 0), (0, 1), (-1, 0)][self as usize]
    }
}

/// A player's level, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// The level at which every player begins.
    pub const MIN: Level = Level(1);
    pub const MAX: Level = Level(8);

    /// The level of that number, if it lies between 1 and 8.
    pub fn new(number: u8) -> Option<Level> {
        (Level::MIN.0..=Level::MAX.0).contains(&number).then_some(Level(number))
    }

    /// Its number, 1 to 8.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The next level; `None` for the highest one.
    #[must_use]
    pub fn next(self) -> Option<Level> {
        Level::new(self.0 + 1)
    }

    /// All levels from the lowest to the highest.
    pub fn all() -> impl DoubleEndedIterator<Item = Level> {
        (Level::MIN.0..=Level::MAX.0).map(Level)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

numbered! { PlayerId(u32) as "#{}", "A player's number, from 0 up in the order of joining, never used again." }
numbered! { EggId(u32) as "#{}", "An egg's number, from 0 up, never used again. Players have numbers of their own." }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_come_back() {
        for resource in Resource::ALL {
            assert_eq!(Resource::parse(resource.name().as_bytes()), Some(resource));
            assert_eq!(Resource::ALL[resource.index()], resource);
        }
        for orientation in Orientation::ALL {
            assert_eq!(Orientation::from_number(orientation.number()), Some(orientation));
            assert_eq!(orientation.right().left(), orientation);
            assert_eq!(orientation.right().right(), orientation.opposite());
        }
        assert_eq!(Orientation::from_number(0), None);
        assert_eq!(Orientation::from_number(5), None);
    }

    #[test]
    fn levels_end_at_eight() {
        assert_eq!(Level::new(0), None);
        assert_eq!(Level::new(9), None);
        assert_eq!(Level::MAX.next(), None);
        assert_eq!(Level::all().count(), 8);
    }

    #[test]
    fn inventories_neither_wrap_nor_go_below_nothing() {
        let mut inventory = Inventory::default();
        assert!(!inventory.take_one(Resource::Food));
        inventory.add(Resource::Food, u32::MAX);
        inventory.add(Resource::Food, 1);
        assert_eq!(inventory.get(Resource::Food), u32::MAX);
        assert!(inventory.covers(&Inventory::new([5, 0, 0, 0, 0, 0, 0])));
        assert!(!inventory.covers(&Inventory::new([0, 1, 0, 0, 0, 0, 0])));
    }
}
