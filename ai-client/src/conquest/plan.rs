//! The commander of the levels above `easy`: one plan for base and units, its doctrine the only difference.
//!
//! Each unit is asked in the order of the numbers, since a unit can follow onto a tile that a lower one leaves. What
//! earlier units were ordered is kept in `Turn`, so that no two of them want the same tile. Tested against the other
//! levels in `tests/conquest.rs`.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{BOMB_GOLD, DEPLOY_GOLD, FORT_GOLD, RESOURCE_GOLD, WORKER_GOLD};
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, Order, UnitOrder};
use zappy_protocol::conquest::{Building, Slot, Unit, UnitId, UnitType};

use super::city;
use super::level::Strategy;
use super::view::View;
use super::war::Strike;
use crate::chance::Chance;

/// How near the base an enemy's unit is a threat, in tiles.
const ALARM: u32 = 3;
/// Gold beyond which it is spent on bombs and forts.
const PLENTY: u64 = 1_500;

/// What a commander does and what it leaves alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doctrine {
    /// The most pioneers.
    pub(super) pioneers: u32,
    /// Pioneers that are there before the first fighter is built.
    pub(super) settlers: u32,
    /// The most workers.
    pub(super) workers: u32,
    /// Fighters that stay at the base.
    pub(super) guards: u32,
    /// Fighters for strikes.
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

/// Decides for a faction.
#[derive(Debug)]
pub(super) struct Commander {
    doctrine: Doctrine,
    strike: Strike,
}

/// What has been ordered in this turn so far.
pub(super) struct Turn<'a> {
    pub(super) view: &'a View,
    /// The tiles on which a unit stands or will stand.
    taken: BTreeSet<Position>,
    /// The tiles that a unit is on its way to.
    claimed: BTreeSet<Position>,
    /// What the enemies' units lose: points of health, and hits.
    losses: BTreeMap<UnitId, (u32, u32)>,
    /// What is left of the stocks.
    pub(super) gold: u64,
    pub(super) wood: u64,
    /// Units that may still be made.
    pub(super) room: u32,
}

impl Commander {
    pub(super) fn new(doctrine: Doctrine) -> Commander {
        Commander { doctrine, strike: Strike::default() }
    }
}

impl Strategy for Commander {
    fn decide(&mut self, view: &View, _chance: &mut Chance) -> Vec<Order> {
        let mut turn = Turn::new(view);
        self.strike.enlist(view, &self.doctrine);
        let base = self.base(&mut turn);
        let mut orders = vec![Order::Base(base)];
        let leave = self.leaves_base(&turn, base);
        let recalled = turn.recalled(leave, |id| self.strike.has(id));
        let builder = self.builder(&turn);
        orders.extend(city::orders(&mut turn, |turn| self.wanted(turn)));
        for (id, unit) in view.own_units() {
            let on_base = Some(unit.at) == view.own.base;
            let order = if on_base && !leave {
                self.garrison(&mut turn, unit)
            } else if recalled == Some(id) {
                view.own.base.and_then(|base| turn.go(unit, base)).unwrap_or(UnitOrder::Idle)
            } else if self.strike.has(id) && !on_base {
                self.strike.order(&mut turn, unit)
            } else {
                let built = builder.filter(|_| !on_base).and_then(|(worker, building)| {
                    (worker == id).then(|| city::build(&mut turn, unit, building)).flatten()
                });
                built.or_else(|| turn.fight(unit)).unwrap_or_else(|| self.work(&mut turn, unit, on_base))
            };
            orders.push(Order::Unit(id, order));
        }
        orders
    }
}

impl Commander {
    fn base(&self, turn: &mut Turn<'_>) -> BaseOrder {
        let own = &turn.view.own;
        if own.slot.is_some() {
            return BaseOrder::Continue;
        }
        // With cities units come from camps, and the base earns.
        if let Some(kind) = self.wanted(turn).filter(|&kind| !city::has_camp(turn.view, kind))
            && turn.affords(kind, kind.numbers().turns)
        {
            turn.gold -= kind.numbers().gold;
            turn.room -= 1;
            return BaseOrder::Build(kind);
        }
        let bombs = self.doctrine.fortifies && turn.view.count(UnitType::Sapper) > 0 && own.bombs == 0;
        if bombs && turn.gold >= PLENTY && turn.mine().is_some() {
            turn.gold -= BOMB_GOLD;
            return BaseOrder::Bomb;
        }
        BaseOrder::Income
    }

