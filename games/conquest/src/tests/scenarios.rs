//! The maps that come with the game: what lies on them, that their starts are worth the same, and who can play there.

use std::collections::{BTreeMap, BTreeSet};

use zappy_protocol::conquest::{FactionId, GameOptions, Placement, Terrain};
use zappy_protocol::{MapSize, Position, TeamName};

use crate::World;
use crate::map::Drawn;
use crate::scenarios::{SCENARIOS, Scenario};

fn all() -> impl Iterator<Item = Scenario> {
    SCENARIOS.iter().map(|(name, _)| Scenario::find(name).unwrap())
}

fn options(count: usize) -> GameOptions {
    let names = (0..count).map(|i| TeamName::parse(format!("f{i}").as_bytes()).unwrap()).collect();
    GameOptions { cities: true, ..GameOptions::new(names) }
}

fn begin(scenario: Scenario, count: usize, seed: u64) -> World {
    World::begin(scenario.size().unwrap(), seed, options(count), Some(scenario)).unwrap()
}

/// What lies on a tile, for comparison: a letter, and the place of the start to which it belongs.
type Letters = BTreeMap<Position, (char, Option<usize>)>;

fn letters(drawn: &Drawn) -> Letters {
    let mut letters = Letters::new();
    let kinds = [(&drawn.resources, '*'), (&drawn.forests, 'f'), (&drawn.bases, 'b')];
    for (tiles, letter) in kinds {
        letters.extend(tiles.iter().map(|&at| (at, (letter, None))));
    }
    for (owner, start) in drawn.starts.iter().enumerate() {
        let own = &drawn.belongings[start];
        for (tiles, mark) in [(&own.land, 0), (&own.bombs, 1), (&own.forts, 2)] {
            for &at in tiles {
                let letter = letters.get(&at).map_or('.', |(letter, _)| *letter);
                // Land with something on it, a bomb and a fort each become another letter.
                letters.insert(at, (char::from_u32(u32::from(letter) + 256 * mark).unwrap(), Some(owner)));
            }
        }
        letters.insert(*start, ('0', Some(owner)));
    }
    letters
}

/// Whether some turn, reflection or shift of the map puts each tile onto one with the same on it, the first start onto `start`,
/// and all starts onto starts.
fn is_alike(size: MapSize, drawn: &Drawn, start: usize) -> bool {
    let letters = letters(drawn);
    let (width, height) = (i32::from(size.width()), i32::from(size.height()));
    let turns = (0..8).filter(|turn| width == height || turn & 1 == 0);
    let moved = |turn: i32, at: Position| {
        let (x, y) = (i32::from(at.x), i32::from(at.y));
        let (x, y) = if turn & 1 == 0 { (x, y) } else { (y, x) };
        let x = if turn & 2 == 0 { x } else { width - 1 - x };
        (x, if turn & 4 == 0 { y } else { height - 1 - y })
    };
    turns.into_iter().any(|turn| {
        let (from, to) = (moved(turn, drawn.starts[0]), drawn.starts[start]);
        let by = (i32::from(to.x) - from.0, i32::from(to.y) - from.1);
        let onto = |at: Position| {
            let (x, y) = moved(turn, at);
            let wrap = |side: i32, limit: i32| u16::try_from(side.rem_euclid(limit)).unwrap();
            Position { x: wrap(x + by.0, width), y: wrap(y + by.1, height) }
        };
        let place = |at: Position| drawn.starts.iter().position(|&start| start == at);
        let owners: Option<Vec<usize>> = drawn.starts.iter().map(|&start| place(onto(start))).collect();
        owners.is_some_and(|owners| {
            let put =
                letters.iter().map(|(&at, &(letter, of))| (onto(at), (letter, of.map(|of| owners[of]))));
            put.collect::<Letters>() == letters
        })
    })
}

#[test]
fn every_start_of_a_map_is_worth_the_same_but_on_the_uneven_one() {
    for scenario in all() {
        let (size, most) = (scenario.size().unwrap(), scenario.starts());
        // Three of four starts have no such symmetry.
        for count in [2, 4].into_iter().filter(|&count| count <= most) {
            let drawn = scenario.draw(count, true);
            let alike = (0..count).all(|start| is_alike(size, &drawn, start));
            assert_eq!(alike, scenario.name != "uneven", "{} for {count}", scenario.name);
        }
    }
}

