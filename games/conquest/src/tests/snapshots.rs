//! What factions read, and what observers are told in which order.

use zappy_protocol::conquest::FactionId;

use super::{Scene, burst, printed};

#[test]
fn a_snapshot_tells_everything_in_its_order() {
    let mut scene = Scene::cities(&[
        "/unit new red sapper 19 19 as 7",
        "/unit new blue pioneer 0 0 as 3",
        "/unit new blue pioneer 7 7 as 4",
        "/tile 0 0 owner blue bomb green",
    ]);
    scene.say("red", "Base build worker");
    scene.say("red", "Unit 7 deploy");
    scene.resolve();
    let lines = scene.snapshot("red");
    assert_eq!(
        lines[..8],
        [
            "turn 1",
            "faction 0 red alive gold 150 food 10 wood 20 bombs 0 land 1 pop 2 cap 5 kills 0 score 0 upkeep 90 \
             base 2 2 slot worker 2",
            "faction 1 blue alive land 2 pop 2 score 0",
            "faction 2 green alive land 1 pop 0 score 0",
            "did base ok",
            "did 7 ko the tile isn't your own",
            "unit 3 1 pioneer 0 0 3 -",
            "unit 7 0 sapper 19 19 6 -",
        ]
    );
    let tiles: Vec<&String> = lines.iter().filter(|line| line.starts_with("tile ")).collect();
    assert_eq!(tiles.len(), 18);
    assert_eq!(
        (tiles[0].as_str(), tiles[17].as_str()),
        ("tile 0 0 1 plain ---m -", "tile 19 19 - plain ---- -")
    );
    assert!(lines.contains(&"tile 2 2 0 plain b--- -".to_owned()));
    assert_eq!(lines[lines.len() - 2..], ["city 2 2 citizens 2 workers 0 merchants 2 tiles -", "go 1"]);
    assert_eq!(
        printed(&scene.world.game_line(FactionId(1))),
        "game conquest version 2 you 1 factions red,blue,green cities on rules classic mode concurrent turns 400 time 1000 \
         placement random alliances -"
    );
    assert_eq!(printed(&scene.world.over_line()), "over 1 blue 0 2 red 0 2 green 0");
}

#[test]
fn the_order_of_the_turn_is_told_behind_its_number() {
    let mut scene = Scene::new(&[]);
    scene.world.begin_turn(2, &[FactionId(1), FactionId(2), FactionId(0)]);
    assert_eq!(scene.snapshot("red")[..2], ["turn 2", "order blue green red"]);
    scene.world.begin_turn(3, &[]);
    assert!(scene.snapshot("red")[1].starts_with("faction 0 red "), "in no order");
}

#[test]
fn a_burst_tells_in_the_order_in_which_things_happened() {
    let mut scene = Scene::new(&[
        "/unit new red fighter 10 10 as 7",
        "/unit new blue worker 11 10 as 8",
        "/unit 8 health 3 state d",
        "/unit new red cleric 3 3 as 9",
        "/unit new red worker 4 4 as 10",
        "/unit 10 health 4",
        "/unit new red pioneer 15 15 as 11",
        "/tile 15 16 bomb blue",
    ]);
    assert_eq!(burst(&mut scene), [""; 0]);
    for line in ["Unit 7 attack 8", "Unit 9 heal 10", "Unit 11 travel 15 16", "Base move 9 9"] {
        scene.say("red", line);
    }
    scene.world.late(FactionId(2));
    scene.resolve();
    let fac = |name: &str, what: &str| format!("fac {name} {what}");
    assert_eq!(
        burst(&mut scene),
        [
            "lat green",
            "ord red base ko no base of your own stands there",
            "uat #7 #8",
            "uhp #8 1 -",
            "ord red #7 ok",
            "uhe #9 #10",
            "uhp #10 5 -",
            "ord red #9 ok",
            "umv #11 15 16",
            "udi #11 bomb",
            "bom 15 16 -",
            "loc 15 16 - plain ---- -",
            "ord red #11 ok",
            &fac(
                "red 0",
                "gold 500 food 0 wood 0 bombs 0 land 1 pop 3 cap 5 kills 0 score 10 upkeep 195 base 2 2 slot - 0"
            ),
            &fac(
                "blue 1",
                "gold 500 food 0 wood 0 bombs 0 land 1 pop 1 cap 5 kills 1 score 25 upkeep 45 base 12 12 slot - 0"
            ),
            &fac(
                "green 2",
                "gold 500 food 0 wood 0 bombs 0 land 1 pop 0 cap 5 kills 0 score -100 upkeep 0 base 2 12 slot - 0"
            ),
        ]
    );
    assert_eq!(burst(&mut scene), [""; 0]);
}

#[test]
fn cities_are_told_when_they_change() {
    let mut scene = Scene::cities(&["/tile 3 3 owner red", "/unit new blue fighter 3 3 as 7"]);
    scene.run("red", &["City 2 2 assign 3 3"]);
    assert_eq!(burst(&mut scene), ["cas 3 3 2 2", "ord red city ok", "cit 2 2 2 1 1"]);
    scene.run("blue", &["Unit 7 neutralize"]);
    let told = burst(&mut scene);
    assert_eq!(told[..3], ["cas 3 3 -", "loc 3 3 - plain ---- -", "ord blue #7 ok"]);
    assert_eq!(told.last().unwrap(), "cit 2 2 2 0 2");
    scene.operate("/tile 2 2 owner blue");
    let told = burst(&mut scene);
    assert_eq!(
        (told[0].as_str(), told.last().unwrap().as_str()),
        ("loc 2 2 1 plain b--- -", "cit 2 2 2 0 2")
    );
}