    /// The unit that is worth most now, if there is room for one.
    fn wanted(&self, turn: &Turn<'_>) -> Option<UnitType> {
        let (view, doctrine) = (turn.view, &self.doctrine);
        if turn.room == 0 || view.turns_left() < 6 {
            return None;
        }
        let [pioneers, workers, fighters] =
            [UnitType::Pioneer, UnitType::Worker, UnitType::Fighter].map(|kind| view.count(kind));
        let takable = view.size.area() - view.own.land;
        let resources = view.size.tiles().filter(|&at| view.has_resource(at) && turn.is_workable(at)).count();
        // A worker on a resource pays for itself within some turns; pioneers bring score, and eat.
        let pays = workers < doctrine.workers && (workers as usize) < resources && view.turns_left() > 25;
        let hungry = turn.earnings() < view.own.upkeep + 200;
        let settled = pioneers >= doctrine.settlers;
        if pays && hungry && pioneers >= 3 {
            Some(UnitType::Worker)
        } else if settled && fighters < doctrine.guards {
            Some(UnitType::Fighter)
        } else if pioneers < doctrine.pioneers.min(3 + takable / 12) {
            Some(UnitType::Pioneer)
        } else if fighters < doctrine.guards + doctrine.fighters {
            Some(UnitType::Fighter)
        } else if pays {
            Some(UnitType::Worker)
        } else if !doctrine.fortifies || turn.gold < PLENTY {
            None
        } else {
            let few = |kind: UnitType, most: u32| view.count(kind) < most;
            let kinds = [(UnitType::Cleric, 1), (UnitType::Sapper, 1), (UnitType::Worker, doctrine.workers)];
            kinds.into_iter().find(|&(kind, most)| few(kind, most)).map(|(kind, _)| kind)
        }
    }

    /// Whether the unit on the base makes room for the one that comes next.
    fn leaves_base(&self, turn: &Turn<'_>, order: BaseOrder) -> bool {
        let left = match (order, turn.view.own.slot) {
            (BaseOrder::Build(kind), _) => kind.numbers().turns - 1,
            (BaseOrder::Continue, Some(Slot { left, .. })) => left.saturating_sub(1),
            _ => return false,
        };
        left <= 1 && !turn.threats().any(|_| true)
    }

    /// What the unit on the base does while it stays there.
    fn garrison(&self, turn: &mut Turn<'_>, unit: &Unit) -> UnitOrder {
        let tile = turn.view.tile(unit.at).unwrap_or_default();
        if let Some(order) = turn.fight(unit) {
            return order;
        }
        match unit.kind {
            UnitType::Worker if self.doctrine.fortifies && !tile.flags.fort => turn.fortify(FORT_GOLD),
            UnitType::Pioneer | UnitType::Worker => UnitOrder::Gold,
            UnitType::Fighter => UnitOrder::Defend,
            UnitType::Cleric if unit.stance.enlightened => UnitOrder::Idle,
            UnitType::Cleric => UnitOrder::Pray,
            UnitType::Sapper if !tile.flags.bomb && turn.can_deploy() => UnitOrder::Deploy,
            UnitType::Sapper => UnitOrder::Defend,
        }
    }

    /// The worker that builds for the cities next, and what.
    fn builder(&self, turn: &Turn<'_>) -> Option<(UnitId, Building)> {
        let building = city::next_building(turn, self.doctrine.buildings)?;
        let mut workers = turn.view.own_units().filter(|(_, unit)| unit.kind == UnitType::Worker);
        workers.next().map(|(worker, _)| (worker, building))
    }

