//! What bases do, and what phases and turns bring: D25 to D31 and D33 to D40. D32 stands in `simulation`.

use zappy_protocol::conquest::FactionId;

use super::{Scene, at, burst, id};

#[test]
fn d25_a_pioneer_takes_its_order_and_one_continue() {
    let mut scene = Scene::new(&["/turn 1 next-unit 30"]);
    assert_eq!(scene.run("red", &["Base build pioneer"]), ["base ok"]);
    assert_eq!((scene.gold("red"), scene.holdings("red").population, scene.score("red")), (300, 1, 0));
    assert!(scene.snapshot("red")[1].ends_with("base 2 2 slot pioneer 1"), "{}", scene.snapshot("red")[1]);
    assert_eq!(scene.unit(30), None);
    assert_eq!(scene.run("red", &["Base continue"]), ["base ok"]);
    assert_eq!(scene.unit(30).unwrap().at, at(2, 2));
    assert_eq!(
        (scene.holdings("red").slot, scene.holdings("red").population, scene.score("red")),
        (None, 1, 10)
    );
}

#[test]
fn d26_an_occupied_base_keeps_the_unit_waiting() {
    let mut scene = Scene::new(&["/unit new red worker 2 2 as 7", "/faction red slot cleric 1"]);
    for _ in 0..2 {
        assert_eq!(scene.run("red", &["Base continue"]), ["base ok"]);
        let slot = scene.holdings("red").slot.unwrap();
        assert_eq!((slot.left, scene.holdings("red").population, scene.score("red")), (0, 2, 0));
    }
    assert_eq!(scene.run("red", &["Base income", "Unit 7 travel 3 3"]), ["base ok", "7 ok"]);
    assert!(scene.holdings("red").slot.is_some(), "income keeps the slot");
    assert_eq!(scene.run("red", &["Base continue"]), ["base ok"]);
    assert_eq!((scene.unit(8).unwrap().at, scene.score("red")), (at(2, 2), 25));
}

#[test]
fn d27_continue_needs_a_busy_slot_and_build_an_empty_one() {
    let mut scene = Scene::new(&[]);
    assert_eq!(scene.run("red", &["Base continue"]), ["base ko the slot is empty"]);
    assert_eq!(scene.run("red", &["Base build pioneer"]), ["base ok"]);
    assert_eq!(scene.run("red", &["Base build pioneer"]), ["base ko the slot is busy with a pioneer"]);
    assert_eq!((scene.gold("red"), scene.holdings("red").slot.unwrap().left), (300, 1));
    scene.operate("/faction red slot - gold 199");
    assert_eq!(scene.run("red", &["Base build pioneer"]), ["base ko not enough gold: 199 of 200"]);
    scene.operate("/faction red gold 900");
    (0..5).for_each(|x| scene.operate(&format!("/unit new red worker {x} 9")));
    assert_eq!(scene.run("red", &["Base build pioneer"]), ["base ko the population is at its cap: 5 of 5"]);
}

#[test]
fn d28_the_base_moves_to_an_own_tile_with_a_base_and_its_slot_is_emptied() {
    let mut scene =
        Scene::new(&["/tile 6 6 owner red base on", "/tile 7 7 owner red", "/tile 8 8 owner blue base on"]);
    scene.run("red", &["Base build pioneer"]);
    for bad in ["7 7", "8 8", "9 9"] {
        let lost = ["base ko no base of your own stands there"];
        assert_eq!(scene.run("red", &[&format!("Base move {bad}")]), lost);
    }
    assert_eq!(scene.run("red", &["Base move 6 6"]), ["base ok"]);
    let holdings = scene.holdings("red");
    assert_eq!((holdings.base, holdings.slot, holdings.gold), (Some(at(6, 6)), None, 300));
    assert_eq!(scene.say("red", "Base move 20 6"), "ko 20 6 is off the map");
}

#[test]
fn d29_an_unpayable_upkeep_takes_all_gold_and_75_points() {
    let units = ["/unit new red worker 10 10", "/unit new red pioneer 11 10"];
    let mut scene = Scene::new(&units);
    scene.operate("/faction red gold 70");
    scene.begin();
    assert_eq!((scene.gold("red"), scene.score("red")), (0, 0));
    assert!(burst(&mut scene).iter().all(|line| line.starts_with("fac ")));
    scene.operate("/faction red gold 69");
    scene.begin();
    assert_eq!(burst(&mut scene)[0], "upk red");
    assert_eq!((scene.gold("red"), scene.score("red")), (0, -75));
    assert_eq!((scene.gold("blue"), scene.score("blue")), (500, 0), "no units, no upkeep");
    let mut own = Scene::new(&units);
    own.world.begin_phase(&[FactionId(1)]);
    assert_eq!(own.gold("red"), 500, "only in the own phase");
}

