//! Doctrines: the numbers in which the levels `medium`, `hard` and `raider` differ.
//!
//! They were chosen by measurement: see `STRATEGY.md`. Tested against each other in `tests/conquest.rs`.

use zappy_protocol::conquest::{Building, UnitType};

use UnitType::{Cleric, Fighter, Pioneer, Worker};

/// The numbers a commander plays by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doctrine {
    /// What it builds: the first type in this list of which it has fewer units than the number beside it.
    pub(super) units: &'static [(UnitType, u32)],
    /// Pioneers that stay at home to take land.
    pub(super) settlers: u32,
    /// Fighters that stay at the base.
    pub(super) guards: u32,
    /// How many units strike together.
    pub(super) strike: u32,
    /// The turn from which units are sent to strike.
    pub(super) strike_from: u32,
    /// What workers build for cities, in this order.
    pub(super) buildings: &'static [Building],
}

impl Doctrine {
    /// Takes land, feeds many workers, keeps guards at its base, and strikes with few.
    pub(super) const MEDIUM: Doctrine = Doctrine {
        units: &[(Pioneer, 3), (Worker, 2), (Fighter, 2), (Pioneer, 5), (Worker, 5), (Fighter, 6)],
        settlers: 3,
        guards: 2,
        strike: 5,
        strike_from: 14,
        buildings: &[],
    };
    /// Keeps no guards, one worker and three settlers; all others strike, late and together.
    pub(super) const HARD: Doctrine = Doctrine {
        units: &[(Pioneer, 3), (Worker, 1), (Pioneer, 8), (Fighter, 8)],
        guards: 0,
        strike: 4,
        strike_from: 30,
        buildings: &[Building::Camp(Pioneer)],
        ..Doctrine::MEDIUM
    };
    /// Goes for the base early, with pioneers and with clerics that convert what guards it.
    pub(super) const RAIDER: Doctrine = Doctrine {
        units: &[(Pioneer, 4), (Cleric, 2), (Pioneer, 6), (Worker, 2), (Cleric, 4), (Pioneer, 12)],
        settlers: 1,
        strike: 5,
        strike_from: 9,
        ..Doctrine::HARD
    };
}
