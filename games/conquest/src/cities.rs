//! What cities are ordered to do, and what they yield at the end of a turn.
//!
//! `check_city` says whether an order is allowed, or why not; `apply_city` carries it out unchecked. Tested in `tests/cities.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{ASSIGN_DISTANCE, GOLD_UNIT, Yield, building_upkeep};
use zappy_protocol::conquest::geometry::{reach, surroundings};
use zappy_protocol::conquest::player::CityOrder;
use zappy_protocol::conquest::production::{Balance, CityPlan, production, tile_yield};
use zappy_protocol::conquest::{Building, FactionId, UnitType};

use super::refusal::{Refusal, require, require_or_never};
use super::world::World;

impl World {
    /// Whether the city on that tile may do this now for the faction.
    pub(super) fn check_city(
        &self,
        faction: FactionId,
        at: Position,
        order: CityOrder,
    ) -> Result<(), Refusal> {
        require_or_never(self.options.cities, || "this match has no cities")?;
        require_or_never(self.size.contains(at), || format!("{at} is off the map"))?;
        if let CityOrder::Assign(tile) | CityOrder::Unassign(tile) = order {
            require_or_never(self.size.contains(tile), || format!("{tile} is off the map"))?;
        }
        let own = self.cities.get(&at).filter(|_| self.tile(at).owner == Some(faction));
        let city = own.ok_or_else(|| Refusal::never("not your city"))?;
        match order {
            CityOrder::Assign(tile) => {
                self.check_assignment(faction, at, tile)?;
                let needs_worker = self.tile(tile).building.is_none();
                // Merchants are the idle citizens.
                require(!needs_worker || self.people(at).merchants > 0, || "no citizen is idle")
            }
            CityOrder::Unassign(tile) => {
                require(city.tiles.contains(&tile), || "the tile isn't assigned to this city")
            }
            CityOrder::Recruit(kind) => {
                require(self.camps_of(at, kind).next().is_some(), || {
                    format!("no camp-{kind} is assigned to this city")
                })?;
                require(self.ready_camp(at, kind).is_some(), || {
                    format!("no camp-{kind} of this city is left in this turn")
                })?;
                self.check_gold(faction, kind.numbers().gold)?;
                require(self.free_spot(at).is_some(), || "no tile is free on the base or next to it")?;
                self.check_cap(faction)
            }
        }
    }

    /// Whether the tile may be assigned to the city; idle citizens aren't looked at.
    pub(super) fn check_assignment(
        &self,
        faction: FactionId,
        city: Position,
        tile: Position,
    ) -> Result<(), Refusal> {
        let site = self.site(tile);
        require(site.tile.owner == Some(faction), || "the tile isn't your own")?;
        require(reach(self.size, city, tile) <= ASSIGN_DISTANCE, || {
            format!("the tile is more than {ASSIGN_DISTANCE} tiles from the city")
        })?;
        require(!site.tile.flags.base, || "a base stands there")?;
        require(site.city.is_none(), || "the tile is assigned already")
    }

    /// The camps of a type that are assigned to the city, by x, then y.
    fn camps_of(&self, city: Position, kind: UnitType) -> impl Iterator<Item = Position> {
        self.buildings(city).filter(move |&(_, one)| one == Building::Camp(kind)).map(|(at, _)| at)
    }

    /// The first camp of that kind assigned to the city that hasn't recruited in this turn.
    fn ready_camp(&self, city: Position, kind: UnitType) -> Option<Position> {
        self.camps_of(city, kind).find(|at| self.camps.get(at) == Some(&true))
    }

    /// Camps that have recruited in this turn.
    pub(super) fn used_camps(&self) -> impl Iterator<Item = Position> {
        self.camps.iter().filter(|&(_, &ready)| !ready).map(|(&at, _)| at)
    }

    /// Where a recruit appears: on the base, else on the first free neighbour clockwise from north.
    fn free_spot(&self, city: Position) -> Option<Position> {
        surroundings(self.size, city).find(|&at| self.site(at).unit.is_none())
    }

    /// Carries out what `check_city` allowed.
    pub(super) fn apply_city(&mut self, faction: FactionId, at: Position, order: CityOrder) {
        match order {
            CityOrder::Assign(tile) => self.assign(tile, at),
            CityOrder::Unassign(tile) => self.free(tile),
            CityOrder::Recruit(kind) => {
                let (Some(spot), Some(camp)) = (self.free_spot(at), self.ready_camp(at, kind)) else {
                    return;
                };
                self.set_camp(camp, false);
                self.faction_mut(faction).gold -= kind.numbers().gold;
                self.build(faction, kind, spot);
            }
        }
    }

    /// The part of a city's state from which its production follows.
    pub(super) fn plan(&self, city: Position) -> CityPlan {
        let worked: Vec<Yield> = self.worked(city).map(|at| tile_yield(self.tile(at))).collect();
        let buildings = self.buildings(city).map(|(_, building)| building).collect();
        CityPlan { citizens: self.people(city).citizens, worked, buildings }
    }

    /// The cities of each living faction produce. While its stocks don't last, assignments are taken away one by one.
    pub(super) fn produce(&mut self) {
        for faction in self.ids().filter(|&faction| self.alive(faction)).collect::<Vec<_>>() {
            let balance = loop {
                let balance = self.balance(faction);
                let owner = self.faction(faction);
                let lacks = |stock: u64, change: i64| change < 0 && change.unsigned_abs() > stock;
                // Wood first, since buildings cost it; then food, which is short only through the citizens that houses
                // add. Each round takes an assignment away, so the loop ends.
                let unassigned = if lacks(owner.wood, balance.wood) {
                    self.lowest_building(faction, |one| building_upkeep(one) > 0)
                } else if lacks(owner.food, balance.food) {
                    self.lowest_building(faction, |one| one == Building::House)
                } else {
                    None
                };
                match unassigned {
                    Some(at) => self.free(at),
                    None => break balance,
                }
            };
            let owner = self.faction_mut(faction);
            owner.wood = owner.wood.saturating_add_signed(balance.wood);
            owner.food = owner.food.saturating_add_signed(balance.food);
            // The balance of gold is never negative, since no building costs gold.
            owner.gold = owner.gold.saturating_add(balance.gold.unsigned_abs().saturating_mul(GOLD_UNIT));
        }
    }

    /// What all cities of the faction gain or lose in a turn.
    fn balance(&self, faction: FactionId) -> Balance {
        let mut sum = Balance::default();
        for &city in self.faction(faction).bases.iter().filter(|at| self.cities.contains_key(at)) {
            let one = production(&self.plan(city)).balance;
            sum = Balance { food: sum.food + one.food, wood: sum.wood + one.wood, gold: sum.gold + one.gold };
        }
        sum
    }

    /// The first assigned tile of the faction with such a building, city by city.
    fn lowest_building(&self, faction: FactionId, which: fn(Building) -> bool) -> Option<Position> {
        let cities = self.faction(faction).bases.iter();
        let fitting = |city: &Position| self.buildings(*city).find(|&(_, one)| which(one)).map(|(at, _)| at);
        cities.filter_map(fitting).min()
    }
}