#[test]
fn each_seat_has_each_start_on_about_as_many_seeds() {
    for scenario in all() {
        let start = |seed| begin(scenario, 2, seed).holdings(FactionId(0)).base;
        let bases: Vec<_> = (0..60).map(start).collect();
        for one in &scenario.draw(2, false).starts {
            let often = bases.iter().filter(|base| **base == Some(*one)).count();
            assert!((15..=45).contains(&often), "{} {often} of 60", scenario.name);
        }
    }
}

#[test]
fn drawings_are_complete_and_each_letter_is_read() {
    for (scenario, (_, text)) in all().zip(SCENARIOS) {
        let (size, drawn) = (scenario.size().unwrap(), scenario.draw(scenario.starts(), true));
        assert!(
            drawn.starts.len() >= 2
                && drawn.starts.iter().collect::<BTreeSet<_>>().len() == drawn.starts.len()
        );
        let lines: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        let height = usize::from(size.height());
        assert!([height, 2 * height].contains(&lines.len()), "{}", scenario.name);
        assert!(lines.iter().all(|line| line.len() == usize::from(size.width())), "{}", scenario.name);
        assert!(lines[..height].iter().all(|line| line.chars().all(|letter| ".*fbF0123".contains(letter))));
        assert!(lines[height..].iter().all(|line| line.chars().all(|letter| ".0123abcd".contains(letter))));
        let forts: usize = drawn.belongings.values().map(|own| own.forts.len()).sum();
        assert_eq!(forts, lines[..height].iter().map(|line| line.matches('F').count()).sum::<usize>());
    }
}

#[test]
fn a_map_gives_each_faction_what_belongs_to_its_start() {
    let straits = begin(Scenario::find("straits").unwrap(), 2, 1);
    assert_eq!(straits.bombs.len(), 52);
    assert!(straits.ids().all(|id| straits.bombs.values().filter(|owner| **owner == id).count() == 26));
    let islands = Scenario::find("islands").unwrap();
    let lands = |world: &World| world.ids().map(|id| world.holdings(id).land).collect::<Vec<_>>();
    let (four, two) = (begin(islands, 4, 1), begin(islands, 2, 1));
    assert!(lands(&four)[0] > 80 && lands(&four).iter().all(|land| *land == lands(&four)[0]));
    assert_eq!(lands(&two), &lands(&four)[..2], "the land of free starts is neutral");
    let neutral = |world: &World| world.sites.iter().filter(|site| site.tile.owner.is_none()).count();
    assert_eq!(neutral(&two) - neutral(&four), 2 * lands(&four)[0] as usize);
    let base = |world: &World| world.sites.iter().filter(|site| site.tile.flags.base).count();
    assert_eq!((base(&two), base(&four), four.cities.len()), (6, 8, 4), "bases of no faction are no cities");
    let uneven = begin(Scenario::find("uneven").unwrap(), 2, 1);
    let mut lands = lands(&uneven);
    lands.sort_unstable();
    assert_eq!(lands, [3, 25]);
    let is_forest = |world: &World| world.sites.iter().any(|site| site.tile.terrain == Terrain::Forest);
    assert!(is_forest(&uneven));
    for scenario in all() {
        let options = GameOptions { cities: false, ..options(2) };
        let world = World::begin(scenario.size().unwrap(), 1, options, Some(scenario)).unwrap();
        assert!(!is_forest(&world), "without cities there are no forests");
    }
}

#[test]
fn in_a_draft_what_belongs_to_a_start_comes_with_the_choice() {
    let islands = Scenario::find("islands").unwrap();
    let options = GameOptions { placement: Placement::Draft, ..options(2) };
    let mut world = World::begin(islands.size().unwrap(), 1, options, Some(islands)).unwrap();
    let red = FactionId(0);
    assert_eq!((world.holdings(red).land, world.free_starts().count()), (0, 2));
    world.choose(red, 1).unwrap();
    world.settle(red);
    assert!(world.holdings(red).land > 80);
}

/// A change here alters matches: it raises the version of the rules.
#[test]
fn the_maps_of_the_game_never_change() {
    let digests: Vec<(&str, u64)> = all().map(|one| (one.name, begin(one, 2, 42).digest())).collect();
    let known = [
        ("straits", 3_300_178_745_830_035_308),
        ("ring", 5_689_869_260_777_970_412),
        ("islands", 7_514_700_404_704_479_348),
        ("centre", 9_328_677_271_820_838_620),
        ("uneven", 6_632_269_061_103_408_425),
    ];
    assert_eq!(digests, known);
}
