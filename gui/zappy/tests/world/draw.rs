//! What is drawn: the same at any time, within its place, bounded, and without panics.

use zappy_observer::ink::{Canvas, Point, Rect, Vertex};
use zappy_observer::small_map::SmallMap;
use zappy_protocol::record::notes::Notes;
use zappy_protocol::zappy::{EggId, Orientation, PlayerId};
use zappy_protocol::{MapSize, Position};
use zappy_screen_zappy::draw;
use zappy_screen_zappy::view::Selection;

use crate::script::{MATCH, Told};

const PLACE: Rect = Rect::new(40.0, 30.0, 500.0, 400.0);

fn drawn(told: &Told, tick: f64, place: Rect) -> Vec<Vertex> {
    let mut canvas = Canvas::new();
    canvas.begin(600.0, 500.0, 1.0);
    draw::world(&mut canvas, place, &told.shown(tick));
    draw::minimap(&mut canvas, place, &told.shown(tick), place);
    canvas.vertices().to_vec()
}

#[test]
fn the_same_moment_gives_the_same_vertices() {
    let (one, other) = (Told::until(MATCH, 300), Told::until(MATCH, 300));
    assert_eq!(drawn(&one, 300.25, PLACE), drawn(&other, 300.25, PLACE));
    assert_ne!(drawn(&one, 300.25, PLACE), drawn(&one, 301.25, PLACE));
}

#[test]
fn seeking_shows_what_playing_shows() {
    for tick in [321, 326, 330, 345] {
        let (mut played, mut sought) = (Told::until(MATCH, tick), Told::sought(MATCH, 20, tick));
        for scale in [8.0, 30.0, 80.0] {
            for told in [&mut played, &mut sought] {
                told.view.selection = Some(Selection::Player(PlayerId(2)));
                told.view.camera.scale = scale;
                // Everything that is remembered is still seen.
                told.pace = 900.0;
            }
            assert_eq!(drawn(&played, tick as f64 + 0.5, PLACE), drawn(&sought, tick as f64 + 0.5, PLACE));
        }
    }
}

#[test]
fn nothing_is_drawn_beside_the_place() {
    let mut told = Told::until(MATCH, 300);
    for scale in [4.0, 20.0, 70.0, 150.0] {
        told.view.camera.scale = scale;
        for vertex in drawn(&told, 300.5, PLACE) {
            let [x, y] = vertex.position;
            assert!(PLACE.inset(-0.01).contains(Point::new(x, y)), "{scale}: {x} {y}");
        }
    }
}

#[test]
fn odd_places_scales_and_selections_are_drawn_all_the_same() {
    let places = [
        Rect::default(),
        Rect::new(10.0, 10.0, 1.0, 1.0),
        Rect::new(0.0, 0.0, 600.0, 0.0),
        Rect::new(-50.0, 400.0, 900.0, 3.0),
        Rect::new(0.0, 0.0, f32::NAN, 10.0),
        PLACE,
    ];
    let selections = [
        None,
        Some(Selection::Player(PlayerId(0))),
        Some(Selection::Player(PlayerId(77))),
        Some(Selection::Egg(EggId(90))),
        Some(Selection::Tile(Position { x: 999, y: 0 })),
    ];
    for tick in [0, 2, 150, 291, 297, 302, 340] {
        let mut told = Told::until(MATCH, tick);
        for (place, selection) in places.iter().flat_map(|place| selections.map(|choice| (*place, choice))) {
            for scale in [0.0, 1.5, 9.0, 17.0, 33.0, 160.0, f32::NAN] {
                (told.view.camera.scale, told.view.selection) = (scale, selection);
                told.view.pointer.at = Some(place.centre());
                drawn(&told, tick as f64 + 0.5, place);
            }
        }
    }
}

#[test]
fn before_anything_was_told_there_is_only_the_night() {
    assert_eq!(drawn(&Told::nothing(), 0.0, PLACE).len(), 4);
}

#[test]
fn vertices_are_bounded_however_small_and_crowded_the_map_is() {
    let mut script = "0 msz 3 2\n0 bct 0 0 9 9 9 9 9 9 9\n0 ppo #9999 0 0 1\n".to_owned();
    for player in 0..300 {
        script += &format!("1 pnw #{player} {} {} 1 1 red\n", player % 3, player % 2);
        script += &format!("2 pbc #{player} hello\n");
    }
    let mut told = Told::until(&script, 10);
    for scale in [1.5, 5.0, 16.0, 19.0, 60.0] {
        told.view.camera.scale = scale;
        let count = drawn(&told, 10.0, PLACE).len();
        assert!(count < 400_000, "{count} at {scale}");
    }
}

#[test]
fn amounts_are_numbers_only_when_near_and_only_above_one() {
    let mut told = Told::until(MATCH, 0);
    (told.view.camera.x, told.view.camera.y) = (3.5, 3.5);
    let texts = |told: &Told| -> Vec<String> {
        let mut canvas = Canvas::new();
        canvas.begin(600.0, 500.0, 1.0);
        canvas.watch_text(true);
        // Large enough for the tile alone.
        let side = told.view.camera.scale * 0.9;
        draw::world(&mut canvas, Rect::new(0.0, 0.0, side, side), &told.shown(0.0));
        canvas.runs().iter().map(|run| run.text.clone()).collect()
    };
    told.view.camera.scale = 70.0;
    let mut near = texts(&told);
    near.retain(|text| text.len() > 2 || ["4", "2", "7"].contains(&text.as_str()));
    near.sort();
    assert_eq!(near, ["2", "4", "7", "99+"]);
    told.view.camera.scale = 40.0;
    assert!(!texts(&told).contains(&"99+".to_owned()));
}

#[test]
fn the_minimap_gives_the_tile_point_under_the_mouse() {
    let size = MapSize::new(10, 8).unwrap();
    // Bars above and below.
    let place = Rect::new(100.0, 50.0, 200.0, 200.0);
    let at = |x, y| SmallMap::new(place, size).unwrap().tile_point(Point::new(x, y));
    assert_eq!(at(100.0, 70.0), Some((0.0, 0.0)));
    assert_eq!(at(290.0, 90.0), Some((9.5, 1.0)));
    assert_eq!(at(150.0, 60.0), None);
    assert!(SmallMap::new(Rect::default(), size).is_none());
}

#[test]
fn a_bots_word_lies_on_the_tile_that_it_counted_from_its_birth() {
    let drawn_from = |at: (u16, u16), facing: Orientation, word: &str, on: bool| {
        let mut told = Told::until(MATCH, 300);
        told.overview.chronicle.births.insert(PlayerId(2), (Position { x: at.0, y: at.1 }, facing));
        told.notes.add(2, (200, 0), &Notes::written(word.as_bytes()).notes);
        (told.view.notes, told.view.camera.scale) = (on, 48.0);
        drawn(&told, 300.0, PLACE)
    };
    // Ahead is north of one that faced north, and east of one that faced east; its right is south of that.
    let north = drawn_from((4, 4), Orientation::North, "3 tile 0 -1 food", true);
    assert_eq!(north, drawn_from((3, 3), Orientation::East, "3 tile 0 -1 food", true));
    assert_eq!(north, drawn_from((4, 2), Orientation::East, "3 tile 1 0 food", true));
    assert_eq!(north, drawn_from((4, 3), Orientation::South, "1 tile 0 0 stone\n3 tile 0 0 food", true));
    assert_ne!(north, drawn_from((4, 4), Orientation::North, "3 tile 0 -1 stone", true));
    assert_ne!(north, drawn_from((4, 4), Orientation::North, "3 tile 0 -1 food", false));
}
