//! The published numbers of the game, all of them in this file.
//!
//! Never holds a limit of one particular server (those are in `docs/limits.md`). Gold, food and wood are counted in
//! whole units, times in turns. Tested in this module.

use super::types::{Building, Terrain, UnitType};

/// The version of the rules; every change that alters a match raises it.
pub const RULES_VERSION: u32 = 2;
/// Ticks per second: a tick is a millisecond.
pub const TICKS_PER_SECOND: u32 = 1_000;

/// The shortest side of a map, in tiles.
pub const LEAST_SIDE: u16 = 8;
/// The fewest tiles of a map per faction.
pub const TILES_PER_FACTION: u32 = 25;
/// Tiles per resource when the map is drawn.
pub const TILES_PER_RESOURCE: usize = 20;
/// Tiles per forest when the map of a match with cities is drawn.
pub const TILES_PER_FOREST: usize = 4;
/// Turns of a match unless another number is asked for.
pub const DEFAULT_TURNS: u32 = 400;
/// Milliseconds of a phase unless another number is asked for.
pub const DEFAULT_TURN_TIME: u32 = 1_000;

/// A faction's gold at the start.
pub const START_GOLD: u64 = 500;
/// A faction's food at the start, in a match with cities.
pub const START_FOOD: u64 = 10;
/// A faction's wood at the start, in a match with cities.
pub const START_WOOD: u64 = 20;

/// The population that a faction may have without any land.
pub const CAP_BASE: u32 = 5;
/// Tiles of land for each further unit of population.
pub const LAND_PER_CAP: u32 = 10;
/// The most units that a faction may have, however much land it has.
pub const CAP_TOP: u32 = 50;

/// What the base's `income` brings, in gold.
pub const INCOME_GOLD: u64 = 500;
/// What a bomb costs at the base, in gold.
pub const BOMB_GOLD: u64 = 500;
/// What it costs to deploy a bomb, in gold.
pub const DEPLOY_GOLD: u64 = 25;
/// What a fort costs, in gold.
pub const FORT_GOLD: u64 = 250;
/// What a pioneer's `gold` brings.
pub const PIONEER_GOLD: u64 = 50;
/// What a worker's `gold` brings.
pub const WORKER_GOLD: u64 = 100;
/// What a worker's `gold` brings on a resource.
pub const RESOURCE_GOLD: u64 = 300;
/// What a cleric heals, in points of health.
pub const HEALING: u32 = 2;

/// Score for a conquered tile.
pub const CONQUER_SCORE: i64 = 25;
/// Further score for a conquered tile that has a resource.
pub const CONQUER_RESOURCE_SCORE: i64 = 15;
/// Score for an enemy's tile made neutral.
pub const NEUTRALIZE_SCORE: i64 = 20;
/// Score for a kill, by a unit or a bomb.
pub const KILL_SCORE: i64 = 25;
/// Score for each fort that is built.
pub const FORTIFY_SCORE: i64 = 10;
/// Score for each unit that is healed.
pub const HEAL_SCORE: i64 = 10;
/// Score for a converted unit.
pub const CONVERT_SCORE: i64 = 25;
/// Score for an enemy's bomb cleared.
pub const CLEAR_SCORE: i64 = 15;
/// Score for strictly the largest land at the end of a turn.
pub const LARGEST_LAND_SCORE: i64 = 10;
/// By the rules `arena`: the largest land scores one point more for every so many turns that were played.
pub const LARGEST_LAND_TURNS: u32 = 10;
/// Score lost when the upkeep can't be paid.
pub const UNPAID_PENALTY: i64 = 75;
/// Score lost by a faction that isn't done when its phase ends.
pub const LATE_PENALTY: i64 = 100;

/// By the rules `arena`: how many times a faction's current base must be neutralized before it falls.
pub const SIEGE_STRENGTH: u32 = 4;
/// By the rules `arena`: how many units leave a faction that can't pay its upkeep. Its last unit stays.
pub const DESERTERS: usize = 1;
/// Turns for which a side has to hold the land that dominion needs.
pub const DOMINION_TURNS: u32 = 5;
/// The share of all tiles that dominion needs, in percent: at first, and while two sides live.
pub const DOMINION_NEED: u32 = 50;
/// The turn after which that share begins to fall.
pub const DOMINION_FALLS_AFTER: u32 = 80;
/// The number of turns in which the share falls by one percent.
pub const DOMINION_FALL_TURNS: u32 = 2;
/// The lowest share, in percent.
pub const DOMINION_LEAST_NEED: u32 = 20;

/// The share of all tiles that dominion needs at the end of that turn, in percent, while `sides` sides live.
pub const fn dominion_need(turn: u32, sides: usize) -> u32 {
    let fallen = turn.saturating_sub(DOMINION_FALLS_AFTER) / DOMINION_FALL_TURNS;
    if sides == 2 || fallen == 0 {
        return DOMINION_NEED;
    }
    let need = DOMINION_NEED.saturating_sub(fallen);
    if need > DOMINION_LEAST_NEED { need } else { DOMINION_LEAST_NEED }
}

