//! Random lines: junk, nonsense, and often enough what is allowed.

use zappy_protocol::Position;
use zappy_protocol::conquest::geometry::surroundings;
use zappy_protocol::conquest::player::{BaseOrder, CityOrder, Order, PlayerLine, UnitOrder, UnitOrderKind};
use zappy_protocol::conquest::{Building, FactionId, UnitId, UnitType};

use crate::world::World;
use zappy_game::chance::Chance;

fn pick<T: Copy>(chance: &mut Chance, items: &[T]) -> Option<T> {
    chance.index(items.len()).map(|index| items[index])
}

/// A line of a faction's.
pub fn random_line(world: &World, faction: FactionId, chance: &mut Chance) -> Vec<u8> {
    if chance.below(12) == 0 {
        let words: [&[u8]; 12] = [
            b"Unit",
            b"Base",
            b"City",
            b"build",
            b"-1",
            b"7",
            b"travel",
            b"\xff\x00",
            b"Done",
            b"4000000000",
            b" ",
            b"x",
        ];
        let count = chance.below(6) as usize;
        return (0..count).filter_map(|_| pick(chance, &words)).collect::<Vec<_>>().join(&b' ');
    }
    // Several tries to hit something allowed, so that matches go on.
    let mut order = random_order(world, faction, chance);
    for _ in 0..6 {
        if world.check(faction, &order).is_ok() || chance.below(8) == 0 {
            break;
        }
        order = random_order(world, faction, chance);
    }
    let mut line = Vec::new();
    PlayerLine::Order(order).write(&mut line);
    line
}

fn place(world: &World, chance: &mut Chance) -> Position {
    // Sometimes off the map.
    let axis = |chance: &mut Chance, side: u16| u16::try_from(chance.below(u32::from(side) + 1)).unwrap();
    Position { x: axis(chance, world.size.width()), y: axis(chance, world.size.height()) }
}

fn near(world: &World, at: Position, distance: u32, chance: &mut Chance) -> Position {
    let step = |chance: &mut Chance| {
        i32::try_from(chance.below(2 * distance + 1)).unwrap() - i32::try_from(distance).unwrap()
    };
    let way = (step(chance), step(chance));
    world.size.offset(at, way)
}

fn random_order(world: &World, faction: FactionId, chance: &mut Chance) -> Order {
    let kind = |chance: &mut Chance| pick(chance, &UnitType::ALL).unwrap();
    let bases: Vec<Position> = world.faction(faction).bases.iter().copied().collect();
    match chance.below(12) {
        0 | 1 => Order::Base(match chance.below(9) {
            0 | 1 => BaseOrder::Income,
            2 | 3 => BaseOrder::Build(kind(chance)),
            4 | 5 => BaseOrder::Continue,
            6 => BaseOrder::Bomb,
            7 => BaseOrder::Move(pick(chance, &bases).unwrap_or_else(|| place(world, chance))),
            _ => BaseOrder::Idle,
        }),
        2..=4 if world.options.cities => {
            let city =
                pick(chance, &bases).filter(|_| chance.below(8) > 0).unwrap_or_else(|| place(world, chance));
            let tile = if world.size.contains(city) { near(world, city, 2, chance) } else { city };
            Order::City(
                city,
                match chance.below(4) {
                    0 | 1 => CityOrder::Assign(tile),
                    2 => CityOrder::Unassign(tile),
                    _ => CityOrder::Recruit(kind(chance)),
                },
            )
        }
        _ => {
            let own: Vec<UnitId> = world.faction(faction).units.iter().copied().collect();
            let unit = pick(chance, &own).filter(|_| chance.below(15) > 0);
            let unit = unit.unwrap_or_else(|| UnitId(chance.below(world.next_unit + 2)));
            Order::Unit(unit, random_unit_order(world, unit, chance))
        }
    }
}

/// Gives every faction gold and some units close to those of others, so that they meet.
pub fn crowd(world: &mut World, chance: &mut Chance) {
    for name in world.options.factions.clone() {
        world.operate(&format!("/faction {name} gold 4000")).unwrap().unwrap();
        for kind in UnitType::ALL {
            let place = Position {
                x: u16::try_from(chance.below(6)).unwrap(),
                y: u16::try_from(chance.below(6)).unwrap(),
            };
            // Some tiles are occupied.
            let _ = world.operate(&format!("/unit new {name} {kind} {place}"));
        }
    }
    world.hush();
}

