//! The commander of the levels between `easy` and `expert`: one plan for base and units, its doctrine the only difference.
//!
//! Each unit is asked in the order of the numbers, since a unit can follow onto a tile that a lower one leaves. What
//! earlier units were ordered is kept in `Turn`, so that no two of them want the same tile. Tested against the other
//! levels in `tests/conquest.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, Order, UnitOrder};
use zappy_protocol::conquest::{Building, Slot, Unit, UnitId, UnitType};

use super::city;
use super::doctrine::Doctrine;
use super::strategy::Strategy;
use super::turn::Turn;
use super::view::View;
use super::war::Strike;
use crate::chance::Chance;

/// Gold with which no more workers are built.
const ENOUGH: u64 = 4_000;
/// Turns at the start in which no enemy can be at the base yet.
const QUIET_TURNS: u32 = 10;

#[derive(Debug)]
pub(super) struct Commander {
    doctrine: Doctrine,
    strike: Strike,
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
        let recalled = turn.recalled(leave || view.turn <= QUIET_TURNS, |id| self.strike.has(id));
        let builder = self.builder(&turn);
        orders.extend(city::orders(&mut turn, |turn| self.wanted(turn)));
        let deserter = turn.deserter();
        for (id, unit) in view.own_units().filter(|(_, unit)| !unit.stance.converted) {
            let on_base = Some(unit.at) == view.own.base;
            let order = if deserter == Some(id) {
                UnitOrder::Retire
            } else if on_base && !leave {
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
        if turn.gold + turn.earnings() < own.upkeep {
            return BaseOrder::Income;
        }
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
        BaseOrder::Income
    }

    /// The unit that is worth most now, if there is room for one.
    fn wanted(&self, turn: &Turn<'_>) -> Option<UnitType> {
        let view = turn.view;
        if turn.room == 0 || view.turns_left() < 6 {
            return None;
        }
        let takable = view.size.area() - view.own.land;
        let resources = view.size.tiles().filter(|&at| view.is_workable(at)).count();
        let pays = |&&(kind, most): &&(UnitType, u32)| {
            let most = match kind {
                // A worker on a resource pays for itself within some turns; pioneers bring score, and eat.
                UnitType::Worker if view.turns_left() <= 25 || turn.gold >= ENOUGH => 0,
                UnitType::Worker => most.min(u32::try_from(resources).unwrap_or(most)),
                UnitType::Pioneer => most.min(3 + takable / 12),
                _ => most,
            };
            let fed = kind == UnitType::Worker || turn.feeds(kind);
            view.count(kind) < most && fed
        };
        self.doctrine.units.iter().find(pays).map(|&(kind, _)| kind)
    }

    /// Whether the unit on the base makes room for the one that comes next.
    fn leaves_base(&self, turn: &Turn<'_>, order: BaseOrder) -> bool {
        let left = match (order, turn.view.own.slot) {
            (BaseOrder::Build(kind), _) => kind.numbers().turns - 1,
            (BaseOrder::Continue, Some(Slot { left, .. })) => left.saturating_sub(1),
            _ if turn.view.turn <= QUIET_TURNS => 0,
            _ => return false,
        };
        left <= 1 && !turn.threats().any(|_| true)
    }

    /// What the unit on the base does while it stays there.
    fn garrison(&self, turn: &mut Turn<'_>, unit: &Unit) -> UnitOrder {
        if let Some(order) = turn.fight(unit) {
            return order;
        }
        match unit.kind {
            UnitType::Pioneer | UnitType::Worker => UnitOrder::Gold,
            UnitType::Cleric if unit.stance.enlightened => UnitOrder::Idle,
            UnitType::Cleric => UnitOrder::Pray,
            UnitType::Fighter | UnitType::Sapper => UnitOrder::Defend,
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
            UnitType::Pioneer => turn.expand(unit),
            UnitType::Worker => self.earn(turn, unit, leaves),
            UnitType::Fighter | UnitType::Sapper => {
                let threats = turn.threats().map(|(_, enemy)| enemy.at);
                let threat = threats.min_by_key(|&at| view.reach(unit.at, at));
                let home = (leaves || view.reach(unit.at, base) > 1).then_some(base);
                let goal = threat.or(home);
                view.taking(unit.at)
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
                    None => {
                        let home = (view.reach(unit.at, base) > 1).then_some(base);
                        home.and_then(|at| turn.go(unit, at)).unwrap_or(UnitOrder::Idle)
                    }
                }
            }
        }
    }

    fn earn(&self, turn: &mut Turn<'_>, unit: &Unit, leaves: bool) -> UnitOrder {
        let view = turn.view;
        let (own, neutral) = (view.is_own(unit.at), view.owner(unit.at).is_none());
        if turn.is_threatened(unit)
            && let Some(order) = view.own.base.and_then(|base| turn.go(unit, base))
        {
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
        if leaves && let Some(order) = turn.aside(unit) {
            return order;
        }
        if neutral {
            return UnitOrder::Conquer;
        }
        let home = view.own.base.filter(|_| !own).and_then(|base| turn.go(unit, base));
        home.unwrap_or(UnitOrder::Gold)
    }
}
