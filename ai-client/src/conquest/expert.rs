//! The highest level: takes land, meets whatever comes near in crowds, and strikes where a base lies open.
//!
//! Pioneers and fighters take land, workers earn gold, and as many units as it takes meet an enemy near the base. Two
//! fighters go for an enemy's base: under the rules `classic`, where a base can fall in one turn; against several
//! enemies; once clerics came, since a faction that sends clerics keeps few guards; and while an enemy has more land
//! but no fighter was seen lately. First all units get an intent; then, by number, intents become orders, so that a
//! unit can follow onto a tile that a unit with a lower number leaves. The fights are in `battle`. Why it plays so:
//! `STRATEGY.md`. Tested against the other levels in `tests/conquest.rs`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, Order, UnitOrder};
use zappy_protocol::conquest::{Building, Edition, FactionId, Slot, Unit, UnitId, UnitType};

use super::city;
use super::turn::Turn;
use super::view::{Strategy, View};
use crate::chance::Chance;

use UnitType::{Cleric, Fighter, Pioneer, Sapper, Worker};

/// What it builds for cities, in this order.
const BUILDINGS: [Building; 5] = [
    Building::Camp(Pioneer),
    Building::Camp(Fighter),
    Building::Camp(Worker),
    Building::Market,
    Building::Bank,
];
/// How near the base an enemy's unit is met, in tiles; as long as one is that near, fighters are built before workers.
pub(super) const ALARM_RADIUS: u32 = 5;
/// How far fighters go for an enemy, in tiles.
const HUNT_RADIUS: u32 = 8;
/// Fighters that stay at the base.
const GUARDS: u32 = 2;
/// The turn from which on the first guard is built; the second follows ten turns later.
const GUARDS_FROM: u32 = 12;
/// Turns for which an enemy out of sight is believed to be where it was.
const MEMORY_TURNS: u32 = 4;
/// How far from the base workers go, in tiles.
const WORK_RADIUS: u32 = 7;
/// The turn from which on the base builds towards six fighters for five pioneers.
const FIGHTERS_FROM: u32 = 10;
/// Gold that has to be left after a unit was paid.
const RESERVE: i64 = 100;
/// The turn from which on the reserve is kept.
const RESERVE_FROM: u32 = 30;
/// How near the base an enemy's cleric counts as a raid, in tiles.
const RAID_RADIUS: u32 = 12;
/// A unit that compared more tiles to take than this looks no farther away for others.
const ENOUGH_TARGETS: usize = 24;

/// What a unit is to do.
#[derive(Debug, Clone)]
pub(super) enum Intent {
    Order(UnitOrder),
    /// Goes to this tile, around the tiles beside enemies' fighters.
    Go(Position),
    /// Goes to this tile, whatever stands beside the way.
    Charge(Position),
    /// Goes away from the enemies on these tiles.
    Flee(Vec<Position>),
}

#[derive(Debug, Default)]
pub(super) struct Expert {
    /// The enemies' units seen lately, each with the turn in which it was last seen.
    enemies: BTreeMap<UnitId, (Unit, u32)>,
    /// Whether an enemy's cleric ever came near the own base.
    raided: bool,
    /// Whether two fighters go for an enemy's base.
    strikes: bool,
}

impl Strategy for Expert {
    fn decide(&mut self, view: &View, _chance: &mut Chance) -> Vec<Order> {
        self.remember(view);
        let mut turn = Turn::new(view);
        let (base, appears) = base(&mut turn);
        let mut orders = vec![Order::Base(base)];
        orders.extend(city::orders(&mut turn, wanted));
        let Some(home) = view.own.base else { return orders };
        let mut plan = Plan {
            view,
            home,
            enemies: &self.enemies,
            intents: BTreeMap::new(),
            doomed: BTreeSet::new(),
            danger: BTreeSet::new(),
            turn,
        };
        plan.build();
        plan.attack();
        if self.strikes {
            plan.strike();
        }
        plan.defend(base);
        plan.work();
        plan.guard();
        plan.expand();
        if appears {
            plan.turn.taken.insert(home);
        }
        for (id, unit) in plan.own() {
            let order = match plan.intents.remove(&id) {
                Some(Intent::Order(order)) => order,
                Some(Intent::Go(goal)) => plan.step(unit, goal, true),
                Some(Intent::Charge(goal)) => plan.step(unit, goal, false),
                Some(Intent::Flee(from)) => plan.flee(unit, &from),
                None => plan.stay(unit),
            };
            orders.push(Order::Unit(id, order));
        }
        orders
    }
}

