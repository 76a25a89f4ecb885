//! What a page in a browser adds to the observer: addresses of moments, and fingers.

use std::path::Path;

use zappy_observer::app::link::chosen;
use zappy_observer::app::observer::GameScreen;
use zappy_observer::app::watching::comfortable_scale;
use zappy_observer::ink::{Canvas, Point};
use zappy_observer::input::{Button, InputEvent, Keycap, Mods};
use zappy_observer::screen::Screen as _;
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::app::{App, Session};
use zappy_screen_zappy::view::{Choice, Selection, UserAction};

/// The observer on the sample record, read to its end, with a canvas.
struct Bench {
    app: App,
    canvas: Canvas,
}

impl Bench {
    fn new() -> Bench {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/sample.zrec");
        let mut session = Session::record(&sample).unwrap();
        session.read_all();
        let mut bench = Bench { app: App::new(session), canvas: Canvas::new() };
        // What is drawn is clicked where it is.
        bench.app.watch.screen.ui_scale = 1.0 / comfortable_scale(1280.0, 720.0);
        bench.frame(0.0);
        bench
    }

    fn frame(&mut self, seconds: f32) {
        self.app.frame(seconds, 1280.0, 720.0, 1.0, &mut self.canvas);
    }

    fn press(&mut self, key: Keycap) {
        self.app.event(InputEvent::Key { key, mods: Mods::NONE });
        self.frame(0.0);
    }

    fn act(&mut self, action: impl Into<UserAction>) {
        self.app.act(action);
        self.frame(0.0);
    }
}

#[test]
fn in_a_page_its_address_with_the_moment_is_copied_and_can_be_read_again() {
    let mut bench = Bench::new();
    bench.app.watch.screen.page = Some("https://arena/match.html?record=a".to_owned());
    bench.app.watch.stop_at(1_443);
    bench.act(Choice::Select(Selection::Player(PlayerId(44))));
    bench.press(Keycap::Y);
    let copied = bench.app.state().copied.take().expect("something is copied");
    assert_eq!(copied, "https://arena/match.html?record=a#tick=1443&player=44");
    bench.act(Choice::Zoom(2.5, None));
    bench.press(Keycap::Y);
    let closer = bench.app.state().copied.take().expect("something is copied");
    let mut other = Bench::new();
    other.app.watch.screen.director = true;
    other.app.watch.screen.director = false;
    GameScreen::choose(
        &mut other.app,
        &chosen(closer.split_once('#').unwrap().1, &["player", "egg", "tile"]),
    );
    other.app.frame_anew();
    other.frame(0.0);
    assert_eq!((other.app.watch.time.whole_tick(), other.app.watch.screen.director), (1_443, false));
    assert_eq!(other.app.view.selection, Some(Selection::Player(PlayerId(44))));
    let zoom = other.app.view.camera.scale / bench.app.view.camera.scale;
    assert!((zoom - 1.0).abs() < 0.01, "{zoom}");
}

#[test]
fn a_link_is_framed_in_the_room_that_its_own_panels_leave() {
    let mut bench = Bench::new();
    bench.app.watch.screen.page = Some("https://arena/match.html".to_owned());
    bench.press(Keycap::End);
    let with_panels = bench.app.layout.world;
    // No frame comes between the panels of the end and the link that hides them all, as on a busy page.
    GameScreen::choose(
        &mut bench.app,
        &chosen("#tick=2000&player=12&zoom=2&show=world", &["player", "egg", "tile"]),
    );
    bench.app.frame_anew();
    bench.frame(0.0);
    bench.press(Keycap::Y);
    assert_ne!(bench.app.layout.world, with_panels, "the panels took room");
    let copied = bench.app.state().copied.take().expect("something is copied");
    assert!(copied.contains("#tick=2000&player=12&zoom=2.00&"), "{copied}");
}

#[test]
fn two_fingers_move_and_pinch_the_world_and_select_nothing() {
    let mut bench = Bench::new();
    let before = bench.app.view.camera;
    let at = bench.app.layout.world.centre();
    bench.app.event(InputEvent::Moved(at));
    bench.app.event(InputEvent::Pressed(Button::Left, at));
    let pinch = |x: f32, factor| InputEvent::Pinched { by: Point::new(x, 0.0), factor, at };
    bench.app.event(pinch(0.0, 1.0));
    bench.app.event(pinch(-40.0, 2.0));
    bench.app.event(InputEvent::Released(Button::Left, at));
    bench.frame(0.0);
    let after = bench.app.view.camera;
    assert!((after.scale / before.scale - 2.0).abs() < 0.01, "{before:?} {after:?}");
    assert!(after.x > before.x, "the world follows the fingers to the left");
    assert_eq!(bench.app.view.selection, None);
}

#[test]
fn the_pages_scripts_are_of_ascii_alone() {
    // Not every page or server says how a script is written.
    for script in [include_str!("../../web/glue.js"), include_str!("../../web/inside.js")] {
        assert!(script.is_ascii());
    }
}
