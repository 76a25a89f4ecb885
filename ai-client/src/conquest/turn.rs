//! What has been ordered in a turn so far, so that no two units want the same tile, enemy or gold.
//!
//! Holds what units of several levels do alike: go, take tiles, fight. Which unit does what is decided by the level.
//! Tested through the levels of play in `tests/conquest.rs`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{INCOME_GOLD, RESOURCE_GOLD, WORKER_GOLD};
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::UnitOrder;
use zappy_protocol::conquest::{Edition, Unit, UnitId, UnitType};

use super::view::View;

/// Within how many tiles of the base an enemy's unit that can fight is a threat.
const ALARM_RADIUS: u32 = 3;

/// What has been ordered in this turn so far.
pub(super) struct Turn<'a> {
    pub(super) view: &'a View,
    /// The tiles on which a unit stands or will stand.
    pub(super) taken: BTreeSet<Position>,
    /// The tiles that a unit is on its way to.
    pub(super) claimed: BTreeSet<Position>,
    /// What the attacks ordered so far do to each enemy's unit: the health it loses, and the number of hits.
    pub(super) losses: BTreeMap<UnitId, (u32, u32)>,
    /// What is left of the stocks once all orders so far are paid.
    pub(super) gold: u64,
    pub(super) wood: u64,
    /// Units that may still be made before the population reaches its cap.
    pub(super) room: u32,
}

