//! The rules `arena`: siege, loyalty, desertion, dominion. All figures of A09 are tested in `protocol`, beside the
//! constants, and A12 in `server/tests/resume`.

use super::*;
use zappy_protocol::conquest::Edition;
use zappy_protocol::conquest::constants::SIEGE_STRENGTH;

const ALL: &[&[u8]] = &[&[0, 1, 2]];

/// 20 by 20 tiles by the rules `arena`, as in [`Scene::new`].
fn arena(lines: &[&str]) -> Scene {
    with_allies(&[], lines)
}

fn with_allies(allies: &[u8], lines: &[&str]) -> Scene {
    let mut options = GameOptions { rules: Edition::Arena, ..GameOptions::new(names(&NAMES)) };
    if !allies.is_empty() {
        options.alliances = vec![allies.iter().copied().map(FactionId).collect()];
    }
    let rich = NAMES.map(|name| format!("/faction {name} gold 90000"));
    let rich = rich.iter().map(String::as_str);
    Scene::with(options, &rich.chain(lines.iter().copied()).collect::<Vec<_>>())
}

/// Plays a turn with these phases, in which factions give these orders.
fn turn(scene: &mut Scene, number: u32, phases: &[&[u8]], orders: &[(&str, &str)]) {
    scene.world.begin_turn(number, &[]);
    for phase in phases {
        let phase: Vec<FactionId> = phase.iter().copied().map(FactionId).collect();
        scene.world.begin_phase(&phase);
        for (faction, order) in orders.iter().filter(|(faction, _)| phase.contains(&id(faction))) {
            scene.say(faction, order);
        }
        scene.world.resolve(&phase);
    }
    scene.world.end_turn();
}

/// Gives the faction so many of the neutral tiles, the upper ones first.
fn give(scene: &mut Scene, faction: &str, tiles: usize) {
    let all = (0..400u16).map(|i| at(i % 20, i / 20));
    let neutral = all.filter(|&at| scene.world.tile(at).owner.is_none()).take(tiles).collect::<Vec<_>>();
    assert_eq!(neutral.len(), tiles);
    neutral.iter().for_each(|at| scene.operate(&format!("/tile {at} owner {faction}")));
}

fn dominion(scene: &Scene) -> String {
    scene.snapshot("red").into_iter().find(|line| line.starts_with("dominion")).unwrap()
}

#[test]
fn a01_four_neutralizes_in_four_turns_take_a_base_three_and_a_pause_do_not() {
    let modes: [&[&[u8]]; 8] = [
        ALL,
        &[&[2, 0, 1]],
        &[&[0], &[1], &[2]],
        &[&[1], &[2], &[0]],
        &[&[2], &[0], &[1]],
        &[&[2], &[1], &[0]],
        &[&[0, 2], &[1]],
        &[&[1], &[0, 2]],
    ];
    for phases in modes {
        for (taker, owner, base) in [
            ("red", "blue", (12, 12)),
            ("blue", "red", (2, 2)),
            ("green", "blue", (12, 12)),
            ("blue", "green", (2, 12)),
        ] {
            let unit = format!("/unit new {taker} pioneer {} {} as 0", base.0, base.1);
            let order = [(taker, "Unit 0 neutralize")];
            for (turns, taken) in
                [(vec![1, 2, 3, 4], true), (vec![1, 2, 3, 5], false), (vec![1, 3, 5, 7, 9], false)]
            {
                let mut scene = arena(&[&unit]);
                for number in 1..=turns[turns.len() - 1] {
                    let orders = if turns.contains(&number) { &order[..] } else { &[] };
                    turn(&mut scene, number, phases, orders);
                }
                assert_eq!(scene.world.alive(id(owner)), !taken, "{taker} {turns:?} {phases:?}");
                assert_eq!(scene.score(taker) % 100 == 20, taken, "points only when it is neutral");
            }
        }
    }
}

#[test]
fn a02_a_fort_first_and_bases_that_are_not_current_fall_to_one() {
    let lines = ["/tile 12 12 fort on", "/tile 9 9 owner blue base on", "/unit new red pioneer 12 12 as 0"];
    let mut scene = arena(&[&lines[..], &["/unit new red pioneer 9 9 as 1"]].concat());
    for number in 1..=5 {
        assert!(scene.world.alive(id("blue")));
        turn(&mut scene, number, ALL, &[("red", "Unit 0 neutralize"), ("red", "Unit 1 neutralize")]);
        assert_eq!((scene.tile(9, 9).owner, scene.tile(12, 12).flags.fort), (None, false));
    }
    assert!(!scene.world.alive(id("blue")));
    // A start comes with a fort, and costs and scores nothing.
    let options = GameOptions { rules: Edition::Arena, ..GameOptions::new(names(&NAMES)) };
    let world = World::new(size(20, 20), 1, options).unwrap();
    let base = world.holdings(FactionId(0)).base.unwrap();
    assert!(world.tile(base).flags.fort && world.holdings(FactionId(0)).score == 0);
}

