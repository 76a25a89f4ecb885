//! What a city produces: a pure function of the city, with the yields of its tiles as data.
//!
//! Knows no world; used by the server's cities and by the observer. Tested with the server's rules.

use super::constants::{
    CHAIN_YIELD, CITIZEN_FOOD, CITY_YIELD, MERCHANT_YIELD, RESOURCE_YIELD, Yield, building_upkeep,
    terrain_yield,
};
use super::types::{Building, Tile};

/// What a worker on that tile yields.
pub const fn tile_yield(tile: &Tile) -> Yield {
    if tile.flags.resource { RESOURCE_YIELD } else { terrain_yield(tile.terrain) }
}

/// What a city works with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CityPlan {
    /// All citizens, also those that houses add.
    pub citizens: u32,
    /// The yield of each tile on which a citizen works.
    pub worked: Vec<Yield>,
    pub buildings: Vec<Building>,
}

/// What a city gains or loses in a turn: food, wood and gold units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balance {
    pub food: i64,
    pub wood: i64,
    pub gold: i64,
}

/// What a city produces in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Production {
    pub total: Yield,
    /// What is left of the total after food for citizens and upkeep for buildings; negative if the total isn't enough.
    pub balance: Balance,
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// What a city produces in a turn.
pub fn production(city: &CityPlan) -> Production {
    let count = |building| city.buildings.iter().filter(|&&one| one == building).count() as u64;
    let merchants = u64::from(city.citizens).saturating_sub(city.worked.len() as u64);
    let sum = |kind: fn(&Yield) -> u64| {
        kind(&CITY_YIELD) + city.worked.iter().map(kind).sum::<u64>() + merchants * kind(&MERCHANT_YIELD)
    };
    // Buildings of the first tier add as much as there is, each at most its limit; one of the second doubles what they
    // add.
    let chain = |before: u64, first, second| {
        let added = before.min(CHAIN_YIELD * count(first));
        before + if count(second) > 0 { 2 * added } else { added }
    };
    let total = Yield {
        food: chain(sum(|one| one.food), Building::Mill, Building::Bakery),
        wood: chain(sum(|one| one.wood), Building::Sawmill, Building::Factory),
        gold: chain(sum(|one| one.gold), Building::Market, Building::Bank),
    };
    let eaten = u64::from(city.citizens) * CITIZEN_FOOD;
    let burnt: u64 = city.buildings.iter().map(|&one| building_upkeep(one)).sum();
    let balance = Balance {
        food: signed(total.food) - signed(eaten),
        wood: signed(total.wood) - signed(burnt),
        gold: signed(total.gold),
    };
    Production { total, balance }
}
