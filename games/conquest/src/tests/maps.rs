//! How a match begins: drawn maps, what can't be played, placement by draft.

use zappy_protocol::conquest::geometry::reach;
use zappy_protocol::conquest::{FactionId, GameOptions, Placement};
use zappy_protocol::{MapSize, Position, TeamName};

use super::{names, size};
use crate::World;
use crate::map::{draw, equal_distance, least_distance};

fn factions(count: usize) -> Vec<TeamName> {
    (0..count).map(|i| TeamName::parse(format!("f{i}").as_bytes()).unwrap()).collect()
}

#[test]
fn starts_lie_as_far_apart_as_possible() {
    for (sides, count, least) in [
        ((24, 24), 2, 12),
        ((24, 24), 3, 12),
        ((24, 24), 4, 12),
        ((24, 24), 5, 9),
        ((24, 24), 9, 8),
        ((40, 20), 2, 20),
        ((100, 100), 8, 33),
        ((100, 100), 16, 25),
        ((8, 8), 2, 4),
        ((10, 10), 4, 5),
    ] {
        let map = size(sides.0, sides.1);
        let found = least_distance(map, &draw(map, count, 7, false).starts);
        assert!(found >= least, "{sides:?} {count}: {found}, but {least} is possible");
    }
}

#[test]
fn every_map_that_is_large_enough_holds_its_starts_apart() {
    for width in 8..30 {
        for height in 8..=width {
            let map = size(width, height);
            for count in 2..=(map.area() / 25) as usize {
                let starts = draw(map, count, 3, false).starts;
                assert_eq!(starts.len(), count);
                // The tiles west and east of a base are the faction's, too.
                assert!(least_distance(map, &starts) >= 3, "{width} {height} {count}");
            }
        }
    }
}

#[test]
fn all_starts_have_the_same_surroundings() {
    for (map, count) in [(size(24, 24), 2), (size(31, 23), 3), (size(40, 40), 5), (size(100, 100), 8)] {
        for seed in 0..20 {
            let drawn = draw(map, count, seed, true);
            let radius = equal_distance(map, &drawn.starts);
            assert!(radius >= 3);
            let around = |things: &[Position], start: Position| {
                let near = things.iter().filter(|&&at| reach(map, start, at) <= radius);
                let mut ways: Vec<(i32, i32)> = near.map(|&at| map.delta(start, at)).collect();
                ways.sort_unstable();
                ways
            };
            for &start in &drawn.starts {
                assert_eq!(around(&drawn.resources, start), around(&drawn.resources, drawn.starts[0]));
                assert_eq!(around(&drawn.forests, start), around(&drawn.forests, drawn.starts[0]));
            }
            assert!(!around(&drawn.resources, drawn.starts[0]).is_empty());
            let share = |things: &[Position]| map.area() as usize / things.len();
            assert!((17..=23).contains(&share(&drawn.resources)), "{}", share(&drawn.resources));
            assert!((3..=5).contains(&share(&drawn.forests)), "{}", share(&drawn.forests));
            assert!(drawn.forests.iter().all(|at| !drawn.resources.contains(at)));
        }
    }
}

#[test]
fn seeds_draw_different_maps_and_lots() {
    let begin = |seed| World::new(size(24, 24), seed, GameOptions::new(names(&["red", "blue"]))).unwrap();
    let bases = |world: &World| world.ids().map(|id| world.holdings(id).base).collect::<Vec<_>>();
    assert_eq!(begin(3).digest(), begin(3).digest());
    let all: Vec<_> = (0..50).map(begin).collect();
    assert!(all.iter().any(|world| world.digest() != all[0].digest()));
    let first_is_west =
        all.iter().filter(|world| bases(world)[0].unwrap().x < bases(world)[1].unwrap().x).count();
    assert!((10..=40).contains(&first_is_west), "{first_is_west} of 50");
    assert!(all.iter().all(|world| world.tiles_of_forest() == 0), "without cities there are no forests");
}

/// A change here alters every match: it raises the version of the rules.
#[test]
fn the_maps_never_change() {
    let drawn = [(size(24, 24), 2, false), (size(40, 30), 4, true)].map(|(map, count, cities)| {
        let options = GameOptions { cities, ..GameOptions::new(factions(count)) };
        World::new(map, 42, options).unwrap().digest()
    });
    assert_eq!(drawn, [8_018_820_239_717_060_584, 16_232_748_633_839_804_151]);
}