#[test]
fn a03_the_base_of_an_absent_faction_regains_its_strength() {
    let mut scene = arena(&["/unit new red pioneer 12 12 as 0", "/unit new blue pioneer 13 13 as 1"]);
    let siege = |scene: &Scene| {
        scene.snapshot("blue").into_iter().find(|line| line.starts_with("siege")).unwrap_or_default()
    };
    turn(&mut scene, 1, ALL, &[("red", "Unit 0 neutralize")]);
    assert_eq!(siege(&scene), "siege 12 12 3");
    assert!(burst(&mut scene).contains(&"sie 12 12 3".to_owned()));
    turn(&mut scene, 2, ALL, &[]);
    assert_eq!(siege(&scene), "siege 12 12 3", "it lost strength since the phase before");
    turn(&mut scene, 3, ALL, &[]);
    assert_eq!(siege(&scene), "");
    assert!(burst(&mut scene).contains(&format!("sie 12 12 {SIEGE_STRENGTH}")));
}

#[test]
fn a04_a_converted_unit_takes_no_orders_until_the_end_of_its_next_phase() {
    let lines = ["/unit new red cleric 6 6 as 0", "/unit 0 state e", "/unit new blue fighter 7 6 as 1"];
    for phases in [ALL, &[&[0], &[1], &[2]], &[&[1], &[0], &[2]]] {
        let mut scene = arena(&lines);
        turn(&mut scene, 1, phases, &[("red", "Unit 0 convert 1"), ("blue", "Unit 1 idle")]);
        assert_eq!(scene.unit(1).unwrap().stance.name(), "c");
        let told = burst(&mut scene);
        let at = |line: &str| {
            told.iter().position(|told| told == line).unwrap_or_else(|| panic!("{line}: {told:?}"))
        };
        assert!(at("ucv #1 red") < at("uhp #1 6 c"));
        scene.world.begin_turn(2, &[]);
        scene.world.begin_phase(&[FactionId(0)]);
        for order in ["retire", "idle", "travel 8 6"] {
            assert_eq!(scene.say("red", &format!("Unit 1 {order}")), "ko it was converted");
        }
        scene.world.resolve(&[FactionId(0)]);
        assert_eq!(scene.unit(1).unwrap().stance.name(), "-");
        scene.begin();
        assert_eq!(scene.run("red", &["Unit 1 travel 8 6"]), ["1 ok"]);
    }
    // By the rules `classic` a converted unit takes orders at once.
    let mut classic = Scene::new(&lines);
    classic.run("red", &["Unit 0 convert 1"]);
    assert_eq!(classic.run("red", &["Unit 1 travel 8 6"]), ["1 ok"]);
}

#[test]
fn a05_a_guard_on_its_own_base_is_not_converted_one_beside_it_is() {
    let mut scene =
        arena(&["/unit new red cleric 12 11 as 0", "/unit 0 state e", "/unit new blue fighter 12 12 as 1"]);
    assert_eq!(scene.say("red", "Unit 0 convert 1"), "maybe it stands on its base");
    assert_eq!(scene.run("red", &["Unit 0 convert 1"]), ["0 ko it stands on its base"]);
    assert_eq!(scene.unit(0).unwrap().stance.name(), "e");
    scene.operate("/unit 1 at 11 12");
    assert_eq!(scene.run("red", &["Unit 0 convert 1"]), ["0 ok"]);
}

#[test]
fn a06_unpaid_the_dearest_leaves_first_and_the_last_unit_stays() {
    let mut scene = arena(&[
        "/faction red gold 0",
        "/unit new red pioneer 6 6 as 9",
        "/unit new red fighter 7 6 as 3",
        "/unit new red fighter 8 6 as 5",
    ]);
    for left in [5, 3] {
        let score = scene.score("red");
        scene.begin();
        assert_eq!((scene.unit(left), scene.score("red")), (None, score - 75), "no build score is lost");
        assert!(scene.did("red").contains(&format!("{left} ko it left: upkeep unpaid")));
        assert!(burst(&mut scene).contains(&format!("udi #{left} unpaid")));
        scene.operate("/faction red gold 0");
    }
    scene.begin();
    assert!(scene.unit(9).is_some(), "the last unit stays");
}

#[test]
fn a07_paying_exactly_keeps_all() {
    let units = ["/unit new red pioneer 6 6 as 0", "/unit new red fighter 7 6 as 1"];
    let mut scene = arena(&[&units[..], &["/faction red gold 115"]].concat());
    scene.begin();
    assert_eq!((scene.gold("red"), scene.holdings("red").population, scene.score("red")), (0, 2, 0));
}