#[test]
fn d30_being_late_costs_100_and_what_was_ordered_counts() {
    let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7"]);
    scene.say("red", "Unit 7 conquer");
    scene.world.late(id("red"));
    scene.resolve();
    assert_eq!((scene.score("red"), scene.score("blue")), (-75, 0));
    assert_eq!(scene.did("red"), ["7 ok"]);
}

#[test]
fn d31_orders_are_judged_at_the_resolution() {
    let mut scene = Scene::new(&[
        "/unit new red fighter 10 10 as 7",
        "/unit new blue pioneer 11 10 as 8",
        "/unit 8 health 1",
        "/unit new blue pioneer 11 11 as 9",
    ]);
    assert_eq!(scene.say("red", "Unit 7 attack 8"), "ok");
    assert_eq!(scene.say("blue", "Unit 8 conquer"), "ok");
    assert_eq!(scene.say("blue", "Unit 9 travel 11 10"), "maybe a unit stands there");
    scene.resolve();
    assert_eq!(scene.did("blue"), ["8 ko the unit is gone", "9 ok"]);
    let mut converted = Scene::new(&[
        "/unit new red cleric 10 10 as 7",
        "/unit 7 state e",
        "/unit new blue pioneer 11 10 as 8",
    ]);
    assert_eq!(converted.say("blue", "Unit 8 conquer"), "ok");
    assert_eq!(converted.run("red", &["Unit 7 convert 8"]), ["7 ok"]);
    assert_eq!(converted.did("blue"), ["8 ko the unit changed sides"]);
    assert_eq!(converted.tile(11, 10).owner, None);
    assert_eq!(converted.did("red"), ["7 ok"], "the new side's orders are not invented");
}

#[test]
fn d33_a_neutralized_base_ends_its_faction() {
    let mut scene = Scene::new(&[
        "/unit new red pioneer 12 12 as 7",
        "/unit new blue worker 10 10 as 8",
        "/tile 10 10 owner blue fort on building mill",
        "/tile 10 11 bomb blue",
        "/faction blue bombs 2 slot worker 1",
    ]);
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), ["7 ok"]);
    assert!(!scene.world.alive(id("blue")));
    assert_eq!(scene.world.beaten(id("blue")), Some(1));
    assert_eq!(scene.world.fall(id("blue")).unwrap(), "base fell to red's pioneer in turn 1");
    assert_eq!(scene.world.fall(id("red")), None);
    assert_eq!((scene.unit(8), scene.tile(10, 10).owner, scene.tile(10, 10).flags.fort), (None, None, false));
    assert!(!scene.tile(10, 11).flags.bomb);
    assert!(scene.tile(12, 12).flags.base && scene.tile(10, 10).building.is_some());
    let holdings = scene.holdings("blue");
    assert_eq!((holdings.land, holdings.population, holdings.bombs, holdings.upkeep), (0, 0, 0, 0));
    assert_eq!(scene.score("red"), 20, "the defeat itself scores for no faction");
    assert_eq!(scene.say("blue", "Base income"), "ko the faction is beaten");
    assert!(scene.snapshot("red").contains(&"faction 1 blue dead land 0 pop 0 score 0".to_owned()));
}

#[test]
fn a_base_that_is_not_its_factions_own_is_found_at_the_next_phase() {
    let mut scene = Scene::new(&["/tile 12 12 owner red"]);
    assert!(scene.world.alive(id("blue")));
    scene.world.begin_phase(&[FactionId(0)]);
    assert!(!scene.world.alive(id("blue")));
    assert_eq!(scene.world.fall(id("blue")).unwrap(), "base fell in turn 1", "the operator took it");
}

#[test]
fn d34_a_base_lost_and_retaken_in_one_resolution_keeps_its_faction_alive() {
    let mut scene = Scene::new(&["/unit new red pioneer 2 2 as 7"]);
    scene.begin();
    scene.operate("/tile 2 2 owner -");
    assert_eq!(scene.say("red", "Base income"), "maybe the base isn't your own");
    assert_eq!(scene.run("red", &["Unit 7 conquer"]), ["base ko the base isn't your own", "7 ok"]);
    assert!(scene.world.alive(id("red")));
}

