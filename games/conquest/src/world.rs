//! The world of a match: tiles, units, factions, cities, and every single change to them.
//!
//! Each change keeps the counts right (land, upkeep, one unit per tile, assignments) and leaves a message to observers;
//! whether an order may make it is decided by `base`, `cities` and `units`. Tested through the rules, and by the
//! simulator's invariants.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::conquest::constants::population_cap;
use zappy_protocol::conquest::mirror::MirrorCity;
use zappy_protocol::conquest::observer::{Appearance, Message};
use zappy_protocol::conquest::player::{Actor, BaseOrder, CityOrder, UnitOrder};
use zappy_protocol::conquest::{
    Building, Cause, Dominion, FactionId, GameOptions, Holdings, Slot, Stance, Tile, Unit, UnitId, UnitType,
    constants,
};
use zappy_protocol::{MapSize, Position, TeamName};

use super::city::City;
use super::map::Belongings;
use super::refusal::Refusal;
use super::rules::RuleSet;

/// A tile, the unit on it, and the city that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Site {
    pub(super) tile: Tile,
    pub(super) unit: Option<UnitId>,
    pub(super) city: Option<Position>,
}

/// A base that has lost strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weakened {
    /// How often it must still be neutralized until it falls, while it is its owner's current base.
    pub(super) left: u32,
    /// Whether it lost strength since the last phase of its owner began.
    pub(super) struck: bool,
}

/// What a faction ordered in this phase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Orders {
    pub(super) base: Option<BaseOrder>,
    /// In the order in which they were given.
    pub(super) cities: Vec<(Position, CityOrder)>,
    pub(super) units: BTreeMap<UnitId, UnitOrder>,
}

