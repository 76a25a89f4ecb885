//! What units do: D01 to D24.

use super::{Scene, at};
use zappy_protocol::conquest::UnitType;

const OK: [&str; 1] = ["7 ok"];

#[test]
fn d01_travels_in_eight_directions() {
    for (dx, dy) in zappy_protocol::conquest::geometry::AROUND {
        let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7"]);
        let to = scene.world.size().offset(at(10, 10), (dx, dy));
        assert_eq!(scene.run("red", &[&format!("Unit 7 travel {to}")]), OK);
        assert_eq!(scene.unit(7).unwrap().at, to);
    }
    let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7"]);
    for far in ["12 10", "10 10", "8 8"] {
        assert_eq!(
            scene.say("red", &format!("Unit 7 travel {far}")),
            "maybe the tile isn't next to the unit"
        );
    }
    assert_eq!(scene.say("red", "Unit 7 travel 20 10"), "ko 20 10 is off the map");
}

#[test]
fn d02_travel_wraps_on_both_axes() {
    let mut scene = Scene::new(&["/unit new red pioneer 0 0 as 7"]);
    assert_eq!(scene.run("red", &["Unit 7 travel 19 19"]), OK);
    assert_eq!(scene.run("red", &["Unit 7 travel 0 19"]), OK);
    assert_eq!(scene.run("red", &["Unit 7 travel 0 0"]), OK);
    assert_eq!(scene.unit(7).unwrap().at, at(0, 0));
}

#[test]
fn d03_an_occupied_target_is_lost() {
    let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7", "/unit new blue worker 11 10 as 8"]);
    assert_eq!(scene.say("red", "Unit 7 travel 11 10"), "maybe a unit stands there");
    scene.resolve();
    assert_eq!(scene.did("red"), ["7 ko a unit stands there"]);
    assert_eq!(scene.unit(7).unwrap().at, at(10, 10));
}

#[test]
fn d04_units_follow_a_lower_number_but_neither_swap_nor_follow_a_higher_one() {
    let units = ["/unit new red pioneer 10 10 as 7", "/unit new red pioneer 11 10 as 8"];
    let mut swap = Scene::new(&units);
    let lost = ["7 ko a unit stands there", "8 ko a unit stands there"];
    assert_eq!(swap.run("red", &["Unit 7 travel 11 10", "Unit 8 travel 10 10"]), lost);
    let mut lower = Scene::new(&units);
    assert_eq!(lower.run("red", &["Unit 8 travel 10 10", "Unit 7 travel 9 10"]), ["7 ok", "8 ok"]);
    let mut higher = Scene::new(&units);
    let did = higher.run("red", &["Unit 7 travel 11 10", "Unit 8 travel 12 10"]);
    assert_eq!(did, ["7 ko a unit stands there", "8 ok"]);
}

#[test]
fn d05_conquering_scores_25_and_40_on_a_resource() {
    for (resource, score) in [("off", 25), ("on", 40)] {
        let line = format!("/tile 10 10 resource {resource}");
        let mut scene = Scene::new(&["/unit new red fighter 10 10 as 7", &line]);
        assert_eq!(scene.run("red", &["Unit 7 conquer"]), OK);
        assert_eq!((scene.score("red"), scene.holdings("red").land), (score, 2));
        assert_eq!(scene.tile(10, 10).owner, Some(super::id("red")));
    }
}

#[test]
fn d06_conquering_an_own_or_an_enemys_tile_is_lost() {
    for owner in ["red", "blue"] {
        let line = format!("/tile 10 10 owner {owner}");
        let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7", &line]);
        assert_eq!(scene.run("red", &["Unit 7 conquer"]), ["7 ko the tile isn't neutral"]);
        assert_eq!(scene.score("red"), 0);
    }
}

#[test]
fn d07_neutralizing_scores_20() {
    let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7", "/tile 10 10 owner blue"]);
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), OK);
    assert_eq!((scene.score("red"), scene.tile(10, 10).owner), (20, None));
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), ["7 ko the tile isn't an enemy's"]);
    let mut friends = Scene::allied(&["/unit new red pioneer 10 10 as 7", "/tile 10 10 owner green"]);
    assert_eq!(friends.run("red", &["Unit 7 neutralize"]), ["7 ko the tile isn't an enemy's"]);
}

