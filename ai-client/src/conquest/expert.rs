//! The highest level: takes land, meets whatever comes near in crowds, and strikes where a base lies open.
//!
//! Pioneers and fighters expand, workers feed, enemies near home are met by as many as it takes. Two fighters go for a base
//! where one can fall in a turn (`classic`), where several enemies leave none safe, if clerics come, since a faction that
//! sends them keeps few guards, and while the other has more land and no fighter in sight. First all units get an intent;
//! then, by number, intents become orders, so that a unit can follow onto a tile that a lower one leaves. The fights are in
//! `battle`. Why it plays so: `STRATEGY.md`. Tested against the other levels in `tests/conquest.rs`.

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
/// How near the base an enemy's unit is met, in tiles; as long as one is there fighters are more urgent than workers.
pub(super) const ALARM: u32 = 5;
/// How far fighters go for an enemy, in tiles.
const HUNT: u32 = 8;
/// Fighters that stay at the base, and the turn from which on the first one does.
const GUARDS: u32 = 2;
const GUARDS_FROM: u32 = 12;
/// Turns for which an enemy out of sight is believed to be where it was.
const MEMORY: u32 = 4;
/// How far from the base workers go, in tiles.
const WORK: u32 = 7;
/// The turn from which on there are to be six fighters for five pioneers.
const FIGHTERS_FROM: u32 = 10;
/// Gold that has to be left after a unit was paid, and the turn from which on.
const RESERVE: i64 = 100;
const RESERVE_FROM: u32 = 30;
/// How near the base an enemy's cleric counts as a raid, in tiles.
const RAID: u32 = 12;
/// Ways that a unit compares at least.
const WAYS: usize = 24;

/// What a unit is to do.
#[derive(Debug, Clone)]
pub(super) enum Intent {
    Order(UnitOrder),
    /// Goes there, around enemies' fighters.
    Go(Position),
    /// Goes there, whatever stands beside the way.
    Charge(Position),
    /// Goes away from all of them.
    Flee(Vec<Position>),
}

#[derive(Debug, Default)]
pub(super) struct Expert {
    /// The enemies' units that were seen, with the turn in which that was.
    enemies: BTreeMap<UnitId, (Unit, u32)>,
    /// Whether clerics came near the own base.
    raided: bool,
    /// Whether fighters go for a base.
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
        for (id, unit) in view.enemies() {
            self.enemies.insert(id, (*unit, view.turn));
        }
        self.enemies.retain(|id, (unit, seen)| {
            let hidden = !view.units.contains_key(id) && view.seen(unit.at) != view.turn;
            *seen == view.turn || hidden && view.turn.checked_sub(*seen).is_some_and(|ago| ago <= MEMORY)
        });
        let raids = |(_, unit): (UnitId, &Unit)| {
            unit.kind == Cleric && view.own.base.is_some_and(|home| view.reach(unit.at, home) <= RAID)
        };
        let more = |(&one, &land): (&FactionId, &u32)| view.is_enemy(one) && land > view.own.land;
        let behind = view.turn >= GUARDS_FROM && view.alive.iter().any(more);
        let armed = self.enemies.values().any(|(enemy, _)| enemy.kind == Fighter);
        self.raided |= view.enemies().any(raids);
        self.strikes =
            view.options.rules == Edition::Classic || view.rivals() > 1 || self.raided || behind && !armed;
    }
}

