//! The published numbers of the game, which clients and observers have to know as well as the server.
//!
//! Never holds a limit of one particular server (those are in `docs/limits.md`). Tested in this module.

use super::types::{Inventory, Level, Resource};
use crate::types::Tick;

/// Ticks that one unit of food keeps a player alive.
pub const FOOD_TICKS: Tick = 126;
/// Units of food a player carries when it joins; it has already eaten one more, on which it lives at first.
pub const BIRTH_FOOD: u32 = 9;
/// Ticks between two refills of the ground.
pub const REFILL_TICKS: Tick = 20;
pub const INCANTATION_TICKS: Tick = 300;
/// Ticks a player needs to lay an egg.
pub const FORK_TICKS: Tick = 42;
/// Ticks that a command takes unless it has a constant of its own.
pub const ACTION_TICKS: Tick = 7;
pub const INVENTORY_TICKS: Tick = 1;
/// Commands that may wait behind the running one.
pub const QUEUE_LIMIT: usize = 10;
/// Players of a team that have to live at the highest level at the same time for it to win.
pub const WINNING_PLAYERS: usize = 6;
/// The version of the rules; every change that alters a match raises it.
pub const RULES_VERSION: u32 = 3;

/// Units per hundred tiles, in the order of the resources' numbers.
pub const DENSITY_PERCENT: [u32; Resource::COUNT] = [50, 30, 15, 10, 10, 8, 5];

/// Units of a resource that lie on a map of `area` tiles when nothing is missing: at least one.
pub fn natural_amount(resource: Resource, area: u32) -> u32 {
    let units = u64::from(area) * u64::from(DENSITY_PERCENT[resource.index()]) / 100;
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// What an incantation needs: players of one level on a tile, and stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elevation {
    /// Players of the initiator's level on the tile, the initiator counted.
    pub players: usize,
    /// Stones on the ground; they vanish when the incantation succeeds.
    pub stones: Inventory,
}

const fn row(players: usize, s: [u32; 6]) -> Elevation {
    Elevation { players, stones: Inventory::new([0, s[0], s[1], s[2], s[3], s[4], s[5]]) }
}

/// The elevation table: row `i` leads from level `i + 1` to level `i + 2`.
pub const ELEVATIONS: [Elevation; 7] = [
    row(1, [1, 0, 0, 0, 0, 0]),
    row(2, [1, 1, 1, 0, 0, 0]),
    row(2, [2, 0, 1, 0, 2, 0]),
    row(4, [1, 1, 2, 0, 1, 0]),
    row(4, [1, 2, 1, 3, 0, 0]),
    row(6, [1, 2, 3, 0, 1, 0]),
    row(6, [2, 2, 2, 2, 2, 1]),
];

/// What it takes to rise from `level` to the next one; `None` at the highest level.
pub fn elevation(level: Level) -> Option<&'static Elevation> {
    ELEVATIONS.get(usize::from(level.get()) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ten_by_ten_map_carries_the_published_amounts() {
        let amounts: Vec<u32> = Resource::ALL.iter().map(|&r| natural_amount(r, 100)).collect();
        assert_eq!(amounts, [50, 30, 15, 10, 10, 8, 5]);
    }

    #[test]
    fn the_smallest_map_carries_one_of_each() {
        assert!(Resource::ALL.iter().all(|&r| natural_amount(r, 1) == 1));
    }

    #[test]
    fn the_whole_way_up_takes_thirty_nine_stones() {
        let total: u32 =
            ELEVATIONS.iter().map(|e| Resource::ALL.iter().map(|&r| e.stones.get(r)).sum::<u32>()).sum();
        assert_eq!(total, 39);
        assert!(elevation(Level::MAX).is_none());
    }
}