#[test]
fn a08_dominion_after_five_turns_and_a_turn_below_the_need_begins_anew() {
    let mut scene = arena(&[]);
    give(&mut scene, "red", 199);
    assert_eq!(dominion(&scene), "dominion 50 -");
    for number in 1..=4 {
        turn(&mut scene, number, ALL, &[]);
        assert_eq!(dominion(&scene), format!("dominion 50 red {number}"));
        assert_eq!(burst(&mut scene).last().unwrap().split(' ').next(), Some("fac"));
    }
    assert!(!scene.world.dominated());
    scene.operate("/tile 0 0 owner -");
    turn(&mut scene, 5, ALL, &[]);
    assert_eq!((dominion(&scene).as_str(), scene.world.dominated()), ("dominion 50 -", false));
    scene.operate("/tile 0 0 owner red");
    for number in 6..=10 {
        assert!(!scene.world.dominated());
        turn(&mut scene, number, ALL, &[]);
    }
    assert!(scene.world.dominated() && burst(&mut scene).contains(&"dom 50 red 5".to_owned()));
    assert_eq!(scene.world.winners(), [id("red")]);
}

#[test]
fn a09_the_need_is_that_of_the_turn_and_of_the_living_sides() {
    let mut scene = arena(&[]);
    give(&mut scene, "red", 99);
    turn(&mut scene, 129, ALL, &[]);
    assert_eq!(dominion(&scene), "dominion 26 -");
    turn(&mut scene, 130, ALL, &[]);
    assert_eq!(dominion(&scene), "dominion 25 red 1");
    scene.operate("/tile 2 12 owner blue");
    turn(&mut scene, 131, ALL, &[]);
    assert_eq!(dominion(&scene), "dominion 50 -", "two sides are left");
}

#[test]
fn a10_alliances_hold_and_win_together_the_beaten_ones_too() {
    let mut scene = with_allies(&[0, 2], &["/faction green dead 1", "/tile 2 12 owner -"]);
    give(&mut scene, "red", 199);
    (1..=5).for_each(|number| turn(&mut scene, number, ALL, &[]));
    assert_eq!(scene.world.winners(), [id("red"), id("green")]);

    let mut scene = with_allies(&[0, 2], &[]);
    give(&mut scene, "green", 99);
    give(&mut scene, "red", 99);
    turn(&mut scene, 1, ALL, &[]);
    assert_eq!(dominion(&scene), "dominion 50 red 1", "two sides, and both members together hold half");
    assert!(scene.world.operate("/faction green held 3").unwrap().unwrap_err().contains("red held for 1"));
    scene.operate("/faction red held 0");
    scene.operate("/faction green held 3");
    scene.operate("/faction red held 3");
    assert!(burst(&mut scene).contains(&"dom 50 red 3".to_owned()));
}

#[test]
fn a11_one_side_left_comes_before_dominion() {
    let mut scene =
        arena(&["/faction green dead 1", "/tile 2 12 owner -", "/unit new red pioneer 12 12 as 0"]);
    give(&mut scene, "red", 220);
    scene.operate("/faction red held 3");
    scene.operate("/tile 12 12 siege 1");
    // The base regains one before it loses two.
    (1..=2).for_each(|number| turn(&mut scene, number, ALL, &[("red", "Unit 0 neutralize")]));
    assert!(scene.world.decided() && !scene.world.dominated());
}

#[test]
fn a13_of_two_sides_that_hold_the_one_with_more_land_wins() {
    for (tiles, winner) in [(110, Some("blue")), (100, None)] {
        let mut scene = arena(&["/faction red held 4", "/faction blue held 6"]);
        give(&mut scene, "red", 100);
        give(&mut scene, "blue", tiles);
        turn(&mut scene, 200, ALL, &[]);
        assert_eq!(scene.world.dominated(), winner.is_some());
        assert!(winner.is_none_or(|winner| scene.world.winners() == [id(winner)]));
        scene.operate("/tile 19 19 owner red");
        turn(&mut scene, 201, ALL, &[]);
        assert!(scene.world.dominated(), "one has more now");
    }
}

#[test]
fn a14_what_state_prints_brings_all_of_it_back() {
    let mut scene = arena(&[
        "/tile 12 12 siege 2",
        "/tile 2 2 siege 1",
        "/unit new red fighter 6 6 as 4",
        "/unit 4 state c",
        "/faction red held 3",
        "/faction blue held 1",
    ]);
    let (digest, lines) = (scene.world.digest(), scene.world.state());
    scene.operate("/empty");
    assert_ne!(scene.world.digest(), digest);
    lines.iter().for_each(|line| scene.operate(line));
    assert_eq!(scene.world.digest(), digest);
    for bad in ["/tile 5 5 siege 2", "/tile 12 12 siege 5", "/tile 12 12 siege 0"] {
        assert!(scene.world.operate(bad).unwrap().is_err(), "{bad}");
    }
    scene.operate("/tile 12 12 base on");
    assert!(scene.world.tile_line(at(12, 12)).ends_with("building -"), "a base has its full strength");
    let refused = Scene::new(&[]).world.operate("/faction red held 1").unwrap();
    assert!(refused.unwrap_err().contains("no dominion"));
}

#[test]
fn the_largest_land_scores_one_point_more_every_ten_turns() {
    for (number, points) in [(9, 10), (10, 11), (99, 19)] {
        let mut scene = arena(&[]);
        give(&mut scene, "red", 9);
        turn(&mut scene, number, ALL, &[]);
        assert_eq!(scene.score("red"), points);
    }
}