impl<'a> Turn<'a> {
    pub(super) fn new(view: &'a View) -> Turn<'a> {
        Turn {
            view,
            taken: view.units.values().map(|unit| unit.at).collect(),
            claimed: BTreeSet::new(),
            losses: BTreeMap::new(),
            gold: view.own.gold,
            wood: view.own.wood,
            room: view.own.cap.saturating_sub(view.own.population),
        }
    }

    /// The gold that the workers bring in a turn.
    pub(super) fn earnings(&self) -> u64 {
        let workers = self.view.own_units().filter(|(_, unit)| unit.kind == UnitType::Worker);
        workers
            .map(|(_, unit)| if self.view.has_resource(unit.at) { RESOURCE_GOLD } else { WORKER_GOLD })
            .sum()
    }

    /// Whether the stock pays for a unit and then for the upkeep of the next `turns` turns, less what workers earn; the
    /// base is reckoned to earn nothing.
    pub(super) fn affords(&self, kind: UnitType, turns: u32) -> bool {
        let short = self.view.own.upkeep.saturating_sub(self.earnings()) * u64::from(turns);
        self.gold >= kind.numbers().gold + short
    }

    /// The unit to retire if even a base that earns can't pay the next turn's upkeep: the one with the
    /// highest upkeep, of those that aren't on the base.
    pub(super) fn unit_to_retire(&self) -> Option<UnitId> {
        let unpaid = self.gold + self.earnings() + INCOME_GOLD < self.view.own.upkeep;
        let worst = |(id, unit): &(UnitId, &Unit)| (unit.kind.numbers().upkeep, *id);
        let spare = self.view.own_units().filter(|(_, unit)| Some(unit.at) != self.view.own.base);
        spare.max_by_key(worst).filter(|_| unpaid).map(|(id, _)| id)
    }

    /// Whether no unit is on a tile or on its way to it.
    pub(super) fn is_free(&self, at: Position) -> bool {
        !self.taken.contains(&at) && !self.claimed.contains(&at)
    }

    /// The enemies near the base that can fight.
    pub(super) fn threats(&self) -> impl Iterator<Item = (UnitId, &'a Unit)> {
        let (view, base) = (self.view, self.view.own.base);
        view.enemy_units().filter(move |(_, enemy)| {
            enemy.kind != UnitType::Worker
                && base.is_some_and(|base| view.reach(base, enemy.at) <= ALARM_RADIUS)
        })
    }

    /// The unit to call back to the base if none stands there: the nearest that doesn't strike. `None` if the base is
    /// occupied, lost, or is to stay empty.
    pub(super) fn unit_to_recall(
        &self,
        stays_empty: bool,
        strikes: impl Fn(UnitId) -> bool,
    ) -> Option<UnitId> {
        let base = self.view.own.base.filter(|&base| !stays_empty && self.view.unit_at(base).is_none())?;
        let idle = self.view.own_units().filter(|&(id, _)| !strikes(id));
        idle.min_by_key(|(_, unit)| self.view.reach(unit.at, base)).map(|(id, _)| id)
    }

    /// Goes one step towards a tile, or past an obstacle at the same distance; `None` if every such step is taken.
    pub(super) fn go(&mut self, unit: &Unit, to: Position) -> Option<UnitOrder> {
        let view = self.view;
        let distance = |at: Position| (view.reach(at, to), view.size.distance(at, to));
        let steps = neighbours(view.size, unit.at).filter(|at| !self.taken.contains(at));
        let step =
            steps.min_by_key(|&at| distance(at)).filter(|&at| distance(at).0 <= distance(unit.at).0)?;
        Some(self.travel(unit, step))
    }

    /// Steps to a tile beside the unit, which counts as taken from now on.
    pub(super) fn travel(&mut self, unit: &Unit, to: Position) -> UnitOrder {
        self.taken.remove(&unit.at);
        self.taken.insert(to);
        UnitOrder::Travel(to)
    }

    /// Goes to any free tile beside the unit; `None` if there is none.
    pub(super) fn step_aside(&mut self, unit: &Unit) -> Option<UnitOrder> {
        let free = neighbours(self.view.size, unit.at).find(|at| !self.taken.contains(at))?;
        Some(self.travel(unit, free))
    }

    /// Takes the tile under the pioneer, or goes to the best one that can be taken; earns gold if there is none.
    pub(super) fn expand(&mut self, unit: &Unit) -> UnitOrder {
        let view = self.view;
        if let Some(order) = view.taking_order(unit.at) {
            return order;
        }
        let base = view.own.base.unwrap_or(unit.at);
        let rival = view.rival();
        // Tiles near the unit, and then those near the base, so that the land stays round and its frontier short; the
        // tiles of a rival that is near dominion count as if they lay at the base.
        let cost = |at: &Position| {
            let worth = if view.has_resource(*at) { 4 } else { u32::from(view.owner(*at).is_some()) * 2 };
            let of_rival = rival.is_some() && view.owner(*at) == rival;
            4 * view.reach(unit.at, *at) + if of_rival { 0 } else { view.reach(base, *at) + 4 - worth }
        };
        let sites = view.size.tiles().filter(|&at| view.is_takable(at) && self.is_free(at));
        let Some(site) = sites.min_by_key(cost) else { return UnitOrder::Gold };
        let Some(order) = self.go(unit, site) else { return UnitOrder::Gold };
        self.claimed.insert(site);
        order
    }

    /// Hits or converts an enemy beside the unit; `None` if there is none that is worth a turn.
    pub(super) fn fight(&mut self, unit: &Unit) -> Option<UnitOrder> {
        let view = self.view;
        let beside = || neighbours(view.size, unit.at).filter_map(|at| view.unit_at(at));
        let living =
            |(id, enemy): &(UnitId, &Unit)| view.is_enemy(enemy.faction) && self.health_left(*id, enemy) > 0;
        let enemies: Vec<(UnitId, &Unit)> = beside().filter(living).collect();
        if unit.kind == UnitType::Cleric && unit.stance.enlightened && self.room > 0 {
            // The rules `arena` don't let a unit on its base be converted.
            let on_base = |at: Position| {
                view.options.rules == Edition::Arena && view.tile(at).is_some_and(|tile| tile.flags.base)
            };
            let convertible = enemies.iter().filter(|(_, enemy)| !on_base(enemy.at));
            let best = convertible.max_by_key(|(_, enemy)| enemy.kind.numbers().gold);
            if let Some(&(id, enemy)) = best {
                self.room -= 1;
                self.losses.insert(id, (enemy.health, 1));
                return Some(UnitOrder::Convert(id));
            }
        }
        if unit.kind == UnitType::Worker || unit.kind == UnitType::Cleric {
            return None;
        }
        let near_home = |at: Position| view.own.base.is_some_and(|base| view.reach(base, at) <= 1);
        let rank = |&(id, enemy): &(UnitId, &Unit)| {
            (Some(enemy.at) != view.own.base, !near_home(enemy.at), self.health_left(id, enemy))
        };
        let (id, enemy) = enemies.into_iter().min_by_key(rank)?;
        // Away from home a pioneer attacks a fighter only if one undefended hit kills it: otherwise the pioneer would lose.
        let hopeless =
            unit.kind == UnitType::Pioneer && enemy.kind == UnitType::Fighter && !near_home(enemy.at);
        (!hopeless || self.health_left(id, enemy) <= unit.kind.numbers().damage)
            .then(|| self.attack(unit, id, enemy))
    }

    /// What is left of an enemy's health after the attacks ordered so far.
    pub(super) fn health_left(&self, id: UnitId, enemy: &Unit) -> u32 {
        enemy.health.saturating_sub(self.losses.get(&id).map_or(0, |losses| losses.0))
    }

    /// Hits an enemy; when that kills it, its tile is free for units that move later. An enlightened enemy takes no
    /// damage from the first hit; the first hit that does any does only half to a defended one.
    pub(super) fn attack(&mut self, unit: &Unit, id: UnitId, enemy: &Unit) -> UnitOrder {
        let (lost, hits) = self.losses.entry(id).or_default();
        let damage = unit.kind.numbers().damage;
        let absorbed = u32::from(enemy.stance.enlightened);
        *lost += match *hits {
            0 if enemy.stance.enlightened => 0,
            hit if hit == absorbed && enemy.stance.defended => damage.div_ceil(2),
            _ => damage,
        };
        *hits += 1;
        if *lost >= enemy.health {
            self.taken.remove(&enemy.at);
        }
        UnitOrder::Attack(id)
    }
}
