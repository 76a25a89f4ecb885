//! What must hold of the world between any two steps, for simulations.
//!
//! Never changes the world. Used by `tests/simulation` and by the crate `simulation`.

use std::collections::BTreeSet;

use zappy_protocol::conquest::constants::ASSIGN_DISTANCE;
use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::{Building, FactionId};

use super::world::{Weakened, World};

/// Panics if an invariant doesn't hold; an operator may break those that are the rules' alone.
pub(super) fn assert_invariants(world: &World, operated: bool) {
    let occupied = world.sites.iter().filter(|site| site.unit.is_some()).count();
    assert_eq!(occupied, world.units.len(), "one unit per tile");
    for (&id, unit) in &world.units {
        assert_eq!(world.site(unit.at).unit, Some(id));
        assert!(world.faction(unit.faction).units.contains(&id));
        assert!(id.0 < world.next_unit && unit.health > 0);
        assert!(operated || unit.health <= unit.kind.numbers().health);
        assert!(operated || world.alive(unit.faction), "a unit of a beaten faction");
    }
    for (&at, &Weakened { left, .. }) in &world.weakened {
        assert!(
            world.tile(at).flags.base && (1..world.rules().siege).contains(&left),
            "siege of {at}: {left}"
        );
    }
    let owned_by = |id: FactionId| world.size.tiles().filter(move |&at| world.tile(at).owner == Some(id));
    for id in world.ids() {
        let (faction, holdings) = (world.faction(id), world.holdings(id));
        let units = world.units.values().filter(|unit| unit.faction == id);
        let upkeep: u64 = units.clone().map(|unit| unit.kind.numbers().upkeep).sum();
        assert_eq!(holdings.upkeep, upkeep);
        let (count, slot) = (u32::try_from(units.count()).unwrap(), u32::from(faction.slot.is_some()));
        assert_eq!(holdings.population, count + slot, "population = units + slot");
        assert_eq!(holdings.land as usize, owned_by(id).count(), "land = owned tiles");
        let bases: BTreeSet<_> = owned_by(id).filter(|&at| world.tile(at).flags.base).collect();
        assert_eq!(faction.bases, bases);
        for stock in [holdings.gold, holdings.food, holdings.wood] {
            assert!(stock < 1 << 40, "a stock went below nothing");
        }
        assert!(
            operated || world.alive(id) || (holdings.land, holdings.population, holdings.bombs) == (0, 0, 0)
        );
        assert!(operated || world.alive(id) || !world.bombs.values().any(|&owner| owner == id));
    }
    assert_cities(world, operated);
    for at in world.size.tiles() {
        let tile = world.tile(at);
        assert_eq!(tile.flags.bomb, world.bombs.contains_key(&at));
        assert!(operated || tile.owner.is_some() || !tile.flags.fort, "a fort on the neutral tile {at}");
    }
}

fn assert_cities(world: &World, operated: bool) {
    for at in world.size.tiles() {
        let tile = world.tile(at);
        let expected = world.options.cities && tile.flags.base && tile.owner.is_some();
        assert_eq!(world.cities.contains_key(&at), expected, "an own base is a city");
        if let Some(city) = world.site(at).city {
            assert_eq!(tile.owner, world.tile(city).owner, "{at} is used by a city of another owner");
            assert!(!tile.flags.base && reach(world.size, at, city) <= ASSIGN_DISTANCE);
            assert!(world.cities[&city].tiles.contains(&at));
        }
    }
    let camps = world.size.tiles().filter(|&at| matches!(world.tile(at).building, Some(Building::Camp(_))));
    assert!(world.camps.keys().copied().eq(camps.collect::<BTreeSet<_>>()), "every camp is counted");
    let assigned = world.sites.iter().filter(|site| site.city.is_some()).count();
    let used: usize = world.cities.values().map(|city| city.tiles.len()).sum();
    assert_eq!(assigned, used, "every tile is assigned at most once");
    for &at in world.cities.keys() {
        let people = world.people(at);
        assert!(operated || people.workers <= people.citizens, "more workers than citizens at {at}");
    }
}
