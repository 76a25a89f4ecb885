//! The commander of the levels between `easy` and `expert`: one plan for base and units; the levels differ in numbers
//! alone.
//!
//! Units get their orders by number, since a unit can follow onto a tile that one with a lower number leaves. What was
//! ordered before is kept in `Turn`, so that no two units want the same tile. Some units strike: they find the enemy's
//! base, gather before it, and take it together, since an enemy is beaten if its base tile is neutral at the end of a
//! resolution. Tested against the other levels in `tests/conquest.rs`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, Order, UnitOrder};
use zappy_protocol::conquest::{Building, Slot, Unit, UnitId, UnitType};

use super::city;
use super::turn::Turn;
use super::view::{Strategy, View};
use crate::chance::Chance;

use UnitType::{Cleric, Fighter, Pioneer, Sapper, Worker};

/// A stock of gold with which no more workers are built.
const ENOUGH_GOLD: u64 = 4_000;
/// Gold that the base brings in an average turn, if it builds half of the time.
const BASE_EARNINGS: u64 = 300;
/// Turns for which the stock has to pay the upkeep beyond the earnings before another unit is made.
const RESERVE_TURNS: u64 = 30;
/// Turns at the start in which no enemy can be at the base yet.
const QUIET_TURNS: u32 = 10;
/// How far from the enemy's base the strikers gather, in tiles: out of sight of the base and the units around it.
const GATHERING_DISTANCE: u32 = 4;

/// The numbers a commander plays by. They were chosen by measurement: see `STRATEGY.md`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doctrine {
    /// What it builds: the first type in this list of which it has fewer units than the number beside it.
    pub(super) units: &'static [(UnitType, u32)],
    /// Pioneers that stay at home to take land.
    pub(super) settlers: u32,
    /// Fighters that stay at the base.
    pub(super) guards: u32,
    /// How many units strike together.
    pub(super) strike: u32,
    /// The turn from which units are sent to strike.
    pub(super) strike_from: u32,
    /// What workers build for cities, in this order.
    pub(super) buildings: &'static [Building],
}

impl Doctrine {
    /// Takes land, feeds many workers, keeps guards at its base, and strikes with few.
    pub(super) const MEDIUM: Doctrine = Doctrine {
        units: &[(Pioneer, 3), (Worker, 2), (Fighter, 2), (Pioneer, 5), (Worker, 5), (Fighter, 6)],
        settlers: 3,
        guards: 2,
        strike: 5,
        strike_from: 14,
        buildings: &[],
    };
    /// Keeps no guards, one worker and three settlers; all others strike, late and together.
    pub(super) const HARD: Doctrine = Doctrine {
        units: &[(Pioneer, 3), (Worker, 1), (Pioneer, 8), (Fighter, 8)],
        guards: 0,
        strike: 4,
        strike_from: 30,
        buildings: &[Building::Camp(Pioneer)],
        ..Doctrine::MEDIUM
    };
    /// Goes for the base early, with pioneers and with clerics that convert what guards it.
    pub(super) const RAIDER: Doctrine = Doctrine {
        units: &[(Pioneer, 4), (Cleric, 2), (Pioneer, 6), (Worker, 2), (Cleric, 4), (Pioneer, 12)],
        settlers: 1,
        strike: 5,
        strike_from: 9,
        ..Doctrine::HARD
    };
}

/// Decides for a faction by a doctrine.
#[derive(Debug)]
pub(super) struct Commander {
    doctrine: Doctrine,
    strikers: BTreeSet<UnitId>,
    /// Whether the strikers attack the base now, instead of gathering before it.
    assault: bool,
    /// The tile of the enemy's base that the strikers are to take.
    target: Option<Position>,
}