impl Expert {
    fn remember(&mut self, view: &View) {
        for (id, unit) in view.enemy_units() {
            self.enemies.insert(id, (*unit, view.turn));
        }
        self.enemies.retain(|id, (unit, seen)| {
            let hidden = !view.units.contains_key(id) && view.last_seen(unit.at) != view.turn;
            *seen == view.turn
                || hidden && view.turn.checked_sub(*seen).is_some_and(|ago| ago <= MEMORY_TURNS)
        });
        let raids = |(_, unit): (UnitId, &Unit)| {
            unit.kind == Cleric && view.own.base.is_some_and(|home| view.reach(unit.at, home) <= RAID_RADIUS)
        };
        let has_more_land =
            |(&faction, &land): (&FactionId, &u32)| view.is_enemy(faction) && land > view.own.land;
        let behind = view.turn >= GUARDS_FROM && view.alive.iter().any(has_more_land);
        let armed = self.enemies.values().any(|(enemy, _)| enemy.kind == Fighter);
        self.raided |= view.enemy_units().any(raids);
        self.strikes = view.options.rules == Edition::Classic
            || view.enemy_count() > 1
            || self.raided
            || behind && !armed;
    }
}

/// What the base does, and whether a unit appears on it this turn.
fn base(turn: &mut Turn<'_>) -> (BaseOrder, bool) {
    let view = turn.view;
    let own = &view.own;
    let stock = turn.gold.saturating_add(turn.earnings());
    if let Some(Slot { kind, left }) = own.slot {
        let blocked = own.base.is_some_and(|base| view.unit_at(base).is_some());
        let appears = left <= 1 && !blocked;
        let upkeep = own.upkeep.saturating_add(if appears { kind.numbers().upkeep } else { 0 });
        // If gold is short, the base earns while a unit that is ready waits for another one to leave the base.
        if stock < upkeep || left == 0 && blocked && stock < 900 {
            return (BaseOrder::Income, false);
        }
        return (BaseOrder::Continue, appears);
    }
    match wanted(turn).filter(|&kind| !city::has_camp(view, kind) && affords(turn, kind)) {
        Some(kind) => {
            turn.gold -= kind.numbers().gold;
            turn.room -= 1;
            (BaseOrder::Build(kind), false)
        }
        None => (BaseOrder::Income, false),
    }
}

/// Whether the stock pays a unit, and all upkeep until it appears, while the base earns nothing.
fn affords(turn: &Turn<'_>, kind: UnitType) -> bool {
    let numbers = kind.numbers();
    let reserve = if turn.view.turn < RESERVE_FROM { 0 } else { RESERVE };
    let earned = turn.earnings().cast_signed().saturating_sub_unsigned(turn.view.own.upkeep);
    let paid = turn.gold.cast_signed().saturating_sub_unsigned(numbers.gold);
    let spent = numbers.upkeep.cast_signed().saturating_sub(earned.saturating_mul(numbers.turns.into()));
    paid >= 0 && paid.saturating_sub(spent).min(paid.saturating_add(earned)) >= reserve
}

/// The type of unit to make next; `None` if there is no room, or the match ends too soon.
fn wanted(turn: &Turn<'_>) -> Option<UnitType> {
    let view = turn.view;
    if turn.room == 0 || view.turns_left() < 6 {
        return None;
    }
    let [pioneers, workers, fighters] = [Pioneer, Worker, Fighter].map(|kind| view.count(kind));
    let home = view.own.base?;
    let near = |at: &Position| view.is_workable(*at) && view.reach(*at, home) <= WORK_RADIUS;
    let sites = u32::try_from(view.size.tiles().filter(near).count()).unwrap_or(u32::MAX);
    let armed =
        |(_, enemy): (UnitId, &Unit)| enemy.kind != Worker && view.reach(enemy.at, home) <= ALARM_RADIUS;
    let alarmed = view.enemy_units().any(armed);
    let mut workers_wanted = match pioneers {
        _ if alarmed => 0,
        0..4 => 0,
        4 => 1,
        5..14 => 2,
        _ => 3,
    };
    let poor = turn.gold < 2_500 && turn.earnings() < view.own.upkeep.saturating_add(150);
    if view.turn > 30 && (2..6).contains(&workers) && poor {
        workers_wanted = workers_wanted.max(workers + 1);
    }
    let guards = if view.turn < GUARDS_FROM { 0 } else { GUARDS.min(1 + (view.turn - GUARDS_FROM) / 10) };
    let too_few = 5 * fighters < 6 * pioneers || turn.room == 1;
    let can_answer = alarmed && turn.gold >= Fighter.numbers().gold;
    Some(if workers < workers_wanted.min(sites) {
        Worker
    } else if fighters < guards && pioneers >= 4
        || view.turn >= FIGHTERS_FROM && workers >= 2 && too_few
        || can_answer
    {
        Fighter
    } else {
        Pioneer
    })
}

