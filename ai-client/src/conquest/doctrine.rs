//! Doctrines: what the levels above `easy` differ in.
//!
//! Plain numbers, chosen by measurement: see `STRATEGY.md`. Tested against each other in `tests/conquest.rs`.

use zappy_protocol::conquest::{Building, UnitType};

/// What a commander does and what it leaves alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doctrine {
    /// How many pioneers it has at most.
    pub(super) pioneers: u32,
    /// Pioneers that are there before the first fighter is built.
    pub(super) settlers: u32,
    /// How many workers it has at most.
    pub(super) workers: u32,
    /// Fighters that stay at the base.
    pub(super) guards: u32,
    /// Fighters that are kept for strikes, besides the guards.
    pub(super) fighters: u32,
    /// Units that strike together; 0: none do.
    pub(super) strike: u32,
    /// The turn from which units are sent to strike.
    pub(super) strike_from: u32,
    /// Whether pioneers near the base turn on enemies that come near it.
    pub(super) defends: bool,
    /// Whether workers build forts, clerics convert and sappers lay bombs around the base.
    pub(super) fortifies: bool,
    /// What workers build for cities, in this order.
    pub(super) buildings: &'static [Building],
}

impl Doctrine {
    /// Takes land, feeds many workers, keeps guards at its base, and strikes with few.
    pub(super) const MEDIUM: Doctrine = Doctrine {
        pioneers: 6,
        settlers: 3,
        workers: 5,
        guards: 2,
        fighters: 4,
        strike: 5,
        strike_from: 14,
        defends: false,
        fortifies: false,
        buildings: &[],
    };
    /// Keeps no guards and one worker: what it has strikes, late and together.
    pub(super) const HARD: Doctrine = Doctrine {
        pioneers: 8,
        settlers: 5,
        workers: 1,
        guards: 0,
        fighters: 6,
        strike: 5,
        strike_from: 40,
        buildings: &[Building::Camp(UnitType::Pioneer)],
        ..Doctrine::MEDIUM
    };
    /// Plays to win: few pioneers, and as many fighters as it can feed, which strike again and again.
    pub(super) const EXPERT: Doctrine = Doctrine {
        pioneers: 4,
        settlers: 2,
        workers: 2,
        fighters: 14,
        strike: 3,
        strike_from: 20,
        defends: true,
        fortifies: true,
        buildings: &[
            Building::Camp(UnitType::Pioneer),
            Building::Camp(UnitType::Fighter),
            Building::Market,
            Building::Bank,
        ],
        ..Doctrine::HARD
    };
}