#[test]
fn d08_a_fort_goes_first_and_scores_nothing() {
    let mut scene = Scene::new(&["/unit new red fighter 10 10 as 7", "/tile 10 10 owner blue fort on"]);
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), OK);
    assert_eq!((scene.score("red"), scene.tile(10, 10).flags.fort), (0, false));
    assert_eq!(scene.tile(10, 10).owner, Some(super::id("blue")));
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), OK);
    assert_eq!((scene.score("red"), scene.tile(10, 10).owner), (20, None));
}

#[test]
fn d09_a_worker_cannot_neutralize() {
    let mut scene = Scene::new(&["/unit new red worker 10 10 as 7", "/tile 10 10 owner blue"]);
    assert_eq!(scene.say("red", "Unit 7 neutralize"), "ko a worker can't neutralize");
    scene.resolve();
    assert_eq!(scene.did("red"), [""; 0]);
}

#[test]
fn d10_a_fort_costs_250_gold_and_scores_10() {
    let lines = ["/unit new red worker 10 10 as 7", "/tile 10 10 owner red", "/faction red gold 250"];
    let mut scene = Scene::new(&lines);
    assert_eq!(scene.run("red", &["Unit 7 fortify"]), OK);
    assert_eq!((scene.gold("red"), scene.score("red"), scene.tile(10, 10).flags.fort), (0, 10, true));
    let mut poor = Scene::new(&lines);
    poor.operate("/faction red gold 249");
    assert_eq!(poor.run("red", &["Unit 7 fortify"]), ["7 ko not enough gold: 249 of 250"]);
    assert_eq!((poor.gold("red"), poor.score("red"), poor.tile(10, 10).flags.fort), (249, 0, false));
}

#[test]
fn d11_gold_comes_from_own_tiles_only() {
    for owner in ["-", "blue"] {
        let line = format!("/tile 10 10 owner {owner}");
        let mut scene = Scene::new(&["/unit new red worker 10 10 as 7", &line]);
        assert_eq!(scene.run("red", &["Unit 7 gold"]), ["7 ko the tile isn't your own"]);
        assert_eq!(scene.gold("red"), 500);
    }
}

#[test]
fn d12_only_a_worker_on_an_own_resource_earns_300() {
    for (kind, resource, earned) in
        [("pioneer", "off", 50), ("pioneer", "on", 50), ("worker", "off", 100), ("worker", "on", 300)]
    {
        let unit = format!("/unit new red {kind} 10 10 as 7");
        let tile = format!("/tile 10 10 owner red resource {resource}");
        let mut scene = Scene::new(&[&unit, &tile]);
        assert_eq!(scene.run("red", &["Unit 7 gold"]), OK);
        assert_eq!(scene.gold("red"), 500 + earned, "{kind} {resource}");
    }
    let mut scene = Scene::new(&["/unit new red fighter 10 10 as 7"]);
    assert_eq!(scene.say("red", "Unit 7 gold"), "ko a fighter can't gold");
}

/// An enemy's fighter of 6 points beside the attacker, in that state.
fn attacked(kind: &str, state: &str) -> Scene {
    let unit = format!("/unit new red {kind} 10 10 as 7");
    let state = format!("/unit 8 state {state}");
    let mut scene = Scene::new(&[&unit, "/unit new blue fighter 11 11 as 8", &state]);
    assert_eq!(scene.run("red", &["Unit 7 attack 8"]), OK);
    scene
}

#[test]
fn d13_each_type_does_its_damage() {
    for (kind, damage) in [("pioneer", 2), ("fighter", 3), ("cleric", 1), ("sapper", 2)] {
        let mut scene = attacked(kind, "-");
        assert_eq!(scene.health(8), 6 - damage, "{kind}");
        scene.operate(&format!("/unit 8 health {damage}"));
        assert_eq!(scene.run("red", &["Unit 7 attack 8"]), OK);
        assert_eq!(scene.unit(8), None);
        assert_eq!((scene.score("red"), scene.holdings("red").kills), (25, 1));
    }
    let mut scene = Scene::new(&["/unit new red worker 10 10 as 7", "/unit new blue fighter 12 10 as 8"]);
    assert_eq!(scene.say("red", "Unit 7 attack 8"), "ko a worker can't attack");
    scene.operate("/unit new red fighter 10 11 as 9");
    assert_eq!(scene.say("red", "Unit 9 attack 8"), "maybe no enemy's unit 8 is next to it");
    assert_eq!(scene.say("red", "Unit 9 attack 7"), "maybe no enemy's unit 7 is next to it");
}

