//! What a city produces: a pure function of the city, with the yields of its tiles as data.
//!
//! Knows no world; the server's cities and the observer ask it. Tested with the server's rules.

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
    /// What each tile yields on which a citizen works.
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
    /// What is left of it after the upkeep.
    pub balance: Balance,
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// What a city produces in a turn.
pub fn production(city: &CityPlan) -> Production {
    let count = |building| city.buildings.iter().filter(|&&one| one == building).count() as u64;
    let merchants = u64::from(city.citizens).saturating_sub(city.worked.len() as u64);
    let sum = |of: fn(&Yield) -> u64| {
        of(&CITY_YIELD) + city.worked.iter().map(of).sum::<u64>() + merchants * of(&MERCHANT_YIELD)
    };
    // The first tier adds what was there before any chain, up to its limit; the second the same once more.
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