fn random_unit_order(world: &World, unit: UnitId, chance: &mut Chance) -> UnitOrder {
    let at = world.units.get(&unit).map_or(Position { x: 0, y: 0 }, |unit| unit.at);
    let around: Vec<UnitId> = surroundings(world.size, at).filter_map(|at| world.site(at).unit).collect();
    let other = |chance: &mut Chance| pick(chance, &around).unwrap_or(UnitId(0));
    // Mostly what such a unit can do at all.
    let kind = world.units.get(&unit).map(|unit| unit.kind).filter(|_| chance.below(4) > 0);
    let fits = |order: &UnitOrderKind| kind.is_none_or(|kind| order.fits(kind));
    let fitting: Vec<UnitOrderKind> = UnitOrderKind::ALL.into_iter().filter(fits).collect();
    match pick(chance, &fitting).unwrap() {
        UnitOrderKind::Conquer => UnitOrder::Conquer,
        UnitOrderKind::Neutralize => UnitOrder::Neutralize,
        UnitOrderKind::Gold => UnitOrder::Gold,
        UnitOrderKind::Attack => UnitOrder::Attack(other(chance)),
        UnitOrderKind::Defend => UnitOrder::Defend,
        UnitOrderKind::Fortify => UnitOrder::Fortify,
        UnitOrderKind::Heal => UnitOrder::Heal(other(chance)),
        UnitOrderKind::Pray => UnitOrder::Pray,
        UnitOrderKind::Convert => UnitOrder::Convert(other(chance)),
        UnitOrderKind::Deploy => UnitOrder::Deploy,
        UnitOrderKind::Clear => UnitOrder::Clear,
        UnitOrderKind::Build => UnitOrder::Build(pick(chance, &Building::ALL).unwrap()),
        // Units shall live long enough to meet.
        UnitOrderKind::Retire if chance.below(10) == 0 => UnitOrder::Retire,
        UnitOrderKind::Travel | UnitOrderKind::Retire => UnitOrder::Travel(near(world, at, 1, chance)),
        UnitOrderKind::Idle => UnitOrder::Idle,
    }
}

/// A line of the operator's; many are refused.
pub fn operator_line(world: &World, chance: &mut Chance) -> String {
    let name = |chance: &mut Chance| format!("f{}", chance.below(5));
    let on = |chance: &mut Chance| if chance.below(2) == 0 { "on" } else { "off" };
    let at = place(world, chance);
    let number = chance.below(world.next_unit + 2);
    match chance.below(17) {
        0 => format!("/tile {at} owner {}", name(chance)),
        1 => format!("/tile {at} owner -"),
        2 => format!("/tile {at} base {}", on(chance)),
        3 => format!("/tile {at} fort {} resource {}", on(chance), on(chance)),
        4 => format!("/tile {at} bomb {} terrain forest", name(chance)),
        5 => format!("/tile {at} building {}", pick(chance, &Building::ALL).unwrap()),
        6 => format!("/unit new {} {} {at}", name(chance), pick(chance, &UnitType::ALL).unwrap()),
        7 => format!("/unit new {} worker {at} as {}", name(chance), chance.below(90)),
        8 => format!("/unit {number} at {at} health {}", chance.below(9)),
        9 => format!("/unit {number} state de"),
        10 => format!("/unit {number} gone"),
        11 => format!(
            "/faction {} gold {} food 1 wood {} bombs 2",
            name(chance),
            chance.below(4000),
            chance.below(200)
        ),
        12 => format!("/faction {} slot sapper {} base {at}", name(chance), chance.below(3)),
        13 => format!("/faction {} dead {}", name(chance), ["-", "3"][chance.below(2) as usize]),
        14 => {
            let cities: Vec<Position> = world.cities.keys().copied().collect();
            let city = pick(chance, &cities).unwrap_or(at);
            let tile = near(world, city, 2, chance);
            format!("/city {city} citizens {} assign {tile}", chance.below(5))
        }
        15 if chance.below(20) == 0 => "/empty".to_owned(),
        _ => format!("/turn {} next-unit {}", world.turn, number + 3),
    }
}