/// What the base does, and whether a unit appears on it.
fn base(turn: &mut Turn<'_>) -> (BaseOrder, bool) {
    let view = turn.view;
    let own = &view.own;
    let stock = turn.gold.saturating_add(turn.earnings());
    if let Some(Slot { kind, left }) = own.slot {
        let blocked = own.base.is_some_and(|base| view.unit_at(base).is_some());
        let appears = left <= 1 && !blocked;
        let upkeep = own.upkeep.saturating_add(if appears { kind.numbers().upkeep } else { 0 });
        // A unit that is ready waits for its tile, and the base earns meanwhile, if gold is short.
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

/// Whether a unit and the upkeep until it appears can be paid while the base earns nothing.
fn affords(turn: &Turn<'_>, kind: UnitType) -> bool {
    let numbers = kind.numbers();
    let reserve = if turn.view.turn < RESERVE_FROM { 0 } else { RESERVE };
    let earned = turn.earnings().cast_signed().saturating_sub_unsigned(turn.view.own.upkeep);
    let paid = turn.gold.cast_signed().saturating_sub_unsigned(numbers.gold);
    let spent = numbers.upkeep.cast_signed().saturating_sub(earned.saturating_mul(numbers.turns.into()));
    paid >= 0 && paid.saturating_sub(spent).min(paid.saturating_add(earned)) >= reserve
}

/// The unit that is worth most now, if there is room for one.
fn wanted(turn: &Turn<'_>) -> Option<UnitType> {
    let view = turn.view;
    if turn.room == 0 || view.turns_left() < 6 {
        return None;
    }
    let [pioneers, workers, fighters] = [Pioneer, Worker, Fighter].map(|kind| view.count(kind));
    let home = view.own.base?;
    let near = |at: &Position| view.is_workable(*at) && view.reach(*at, home) <= WORK;
    let sites = u32::try_from(view.size.tiles().filter(near).count()).unwrap_or(u32::MAX);
    let armed = |(_, enemy): (UnitId, &Unit)| enemy.kind != Worker && view.reach(enemy.at, home) <= ALARM;
    let alarmed = view.enemies().any(armed);
    let mut enough = match pioneers {
        _ if alarmed => 0,
        0..4 => 0,
        4 => 1,
        5..14 => 2,
        _ => 3,
    };
    let poor = turn.gold < 2_500 && turn.earnings() < view.own.upkeep.saturating_add(150);
    if view.turn > 30 && (2..6).contains(&workers) && poor {
        enough = enough.max(workers + 1);
    }
    let guards = if view.turn < GUARDS_FROM { 0 } else { GUARDS.min(1 + (view.turn - GUARDS_FROM) / 10) };
    let many = 5 * fighters < 6 * pioneers || turn.room == 1;
    let answers = alarmed && turn.gold >= Fighter.numbers().gold;
    Some(if workers < enough.min(sites) {
        Worker
    } else if fighters < guards && pioneers >= 4
        || view.turn >= FIGHTERS_FROM && workers >= 2 && many
        || answers
    {
        Fighter
    } else {
        Pioneer
    })
}

/// What is decided in a turn.
pub(super) struct Plan<'a> {
    pub(super) view: &'a View,
    pub(super) home: Position,
    pub(super) enemies: &'a BTreeMap<UnitId, (Unit, u32)>,
    pub(super) intents: BTreeMap<UnitId, Intent>,
    /// Enemies that die if all hit as they are to.
    pub(super) doomed: BTreeSet<UnitId>,
    /// Tiles beside enemies' fighters.
    pub(super) danger: BTreeSet<Position>,
    /// What the base and the cities have left of the gold, and where units will stand.
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

    /// The distance in hundredths of a tile; of two equally far tiles the one with fewer steps along the axes is nearer.
    pub(super) fn far(&self, from: Position, to: Position) -> i64 {
        i64::from(100 * self.view.reach(from, to) + self.view.size.distance(from, to))
    }

    /// The first worker builds for the cities.
    fn build(&mut self) {
        let Some(building) = city::next_building(&self.turn, &BUILDINGS) else { return };
        let Some((id, unit)) = self.own().into_iter().find(|(_, unit)| unit.kind == Worker) else { return };
        // The step of a builder that walks isn't noted, so another unit may want the same tile.
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
            let foes: Vec<Position> = view.enemies().filter(hurts).map(|(_, enemy)| enemy.at).collect();
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
                (self.far(unit.at, **at) + home + if view.is_own(**at) { 0 } else { 90 }, **at)
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
        let mut fighters: Vec<_> = self.own().into_iter().filter(|(_, unit)| unit.kind == Fighter).collect();
        fighters.sort_by_key(|(id, unit)| (self.view.reach(unit.at, self.home), *id));
        for (place, (id, unit)) in fighters.into_iter().enumerate() {
            if self.intents.contains_key(&id) {
                continue;
            }
            let stays = place < GUARDS as usize;
            let intent = if stays { Some(self.post(unit)) } else { self.prey(unit).map(Intent::Charge) };
            self.intents.extend(intent.map(|intent| (id, intent)));
        }
    }

    /// What a guard does: takes what isn't the own faction's near the base, else stands beside it.
    fn post(&self, unit: &Unit) -> Intent {
        let (view, home, rival) = (self.view, self.home, self.rival());
        if unit.at != home
            && view.reach(unit.at, home) <= 4
            && let Some(order) = view.taking(unit.at)
        {
            return Intent::Order(order);
        }
        let bare = (1..=2)
            .flat_map(|far| ring(view, unit.at, far))
            .filter(|&at| view.reach(at, home) <= 3 && !view.is_own(at) && !self.turn.taken.contains(&at));
        if let Some(at) = bare.min_by_key(|&at| (self.far(at, unit.at), at)) {
            return Intent::Go(at);
        }
        let free = neighbours(view.size, home).filter(|&at| at == unit.at || !self.turn.taken.contains(&at));
        match free.min_by_key(|&at| self.far(at, rival)) {
            Some(at) if unit.at != at && view.reach(unit.at, home) != 1 => Intent::Go(at),
            _ => Intent::Order(UnitOrder::Defend),
        }
    }

    /// The enemy that a fighter goes for: one in reach, fighters only with help, beyond own land only near ones.
    fn prey(&self, unit: &Unit) -> Option<Position> {
        let view = self.view;
        let cost = |(id, (enemy, seen)): (&UnitId, &(Unit, u32))| {
            let far = view.reach(unit.at, enemy.at) + view.turn - seen;
            let near = view.own_units().filter(|(_, one)| view.reach(one.at, enemy.at) <= 2);
            let help: u32 = near.map(|(_, one)| one.kind.numbers().damage).sum();
            let alone = if enemy.kind == Fighter && help < 4 { 150 } else { 0 };
            let own = if view.is_own(enemy.at) { 100 } else { 0 };
            (far <= HUNT && !self.doomed.contains(id))
                .then_some((100 * i64::from(far) + alone - own, enemy.at))
        };
        let (cost, at) = self.enemies.iter().filter_map(cost).min_by_key(|(cost, _)| *cost)?;
        (cost <= 200 || view.is_own(unit.at)).then_some(at)
    }

    /// The nearest base of an enemy that is known, else where one may be that wasn't seen yet.
    pub(super) fn rival(&self) -> Position {
        let view = self.view;
        let guess = view.opposite(self.home);
        let unseen = || view.unseen().min_by_key(|&at| self.far(guess, at));
        view.enemy_base(self.home).or_else(unseen).unwrap_or(guess)
    }

    /// Takes the tile under a unit; the others share what can be taken, the cheapest way first.
    fn expand(&mut self) {
        let view = self.view;
        let mut free = self.idle(&[Pioneer, Fighter]);
        for (id, unit) in &free {
            if let Some(order) = view.taking(unit.at) {
                self.order(*id, order);
            }
        }
        free.retain(|(id, _)| !self.intents.contains_key(id));
        let rival = self.rival();
        let mut ways = Vec::new();
        for &(id, unit) in &free {
            let before = ways.len();
            for far in 1..=i32::from(view.size.width().max(view.size.height()) / 2) {
                let open = |at: &Position| view.is_takable(*at) && view.unit_at(*at).is_none();
                ways.extend(
                    ring(view, unit.at, far).filter(open).map(|at| (self.cost(unit, at, rival), id, at)),
                );
                if ways.len() - before > WAYS && far >= 2 {
                    break;
                }
            }
        }
        ways.sort_unstable();
        let mut goals = BTreeSet::new();
        for (_, id, at) in ways {
            if !self.intents.contains_key(&id) && goals.insert(at) {
                self.intents.insert(id, Intent::Go(at));
            }
        }
        for (id, unit) in free {
            if unit.at == self.home && !self.intents.contains_key(&id) {
                self.intents.insert(id, Intent::Go(rival));
            }
        }
    }

    /// What it costs a unit to take that tile, in hundredths of a tile's way: own land beside it makes it cheaper.
    fn cost(&self, unit: &Unit, at: Position, rival: Position) -> i64 {
        let view = self.view;
        let beside = neighbours(view.size, at).map(|beside| i64::from(view.is_own(beside))).sum::<i64>();
        let way = i64::from(100 * view.reach(unit.at, at) + 2 * view.size.distance(unit.at, at));
        let foreign = i64::from(view.owner(at).is_some());
        let risk = match unit.kind {
            Fighter => 4 * i64::from(view.reach(at, rival)) + 60 * foreign,
            _ => 160 * foreign + 300 * i64::from(self.danger.contains(&at)),
        };
        way - beside * 35 / 8 + risk + 500 * i64::from(self.turn.claimed.contains(&at))
    }

    /// What a unit does on its tile when it goes nowhere.
    fn stay(&self, unit: &Unit) -> UnitOrder {
        let taking = self.view.taking(unit.at).filter(|_| matches!(unit.kind, Pioneer | Fighter));
        taking.unwrap_or(match unit.kind {
            Pioneer | Worker if self.view.is_own(unit.at) => UnitOrder::Gold,
            Fighter | Sapper => UnitOrder::Defend,
            _ => UnitOrder::Idle,
        })
    }

    fn step(&mut self, unit: &Unit, goal: Position, careful: bool) -> UnitOrder {
        let cost = |at: &Position| {
            let danger = if careful && self.danger.contains(at) { 40 } else { 0 };
            self.far(*at, goal) + danger + if *at == self.home { 5 } else { 0 }
        };
        let arrived = unit.at == goal && unit.at != self.home;
        let free = neighbours(self.view.size, unit.at).filter(|at| !self.turn.taken.contains(at));
        let near = |at: &Position| !arrived && self.far(*at, goal) <= self.far(unit.at, goal) + 50;
        match free.min_by_key(cost).filter(near) {
            Some(at) => self.turn.travel(unit, at),
            None => self.stay(unit),
        }
    }

    fn flee(&mut self, unit: &Unit, from: &[Position]) -> UnitOrder {
        let safe = |at: &Position| {
            let nearest = from.iter().map(|&enemy| self.view.reach(*at, enemy)).min();
            (nearest, Reverse(self.far(*at, self.home)))
        };
        let free = neighbours(self.view.size, unit.at).filter(|at| !self.turn.taken.contains(at));
        match free.max_by_key(safe) {
            Some(at) => self.turn.travel(unit, at),
            None => self.stay(unit),
        }
    }
}

/// The tiles at that distance.
fn ring(view: &View, at: Position, far: i32) -> impl Iterator<Item = Position> {
    let size = view.size;
    let ways = (-far..=far).flat_map(move |dx| (-far..=far).map(move |dy| (dx, dy)));
    ways.filter(move |(dx, dy)| dx.abs().max(dy.abs()) == far).map(move |way| size.offset(at, way))
}