#[test]
fn d35_the_last_faction_wins() {
    let mut scene = Scene::new(&["/unit new red pioneer 12 12 as 7", "/unit new red pioneer 2 12 as 8"]);
    assert!(!scene.world.decided());
    scene.operate("/faction blue score 900");
    assert_eq!(scene.run("red", &["Unit 7 neutralize"]), ["7 ok"]);
    assert!(!scene.world.decided(), "green is left");
    assert_eq!(scene.run("red", &["Unit 8 neutralize"]), ["8 ok"]);
    assert!(scene.world.decided());
    assert_eq!(scene.world.winners(), [id("red")]);
    let ranks: Vec<(u8, u32)> = scene.world.ranking().iter().map(|one| (one.faction.0, one.rank)).collect();
    assert_eq!(ranks, [(0, 1), (1, 2), (2, 3)]);
}

#[test]
fn the_last_alliance_wins_together() {
    let mut scene = Scene::allied(&["/unit new blue pioneer 2 12 as 7", "/unit new red pioneer 12 12 as 8"]);
    scene.operate("/faction green score -5");
    assert_eq!(scene.run("blue", &["Unit 7 neutralize"]), ["7 ok"]);
    assert!(!scene.world.decided());
    assert_eq!(scene.run("red", &["Unit 8 neutralize"]), ["8 ok"]);
    assert!(scene.world.decided());
    assert_eq!(scene.world.winners(), [id("red"), id("green")], "the dead ally, too");
    let ranks: Vec<(u8, u32)> = scene.world.ranking().iter().map(|one| (one.faction.0, one.rank)).collect();
    assert_eq!(ranks, [(0, 1), (2, 1), (1, 3)]);
}

#[test]
fn d36_at_the_limit_the_best_score_wins() {
    let mut scene =
        Scene::new(&["/faction blue score 30", "/faction red score 20", "/faction green score 20"]);
    assert!(!scene.world.decided());
    assert_eq!(scene.world.winners(), [id("blue")]);
    let ranks = |scene: &Scene| -> Vec<(u8, u32)> {
        scene.world.ranking().iter().map(|one| (one.faction.0, one.rank)).collect()
    };
    assert_eq!(ranks(&scene), [(1, 1), (0, 2), (2, 2)]);
    scene.operate("/tile 9 9 owner green");
    assert_eq!(ranks(&scene), [(1, 1), (2, 2), (0, 3)], "then the land");
    scene.operate("/faction blue dead 3");
    assert_eq!(ranks(&scene), [(2, 1), (0, 2), (1, 3)], "survivors first");
    scene.operate("/faction red dead 4 score 30");
    scene.operate("/faction green dead 4");
    assert_eq!(ranks(&scene), [(0, 1), (1, 2), (2, 3)], "the later defeat");
    assert_eq!(scene.world.winners(), [], "no faction is left");
}

#[test]
fn d37_strictly_the_largest_land_scores_10() {
    let mut scene = Scene::new(&["/tile 9 9 owner green"]);
    scene.world.end_turn();
    assert_eq!([scene.score("red"), scene.score("blue"), scene.score("green")], [0, 0, 10]);
    scene.operate("/tile 9 8 owner red");
    scene.world.end_turn();
    assert_eq!([scene.score("red"), scene.score("blue"), scene.score("green")], [0, 0, 10]);
    scene.operate("/faction green dead 1");
    scene.world.end_turn();
    assert_eq!(
        [scene.score("red"), scene.score("blue"), scene.score("green")],
        [10, 0, 10],
        "the living only"
    );
}

#[test]
fn d38_an_order_for_a_foreign_unit_is_refused() {
    let mut scene = Scene::allied(&["/unit new blue pioneer 10 10 as 7", "/unit new green worker 9 9 as 8"]);
    for unit in [7, 8, 99] {
        assert_eq!(scene.say("red", &format!("Unit {unit} idle")), "ko not your unit");
    }
}

#[test]
fn d39_a_second_order_replaces_the_first_one() {
    let mut scene = Scene::new(&["/unit new red pioneer 10 10 as 7"]);
    let lines = ["Unit 7 idle", "Base bomb", "Unit 7 conquer", "Base income"];
    assert_eq!(scene.run("red", &lines), ["base ok", "7 ok"]);
    assert_eq!((scene.score("red"), scene.gold("red"), scene.holdings("red").bombs), (25, 1000, 0));
    scene.say("red", "Unit 7 idle");
    assert_eq!(scene.say("red", "Unit 7 pray"), "ko a pioneer can't pray");
    scene.resolve();
    assert_eq!(scene.did("red"), ["7 ok"], "what isn't taken replaces nothing");
}

#[test]
fn d40_income_brings_500() {
    let mut scene = Scene::new(&[]);
    assert_eq!(scene.run("red", &["Base income"]), ["base ok"]);
    assert_eq!(scene.gold("red"), 1000);
}
