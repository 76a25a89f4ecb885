//! What is under the cursor, also across the seam and between tiles.

use zappy_observer::ink::{Point, Rect};
use zappy_protocol::Position;
use zappy_protocol::zappy::{EggId, PlayerId};
use zappy_screen_zappy::draw::{on_tile, pick};
use zappy_screen_zappy::scene::place_of;
use zappy_screen_zappy::view::Selection;

use crate::script::{MATCH, Told};

const PLACE: Rect = Rect::new(20.0, 10.0, 640.0, 480.0);

#[test]
fn a_player_is_where_it_is_drawn() {
    let mut told = Told::until(MATCH, 292);
    // The middle of the view is the seam that the player walks across.
    (told.view.camera.x, told.view.camera.y, told.view.camera.scale) = (0.0, 3.5, 40.0);
    let shown = told.shown(292.0);
    let place = place_of(&shown, PlayerId(0)).unwrap();
    for around in [-10.0, 0.0, 10.0] {
        let spot = told.view.camera.to_window(PLACE, (place.point.0 + around, place.point.1));
        if PLACE.contains(spot) {
            assert_eq!(pick(PLACE, &shown, spot)[0], Selection::Player(PlayerId(0)), "{around}");
        }
    }
    let there = told.view.camera.to_window(PLACE, (0.95, 3.5));
    assert_eq!(pick(PLACE, &shown, there), [Selection::Tile(Position { x: 0, y: 3 })]);
}

#[test]
fn players_come_before_eggs_and_the_tile_is_last() {
    let mut told = Told::until(MATCH, 273);
    (told.view.camera.x, told.view.camera.y, told.view.camera.scale) = (5.5, 5.5, 3.0);
    let shown = told.shown(273.0);
    let found = pick(PLACE, &shown, told.view.camera.to_window(PLACE, (5.5, 5.5)));
    assert_eq!(found.first(), Some(&Selection::Player(PlayerId(3))), "{found:?}");
    assert!(found.contains(&Selection::Egg(EggId(1))));
    assert_eq!(found.last(), Some(&Selection::Tile(Position { x: 5, y: 5 })));
}

#[test]
fn nothing_is_found_beside_the_world() {
    let told = Told::until(MATCH, 100);
    assert!(pick(PLACE, &told.shown(100.0), Point::new(5.0, 5.0)).is_empty());
    assert!(pick(PLACE, &Told::nothing().shown(0.0), PLACE.centre()).is_empty());
}

#[test]
fn everything_on_a_tile_in_order() {
    let told = Told::until(MATCH, 273);
    let at = Position { x: 3, y: 3 };
    let players = [1, 2].map(|n| Selection::Player(PlayerId(n)));
    assert_eq!(on_tile(&told.state, at), [&players[..], &[Selection::Tile(at)]].concat());
    let nest = Position { x: 6, y: 6 };
    let eggs = [2, 90].map(|n| Selection::Egg(EggId(n)));
    assert_eq!(on_tile(&told.state, nest), [&eggs[..], &[Selection::Tile(nest)]].concat());
}
