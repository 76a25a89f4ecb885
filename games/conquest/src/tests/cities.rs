//! Cities in a world: C14 to C20, and what the text of the rules says besides.

use zappy_protocol::conquest::FactionId;
use zappy_protocol::conquest::mirror::MirrorCity;
use zappy_protocol::conquest::player::{Order, PlayerLine};

use super::{Scene, at, burst};

/// Red owns everything within two tiles of its city at 2 2.
fn land(lines: &[&str]) -> Scene {
    let mut all: Vec<String> = Vec::new();
    for x in 0..=4 {
        all.extend((0..=4).map(|y| format!("/tile {x} {y} owner red")));
    }
    all.extend(lines.iter().map(|&line| line.to_owned()));
    Scene::cities(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn people(scene: &Scene) -> [u32; 3] {
    let MirrorCity { citizens, workers, merchants } = scene.world.people(at(2, 2));
    [citizens, workers, merchants]
}

fn stocks(scene: &Scene) -> [u64; 3] {
    let holdings = scene.holdings("red");
    [holdings.food, holdings.wood, holdings.gold]
}

#[test]
fn c14_a_tile_belongs_to_one_city_at_a_time() {
    let mut scene = land(&["/tile 4 2 base on"]);
    let did = scene.run("red", &["City 2 2 assign 3 3", "City 4 2 assign 3 3", "City 4 2 assign 3 1"]);
    assert_eq!(did, ["city 2 2 ok", "city 4 2 ko the tile is assigned already", "city 4 2 ok"]);
    assert_eq!(scene.world.site(at(3, 3)).city, Some(at(2, 2)));
    let did = scene.run("red", &["City 4 2 unassign 3 3", "City 2 2 unassign 3 3", "City 4 2 assign 3 3"]);
    assert_eq!(did, ["city 4 2 ko the tile isn't assigned to this city", "city 2 2 ok", "city 4 2 ok"]);
}

#[test]
fn c15_a_workers_tile_needs_an_idle_citizen() {
    let mut scene = land(&["/tile 1 1 building house"]);
    let did = scene.run("red", &["City 2 2 assign 3 3", "City 2 2 assign 3 2", "City 2 2 assign 3 1"]);
    assert_eq!(did, ["city 2 2 ok", "city 2 2 ok", "city 2 2 ko no citizen is idle"]);
    assert_eq!(people(&scene), [2, 2, 0]);
    let did = scene.run("red", &["City 2 2 assign 1 1", "City 2 2 assign 3 1"]);
    assert_eq!(did, ["city 2 2 ok", "city 2 2 ok"], "a house brings a citizen and needs none");
    assert_eq!(people(&scene), [3, 3, 0]);
    assert_eq!(scene.run("red", &["City 2 2 unassign 1 1"]), ["city 2 2 ok"]);
    assert_eq!(people(&scene), [2, 2, 0]);
    assert_eq!(scene.world.site(at(3, 1)).city, None, "the lowest worker's tile goes first");
}

#[test]
fn only_own_tiles_within_two_steps_and_without_a_base_are_assigned() {
    let mut scene =
        land(&["/tile 0 0 owner blue", "/tile 5 2 owner red", "/tile 3 2 base on", "/tile 1 1 owner -"]);
    for (tile, why) in [
        ("0 0", "the tile isn't your own"),
        ("1 1", "the tile isn't your own"),
        ("5 2", "the tile is more than 2 tiles from the city"),
        ("3 2", "a base stands there"),
        ("2 2", "a base stands there"),
    ] {
        assert_eq!(scene.say("red", &format!("City 2 2 assign {tile}")), format!("maybe {why}"));
    }
    assert_eq!(scene.say("red", "City 2 2 assign 20 0"), "ko 20 0 is off the map");
    assert_eq!(scene.say("red", "City 12 12 assign 0 1"), "ko not your city");
    assert_eq!(scene.say("red", "City 9 9 assign 0 1"), "ko not your city");
    assert_eq!(Scene::new(&[]).say("red", "City 2 2 assign 0 1"), "ko this match has no cities");
}

#[test]
fn workers_build_on_own_tiles_without_base_and_building() {
    let mut scene = land(&["/unit new red worker 3 3 as 7", "/faction red wood 110"]);
    assert_eq!(scene.run("red", &["Unit 7 build mill"]), ["7 ok"]);
    assert_eq!((scene.holdings("red").wood, scene.tile(3, 3).building.unwrap().name()), (100, "mill"));
    assert_eq!(scene.run("red", &["Unit 7 build mill"]), ["7 ko a building stands there already"]);
    scene.operate("/unit 7 at 2 2");
    assert_eq!(scene.run("red", &["Unit 7 build mill"]), ["7 ko a base stands there"]);
    scene.operate("/unit 7 at 9 9");
    assert_eq!(scene.run("red", &["Unit 7 build mill"]), ["7 ko the tile isn't your own"]);
    scene.operate("/unit 7 at 1 1");
    assert_eq!(scene.run("red", &["Unit 7 build bank"]), ["7 ok"]);
    scene.operate("/unit 7 at 1 2");
    assert_eq!(scene.run("red", &["Unit 7 build camp-fighter"]), ["7 ok"]);
    assert_eq!(scene.holdings("red").wood, 40);
    scene.operate("/faction red wood 9");
    scene.operate("/unit 7 at 1 3");
    assert_eq!(scene.run("red", &["Unit 7 build house"]), ["7 ko not enough wood: 9 of 10"]);
    let mut without = Scene::new(&["/unit new red worker 2 2 as 7"]);
    assert_eq!(without.say("red", "Unit 7 build mill"), "ko this match has no cities");
}

#[test]
fn a_building_on_a_workers_tile_frees_its_citizen() {
    let mut scene = land(&["/unit new red worker 3 3 as 7", "/city 2 2 assign 3 3 assign 3 4"]);
    assert_eq!(people(&scene), [2, 2, 0]);
    assert_eq!(scene.run("red", &["Unit 7 build mill"]), ["7 ok"]);
    assert_eq!(people(&scene), [2, 1, 1]);
}

#[test]
fn c16_without_wood_both_mills_are_disabled() {
    let mut scene = land(&[
        "/tile 1 1 building mill",
        "/tile 3 3 building mill",
        "/city 2 2 assign 3 3 assign 1 1",
        "/faction red wood 0",
    ]);
    scene.world.end_turn();
    assert_eq!((scene.world.site(at(1, 1)).city, scene.world.site(at(3, 3)).city), (None, None));
    assert_eq!(stocks(&scene), [10 + 2 - 4, 0, 500 + 25 * 6]);
}

#[test]
fn c17_one_wood_keeps_one_mill() {
    let mut scene = land(&[
        "/tile 1 1 building mill",
        "/tile 3 3 building mill",
        "/city 2 2 assign 3 3 assign 1 1",
        "/faction red wood 1",
    ]);
    scene.world.end_turn();
    let kept = (scene.world.site(at(1, 1)).city, scene.world.site(at(3, 3)).city);
    assert_eq!(kept, (None, Some(at(2, 2))), "the lowest one goes");
    assert_eq!(stocks(&scene), [10 + 4 - 4, 0, 500 + 25 * 6]);
}

#[test]
fn for_food_houses_are_unassigned_lowest_first_and_then_the_stock_is_empty() {
    let houses = ["/tile 1 1 building house", "/tile 3 3 building house", "/city 2 2 assign 3 3 assign 1 1"];
    let mut scene = land(&houses);
    scene.operate("/faction red food 4");
    scene.world.end_turn();
    let kept = (scene.world.site(at(1, 1)).city, scene.world.site(at(3, 3)).city);
    assert_eq!((kept, stocks(&scene)[0]), ((None, Some(at(2, 2))), 0));
    scene.operate("/faction red food 0");
    scene.world.end_turn();
    assert_eq!((scene.world.site(at(3, 3)).city, stocks(&scene)[0]), (None, 0));
    assert_eq!(people(&scene), [2, 0, 2], "citizens without houses stay");
}

/// A fighter's camp assigned to red's city, and gold for many.
fn camp(lines: &[&str]) -> Scene {
    let all = ["/tile 1 1 building camp-fighter", "/city 2 2 assign 1 1", "/faction red gold 5000"];
    land(&[&all, lines].concat())
}

#[test]
fn c18_a_camp_recruits_once_a_turn() {
    let mut scene = camp(&["/turn 1 next-unit 30"]);
    let did = scene.run("red", &["City 2 2 recruit fighter", "City 2 2 recruit fighter"]);
    assert_eq!(did, ["city 2 2 ok", "city 2 2 ko no camp-fighter of this city is left in this turn"]);
    assert_eq!((scene.unit(30).unwrap().at, scene.gold("red"), scene.score("red")), (at(2, 2), 4300, 10));
    scene.world.begin_turn(2, &[]);
    assert_eq!(scene.run("red", &["City 2 2 recruit fighter"]), ["city 2 2 ok"], "the next turn");
    assert_eq!(scene.unit(31).unwrap().at, at(2, 1), "the base is occupied: clockwise from north");
    scene.world.begin_turn(3, &[]);
    let did = scene.run("red", &["City 2 2 unassign 1 1", "City 2 2 recruit fighter"]);
    assert_eq!(did, ["city 2 2 ok", "city 2 2 ko no camp-fighter is assigned to this city"]);
}

#[test]
fn c18_what_a_camp_recruited_stays_with_it_whatever_city_it_belongs_to() {
    let mut scene = camp(&["/tile 3 2 base on", "/tile 3 3 building camp-fighter", "/turn 1 next-unit 30"]);
    let moved = ["City 2 2 recruit fighter", "City 2 2 unassign 1 1", "City 3 2 assign 1 1"];
    assert_eq!(scene.run("red", &moved), ["city 2 2 ok", "city 2 2 ok", "city 3 2 ok"]);
    let left = "city 3 2 ko no camp-fighter of this city is left in this turn";
    assert_eq!(scene.run("red", &["City 3 2 recruit fighter"]), [left], "it recruited for the other city");
    let fresh = ["City 2 2 assign 3 3", "City 2 2 recruit fighter"];
    assert_eq!(scene.run("red", &fresh), ["city 2 2 ok"; 2], "a fresh camp in the place of a used one");
    scene.operate("/turn 7");
    assert_eq!(scene.run("red", &["City 3 2 recruit fighter"]), [left], "another number is no other turn");
}

#[test]
fn what_a_camp_recruited_is_told_to_its_owner_and_to_observers() {
    let mut scene = camp(&["/tile 0 1 building camp-worker", "/tile 9 9 owner blue building camp-worker"]);
    let told = |scene: &Scene, faction| -> Vec<String> {
        let lines = scene.snapshot(faction);
        lines.iter().filter(|line| line.starts_with("camp ")).cloned().collect()
    };
    assert_eq!(told(&scene, "red"), ["camp 0 1 worker - 1", "camp 1 1 fighter 2,2 1"]);
    assert_eq!(told(&scene, "blue"), ["camp 9 9 worker - 1"]);
    scene.world.hush();
    scene.run("red", &["City 2 2 recruit fighter"]);
    assert_eq!(told(&scene, "red"), ["camp 0 1 worker - 1", "camp 1 1 fighter 2,2 0"]);
    let camps = |scene: &mut Scene| -> Vec<String> {
        burst(scene).into_iter().filter(|line| line.starts_with("cmp ")).collect()
    };
    assert_eq!(camps(&mut scene), ["cmp 1 1 0"]);
    scene.world.begin_turn(2, &[]);
    assert_eq!(camps(&mut scene), ["cmp 1 1 1"]);
    scene.run("red", &["City 2 2 recruit fighter"]);
    scene.operate("/tile 1 1 building -");
    scene.operate("/tile 1 1 building camp-fighter");
    assert_eq!(told(&scene, "red")[1], "camp 1 1 fighter 2,2 1", "another camp stands there");
}

#[test]
fn c19_two_camps_recruit_twice() {
    let mut scene = camp(&["/tile 3 3 building camp-fighter", "/city 2 2 assign 3 3"]);
    let did = scene.run("red", &["City 2 2 recruit fighter"; 3]);
    let left = "city 2 2 ko no camp-fighter of this city is left in this turn";
    assert_eq!(did, ["city 2 2 ok", "city 2 2 ok", left]);
}

#[test]
fn c20_each_refusal_leaves_the_digest_unchanged() {
    let around: Vec<String> = zappy_protocol::conquest::geometry::surroundings(super::size(20, 20), at(2, 2))
        .map(|place| format!("/unit new blue worker {place}"))
        .collect();
    let crowd: Vec<String> = (0..7).map(|x| format!("/unit new red worker {x} 17")).collect();
    let cases: [(&[&str], &str, &str); 11] = [
        (&[], "City 12 12 recruit fighter", "not your city"),
        (&[], "City 2 2 recruit worker", "no camp-worker is assigned to this city"),
        (&["/faction red gold 699"], "City 2 2 recruit fighter", "not enough gold: 699 of 700"),
        (
            &around.iter().map(String::as_str).collect::<Vec<_>>(),
            "City 2 2 recruit fighter",
            "no tile is free on the base or next to it",
        ),
        (
            &crowd.iter().map(String::as_str).collect::<Vec<_>>(),
            "City 2 2 recruit fighter",
            "the population is at its cap: 7 of 7",
        ),
        (&[], "City 2 2 assign 1 1", "the tile is assigned already"),
        (&[], "City 2 2 assign 9 9", "the tile isn't your own"),
        (&["/tile 7 7 owner red"], "City 2 2 assign 7 7", "the tile is more than 2 tiles from the city"),
        (&["/city 2 2 assign 3 3 assign 3 4"], "City 2 2 assign 4 4", "no citizen is idle"),
        (&[], "City 2 2 unassign 3 3", "the tile isn't assigned to this city"),
        (&[], "City 2 2 assign 2 2", "a base stands there"),
    ];
    for (lines, order, why) in cases {
        let mut scene = camp(lines);
        let before = scene.world.digest();
        let Ok(PlayerLine::Order(line)) = PlayerLine::parse(order.as_bytes()) else { panic!("{order}") };
        assert!(matches!(line, Order::City(..)));
        let refusal = scene.world.check(FactionId(0), &line).unwrap_err();
        assert_eq!(refusal.to_string(), why);
        scene.world.submit(FactionId(0), &line);
        scene.resolve();
        assert_eq!(scene.world.digest(), before, "{order}");
    }
}

#[test]
fn the_first_reason_of_a_refused_recruit_is_told() {
    let mut scene = camp(&["/faction red gold 0"]);
    (0..7).for_each(|x| scene.operate(&format!("/unit new red worker {x} 17")));
    assert_eq!(scene.say("red", "City 2 2 recruit fighter"), "maybe not enough gold: 0 of 700");
    scene.operate("/faction red gold 700");
    assert_eq!(scene.say("red", "City 2 2 recruit fighter"), "maybe the population is at its cap: 7 of 7");
}

#[test]
fn a_lost_tile_is_freed_at_once_and_a_lost_house_frees_a_worker_first() {
    let mut scene = land(&[
        "/tile 1 1 building house",
        "/city 2 2 assign 1 1 assign 3 3 assign 3 4 assign 4 4",
        "/unit new blue pioneer 1 1 as 7",
    ]);
    assert_eq!(people(&scene), [3, 3, 0]);
    assert_eq!(scene.run("blue", &["Unit 7 neutralize"]), ["7 ok"]);
    assert_eq!(people(&scene), [2, 2, 0]);
    assert_eq!((scene.world.site(at(1, 1)).city, scene.world.site(at(3, 3)).city), (None, None));
    assert_eq!(scene.tile(1, 1).building.unwrap().name(), "house", "a building outlives its owner");
}

#[test]
fn a_captured_base_becomes_a_city_of_two_citizens_without_assignments() {
    let mut scene = land(&["/city 2 2 citizens 5 assign 3 3", "/unit new blue pioneer 2 2 as 7"]);
    assert_eq!(scene.run("blue", &["Unit 7 neutralize"]), ["7 ok"]);
    assert!(!scene.world.cities.contains_key(&at(2, 2)));
    assert_eq!(scene.world.site(at(3, 3)).city, None);
    assert_eq!(scene.run("blue", &["Unit 7 conquer"]), ["7 ok"]);
    assert_eq!(people(&scene), [2, 0, 2]);
    assert!(scene.snapshot("blue").contains(&"city 2 2 citizens 2 workers 0 merchants 2 tiles -".to_owned()));
}

#[test]
fn terrain_and_resources_yield_what_the_rules_say() {
    let mut scene = land(&[
        "/tile 3 3 terrain forest",
        "/tile 3 4 terrain forest resource on",
        "/city 2 2 citizens 3 assign 3 3 assign 3 4 assign 4 4",
    ]);
    scene.world.end_turn();
    assert_eq!(stocks(&scene), [10 + 2 + 1 + 2 - 6, 20 + 2, 500 + 25 * (2 + 2)]);
}