/// Lines that a faction may send in a phase, however few units it has.
pub const LINES_BASE: u32 = 40;
/// Further lines of a faction in a phase for each unit it has.
pub const LINES_PER_UNIT: u32 = 10;

/// Gold in one gold unit, the unit in which cities count.
pub const GOLD_UNIT: u64 = 25;
/// Citizens of a new city.
pub const START_CITIZENS: u32 = 2;
/// How far from a city a tile may lie that is assigned to it, in tiles; diagonals count as one.
pub const ASSIGN_DISTANCE: u32 = 2;
/// What a city yields without any citizen: food, wood, gold units.
pub const CITY_YIELD: Yield = Yield { food: 2, wood: 0, gold: 2 };
pub const MERCHANT_YIELD: Yield = Yield { food: 0, wood: 0, gold: 2 };
/// What a resource yields to the worker on it; nothing else comes from that tile.
pub const RESOURCE_YIELD: Yield = Yield { food: 0, wood: 0, gold: 2 };
/// What one mill, sawmill or market adds at most, in food, wood or gold units.
pub const CHAIN_YIELD: u64 = 8;
/// The food that a citizen eats each turn.
pub const CITIZEN_FOOD: u64 = 2;

/// What a tile or a person yields in a turn: food, wood and gold units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Yield {
    pub food: u64,
    pub wood: u64,
    /// Gold units, each worth [`GOLD_UNIT`] gold.
    pub gold: u64,
}

/// What a worker's tile of that terrain yields, if there is no resource on it.
pub const fn terrain_yield(terrain: Terrain) -> Yield {
    match terrain {
        Terrain::Plain => Yield { food: 2, wood: 0, gold: 0 },
        Terrain::Forest => Yield { food: 1, wood: 2, gold: 0 },
    }
}

/// What a building costs, in wood.
pub const fn building_wood(building: Building) -> u64 {
    match building {
        Building::House | Building::Mill | Building::Sawmill | Building::Market => 10,
        Building::Bakery | Building::Factory | Building::Bank => 40,
        Building::Camp(_) => 20,
    }
}

/// What an assigned building costs its city each turn, in wood.
pub const fn building_upkeep(building: Building) -> u64 {
    match building {
        Building::House | Building::Camp(_) => 0,
        Building::Mill | Building::Sawmill | Building::Market => 1,
        Building::Bakery | Building::Factory | Building::Bank => 2,
    }
}

/// The numbers of a unit type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitNumbers {
    /// What it costs, in gold.
    pub gold: u64,
    /// Turns until it appears, including the turn in which it is ordered.
    pub turns: u32,
    /// Its health at the start, in points; healing goes no further.
    pub health: u32,
    /// What an attack takes away, in points of health.
    pub damage: u32,
    /// What it costs each turn, in gold.
    pub upkeep: u64,
    /// Score when it appears; lost again when it retires.
    pub build_score: i64,
}

const fn row(gold: u64, turns: u32, health: u32, damage: u32, upkeep: u64, build_score: i64) -> UnitNumbers {
    UnitNumbers { gold, turns, health, damage, upkeep, build_score }
}

const UNITS: [UnitNumbers; UnitType::ALL.len()] = [
    row(200, 2, 3, 2, 25, 10),
    row(350, 3, 5, 0, 45, 10),
    row(700, 4, 6, 3, 90, 10),
    row(500, 5, 4, 1, 60, 25),
    row(850, 4, 6, 2, 90, 25),
];

impl UnitType {
    /// The numbers of this type.
    pub const fn numbers(self) -> &'static UnitNumbers {
        &UNITS[self as usize]
    }
}

/// The population that a faction with `land` tiles may have.
pub const fn population_cap(land: u32) -> u32 {
    let cap = CAP_BASE + land / LAND_PER_CAP;
    if cap < CAP_TOP { cap } else { CAP_TOP }
}

/// Lines that a faction with `units` units may send in a phase; `Done` doesn't count.
pub const fn line_budget(units: u32) -> u32 {
    LINES_BASE + LINES_PER_UNIT * units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_grows_with_every_ten_tiles_and_ends_at_fifty() {
        assert_eq!([0, 9, 10, 14, 449, 450, 9_000].map(population_cap), [5, 5, 6, 6, 49, 50, 50]);
        assert_eq!([0, 3, 50].map(line_budget), [40, 70, 540]);
    }

    #[test]
    fn a09_the_need_falls_at_the_turns_given_and_not_below_the_floor() {
        let need = |sides| [1, 80, 81, 82, 83, 84, 138, 139, 140, 400].map(|turn| dominion_need(turn, sides));
        assert_eq!(need(3), [50, 50, 50, 49, 49, 48, 21, 21, 20, 20]);
        assert_eq!(need(2), [50; 10]);
    }

    #[test]
    fn the_table_of_units_stands_in_the_order_of_the_types() {
        let gold = UnitType::ALL.map(|kind| kind.numbers().gold);
        assert_eq!(gold, [200, 350, 700, 500, 850]);
        assert_eq!(UnitType::Sapper.numbers().build_score, 25);
    }
}