/// The plan of one turn: an intent for each unit, and what the intents depend on.
pub(super) struct Plan<'a> {
    pub(super) view: &'a View,
    /// The tile of the own base.
    pub(super) home: Position,
    /// The enemies' units seen lately, each with the turn in which it was last seen.
    pub(super) enemies: &'a BTreeMap<UnitId, (Unit, u32)>,
    pub(super) intents: BTreeMap<UnitId, Intent>,
    /// Enemies that die if all units hit as their intents say.
    pub(super) doomed: BTreeSet<UnitId>,
    /// Tiles beside enemies' fighters.
    pub(super) danger: BTreeSet<Position>,
    /// The gold that the base and the cities leave, and where units will stand.
    turn: Turn<'a>,
}

impl<'a> Plan<'a> {
    /// Own units that take orders, by number.
    pub(super) fn own(&self) -> Vec<(UnitId, &'a Unit)> {
        self.view.own_units().filter(|(_, unit)| !unit.stance.converted).collect()
    }

    /// Own units of those types that have no intent yet, by number.
    pub(super) fn idle(&self, kinds: &[UnitType]) -> Vec<(UnitId, &'a Unit)> {
        let mut own = self.own();
        own.retain(|(id, unit)| kinds.contains(&unit.kind) && !self.intents.contains_key(id));
        own
    }

    pub(super) fn order(&mut self, id: UnitId, order: UnitOrder) {
        self.intents.insert(id, Intent::Order(order));
    }

    /// The distance in hundredths of a tile: diagonal steps count as one, and of equally far tiles the one with fewer
    /// steps along the axes is nearer.
    pub(super) fn distance(&self, from: Position, to: Position) -> i64 {
        i64::from(100 * self.view.reach(from, to) + self.view.size.distance(from, to))
    }

    /// The first worker builds for the cities.
    fn build(&mut self) {
        let Some(building) = city::next_building(&self.turn, &BUILDINGS) else { return };
        let Some((id, unit)) = self.own().into_iter().find(|(_, unit)| unit.kind == Worker) else { return };
        // The tile to which a builder walks stays free for other units: its step is only an intent so far.
        let taken = self.turn.taken.clone();
        let order = city::build(&mut self.turn, unit, building);
        self.turn.taken = taken;
        self.intents.extend(order.map(|order| (id, Intent::Order(order))));
    }

    /// Workers run from enemies that can hurt them, earn on resources, and go to free resources.
    fn work(&mut self) {
        let view = self.view;
        let sites: Vec<Position> = view.size.tiles().filter(|&at| view.is_workable(at)).collect();
        for (id, unit) in self.idle(&[Worker]) {
            let hurts = |(id, enemy): &(UnitId, &Unit)| {
                let armed = enemy.kind == Fighter || enemy.kind == Pioneer && unit.health <= 3;
                armed && !self.doomed.contains(id) && view.reach(enemy.at, unit.at) == 1
            };
            let foes: Vec<Position> = view.enemy_units().filter(hurts).map(|(_, enemy)| enemy.at).collect();
            if !foes.is_empty() {
                self.intents.insert(id, Intent::Flee(foes));
            } else if sites.contains(&unit.at) {
                self.turn.claimed.insert(unit.at);
                self.order(id, if view.is_own(unit.at) { UnitOrder::Gold } else { UnitOrder::Conquer });
            }
        }
        for (id, unit) in self.idle(&[Worker]) {
            let threatened = |at: Position| {
                let mut fighters = self.enemies.values().filter(|(enemy, _)| enemy.kind == Fighter);
                fighters.any(|(enemy, _)| (1..=2).contains(&view.reach(enemy.at, at)))
            };
            let free = |at: &&Position| !self.turn.claimed.contains(at) && !threatened(**at);
            let cost = |at: &&Position| {
                let home = 30 * i64::from(view.reach(**at, self.home));
                (self.distance(unit.at, **at) + home + if view.is_own(**at) { 0 } else { 90 }, **at)
            };
            if let Some(&site) = sites.iter().filter(free).min_by_key(cost) {
                self.turn.claimed.insert(site);
                self.intents.insert(id, Intent::Go(site));
            } else if unit.at == self.home {
                let aside = neighbours(view.size, unit.at).min_by_key(|at| self.turn.taken.contains(at));
                self.intents.extend(aside.map(|at| (id, Intent::Go(at))));
            }
        }
    }

