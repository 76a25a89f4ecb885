//! Cities: what is built, assigned and recruited, by what the production function says.
//!
//! Food is left out of account: only houses need it, and no houses are built. Tested against the other levels in
//! `tests/conquest.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::{ASSIGN_DISTANCE, GOLD_UNIT, building_wood};
use zappy_protocol::conquest::player::{CityOrder, Order, UnitOrder};
use zappy_protocol::conquest::production::{CityPlan, production, tile_yield};
use zappy_protocol::conquest::{Building, Terrain, Unit, UnitType};

use super::turn::Turn;
use super::view::{City, View};

/// A stock of wood beyond which more is worth little.
const WOOD_ENOUGH: u64 = 60;
/// The gold that a unit of wood is worth while the stock is below `WOOD_ENOUGH`, and from then on.
const WOOD_WORTH: [i64; 2] = [30, 3];
/// Orders for cities in a turn at most, far below what the rules allow.
const MOST_ORDERS: usize = 16;

/// The tiles that a city may use, own ones without a base.
fn sites(view: &View, city: Position) -> impl Iterator<Item = Position> {
    let fits = move |at: &Position| {
        view.is_own(*at)
            && view.reach(city, *at) <= ASSIGN_DISTANCE
            && view.tile(*at).is_some_and(|tile| !tile.flags.base)
    };
    view.size.tiles().filter(fits)
}

fn building(view: &View, at: Position) -> Option<Building> {
    view.tile(at)?.building
}

/// Whether an own city has a camp that recruits that type.
pub(super) fn has_camp(view: &View, kind: UnitType) -> bool {
    let camp = |&at: &Position| building(view, at) == Some(Building::Camp(kind));
    view.cities.values().any(|city| city.tiles.iter().any(camp))
}

/// The first of the wanted buildings that the base's city lacks, if there is wood for it.
pub(super) fn next_building(turn: &Turn<'_>, wanted: &[Building]) -> Option<Building> {
    let view = turn.view;
    let city = view.own.base.filter(|base| view.cities.contains_key(base))?;
    let exists = |kind: &&Building| sites(view, city).any(|at| building(view, at) == Some(**kind));
    wanted.iter().find(|kind| !exists(kind)).copied().filter(|&kind| turn.wood >= building_wood(kind))
}

/// A worker builds on its tile if it can, or goes to a tile where it can; `None` if there is none.
pub(super) fn build(turn: &mut Turn<'_>, unit: &Unit, wanted: Building) -> Option<UnitOrder> {
    let view = turn.view;
    let city = view.own.base?;
    let bare = |at: &Position| {
        building(view, *at).is_none()
            && view.tile(*at).is_some_and(|tile| tile.terrain == Terrain::Plain && !tile.flags.resource)
    };
    let mut good = sites(view, city).filter(bare);
    if good.any(|at| at == unit.at) {
        turn.wood -= building_wood(wanted);
        return Some(UnitOrder::Build(wanted));
    }
    let free = sites(view, city).filter(bare).filter(|&at| turn.is_free(at));
    let site = free.min_by_key(|&at| view.reach(unit.at, at))?;
    turn.go(unit, site)
}

/// The orders of all cities; `wanted` names the type of unit to recruit next.
pub(super) fn orders(turn: &mut Turn<'_>, wanted: impl Fn(&Turn<'_>) -> Option<UnitType>) -> Vec<Order> {
    let view = turn.view;
    let assigned: Vec<Position> = view.cities.values().flat_map(|city| city.tiles.iter().copied()).collect();
    let mut orders = Vec::new();
    for (&at, city) in &view.cities {
        let idle = |tile: &Position| !assigned.contains(tile);
        let assign = |tile: Position| Order::City(at, CityOrder::Assign(tile));
        orders
            .extend(sites(view, at).filter(idle).filter(|&tile| building(view, tile).is_some()).map(assign));
        orders.extend(citizens(turn, at, city, &assigned).map(|order| Order::City(at, order)));
        let camps = city.tiles.iter().filter_map(|&tile| building(view, tile));
        for camp in camps {
            if let Some(kind) =
                wanted(turn).filter(|&kind| camp == Building::Camp(kind) && turn.affords(kind, 1))
            {
                turn.gold -= kind.numbers().gold;
                turn.room -= 1;
                orders.push(Order::City(at, CityOrder::Recruit(kind)));
            }
        }
    }
    orders.truncate(MOST_ORDERS);
    orders
}

/// The order that sends a citizen to work on a tile, or calls one back, that raises the city's yield most; `None` if
/// none does.
fn citizens(turn: &Turn<'_>, at: Position, city: &City, assigned: &[Position]) -> Option<CityOrder> {
    let view = turn.view;
    let is_bare = |tile: &Position| building(view, *tile).is_none();
    let worked: Vec<Position> = city.tiles.iter().copied().filter(is_bare).collect();
    let buildings: Vec<Building> = city.tiles.iter().filter_map(|&tile| building(view, tile)).collect();
    let wood_worth = WOOD_WORTH[usize::from(turn.wood >= WOOD_ENOUGH)];
    // What the city yields in a turn, in gold: wood counts by its worth, food not at all.
    let worth = |worked: &[Position]| {
        let worked = worked.iter().filter_map(|&at| view.tile(at)).map(|tile| tile_yield(&tile)).collect();
        let plan = CityPlan { citizens: city.citizens, worked, buildings: buildings.clone() };
        let balance = production(&plan).balance;
        balance.gold * GOLD_UNIT.cast_signed() + balance.wood * wood_worth
    };
    let now = worth(&worked);
    let more = sites(view, at)
        .filter(|tile| is_bare(tile) && !assigned.contains(tile))
        .map(|tile| (worth(&[&worked[..], &[tile]].concat()), CityOrder::Assign(tile)));
    let more = more.filter(|_| worked.len() < city.citizens as usize);
    let fewer = worked.iter().map(|&tile| {
        let others: Vec<Position> = worked.iter().copied().filter(|&other| other != tile).collect();
        (worth(&others), CityOrder::Unassign(tile))
    });
    more.chain(fewer)
        .filter(|(worth, _)| *worth > now)
        .max_by_key(|(worth, _)| *worth)
        .map(|(_, order)| order)
}