impl World {
    fn tiles_of_forest(&self) -> usize {
        self.sites
            .iter()
            .filter(|site| site.tile.terrain == zappy_protocol::conquest::Terrain::Forest)
            .count()
    }
}

#[test]
fn a_faction_begins_with_three_tiles_two_pioneers_and_500_gold() {
    for (cities, stock) in [(false, [0, 0]), (true, [10, 20])] {
        let options = GameOptions { cities, ..GameOptions::new(names(&["red", "blue"])) };
        let world = World::new(size(20, 16), 9, options).unwrap();
        for id in world.ids() {
            let holdings = world.holdings(id);
            assert_eq!((holdings.gold, holdings.score, holdings.bombs), (500, 0, 0));
            assert_eq!((holdings.land, holdings.population, holdings.upkeep), (3, 2, 50));
            assert_eq!([holdings.food, holdings.wood], stock);
            let base = holdings.base.unwrap();
            assert!(world.tile(base).flags.base && world.site(base).unit.is_none());
            for way in [(-1, 0), (1, 0)] {
                let side = world.size().offset(base, way);
                assert_eq!(world.tile(side).owner, Some(id));
                assert_eq!(world.units[&world.site(side).unit.unwrap()].kind.name(), "pioneer");
            }
            assert_eq!(world.cities.contains_key(&base), cities);
        }
    }
}

#[test]
fn what_cannot_be_played_is_refused_with_a_remedy() {
    let refused = |map: MapSize, options: GameOptions| World::new(map, 1, options).unwrap_err().to_string();
    let tight = refused(size(9, 8), GameOptions::new(factions(3)));
    assert_eq!(tight, "a map of 72 tiles has room for 1 to 2 factions, not for 3; each needs 25 tiles");
    assert!(World::new(size(25, 9), 1, GameOptions::new(factions(9))).is_ok());
    assert_eq!(refused(size(7, 30), GameOptions::new(factions(2))), "width is 7, the range is 8 to 500");
    for bad in ["-", "a,b", "a;b"] {
        assert!(refused(size(20, 20), GameOptions::new(names(&["red", bad]))).contains("can be called"));
    }
    let allied = |alliances: &[&[u8]]| {
        let alliances = alliances.iter().map(|one| one.iter().copied().map(FactionId).collect()).collect();
        GameOptions { alliances, ..GameOptions::new(factions(3)) }
    };
    assert!(refused(size(20, 20), allied(&[&[0]])).contains("two factions"));
    assert!(refused(size(20, 20), allied(&[&[0, 1], &[1, 2]])).contains("once"));
    assert!(refused(size(20, 20), allied(&[&[0, 3]])).contains("once"));
}

#[test]
fn in_a_draft_factions_choose_their_starts_one_after_another() {
    let options =
        || GameOptions { placement: Placement::Draft, ..GameOptions::new(names(&["red", "blue", "green"])) };
    let mut world = World::new(size(24, 24), 5, options()).unwrap();
    assert!(world.ids().all(|id| world.holdings(id).base.is_none() && world.holdings(id).land == 0));
    assert_eq!(world.free_starts().count(), 3);
    let [red, blue, green] = [0, 1, 2].map(FactionId);
    assert_eq!(world.choose(red, 3), Err("no free start 3; free are 0, 1, 2".to_owned()));
    assert_eq!(world.choose(red, 0), Ok(()));
    assert_eq!(world.choose(red, 2), Ok(()), "a later choice replaces the earlier one");
    let starts: Vec<Position> = world.free_starts().map(|(_, at)| at).collect();
    world.settle(red);
    assert_eq!(world.holdings(red).base, Some(starts[2]));
    assert_eq!(world.holdings(red).land, 3);
    assert_eq!(world.choose(blue, 2), Err("no free start 2; free are 0, 1".to_owned()));
    world.settle(blue);
    assert!(world.holdings(blue).base.is_some(), "by lot");
    world.settle(green);
    assert_eq!((world.free_starts().count(), world.units.len()), (0, 6));
    world.begin_phase(&[red, blue, green]);
    assert!(world.ids().all(|id| world.alive(id)));
    let orders: std::collections::BTreeSet<Vec<FactionId>> =
        (0..100).map(|seed| World::new(size(24, 24), seed, options()).unwrap().draft_order()).collect();
    assert_eq!(orders.len(), 6);
}