    /// The fighters nearest to the base stay around it, the others go for enemies in reach.
    fn guard(&mut self) {
        let view = self.view;
        let mut fighters: Vec<_> = self.own().into_iter().filter(|(_, unit)| unit.kind == Fighter).collect();
        fighters.sort_by_key(|(id, unit)| (view.reach(unit.at, self.home), *id));
        for (rank, (id, unit)) in fighters.into_iter().enumerate() {
            if self.intents.contains_key(&id) {
                continue;
            }
            if rank < GUARDS as usize {
                self.intents.insert(id, self.guard_intent(unit));
                continue;
            }
            // The nearest enemy within `HUNT_RADIUS`. An enemy's fighter counts as farther unless own units are near
            // it, an enemy on own land as nearer; a fighter that isn't on own land goes only for near ones.
            let cost = |(id, (enemy, seen)): (&UnitId, &(Unit, u32))| {
                let distance = view.reach(unit.at, enemy.at) + view.turn - seen;
                let helpers = view.own_units().filter(|(_, helper)| view.reach(helper.at, enemy.at) <= 2);
                let damage: u32 = helpers.map(|(_, helper)| helper.kind.numbers().damage).sum();
                let alone = if enemy.kind == Fighter && damage < 4 { 150 } else { 0 };
                let own = if view.is_own(enemy.at) { 100 } else { 0 };
                (distance <= HUNT_RADIUS && !self.doomed.contains(id))
                    .then_some((100 * i64::from(distance) + alone - own, enemy.at))
            };
            let nearest = self.enemies.iter().filter_map(cost).min_by_key(|(cost, _)| *cost);
            let hunted = nearest.filter(|(cost, _)| *cost <= 200 || view.is_own(unit.at));
            self.intents.extend(hunted.map(|(_, at)| (id, Intent::Charge(at))));
        }
    }

    /// What a guard does: takes foreign and neutral tiles near the base; if there are none, it defends beside the base.
    fn guard_intent(&self, unit: &Unit) -> Intent {
        let (view, home, enemy_base) = (self.view, self.home, self.likely_enemy_base());
        if unit.at != home
            && view.reach(unit.at, home) <= 4
            && let Some(order) = view.taking_order(unit.at)
        {
            return Intent::Order(order);
        }
        let foreign = (1..=2)
            .flat_map(|radius| ring(view, unit.at, radius))
            .filter(|&at| view.reach(at, home) <= 3 && !view.is_own(at) && !self.turn.taken.contains(&at));
        if let Some(at) = foreign.min_by_key(|&at| (self.distance(at, unit.at), at)) {
            return Intent::Go(at);
        }
        let free = neighbours(view.size, home).filter(|&at| at == unit.at || !self.turn.taken.contains(&at));
        match free.min_by_key(|&at| self.distance(at, enemy_base)) {
            Some(at) if unit.at != at && view.reach(unit.at, home) != 1 => Intent::Go(at),
            _ => Intent::Order(UnitOrder::Defend),
        }
    }

    /// The nearest base of an enemy that was seen; if none was, the unseen tile nearest to the one farthest from home.
    pub(super) fn likely_enemy_base(&self) -> Position {
        let view = self.view;
        let guess = view.opposite(self.home);
        let unseen = || view.unseen().min_by_key(|&at| self.distance(guess, at));
        view.enemy_base(self.home).or_else(unseen).unwrap_or(guess)
    }