    fn work(&self, turn: &mut Turn<'_>, unit: &Unit, leaves: bool) -> UnitOrder {
        let view = turn.view;
        let base = view.own.base.unwrap_or(unit.at);
        match unit.kind {
            UnitType::Pioneer => {
                let near = |at: &Position| view.reach(unit.at, *at) <= ALARM + 1;
                let threat = turn.threats().map(|(_, enemy)| enemy.at).filter(near);
                let threat =
                    threat.filter(|_| self.doctrine.defends).min_by_key(|&at| view.reach(unit.at, at));
                let met = threat.and_then(|at| turn.go(unit, at));
                met.unwrap_or_else(|| turn.expand(unit))
            }
            UnitType::Worker => self.earn(turn, unit, leaves),
            UnitType::Fighter => {
                let threat =
                    turn.threats().map(|(_, enemy)| enemy.at).min_by_key(|&at| view.reach(unit.at, at));
                let home = (leaves || view.reach(unit.at, base) > 1).then_some(base);
                let goal = threat.or(home);
                turn.take_here(unit)
                    .or_else(|| {
                        goal.and_then(|goal| if leaves { turn.aside(unit) } else { turn.go(unit, goal) })
                    })
                    .unwrap_or(UnitOrder::Defend)
            }
            UnitType::Cleric => {
                let heals = neighbours(view.size, unit.at).filter_map(|at| view.unit_at(at));
                let mut hurt = heals.filter(|(_, friend)| {
                    !view.is_enemy(friend.faction) && friend.health < friend.kind.numbers().health
                });
                match hurt.next() {
                    _ if leaves => turn.aside(unit).unwrap_or(UnitOrder::Pray),
                    _ if !unit.stance.enlightened => UnitOrder::Pray,
                    Some((friend, _)) => UnitOrder::Heal(friend),
                    None if view.reach(unit.at, base) > 1 => turn.go(unit, base).unwrap_or(UnitOrder::Idle),
                    None => UnitOrder::Idle,
                }
            }
            UnitType::Sapper => {
                let bare = view.is_own(unit.at) && view.tile(unit.at).is_some_and(|tile| !tile.flags.bomb);
                if bare && !leaves && view.reach(unit.at, base) <= 1 && turn.can_deploy() {
                    turn.gold -= DEPLOY_GOLD;
                    return UnitOrder::Deploy;
                }
                let site = turn.mine().filter(|_| view.own.bombs > 0);
                let step = site.and_then(|site| turn.go(unit, site));
                step.or_else(|| leaves.then(|| turn.aside(unit)).flatten()).unwrap_or(UnitOrder::Defend)
            }
        }
    }

    fn earn(&self, turn: &mut Turn<'_>, unit: &Unit, leaves: bool) -> UnitOrder {
        let view = turn.view;
        let (own, neutral) = (view.is_own(unit.at), view.owner(unit.at).is_none());
        if view.has_resource(unit.at) && (own || neutral) {
            return match neutral {
                true => UnitOrder::Conquer,
                false if self.doctrine.fortifies && turn.is_rich() && turn.lacks_fort(unit.at) => {
                    turn.fortify(PLENTY)
                }
                false => UnitOrder::Gold,
            };
        }
        let near = |at: &Position| view.reach(unit.at, *at);
        let resources =
            view.size.tiles().filter(|&at| view.has_resource(at) && turn.is_workable(at) && turn.is_free(at));
        if let Some(site) = resources.min_by_key(near)
            && let Some(order) = turn.go(unit, site)
        {
            turn.claimed.insert(site);
            return order;
        }
        if leaves && let Some(order) = turn.aside(unit) {
            return order;
        }
        if neutral {
            return UnitOrder::Conquer;
        }
        if self.doctrine.fortifies && turn.is_rich() {
            if own && turn.lacks_fort(unit.at) {
                return turn.fortify(FORT_GOLD);
            }
            let bare =
                view.size.tiles().filter(|&at| view.is_own(at) && turn.lacks_fort(at) && turn.is_free(at));
            if let Some(site) = bare.min_by_key(near)
                && let Some(order) = turn.go(unit, site)
            {
                turn.claimed.insert(site);
                return order;
            }
        }
        let home = view.own.base.filter(|_| !own).and_then(|base| turn.go(unit, base));
        home.unwrap_or(UnitOrder::Gold)
    }
}