#[test]
fn d14_defence_halves_one_hit_rounded_up() {
    for (kind, first, then) in [("fighter", 2, 3), ("cleric", 1, 1), ("sapper", 1, 2)] {
        let mut scene = attacked(kind, "d");
        assert_eq!((scene.health(8), scene.unit(8).unwrap().stance.name()), (6 - first, "-"), "{kind}");
        scene.run("red", &["Unit 7 attack 8"]);
        assert_eq!(scene.health(8), 6 - first - then, "{kind}");
    }
    let mut scene = Scene::new(&["/unit new red fighter 10 10 as 7"]);
    assert_eq!(scene.run("red", &["Unit 7 defend"]), OK);
    assert_eq!(scene.unit(7).unwrap().stance.name(), "d");
}

#[test]
fn d15_enlightenment_takes_one_hit_and_leaves_the_defence() {
    let mut scene = attacked("fighter", "de");
    assert_eq!((scene.health(8), scene.unit(8).unwrap().stance.name()), (6, "d"));
    scene.run("red", &["Unit 7 attack 8"]);
    assert_eq!((scene.health(8), scene.unit(8).unwrap().stance.name()), (4, "-"));
}

#[test]
fn d16_converting_needs_a_prayer_before() {
    let units =
        ["/unit new red cleric 10 10 as 7", "/unit new blue fighter 11 11 as 8", "/unit 8 health 4 state d"];
    let mut scene = Scene::new(&units);
    let lost = ["7 ko the cleric isn't enlightened; it has to pray first"];
    assert_eq!(scene.run("red", &["Unit 7 convert 8"]), lost);
    assert_eq!(scene.run("red", &["Unit 7 pray"]), OK);
    assert_eq!(scene.unit(7).unwrap().stance.name(), "e");
    assert_eq!(scene.run("red", &["Unit 7 convert 8"]), OK);
    let unit = scene.unit(8).unwrap();
    assert_eq!((unit.faction, unit.health, unit.stance.name()), (super::id("red"), 4, "-"));
    assert_eq!((scene.unit(7).unwrap().stance.name(), scene.score("red")), ("-", 25));
    assert_eq!((scene.holdings("red").population, scene.holdings("blue").population), (2, 0));
    assert_eq!((scene.holdings("red").upkeep, scene.holdings("blue").upkeep), (150, 0));
}

#[test]
fn d17_converting_at_a_full_cap_is_lost() {
    let mut scene = Scene::new(&[
        "/unit new red cleric 10 10 as 7",
        "/unit 7 state e",
        "/unit new blue fighter 11 11 as 8",
        "/unit new red worker 0 0",
        "/unit new red worker 1 0",
        "/unit new red worker 2 0",
        "/faction red slot worker 1",
    ]);
    assert_eq!(scene.run("red", &["Unit 7 convert 8"]), ["7 ko the population is at its cap: 5 of 5"]);
    assert_eq!(scene.unit(7).unwrap().stance.name(), "e");
    scene.operate("/faction red slot -");
    assert_eq!(scene.run("red", &["Unit 7 convert 8"]), OK);
}

#[test]
fn d18_healing_ends_at_the_starting_health() {
    let mut scene = Scene::allied(&[
        "/unit new red cleric 10 10 as 7",
        "/unit new green fighter 11 11 as 8",
        "/unit new blue fighter 9 9 as 9",
        "/unit new red worker 13 10 as 10",
        "/unit 8 health 3",
        "/unit 7 health 1",
        "/unit 9 health 1",
        "/unit 10 health 1",
    ]);
    for health in [5, 6] {
        assert_eq!(scene.run("red", &["Unit 7 heal 8"]), OK);
        assert_eq!(scene.health(8), health);
    }
    assert_eq!(scene.score("red"), 20);
    assert_eq!(scene.run("red", &["Unit 7 heal 8"]), ["7 ko unit 8 isn't hurt"]);
    for other in [7, 9, 10] {
        let lost = format!("7 ko no other friendly unit {other} is next to it");
        assert_eq!(scene.run("red", &[&format!("Unit 7 heal {other}")]), [lost]);
    }
}

