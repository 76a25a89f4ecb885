//! The operator's language.

use super::{Scene, at};

fn refused(scene: &mut Scene, line: &str) -> String {
    let before = scene.world.digest();
    let why = scene.world.operate(line).unwrap().unwrap_err();
    assert_eq!(scene.world.digest(), before, "{line}");
    why
}

#[test]
fn bad_lines_say_what_was_expected_and_change_nothing() {
    let mut scene = Scene::cities(&["/unit new red worker 5 5 as 7", "/unit new red worker 6 5 as 8"]);
    for (line, why) in [
        ("/tile", "expected /tile X Y [owner"),
        ("/tile 20 5", "20 5 is off the map of 20 20 tiles"),
        ("/tile 5 5 owner white", "no faction \"white\"; the factions are red, blue, green"),
        ("/tile 5 5 fort on base maybe", "\"maybe\" doesn't fit; expected /tile"),
        ("/tile 5 5 fort", "expected /tile"),
        ("/tile 5 5 lake on", "expected /tile"),
        ("/unit 9 gone", "no unit 9"),
        ("/unit 7 gone away", "\"away\" is too much; expected /unit"),
        ("/unit 7 at 6 5", "unit 8 stands at 6 5"),
        ("/unit 7 health 0", "0 is out of the range 1 to 1000"),
        ("/unit new red worker 5 5", "unit 7 stands at 5 5"),
        ("/unit new red worker 9 9 as 8", "unit 8 is there already"),
        ("/unit new red tank 9 9", "\"tank\" doesn't fit; expected /unit new"),
        ("/faction white gold 3", "no faction"),
        ("/faction red gold -3", "\"-3\" doesn't fit; expected /faction"),
        ("/faction red slot worker", "expected /faction"),
        ("/city 5 5 citizens 3", "no city at 5 5"),
        ("/city 2 2 assign 9 9", "9 9: the tile isn't your own"),
        ("/turn 3 next-unit 8", "unit 8 is there, so the next unit is 9 or more"),
        ("/empty now", "\"now\" is too much"),
    ] {
        let said = refused(&mut scene, line);
        assert!(said.starts_with(why), "{line}: {said}");
    }
    assert_eq!(scene.world.operate("/mode players"), None);
    assert_eq!(scene.world.operate("hello"), None);
}

#[test]
fn lines_act_at_once_and_answer() {
    let mut scene = Scene::new(&[]);
    let mut say = |line: &str| scene.world.operate(line).unwrap().unwrap();
    assert_eq!(say("/unit new blue fighter 5 5 as 40"), "40");
    assert_eq!(say("/unit new blue fighter 6 5"), "41");
    assert_eq!(say("/unit 40 at 7 7 health 2 state de").lines().nth(1), Some("/unit 40 health 2 state de"));
    assert_eq!(
        say("/tile 7 7 resource on owner red fort on bomb blue"),
        "/tile 7 7 owner red base off resource on fort on bomb blue terrain plain building -"
    );
    assert_eq!(say("/tile 7 7 owner -").split(' ').nth(10), Some("off"), "a neutral tile has no fort");
    assert_eq!(say("/unit 40 gone"), "unit 40 is gone");
    assert_eq!(say("/turn 9"), "/turn 9 next-unit 42");
    assert_eq!(say("/map").lines().nth(5), Some(&*format!("{}.F{}", ".-".repeat(6), ".-".repeat(13))));
    assert_eq!((scene.world.turn(), scene.holdings("blue").population), (9, 1));
}

#[test]
fn the_state_read_back_into_an_emptied_world_gives_the_same_digest() {
    let mut scene = Scene::cities(&[
        "/tile 3 3 owner red building house terrain forest",
        "/tile 3 2 owner red",
        "/tile 9 9 owner - fort on bomb blue building camp-sapper",
        "/tile 8 8 owner green base on resource on",
        "/city 2 2 citizens 7 assign 3 3 assign 3 2",
        "/unit new red cleric 5 5 as 12",
        "/unit 12 health 2 state de",
        "/unit new blue worker 5 6",
        "/faction red gold 77 food 3 wood 4 bombs 5 score -60 kills 2 slot sapper 0 base 3 3",
        "/faction blue dead 4",
        "/turn 6 next-unit 90",
    ]);
    let (digest, state) = (scene.world.digest(), scene.world.state());
    scene.operate("/empty");
    assert_ne!(scene.world.digest(), digest);
    assert_eq!(scene.world.units.len() + scene.world.cities.len() + scene.world.bombs.len(), 0);
    state.iter().for_each(|line| scene.operate(line));
    assert_eq!(scene.world.digest(), digest);
    assert_eq!(scene.world.state(), state);
    assert_eq!(scene.world.people(at(2, 2)).citizens, 8);
    // `/empty` keeps stocks and slots, but the lines of the state set these, too: a world with other stocks comes to
    // that state.
    let mut other = Scene::cities(&["/faction green gold 9 dead 2", "/faction red slot worker 3"]);
    other.operate("/empty");
    state.iter().for_each(|line| other.operate(line));
    assert_eq!(other.world.digest(), digest);
}