impl<'a> Turn<'a> {
    fn new(view: &'a View) -> Turn<'a> {
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

    /// What the workers bring in a turn.
    fn earnings(&self) -> u64 {
        let workers = self.view.own_units().filter(|(_, unit)| unit.kind == UnitType::Worker);
        workers
            .map(|(_, unit)| if self.view.has_resource(unit.at) { RESOURCE_GOLD } else { WORKER_GOLD })
            .sum()
    }

    /// Whether a unit can be paid now, and the upkeep in so many turns without income of the base.
    pub(super) fn affords(&self, kind: UnitType, turns: u32) -> bool {
        let short = self.view.own.upkeep.saturating_sub(self.earnings()) * u64::from(turns);
        self.gold >= kind.numbers().gold + short
    }

    /// Whether there is more gold than units and their upkeep need.
    fn is_rich(&self) -> bool {
        let left = self.view.turns_left();
        let needed = (self.view.own.upkeep * left).min(PLENTY + self.view.own.upkeep);
        self.gold >= FORT_GOLD + needed
    }

    fn lacks_fort(&self, at: Position) -> bool {
        self.view.tile(at).is_some_and(|tile| !tile.flags.fort)
    }

    /// The order to build a fort, if so much gold is there; else gold is earned.
    fn fortify(&mut self, least: u64) -> UnitOrder {
        if self.gold < least.max(FORT_GOLD) {
            return UnitOrder::Gold;
        }
        self.gold -= FORT_GOLD;
        UnitOrder::Fortify
    }

    fn can_deploy(&self) -> bool {
        self.view.own.bombs > 0 && self.gold >= DEPLOY_GOLD
    }

    /// The next tile around the base for a bomb.
    fn mine(&self) -> Option<Position> {
        let bare = |at: &Position| {
            self.view.is_own(*at)
                && self.view.tile(*at).is_some_and(|tile| !tile.flags.bomb)
                && self.is_free(*at)
        };
        neighbours(self.view.size, self.view.own.base?).find(bare)
    }

    /// Whether a worker can earn there sooner or later.
    fn is_workable(&self, at: Position) -> bool {
        self.view.owner(at).is_none() || self.view.is_own(at)
    }

    /// Whether no unit is there or on its way there.
    pub(super) fn is_free(&self, at: Position) -> bool {
        !self.taken.contains(&at) && !self.claimed.contains(&at)
    }

    /// The enemies near the base that can hurt it.
    fn threats(&self) -> impl Iterator<Item = (UnitId, &'a Unit)> {
        let (view, base) = (self.view, self.view.own.base);
        view.enemies().filter(move |(_, enemy)| {
            enemy.kind != UnitType::Worker && base.is_some_and(|base| view.reach(base, enemy.at) <= ALARM)
        })
    }

    /// The unit that is to come back to an empty base on which none is about to appear.
    fn recalled(&self, leave: bool, strikes: impl Fn(UnitId) -> bool) -> Option<UnitId> {
        let base = self.view.own.base.filter(|&base| !leave && self.view.unit_at(base).is_none())?;
        let near = |(_, unit): &(UnitId, &Unit)| self.view.reach(unit.at, base);
        let idle = self.view.own_units().filter(|&(id, _)| !strikes(id));
        idle.min_by_key(near).map(|(id, _)| id)
    }

    /// Goes one step towards a tile.
    pub(super) fn go(&mut self, unit: &Unit, to: Position) -> Option<UnitOrder> {
        let view = self.view;
        let far = |at: Position| (view.reach(at, to), view.size.distance(at, to));
        let ways = neighbours(view.size, unit.at).filter(|at| !self.taken.contains(at));
        let step = ways.min_by_key(|&at| far(at)).filter(|&at| far(at).0 <= far(unit.at).0)?;
        Some(self.travel(unit, step))
    }

    fn travel(&mut self, unit: &Unit, to: Position) -> UnitOrder {
        self.taken.remove(&unit.at);
        self.taken.insert(to);
        UnitOrder::Travel(to)
    }

    /// Goes to any free tile beside.
    fn aside(&mut self, unit: &Unit) -> Option<UnitOrder> {
        let free = neighbours(self.view.size, unit.at).find(|at| !self.taken.contains(at))?;
        Some(self.travel(unit, free))
    }

    /// What makes the tile under the unit its own.
    pub(super) fn take_here(&mut self, unit: &Unit) -> Option<UnitOrder> {
        self.view.is_takable(unit.at).then(|| match self.view.owner(unit.at) {
            Some(_) => UnitOrder::Neutralize,
            None => UnitOrder::Conquer,
        })
    }

    /// Takes the tile under the pioneer, or goes to the nearest one that can be taken.
    fn expand(&mut self, unit: &Unit) -> UnitOrder {
        if let Some(order) = self.take_here(unit) {
            return order;
        }
        let view = self.view;
        let base = view.own.base.unwrap_or(unit.at);
        // Tiles near the base first, so that the land stays round and its frontier short.
        let cost = |at: &Position| {
            let worth = if view.has_resource(*at) { 4 } else { u32::from(view.owner(*at).is_some()) * 2 };
            4 * view.reach(unit.at, *at) + view.reach(base, *at) + 4 - worth
        };
        let sites = view.size.tiles().filter(|&at| view.is_takable(at) && self.is_free(at));
        let Some(site) = sites.min_by_key(cost) else { return UnitOrder::Gold };
        let Some(order) = self.go(unit, site) else { return UnitOrder::Gold };
        self.claimed.insert(site);
        order
    }

    /// Hits or converts an enemy beside the unit, if that is worth a turn.
    pub(super) fn fight(&mut self, unit: &Unit) -> Option<UnitOrder> {
        let view = self.view;
        let beside = || neighbours(view.size, unit.at).filter_map(|at| view.unit_at(at));
        let living =
            |(id, enemy): &(UnitId, &Unit)| view.is_enemy(enemy.faction) && self.health(*id, enemy) > 0;
        let enemies: Vec<(UnitId, &Unit)> = beside().filter(living).collect();
        if unit.kind == UnitType::Cleric && unit.stance.enlightened && self.room > 0 {
            let best = enemies.iter().max_by_key(|(_, enemy)| enemy.kind.numbers().gold);
            if let Some(&(id, enemy)) = best {
                self.room -= 1;
                self.losses.insert(id, (enemy.health, 1));
                return Some(UnitOrder::Convert(id));
            }
        }
        if unit.kind == UnitType::Worker || unit.kind == UnitType::Cleric {
            return None;
        }
        let home = |at: Position| view.own.base.is_some_and(|base| view.reach(base, at) <= 1);
        let rank = |&(id, enemy): &(UnitId, &Unit)| (!home(enemy.at), self.health(id, enemy));
        let (id, enemy) = enemies.into_iter().min_by_key(rank)?;
        // A lone pioneer has better things to do than to fall to a fighter.
        let hopeless = unit.kind == UnitType::Pioneer && enemy.kind == UnitType::Fighter && !home(enemy.at);
        (!hopeless || self.health(id, enemy) <= 2).then(|| self.attack(unit, id, enemy))
    }

    /// What is left of an enemy's health after all that was ordered.
    pub(super) fn health(&self, id: UnitId, enemy: &Unit) -> u32 {
        enemy.health.saturating_sub(self.losses.get(&id).map_or(0, |losses| losses.0))
    }

    /// Hits an enemy; when that kills it, its tile is free for those that move later.
    pub(super) fn attack(&mut self, unit: &Unit, id: UnitId, enemy: &Unit) -> UnitOrder {
        let (lost, hits) = self.losses.entry(id).or_default();
        let damage = unit.kind.numbers().damage;
        let shield = u32::from(enemy.stance.enlightened);
        *lost += match *hits {
            0 if enemy.stance.enlightened => 0,
            hit if hit == shield && enemy.stance.defended => damage.div_ceil(2),
            _ => damage,
        };
        *hits += 1;
        if *lost >= enemy.health {
            self.taken.remove(&enemy.at);
        }
        UnitOrder::Attack(id)
    }

    /// Whether a unit can go to that tile now, as far as is known.
    pub(super) fn is_open(&self, at: Position) -> bool {
        !self.taken.contains(&at)
    }
}
