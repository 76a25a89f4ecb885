//! The level `easy`: the stock logic of the manual, one unit at a time.
//!
//! Keeps nothing from turn to turn but the view. Tested against the other levels in `tests/conquest.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::neighbours;
use zappy_protocol::conquest::player::{BaseOrder, Order, UnitOrder};
use zappy_protocol::conquest::{Unit, UnitType};

use super::view::{Strategy, View};
use crate::chance::Chance;

/// The units that its base builds, one drawn each time.
const KINDS: [UnitType; 3] = [UnitType::Pioneer, UnitType::Worker, UnitType::Fighter];

/// Plays by a few fixed rules and chance.
#[derive(Debug)]
pub(super) struct Easy;

impl Strategy for Easy {
    fn decide(&mut self, view: &View, chance: &mut Chance) -> Vec<Order> {
        let kind = KINDS[chance.below(3) as usize];
        let own = &view.own;
        let base = if own.slot.is_some() {
            BaseOrder::Continue
        } else if own.population < own.cap && own.gold >= kind.numbers().gold + own.upkeep {
            BaseOrder::Build(kind)
        } else {
            BaseOrder::Income
        };
        let mut orders = vec![Order::Base(base)];
        orders.extend(view.own_units().map(|(id, unit)| Order::Unit(id, order(view, unit, chance))));
        orders
    }
}

fn order(view: &View, unit: &Unit, chance: &mut Chance) -> UnitOrder {
    let around = || neighbours(view.size, unit.at);
    let free = |at: &Position| view.unit_at(*at).is_none();
    let taking = view.taking_order(unit.at);
    let wanted = match unit.kind {
        UnitType::Pioneer => {
            taking.or_else(|| around().find(|&at| free(&at) && view.is_takable(at)).map(UnitOrder::Travel))
        }
        UnitType::Worker => work(view, unit),
        UnitType::Fighter => fight(view, unit).or(taking),
        UnitType::Cleric | UnitType::Sapper => None,
    };
    let wander = |chance: &mut Chance| {
        let steps: Vec<Position> = around().filter(free).collect();
        steps.get(chance.below(8) as usize).map_or(UnitOrder::Idle, |&at| UnitOrder::Travel(at))
    };
    wanted.unwrap_or_else(|| wander(chance))
}

fn work(view: &View, unit: &Unit) -> Option<UnitOrder> {
    if view.has_resource(unit.at) {
        return Some(if view.is_own(unit.at) { UnitOrder::Gold } else { UnitOrder::Conquer });
    }
    let free = |at: Position| view.has_resource(at) && view.unit_at(at).is_none();
    let open = |&at: &Position| free(at) && (view.is_takable(at) || view.is_own(at));
    go(view, unit, view.size.tiles().filter(open).min_by_key(|&at| view.reach(unit.at, at))?)
}

fn fight(view: &View, unit: &Unit) -> Option<UnitOrder> {
    let (id, enemy) = view.enemy_units().min_by_key(|(_, enemy)| view.reach(unit.at, enemy.at))?;
    if view.reach(unit.at, enemy.at) == 1 {
        return Some(UnitOrder::Attack(id));
    }
    go(view, unit, enemy.at)
}

/// Steps to the free tile beside the unit that is nearest to the tile `to`.
fn go(view: &View, unit: &Unit, to: Position) -> Option<UnitOrder> {
    let free = neighbours(view.size, unit.at).filter(|&at| view.unit_at(at).is_none());
    free.min_by_key(|&at| view.reach(at, to)).map(UnitOrder::Travel)
}