#[test]
fn d19_a_bomb_costs_500_at_the_base_and_25_to_deploy() {
    let mut scene = Scene::new(&["/unit new red sapper 2 2 as 7", "/faction red gold 524"]);
    assert_eq!(
        scene.run("red", &["Base bomb", "Unit 7 deploy"]),
        ["base ok", "7 ko not enough gold: 24 of 25"]
    );
    assert_eq!((scene.gold("red"), scene.holdings("red").bombs), (24, 1));
    scene.operate("/faction red gold 25");
    assert_eq!(scene.run("red", &["Unit 7 deploy"]), OK);
    assert_eq!((scene.gold("red"), scene.holdings("red").bombs, scene.tile(2, 2).flags.bomb), (0, 0, true));
    assert_eq!(scene.run("red", &["Unit 7 deploy"]), ["7 ko a bomb lies there already"]);
    scene.operate("/faction red gold 499");
    assert_eq!(scene.run("red", &["Base bomb"]), ["base ko not enough gold: 499 of 500"]);
    scene.operate("/unit 7 at 3 3");
    assert_eq!(scene.run("red", &["Unit 7 deploy"]), ["7 ko the tile isn't your own"]);
    scene.operate("/tile 3 3 owner red");
    assert_eq!(scene.run("red", &["Unit 7 deploy"]), ["7 ko no bomb left; the base makes them"]);
}

#[test]
fn d20_an_enemy_on_a_bomb_is_gone_and_counts_as_the_owners_kill() {
    // The bomb outlives the owner of its tile, and knows its own.
    let lines =
        ["/unit new red fighter 10 10 as 7", "/tile 11 10 owner blue bomb blue", "/tile 11 10 owner red"];
    let mut scene = Scene::new(&lines);
    assert_eq!(scene.run("red", &["Unit 7 travel 11 10"]), OK);
    assert_eq!((scene.unit(7), scene.tile(11, 10).flags.bomb), (None, false));
    assert_eq!((scene.score("blue"), scene.holdings("blue").kills, scene.score("red")), (25, 1, 0));
}

#[test]
fn d21_sappers_and_friends_are_never_hurt() {
    let mut scene = Scene::allied(&[
        "/unit new red fighter 10 10 as 7",
        "/unit new blue sapper 10 11 as 8",
        "/unit new green worker 10 12 as 9",
        "/tile 11 10 bomb red",
        "/tile 11 11 bomb red",
        "/tile 11 12 bomb red",
    ]);
    scene.say("red", "Unit 7 travel 11 10");
    scene.say("blue", "Unit 8 travel 11 11");
    scene.say("green", "Unit 9 travel 11 12");
    scene.resolve();
    for (number, y) in [(7, 10), (8, 11), (9, 12)] {
        assert_eq!(scene.unit(number).unwrap().at, at(11, y));
        assert!(scene.tile(11, y).flags.bomb);
    }
}

#[test]
fn d22_clearing_an_enemys_bomb_scores_15_an_own_one_nothing() {
    for (owner, score) in [("red", 0), ("green", 0), ("blue", 15)] {
        let bomb = format!("/tile 10 10 bomb {owner}");
        let mut scene = Scene::allied(&["/unit new red sapper 10 10 as 7", &bomb]);
        assert_eq!(scene.run("red", &["Unit 7 clear"]), OK);
        assert_eq!((scene.score("red"), scene.tile(10, 10).flags.bomb), (score, false), "{owner}");
        assert_eq!(scene.holdings("red").bombs, 0);
        assert_eq!(scene.run("red", &["Unit 7 clear"]), ["7 ko no bomb lies there"]);
    }
}

#[test]
fn d23_only_sappers_see_a_bomb() {
    let mut scene = Scene::new(&["/unit new red fighter 10 10 as 7", "/tile 11 11 owner red bomb red"]);
    let line = |scene: &Scene| {
        scene.snapshot("red").into_iter().find(|line| line.starts_with("tile 11 11 ")).unwrap()
    };
    assert_eq!(line(&scene), "tile 11 11 0 plain ---- -");
    scene.operate("/unit new red sapper 13 11");
    assert_eq!(line(&scene), "tile 11 11 0 plain ---- -");
    scene.operate("/unit new red sapper 12 12");
    assert_eq!(line(&scene), "tile 11 11 0 plain ---m -");
}

#[test]
fn d24_retiring_gives_the_build_score_back_and_lowers_population_and_upkeep() {
    for kind in UnitType::ALL {
        let unit = format!("/unit new red {kind} 10 10 as 7");
        let mut scene = Scene::new(&[&unit]);
        let numbers = kind.numbers();
        assert_eq!((scene.holdings("red").population, scene.holdings("red").upkeep), (1, numbers.upkeep));
        assert_eq!(scene.run("red", &["Unit 7 retire"]), OK);
        assert_eq!(
            scene.score("red"),
            if matches!(kind, UnitType::Cleric | UnitType::Sapper) { -25 } else { -10 }
        );
        assert_eq!((scene.holdings("red").population, scene.holdings("red").upkeep), (0, 0));
        assert_eq!(scene.unit(7), None);
    }
}