/// An order's actor, and that the order was carried out, or why not.
pub(super) type Did = (Actor<Position>, Result<(), Refusal>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Faction {
    pub(super) name: TeamName,
    /// Factions of one alliance have the same number here.
    pub(super) alliance: usize,
    /// The turn in which it was beaten.
    pub(super) beaten: Option<u32>,
    /// The type and the owner of the unit that made its current base neutral in the running or last resolution.
    pub(super) fell_to: Option<(FactionId, UnitType)>,
    pub(super) gold: u64,
    pub(super) food: u64,
    pub(super) wood: u64,
    /// Bombs that can be deployed.
    pub(super) bombs: u32,
    pub(super) kills: u32,
    pub(super) score: i64,
    /// Its current base; none before a draft gave it one.
    pub(super) base: Option<Position>,
    pub(super) slot: Option<Slot>,
    pub(super) land: u32,
    /// For how many turns in a row its side has held the land that dominion needs.
    pub(super) held: u32,
    /// What its units cost in each of its phases, in gold.
    pub(super) upkeep: u64,
    pub(super) units: BTreeSet<UnitId>,
    /// Its own tiles with a base.
    pub(super) bases: BTreeSet<Position>,
    pub(super) orders: Orders,
    /// Which of its orders were carried out, in the last phase in which it acted.
    pub(super) did: Vec<Did>,
}

impl Faction {
    pub(super) const fn alive(&self) -> bool {
        self.beaten.is_none()
    }

    /// Its units, the one in the slot counted.
    pub(super) fn population(&self) -> u32 {
        let units = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        units.saturating_add(self.slot.is_some().into())
    }

    pub(super) const fn cap(&self) -> u32 {
        population_cap(self.land)
    }

    pub(super) fn holdings(&self) -> Holdings {
        Holdings {
            gold: self.gold,
            food: self.food,
            wood: self.wood,
            bombs: self.bombs,
            land: self.land,
            population: self.population(),
            cap: self.cap(),
            kills: self.kills,
            score: self.score,
            upkeep: self.upkeep,
            base: self.base,
            slot: self.slot,
        }
    }
}

/// The world of a match.
#[derive(Debug, Clone)]
pub struct World {
    pub(super) size: MapSize,
    pub(super) seed: u64,
    pub(super) options: GameOptions,
    /// The running turn, from 1; 0 before the first.
    pub(super) turn: u32,
    /// The factions in the order of this turn's phases; empty if all act together.
    pub(super) order: Vec<FactionId>,
    pub(super) sites: Vec<Site>,
    pub(super) units: BTreeMap<UnitId, Unit>,
    pub(super) next_unit: u32,
    pub(super) factions: Vec<Faction>,
    pub(super) cities: BTreeMap<Position, City>,
    /// Tiles with a camp, and whether each may still recruit in this turn.
    pub(super) camps: BTreeMap<Position, bool>,
    /// Bases that have lost strength.
    pub(super) weakened: BTreeMap<Position, Weakened>,
    /// The alliance that has won by dominion.
    pub(super) dominator: Option<usize>,
    /// Bombs that lie on the map, and the factions that laid them.
    pub(super) bombs: BTreeMap<Position, FactionId>,
    /// The starts of the map, with what comes with each.
    pub(super) starts: Vec<(Position, Belongings)>,
    /// In a draft: the start that each faction has chosen, by its number.
    pub(super) chosen: Vec<Option<u32>>,
    /// Units that changed sides in the running resolution: their orders are lost.
    pub(super) converted: Vec<UnitId>,
    pub(super) unsent: Unsent,
    /// What observers know of factions, cities and dominion.
    pub(super) observed: Observed,
}

/// What happened since the last burst to observers.
#[derive(Debug, Clone)]
pub(super) struct Unsent {
    pub(super) messages: Vec<Message>,
    /// Whether the operator has brought a faction back, for which there is no message.
    pub(super) revived: bool,
    /// Whether anything else may have changed for which there is no message.
    pub(super) changed: bool,
}

/// Values that a burst sends once, however often they changed: as observers know them.
#[derive(Debug, Clone, Default)]
pub(super) struct Observed {
    pub(super) factions: Vec<Holdings>,
    pub(super) cities: BTreeMap<Position, MirrorCity>,
    /// `None` if the match can't end by dominion.
    pub(super) dominion: Option<Dominion>,
}

impl World {
    /// The size of the map.
    pub const fn size(&self) -> MapSize {
        self.size
    }

    /// The options as they were at the start.
    pub const fn options(&self) -> &GameOptions {
        &self.options
    }

    /// The running turn, from 1; 0 before the first. The operator may change it at any time.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    pub(super) const fn rules(&self) -> RuleSet {
        RuleSet::of(self.options.rules)
    }

    /// All factions, in the order of their numbers.
    pub fn ids(&self) -> impl Iterator<Item = FactionId> + use<> {
        (0..self.factions.len()).map_while(|index| u8::try_from(index).ok()).map(FactionId)
    }

    /// Whether the faction isn't beaten.
    pub fn alive(&self, faction: FactionId) -> bool {
        self.faction(faction).alive()
    }

    /// Lines that the faction may send in a phase that begins now; `Done` doesn't count.
    pub fn line_budget(&self, faction: FactionId) -> u32 {
        constants::line_budget(u32::try_from(self.faction(faction).units.len()).unwrap_or(u32::MAX / 100))
    }

    /// What the faction has: for reports, and for policies that order factions by score or land.
    pub fn holdings(&self, faction: FactionId) -> Holdings {
        self.faction(faction).holdings()
    }

    /// The turn in which the faction was beaten, if it was.
    pub fn beaten(&self, faction: FactionId) -> Option<u32> {
        self.faction(faction).beaten
    }

    /// How the faction was beaten, in words, if it was.
    pub fn fall(&self, faction: FactionId) -> Option<String> {
        let known = self.faction(faction);
        let turn = known.beaten?;
        Some(match known.fell_to {
            Some((taker, kind)) => {
                format!("base fell to {}'s {kind} in turn {turn}", self.faction(taker).name)
            }
            None => format!("base fell in turn {turn}"),
        })
    }

    /// Whether the two are of different alliances.
    pub fn enemies(&self, one: FactionId, other: FactionId) -> bool {
        self.faction(one).alliance != self.faction(other).alliance
    }

    pub(super) fn faction(&self, faction: FactionId) -> &Faction {
        &self.factions[faction.index()]
    }

    pub(super) fn name(&self, faction: FactionId) -> TeamName {
        self.faction(faction).name.clone()
    }

    /// A faction that is about to change.
    pub(super) fn faction_mut(&mut self, faction: FactionId) -> &mut Faction {
        self.unsent.changed = true;
        &mut self.factions[faction.index()]
    }

    pub(super) fn site(&self, at: Position) -> &Site {
        &self.sites[self.size.index(at)]
    }

    pub(super) fn site_mut(&mut self, at: Position) -> &mut Site {
        let index = self.size.index(at);
        &mut self.sites[index]
    }

    pub(super) fn tile(&self, at: Position) -> &Tile {
        &self.site(at).tile
    }

    /// Changes terrain, resource, fort or building, for which no counts are kept. A new camp may recruit at once.
    pub(super) fn edit(&mut self, at: Position, change: impl FnOnce(&mut Tile)) {
        let before = *self.tile(at);
        let tile = &mut self.site_mut(at).tile;
        change(tile);
        if *tile != before {
            let tile = *tile;
            self.unsent.messages.push(Message::Tile { at, tile });
            match tile.building {
                Some(Building::Camp(_)) => drop(self.camps.entry(at).or_insert(true)),
                _ => drop(self.camps.remove(&at)),
            }
        }
    }

    /// Sets the owner. A tile that becomes neutral loses its fort; a base that changes hands ends one city and begins
    /// another.
    pub(super) fn set_owner(&mut self, at: Position, owner: Option<FactionId>) {
        let before = self.tile(at).owner;
        if before == owner {
            return;
        }
        self.free(at);
        self.end_city(at);
        self.restore(at);
        let base = self.tile(at).flags.base;
        if let Some(before) = before {
            let faction = self.faction_mut(before);
            faction.land -= 1;
            faction.bases.remove(&at);
        }
        if let Some(owner) = owner {
            let faction = self.faction_mut(owner);
            faction.land += 1;
            if base {
                faction.bases.insert(at);
            }
        }
        self.edit(at, |tile| {
            tile.owner = owner;
            tile.flags.fort &= owner.is_some();
        });
        self.begin_city(at);
    }

    /// Puts a base on the tile, or takes it away, and its city with it.
    pub(super) fn set_base(&mut self, at: Position, base: bool) {
        if self.tile(at).flags.base == base {
            return;
        }
        self.free(at);
        self.end_city(at);
        self.restore(at);
        if let Some(owner) = self.tile(at).owner {
            let bases = &mut self.faction_mut(owner).bases;
            if base {
                bases.insert(at)
            } else {
                bases.remove(&at)
            };
        }
        self.edit(at, |tile| tile.flags.base = base);
        self.begin_city(at);
    }

    /// How often the base on that tile must still be neutralized, if it is the current one of a living faction.
    pub(super) fn strength(&self, at: Position) -> u32 {
        self.weakened.get(&at).map_or(self.rules().siege, |base| base.left)
    }

    /// Sets the strength of a base; with its full strength it isn't listed as weakened. `struck`: it loses strength by that.
    pub(super) fn set_strength(&mut self, at: Position, left: u32, struck: bool) {
        if self.strength(at) != left {
            self.unsent.messages.push(Message::Siege { at, left });
        }
        match left < self.rules().siege {
            true => self.weakened.insert(at, Weakened { left, struck }),
            false => self.weakened.remove(&at),
        };
    }

    /// Restores the full strength: the tile has another owner, or no base any more.
    pub(super) fn restore(&mut self, at: Position) {
        self.set_strength(at, self.rules().siege, false);
    }

    fn begin_city(&mut self, at: Position) {
        let tile = self.tile(at);
        if self.options.cities && tile.flags.base && tile.owner.is_some() {
            self.cities.insert(at, City::default());
        }
    }

    fn end_city(&mut self, at: Position) {
        let Some(city) = self.cities.remove(&at) else { return };
        // Another city may follow on its tile.
        self.observed.cities.remove(&at);
        for tile in city.tiles {
            self.site_mut(tile).city = None;
            self.unsent.messages.push(Message::Assigned { at: tile, city: None });
        }
    }

    pub(super) fn set_bomb(&mut self, at: Position, owner: Option<FactionId>) {
        let before = match owner {
            Some(owner) => self.bombs.insert(at, owner),
            None => self.bombs.remove(&at),
        };
        if before != owner {
            let name = owner.map(|owner| self.name(owner));
            self.unsent.messages.push(Message::Bomb { at, owner: name });
            self.edit(at, |tile| tile.flags.bomb = owner.is_some());
        }
    }

    /// Assigns a tile that is assigned to no city.
    pub(super) fn assign(&mut self, at: Position, city: Position) {
        self.site_mut(at).city = Some(city);
        if let Some(city) = self.cities.get_mut(&city) {
            city.tiles.insert(at);
        }
        self.unsent.messages.push(Message::Assigned { at, city: Some(city) });
    }

    /// Takes a tile's assignment away, if it has one. If it is a house, and no citizen of its city is idle, the lowest
    /// tile on which a citizen of the city works loses its assignment, too.
    pub(super) fn free(&mut self, at: Position) {
        let Some(city) = self.site(at).city else { return };
        if self.tile(at).building == Some(Building::House) {
            let lowest = self.worked(city).next();
            if let Some(worked) = lowest.filter(|_| self.people(city).merchants == 0) {
                self.release(worked, city);
            }
        }
        self.release(at, city);
    }

    fn release(&mut self, at: Position, city: Position) {
        self.site_mut(at).city = None;
        if let Some(city) = self.cities.get_mut(&city) {
            city.tiles.remove(&at);
        }
        self.unsent.messages.push(Message::Assigned { at, city: None });
    }

    /// The tiles of a city on which citizens work, lowest first.
    pub(super) fn worked(&self, city: Position) -> impl Iterator<Item = Position> {
        let tiles = self.cities.get(&city).into_iter().flat_map(|city| &city.tiles).copied();
        tiles.filter(|&at| self.tile(at).building.is_none())
    }

    /// The assigned buildings of a city and their tiles, lowest first.
    pub(super) fn buildings(&self, city: Position) -> impl Iterator<Item = (Position, Building)> {
        let tiles = self.cities.get(&city).into_iter().flat_map(|city| &city.tiles).copied();
        tiles.filter_map(|at| self.tile(at).building.map(|building| (at, building)))
    }

    /// Sets whether the camp on that tile may still recruit in this turn.
    pub(super) fn set_camp(&mut self, at: Position, ready: bool) {
        if let Some(known) = self.camps.get_mut(&at).filter(|known| **known != ready) {
            *known = ready;
            self.unsent.messages.push(Message::Camp { at, ready });
        }
    }

    /// A city's citizens, and how many of them work.
    pub(super) fn people(&self, city: Position) -> MirrorCity {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let houses = self.buildings(city).filter(|&(_, building)| building == Building::House).count();
        let own = self.cities.get(&city).map_or(0, |city| city.citizens);
        let citizens = own.saturating_add(count(houses));
        let workers = count(self.worked(city).count());
        MirrorCity { citizens, workers, merchants: citizens.saturating_sub(workers) }
    }

    /// Puts a new unit of the next number on a free tile.
    pub(super) fn appear(&mut self, faction: FactionId, kind: UnitType, at: Position) {
        let health = kind.numbers().health;
        let unit = Unit { faction, kind, at, health, stance: Stance::default() };
        self.add_unit(UnitId(self.next_unit), unit);
    }

    /// Puts a unit with that number, which no unit has, on a free tile.
    pub(super) fn add_unit(&mut self, id: UnitId, unit: Unit) {
        self.next_unit = self.next_unit.max(id.0.saturating_add(1));
        self.site_mut(unit.at).unit = Some(id);
        self.units.insert(id, unit);
        self.enlist(id, unit);
        self.unsent.messages.push(self.appearance(id, unit));
    }

    /// The message by which observers learn of a unit.
    pub(super) fn appearance(&self, id: UnitId, unit: Unit) -> Message {
        let Unit { faction, kind, at, health, stance } = unit;
        let faction = self.name(faction);
        Message::Appeared { unit: id, what: Appearance { faction, kind, at, health, stance } }
    }

    /// Counts a unit among those of its faction.
    pub(super) fn enlist(&mut self, id: UnitId, unit: Unit) {
        let faction = self.faction_mut(unit.faction);
        faction.units.insert(id);
        faction.upkeep += unit.kind.numbers().upkeep;
    }

    /// Counts a unit among those of its faction no longer.
    pub(super) fn strike_off(&mut self, id: UnitId, unit: Unit) {
        let faction = self.faction_mut(unit.faction);
        faction.units.remove(&id);
        faction.upkeep -= unit.kind.numbers().upkeep;
    }

    pub(super) fn remove_unit(&mut self, id: UnitId, cause: Cause) {
        let Some(unit) = self.units.remove(&id) else { return };
        self.site_mut(unit.at).unit = None;
        self.strike_off(id, unit);
        self.unsent.messages.push(Message::Gone { unit: id, cause });
    }

    /// Moves a unit to a free tile.
    pub(super) fn move_unit(&mut self, id: UnitId, to: Position) {
        let Some(unit) = self.units.get_mut(&id) else { return };
        let from = std::mem::replace(&mut unit.at, to);
        self.site_mut(from).unit = None;
        self.site_mut(to).unit = Some(id);
        self.unsent.messages.push(Message::Moved { unit: id, at: to });
    }

    /// Sets a unit's health and stance.
    pub(super) fn set_health(&mut self, id: UnitId, health: u32, stance: Stance) {
        let Some(unit) = self.units.get_mut(&id) else { return };
        if (unit.health, unit.stance) != (health, stance) {
            (unit.health, unit.stance) = (health, stance);
            self.unsent.messages.push(Message::Health { unit: id, health, stance });
        }
    }
}