    /// Units on tiles that can be taken take them. All others go to such tiles, one unit to each tile: the cheapest
    /// pair of unit and tile first.
    fn expand(&mut self) {
        let view = self.view;
        let mut free = self.idle(&[Pioneer, Fighter]);
        for (id, unit) in &free {
            if let Some(order) = view.taking_order(unit.at) {
                self.order(*id, order);
            }
        }
        free.retain(|(id, _)| !self.intents.contains_key(id));
        let enemy_base = self.likely_enemy_base();
        let mut targets = Vec::new();
        for &(id, unit) in &free {
            let before = targets.len();
            for radius in 1..=i32::from(view.size.width().max(view.size.height()) / 2) {
                let open = |at: &Position| view.is_takable(*at) && view.unit_at(*at).is_none();
                targets.extend(
                    ring(view, unit.at, radius)
                        .filter(open)
                        .map(|at| (self.cost(unit, at, enemy_base), id, at)),
                );
                if targets.len() - before > ENOUGH_TARGETS && radius >= 2 {
                    break;
                }
            }
        }
        targets.sort_unstable();
        let mut goals = BTreeSet::new();
        for (_, id, at) in targets {
            if !self.intents.contains_key(&id) && goals.insert(at) {
                self.intents.insert(id, Intent::Go(at));
            }
        }
        for (id, unit) in free {
            if unit.at == self.home && !self.intents.contains_key(&id) {
                self.intents.insert(id, Intent::Go(enemy_base));
            }
        }
    }

    /// What it costs a unit to take a tile, in hundredths of a step: own land beside the tile makes it cheaper, an
    /// owner, danger and another unit's claim dearer.
    fn cost(&self, unit: &Unit, at: Position, enemy_base: Position) -> i64 {
        let view = self.view;
        let beside = neighbours(view.size, at).map(|beside| i64::from(view.is_own(beside))).sum::<i64>();
        let way = i64::from(100 * view.reach(unit.at, at) + 2 * view.size.distance(unit.at, at));
        let foreign = i64::from(view.owner(at).is_some());
        let risk = match unit.kind {
            Fighter => 4 * i64::from(view.reach(at, enemy_base)) + 60 * foreign,
            _ => 160 * foreign + 300 * i64::from(self.danger.contains(&at)),
        };
        way - beside * 35 / 8 + risk + 500 * i64::from(self.turn.claimed.contains(&at))
    }

    /// What a unit does on its tile when it goes nowhere.
    fn stay(&self, unit: &Unit) -> UnitOrder {
        let taking = self.view.taking_order(unit.at).filter(|_| matches!(unit.kind, Pioneer | Fighter));
        taking.unwrap_or(match unit.kind {
            Pioneer | Worker if self.view.is_own(unit.at) => UnitOrder::Gold,
            Fighter | Sapper => UnitOrder::Defend,
            _ => UnitOrder::Idle,
        })
    }

    /// Goes one step towards `goal`, past enemies' fighters only without `careful`; stays if no free step leads there.
    fn step(&mut self, unit: &Unit, goal: Position, careful: bool) -> UnitOrder {
        let cost = |at: &Position| {
            let danger = if careful && self.danger.contains(at) { 40 } else { 0 };
            self.distance(*at, goal) + danger + if *at == self.home { 5 } else { 0 }
        };
        let arrived = unit.at == goal && unit.at != self.home;
        let free = neighbours(self.view.size, unit.at).filter(|at| !self.turn.taken.contains(at));
        let near = |at: &Position| !arrived && self.distance(*at, goal) <= self.distance(unit.at, goal) + 50;
        match free.min_by_key(cost).filter(near) {
            Some(at) => self.turn.travel(unit, at),
            None => self.stay(unit),
        }
    }

    fn flee(&mut self, unit: &Unit, from: &[Position]) -> UnitOrder {
        let safe = |at: &Position| {
            let nearest = from.iter().map(|&enemy| self.view.reach(*at, enemy)).min();
            (nearest, Reverse(self.distance(*at, self.home)))
        };
        let free = neighbours(self.view.size, unit.at).filter(|at| !self.turn.taken.contains(at));
        match free.max_by_key(safe) {
            Some(at) => self.turn.travel(unit, at),
            None => self.stay(unit),
        }
    }
}

/// The tiles at exactly that distance from `at`.
fn ring(view: &View, at: Position, radius: i32) -> impl Iterator<Item = Position> {
    let size = view.size;
    let offsets = (-radius..=radius).flat_map(move |dx| (-radius..=radius).map(move |dy| (dx, dy)));
    offsets
        .filter(move |(dx, dy)| dx.abs().max(dy.abs()) == radius)
        .map(move |offset| size.offset(at, offset))
}
