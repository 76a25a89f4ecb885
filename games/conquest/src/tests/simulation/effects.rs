//! Check never lies: what it allows has its effect, and what it refuses changes nothing.

use zappy_protocol::Position;
use zappy_protocol::conquest::player::{BaseOrder, CityOrder, Order, UnitOrder};
use zappy_protocol::conquest::{FactionId, Slot, UnitId, UnitType};

use crate::refusal::Refusal;
use crate::world::{Orders, World};

/// Carries the order out alone, on a copy of the world, and looks at what became of it.
pub fn assert_check_tells_the_truth(world: &World, faction: FactionId, order: &Order) {
    let mut before = world.clone();
    before.factions.iter_mut().for_each(|one| one.orders = Orders::default());
    let allowed = before.check(faction, order);
    let mut after = before.clone();
    after.submit(faction, order);
    after.resolve(&[faction]);
    if !before.alive(faction) || allowed.as_ref().is_err_and(Refusal::is_final) {
        assert_eq!(after.faction(faction).did, []);
        return;
    }
    let [(actor, outcome)] = &after.faction(faction).did[..] else { panic!("{order} became nothing") };
    assert_eq!((*actor, outcome), (order.actor(), &allowed), "{order}");
    match outcome {
        Ok(()) => assert_effect(&before, &after, faction, order),
        Err(_) => {
            let mut idle = before;
            idle.resolve(&[faction]);
            assert_eq!(after.digest(), idle.digest(), "{order} was lost and changed the world");
        }
    }
}

fn assert_effect(before: &World, after: &World, faction: FactionId, order: &Order) {
    let done = match *order {
        Order::Base(order) => base_did(before, after, faction, order),
        Order::Unit(unit, order) => unit_did(before, after, faction, unit, order),
        Order::City(at, order) => city_did(before, after, faction, at, order),
    };
    assert!(done, "{order} was allowed and has no effect");
}

fn base_did(before: &World, after: &World, faction: FactionId, order: BaseOrder) -> bool {
    let (old, new) = (before.holdings(faction), after.holdings(faction));
    match order {
        BaseOrder::Income => new.gold == old.gold + 500,
        BaseOrder::Build(kind) => {
            let (cost, left) = (kind.numbers().gold, kind.numbers().turns - 1);
            new.gold + cost == old.gold && new.slot == Some(Slot { kind, left })
        }
        BaseOrder::Continue => {
            let left = old.slot.unwrap().left.saturating_sub(1);
            let waits = new.slot == Some(Slot { left, ..old.slot.unwrap() });
            let appeared = new.slot.is_none() && after.units.len() == before.units.len() + 1;
            new.population == old.population
                && (waits && (left > 0 || after.site(old.base.unwrap()).unit.is_some()) || appeared)
        }
        BaseOrder::Bomb => new.bombs == old.bombs + 1 && new.gold + 500 == old.gold,
        BaseOrder::Move(to) => new.base == Some(to) && new.slot.is_none(),
        BaseOrder::Idle => new == old,
    }
}

fn unit_did(before: &World, after: &World, faction: FactionId, id: UnitId, order: UnitOrder) -> bool {
    let (old, new) = (before.units[&id], after.units.get(&id).copied());
    let (old_tile, tile) = (before.tile(old.at), after.tile(old.at));
    let (was, is) = (before.holdings(faction), after.holdings(faction));
    let of = |target: UnitId| (before.units[&target], after.units.get(&target).copied());
    match order {
        UnitOrder::Travel(to) => {
            let bomb = before.bombs.get(&to).is_some_and(|&owner| before.enemies(owner, faction));
            match new {
                Some(new) => new.at == to && (!bomb || new.kind == UnitType::Sapper),
                None => bomb && old.kind != UnitType::Sapper && !after.bombs.contains_key(&to),
            }
        }
        UnitOrder::Conquer => {
            tile.owner == Some(faction) && is.score == was.score + if tile.flags.resource { 40 } else { 25 }
        }
        UnitOrder::Neutralize if old_tile.flags.fort => tile.owner == old_tile.owner && is.score == was.score,
        UnitOrder::Neutralize if after.strength(old.at) < before.strength(old.at) => is.score == was.score,
        UnitOrder::Neutralize => tile.owner.is_none() && is.score == was.score + 20,
        UnitOrder::Gold => is.gold > was.gold,
        UnitOrder::Attack(target) => {
            let (old, new) = of(target);
            new.map_or(is.kills == was.kills + 1, |new| new.health < old.health || new.stance != old.stance)
        }
        UnitOrder::Heal(target) => {
            of(target).1.unwrap().health > of(target).0.health && is.score == was.score + 10
        }
        UnitOrder::Convert(target) => {
            of(target).1.unwrap().faction == faction && !new.unwrap().stance.enlightened
        }
        UnitOrder::Defend => new.unwrap().stance.defended,
        UnitOrder::Pray => new.unwrap().stance.enlightened,
        UnitOrder::Fortify => tile.flags.fort && is.gold + 250 == was.gold,
        UnitOrder::Deploy => tile.flags.bomb && is.bombs + 1 == was.bombs && is.gold + 25 == was.gold,
        UnitOrder::Clear => !tile.flags.bomb && is.bombs == was.bombs,
        UnitOrder::Build(building) => tile.building == Some(building) && is.wood < was.wood,
        UnitOrder::Retire => new.is_none() && is.score < was.score,
        UnitOrder::Idle => new == Some(old) && is == was,
    }
}

fn city_did(before: &World, after: &World, faction: FactionId, at: Position, order: CityOrder) -> bool {
    match order {
        CityOrder::Assign(tile) => after.site(tile).city == Some(at),
        CityOrder::Unassign(tile) => after.site(tile).city.is_none(),
        CityOrder::Recruit(kind) => {
            let (was, is) = (before.holdings(faction), after.holdings(faction));
            is.population == was.population + 1 && is.gold + kind.numbers().gold == was.gold
        }
    }
}
