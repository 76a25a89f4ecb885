//! What cities are ordered to do, and what they yield at the end of a turn.
//!
//! `check_city` decides and explains and changes nothing; `apply_city` relies on it. Tested in `tests/cities.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{ASSIGN_DISTANCE, GOLD_UNIT, Yield, building_upkeep};
use zappy_protocol::conquest::geometry::{reach, surroundings};
use zappy_protocol::conquest::player::CityOrder;
use zappy_protocol::conquest::production::{Balance, CityPlan, production, tile_yield};
use zappy_protocol::conquest::{Building, FactionId, UnitType};

use super::refusal::Refusal;
use super::units::require;
use super::world::World;

impl World {
    /// Whether the city on that tile may do this now for the faction.
    pub(super) fn check_city(
        &self,
        faction: FactionId,
        at: Position,
        order: CityOrder,
    ) -> Result<(), Refusal> {
        require(self.options.cities, Refusal::NoCities)?;
        require(self.size.contains(at), Refusal::OffMap(at))?;
        if let CityOrder::Assign(tile) | CityOrder::Unassign(tile) = order {
            require(self.size.contains(tile), Refusal::OffMap(tile))?;
        }
        let own = self.cities.get(&at).filter(|_| self.tile(at).owner == Some(faction));
        let city = own.ok_or(Refusal::NotYourCity)?;
        match order {
            CityOrder::Assign(tile) => {
                self.check_assignment(faction, at, tile)?;
                let works = self.tile(tile).building.is_none();
                require(!works || self.people(at).merchants > 0, Refusal::NoIdleCitizen)
            }
            CityOrder::Unassign(tile) => require(city.tiles.contains(&tile), Refusal::NotAssigned),
            CityOrder::Recruit(kind) => {
                require(self.camps_of(at, kind).next().is_some(), Refusal::NoCamp(kind))?;
                require(self.ready_camp(at, kind).is_some(), Refusal::CampsUsed(kind))?;
                self.check_gold(faction, kind.numbers().gold)?;
                require(self.muster(at).is_some(), Refusal::NoRoom)?;
                self.check_cap(faction)
            }
        }
    }

    /// Whether the tile may belong to the city, idle citizens aside.
    pub(super) fn check_assignment(
        &self,
        faction: FactionId,
        city: Position,
        tile: Position,
    ) -> Result<(), Refusal> {
        let site = self.site(tile);
        require(site.tile.owner == Some(faction), Refusal::NotOwn)?;
        require(reach(self.size, city, tile) <= ASSIGN_DISTANCE, Refusal::TooFar)?;
        require(!site.tile.flags.base, Refusal::BaseThere)?;
        require(site.city.is_none(), Refusal::Assigned)
    }

    /// The camps of a type that are assigned to the city, lowest first.
    fn camps_of(&self, city: Position, kind: UnitType) -> impl Iterator<Item = Position> {
        self.buildings(city).filter(move |&(_, one)| one == Building::Camp(kind)).map(|(at, _)| at)
    }

    /// The camp that the city's next recruit of a type comes from.
    fn ready_camp(&self, city: Position, kind: UnitType) -> Option<Position> {
        self.camps_of(city, kind).find(|at| self.camps.get(at) == Some(&true))
    }

    /// Camps that have recruited in this turn.
    pub(super) fn used_camps(&self) -> impl Iterator<Item = Position> {
        self.camps.iter().filter(|&(_, &ready)| !ready).map(|(&at, _)| at)
    }

    /// Where a recruit appears: on the base, else on the first free neighbour clockwise from north.
    fn muster(&self, city: Position) -> Option<Position> {
        surroundings(self.size, city).find(|&at| self.site(at).unit.is_none())
    }

    /// Carries out what `check_city` allowed.
    pub(super) fn apply_city(&mut self, faction: FactionId, at: Position, order: CityOrder) {
        match order {
            CityOrder::Assign(tile) => self.assign(tile, at),
            CityOrder::Unassign(tile) => self.free(tile),
            CityOrder::Recruit(kind) => {
                let (Some(room), Some(camp)) = (self.muster(at), self.ready_camp(at, kind)) else { return };
                self.set_camp(camp, false);
                self.faction_mut(faction).gold -= kind.numbers().gold;
                self.build(faction, kind, room);
            }
        }
    }

    /// A city as production sees it.
    pub(super) fn plan(&self, city: Position) -> CityPlan {
        let worked: Vec<Yield> = self.worked(city).map(|at| tile_yield(self.tile(at))).collect();
        let buildings = self.buildings(city).map(|(_, building)| building).collect();
        CityPlan { citizens: self.people(city).citizens, worked, buildings }
    }

    /// The cities of each living faction produce; what a faction can't keep up is disabled, one by one.
    pub(super) fn produce(&mut self) {
        for faction in self.ids().filter(|&faction| self.alive(faction)).collect::<Vec<_>>() {
            let balance = loop {
                let balance = self.balance(faction);
                let owner = self.faction(faction);
                let lacks =
                    |stock: u64, change: i64| stock.checked_add_signed(change).is_none() && change < 0;
                // Wood before food. What takes an assignment away comes to an end; no building uses food.
                let needless = if lacks(owner.wood, balance.wood) {
                    self.lowest_building(faction, |one| building_upkeep(one) > 0)
                } else if lacks(owner.food, balance.food) {
                    self.lowest_building(faction, |one| one == Building::House)
                } else {
                    None
                };
                match needless {
                    Some(at) => self.free(at),
                    None => break balance,
                }
            };
            let grow = |stock: u64, change: i64| {
                if change < 0 {
                    stock.saturating_sub(change.unsigned_abs())
                } else {
                    stock.saturating_add(change.unsigned_abs())
                }
            };
            let owner = self.faction_mut(faction);
            owner.wood = grow(owner.wood, balance.wood);
            owner.food = grow(owner.food, balance.food);
            owner.gold = owner.gold.saturating_add(balance.gold.unsigned_abs().saturating_mul(GOLD_UNIT));
        }
    }

    /// The sum over the faction's cities.
    fn balance(&self, faction: FactionId) -> Balance {
        let mut sum = Balance::default();
        for &city in self.faction(faction).bases.iter().filter(|at| self.cities.contains_key(at)) {
            let one = production(&self.plan(city)).balance;
            sum = Balance { food: sum.food + one.food, wood: sum.wood + one.wood, gold: sum.gold + one.gold };
        }
        sum
    }

    /// The lowest assigned tile of the faction with such a building.
    fn lowest_building(&self, faction: FactionId, which: fn(Building) -> bool) -> Option<Position> {
        let cities = self.faction(faction).bases.iter();
        let fitting = |city: &Position| self.buildings(*city).find(|&(_, one)| which(one)).map(|(at, _)| at);
        cities.filter_map(fitting).min()
    }
}