impl Strategy for Commander {
    fn decide(&mut self, view: &View, _chance: &mut Chance) -> Vec<Order> {
        let mut turn = Turn::new(view);
        self.enlist(view);
        let base = self.base(&mut turn);
        let mut orders = vec![Order::Base(base)];
        // Turns until the next unit appears on the base; the unit on the base leaves one turn before.
        let appears_in = match (base, view.own.slot) {
            (BaseOrder::Build(kind), _) => Some(kind.numbers().turns - 1),
            (BaseOrder::Continue, Some(Slot { left, .. })) => Some(left.saturating_sub(1)),
            _ if view.turn <= QUIET_TURNS => Some(0),
            _ => None,
        };
        let leaves_base = appears_in.is_some_and(|left| left <= 1) && !turn.threats().any(|_| true);
        let unit_to_recall =
            turn.unit_to_recall(leaves_base || view.turn <= QUIET_TURNS, |id| self.strikers.contains(&id));
        // The first worker builds for the cities.
        let worker = view.own_units().find(|(_, unit)| unit.kind == Worker).map(|(id, _)| id);
        let builder = worker.zip(city::next_building(&turn, self.doctrine.buildings));
        orders.extend(city::orders(&mut turn, |turn| self.wanted(turn)));
        let to_retire = turn.unit_to_retire();
        for (id, unit) in view.own_units().filter(|(_, unit)| !unit.stance.converted) {
            let on_base = Some(unit.at) == view.own.base;
            let order = if to_retire == Some(id) {
                UnitOrder::Retire
            } else if on_base && !leaves_base {
                self.garrison(&mut turn, unit)
            } else if unit_to_recall == Some(id) {
                view.own.base.and_then(|base| turn.go(unit, base)).unwrap_or(UnitOrder::Idle)
            } else if self.strikers.contains(&id) && !on_base {
                self.strike(&mut turn, unit)
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
    pub(super) fn new(doctrine: Doctrine) -> Commander {
        Commander { doctrine, strikers: BTreeSet::new(), assault: false, target: None }
    }

    fn base(&self, turn: &mut Turn<'_>) -> BaseOrder {
        let own = &turn.view.own;
        if turn.gold + turn.earnings() < own.upkeep {
            return BaseOrder::Income;
        }
        if own.slot.is_some() {
            return BaseOrder::Continue;
        }
        // A type that a camp recruits isn't built at the base, which earns instead.
        if let Some(kind) = self.wanted(turn).filter(|&kind| !city::has_camp(turn.view, kind))
            && turn.affords(kind, kind.numbers().turns)
        {
            turn.gold -= kind.numbers().gold;
            turn.room -= 1;
            return BaseOrder::Build(kind);
        }
        BaseOrder::Income
    }

    /// The type of unit to make next: the first of the doctrine that is still missing and can be fed. `None` if there
    /// is none, no room, or the match ends too soon.
    fn wanted(&self, turn: &Turn<'_>) -> Option<UnitType> {
        let view = turn.view;
        if turn.room == 0 || view.turns_left() < 6 {
            return None;
        }
        let takable = view.size.area() - view.own.land;
        let resources = view.size.tiles().filter(|&at| view.is_workable(at)).count();
        let is_wanted = |&&(kind, most): &&(UnitType, u32)| {
            let most = match kind {
                // A worker needs some turns on a resource to pay for itself; a pioneer needs tiles to take to be worth
                // its upkeep.
                Worker if view.turns_left() <= 25 || turn.gold >= ENOUGH_GOLD => 0,
                Worker => most.min(u32::try_from(resources).unwrap_or(most)),
                Pioneer => most.min(3 + takable / 12),
                _ => most,
            };
            let short = (view.own.upkeep + kind.numbers().upkeep).saturating_sub(turn.earnings());
            let fed = kind == Worker || short <= BASE_EARNINGS || turn.gold >= short * RESERVE_TURNS;
            view.count(kind) < most && fed
        };
        self.doctrine.units.iter().find(is_wanted).map(|&(kind, _)| kind)
    }

    /// What the unit on the base does while it stays there.
    fn garrison(&self, turn: &mut Turn<'_>, unit: &Unit) -> UnitOrder {
        turn.fight(unit).unwrap_or(match unit.kind {
            Pioneer | Worker => UnitOrder::Gold,
            Cleric if unit.stance.enlightened => UnitOrder::Idle,
            Cleric => UnitOrder::Pray,
            Fighter | Sapper => UnitOrder::Defend,
        })
    }

    /// What a unit does that neither fights nor strikes; `leaves` says whether it has to leave the base.
    fn work(&self, turn: &mut Turn<'_>, unit: &Unit, leaves: bool) -> UnitOrder {
        let view = turn.view;
        let base = view.own.base.unwrap_or(unit.at);
        match unit.kind {
            Pioneer => turn.expand(unit),
            Worker => self.earn(turn, unit, leaves),
            Fighter | Sapper => {
                let threats = turn.threats().map(|(_, enemy)| enemy.at);
                let threat = threats.min_by_key(|&at| view.reach(unit.at, at));
                let home = (leaves || view.reach(unit.at, base) > 1).then_some(base);
                let goal = threat.or(home);
                view.taking_order(unit.at)
                    .or_else(|| {
                        goal.and_then(|goal| if leaves { turn.step_aside(unit) } else { turn.go(unit, goal) })
                    })
                    .unwrap_or(UnitOrder::Defend)
            }
            Cleric => {
                let heals = neighbours(view.size, unit.at).filter_map(|at| view.unit_at(at));
                let mut hurt = heals.filter(|(_, friend)| {
                    !view.is_enemy(friend.faction) && friend.health < friend.kind.numbers().health
                });
                match hurt.next() {
                    _ if leaves => turn.step_aside(unit).unwrap_or(UnitOrder::Pray),
                    _ if !unit.stance.enlightened => UnitOrder::Pray,
                    Some((friend, _)) => UnitOrder::Heal(friend),
                    None => {
                        let home = (view.reach(unit.at, base) > 1).then_some(base);
                        home.and_then(|at| turn.go(unit, at)).unwrap_or(UnitOrder::Idle)
                    }
                }
            }
        }
    }

    /// A worker runs from enemies, earns on a resource or goes to one; `leaves` says whether it has to leave the base.
    fn earn(&self, turn: &mut Turn<'_>, unit: &Unit, leaves: bool) -> UnitOrder {
        let view = turn.view;
        let (own, neutral) = (view.is_own(unit.at), view.owner(unit.at).is_none());
        let mut beside = neighbours(view.size, unit.at).filter_map(|at| view.unit_at(at));
        let threatened = beside.any(|(id, enemy)| {
            view.is_enemy(enemy.faction) && enemy.kind != Worker && turn.health_left(id, enemy) > 0
        });
        if threatened && let Some(order) = view.own.base.and_then(|base| turn.go(unit, base)) {
            return order;
        }
        if view.is_workable(unit.at) {
            return if own { UnitOrder::Gold } else { UnitOrder::Conquer };
        }
        let near = |at: &Position| view.reach(unit.at, *at);
        let resources = view.size.tiles().filter(|&at| view.is_workable(at) && turn.is_free(at));
        if let Some(site) = resources.min_by_key(near)
            && let Some(order) = turn.go(unit, site)
        {
            turn.claimed.insert(site);
            return order;
        }
        if leaves && let Some(order) = turn.step_aside(unit) {
            return order;
        }
        if neutral {
            return UnitOrder::Conquer;
        }
        let home = view.own.base.filter(|_| !own).and_then(|base| turn.go(unit, base));
        home.unwrap_or(UnitOrder::Gold)
    }

    /// Chooses the target and the units that strike, and whether they attack now.
    fn enlist(&mut self, view: &View) {
        let doctrine = self.doctrine;
        let strike_size = doctrine.strike as usize;
        self.strikers.retain(|&id| view.units.get(&id).is_some_and(|unit| unit.faction == view.me));
        self.target = target(view);
        let Some(target) = self.target.filter(|_| view.turn >= doctrine.strike_from) else {
            return self.strikers.clear();
        };
        let distance = |unit: &Unit| view.reach(unit.at, target);
        let mut pool: Vec<(UnitId, &Unit)> = view
            .own_units()
            .filter(|&(id, unit)| !self.strikers.contains(&id) && Some(unit.at) != view.own.base)
            .filter(|(_, unit)| !matches!(unit.kind, Worker | Sapper))
            .collect();
        // The units that are nearest to home stay there.
        pool.sort_by_key(|&(id, unit)| (Reverse(distance(unit)), id));
        let (mut guards, mut settlers) = (doctrine.guards, doctrine.settlers);
        pool.retain(|(_, unit)| {
            let places = match unit.kind {
                Fighter => &mut guards,
                Pioneer => &mut settlers,
                _ => return true,
            };
            let stays = *places > 0;
            *places = places.saturating_sub(1);
            !stays
        });
        pool.sort_by_key(|&(id, unit)| (unit.kind == Pioneer, distance(unit), id));
        let spare = pool.len().min(strike_size.saturating_sub(self.strikers.len()));
        // The first strikers start together; later ones follow one by one.
        if !self.strikers.is_empty() || spare >= strike_size {
            self.strikers.extend(pool[..spare].iter().map(|(id, _)| id));
        }
        let is_near =
            |id: &&UnitId| view.units.get(id).is_some_and(|unit| distance(unit) <= GATHERING_DISTANCE);
        let near = self.strikers.iter().filter(is_near).count();
        self.assault = near >= strike_size || self.assault && near * 2 >= strike_size;
    }

    /// The order of a unit that strikes.
    fn strike(&self, turn: &mut Turn<'_>, unit: &Unit) -> UnitOrder {
        let view = turn.view;
        let Some(target) = self.target else { return UnitOrder::Idle };
        let distance = view.reach(unit.at, target);
        if distance == 0 {
            return view.taking_order(unit.at).unwrap_or(UnitOrder::Idle);
        }
        if self.assault && distance == 1 {
            if !turn.taken.contains(&target)
                && let Some(order) = turn.go(unit, target)
            {
                return order;
            }
            let garrison = view.unit_at(target).filter(|(_, enemy)| view.is_enemy(enemy.faction));
            if let Some((id, enemy)) = garrison.filter(|&(id, enemy)| turn.health_left(id, enemy) > 0) {
                return turn.attack(unit, id, enemy);
            }
        }
        if let Some(order) = turn.fight(unit) {
            return order;
        }
        if unit.kind == Cleric && !unit.stance.enlightened {
            return UnitOrder::Pray;
        }
        if distance > GATHERING_DISTANCE || self.assault && distance > 1 {
            return turn.go(unit, target).or(view.taking_order(unit.at)).unwrap_or(UnitOrder::Idle);
        }
        view.taking_order(unit.at).unwrap_or(UnitOrder::Idle)
    }
}

/// The nearest base of an enemy that was seen. If none was: against one enemy the unseen tile nearest to the one
/// farthest from home, against several `None`.
fn target(view: &View) -> Option<Position> {
    let home = view.own.base?;
    let known = view.enemy_base(home);
    if known.is_some() || view.enemy_count() > 1 {
        return known;
    }
    let guess = view.opposite(home);
    view.unseen().min_by_key(|&at| (view.reach(guess, at), view.size.distance(guess, at)))
}
