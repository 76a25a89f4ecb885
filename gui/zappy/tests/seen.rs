//! What is to be seen at the moments that matter, on the sample record: what the camera shows, where cards stand, and what is
//! marked on the map.

use std::path::Path;

use zappy_observer::app::action::Control;
use zappy_observer::app::watching::comfortable_scale;
use zappy_observer::ink::{Canvas, Figure, Point};
use zappy_observer::screen::Screen as _;
use zappy_observer::theme::TEXT;
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::app::{App, Session};
use zappy_screen_zappy::view::{Choice, UserAction};

/// The observer on the sample record, read to its end.
struct Bench {
    app: App,
    canvas: Canvas,
}

impl Bench {
    fn new() -> Bench {
        let mut session =
            Session::record(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/sample.zrec")).unwrap();
        session.read_all();
        let mut bench = Bench { app: App::new(session), canvas: Canvas::new() };
        // What is drawn is clicked where it is.
        bench.app.watch.screen.ui_scale = 1.0 / comfortable_scale(1280.0, 720.0);
        bench.app.watch.time.led = false;
        bench.frame(0.0);
        bench
    }

    fn frame(&mut self, seconds: f32) {
        self.app.frame(seconds, 1_280.0, 720.0, 1.0, &mut self.canvas);
    }

    /// Nothing moves by itself.
    fn act(&mut self, action: impl Into<UserAction>) {
        self.app.watch.time.playing = false;
        self.app.act(action);
        self.frame(0.0);
    }
}

#[test]
fn a_push_into_an_incantation_is_seen_in_the_middle_of_what_stays_free() {
    let mut bench = Bench::new();
    // At the pace of the players alone another moment's headline isn't read by then.
    bench.app.watch.time.led = true;
    bench.act(Choice::ToggleDirector);
    bench.act(Control::Seek(1_443));
    let (led, layout) = (bench.app.view.camera, bench.app.layout);
    let whole = led.to_window(layout.world, (5.5, 2.5));
    let card = bench.app.view.own.covered.iter().find(|card| card.h > 60.0).expect("a card tells of it");
    assert!(layout.world.contains(whole) && whole.distance(layout.world.centre()) < 60.0, "{whole:?}");
    assert!((whole.y - (layout.world.y + card.y) / 2.0).abs() < 20.0, "above the cards: {whole:?} {card:?}");
    let (mirror, pusher) = (bench.app.watch.session.fold().mirror(), PlayerId(26));
    let at = mirror.players[&pusher].at;
    let seen = led.to_window(layout.world, (f64::from(at.x) + 0.5, f64::from(at.y) + 0.5));
    assert!(layout.world.contains(seen), "the one that pushes is in the picture: {at:?}");
}

#[test]
fn the_whole_map_is_laid_so_that_what_decides_is_not_at_its_edge_and_a_moved_one_stays() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(1_500));
    bench.act(Choice::Fit);
    let seen = |bench: &Bench, at: (f64, f64)| {
        let (camera, world) = (bench.app.view.camera, bench.app.layout.world);
        let (dx, dy) = zappy_observer::camera::shortest(
            bench.app.watch.session.fold().mirror().size.unwrap(),
            (camera.x, camera.y),
            at,
        );
        camera.to_window(world, (camera.x + dx, camera.y + dy)).distance(world.centre()) / camera.scale
    };
    // The incantation that may win begins at 2 916 in a corner of the map.
    let corner = (15.5, 0.5);
    assert!(seen(&bench, corner) > 8.0);
    bench.act(Control::Seek(2_916));
    assert!(seen(&bench, corner) > 8.0, "it eases");
    bench.act(Control::Seek(3_000));
    let there = bench.app.view.camera;
    assert!(seen(&bench, corner) < 1.0, "{there:?}");
    bench.act(Control::SeekEnd);
    assert!(seen(&bench, corner) < 1.5, "so are the winners");
    bench.act(Control::Seek(1_500));
    assert!(seen(&bench, corner) > 8.0, "a function of the moment");
    bench.act(Choice::Pan(Point { x: 40.0, y: 0.0 }));
    let moved = bench.app.view.camera;
    bench.act(Control::Seek(3_000));
    assert_eq!(bench.app.view.camera, moved, "what the spectator moved stays");
    bench.act(Choice::Fit);
    assert_eq!(bench.app.view.camera, there);
}

#[test]
fn what_a_card_tells_of_is_marked_on_the_map() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(3_150));
    bench.canvas.watch_text(true);
    bench.frame(0.0);
    // The incantation broke 34 ticks ago, its pieces are gone by then.
    let says = "BROKEN: pushed by wolves’ #29";
    let card = bench.canvas.runs().iter().find(|run| run.text == says).expect("a card tells of it").rect;
    assert!(bench.app.view.own.covered.iter().any(|place| place.overlaps(card)), "{card:?}");
    let (camera, world) = (bench.app.view.camera, bench.app.layout.world);
    let size = bench.app.watch.session.fold().mirror().size.unwrap();
    let near = |tile: (f64, f64), far: f32| {
        let (dx, dy) = zappy_observer::camera::shortest(size, (camera.x, camera.y), tile);
        let place = camera.to_window(world, (camera.x + dx, camera.y + dy));
        let strokes = bench.canvas.vertices().iter().filter(|v| v.color[..3] == TEXT.0[..3]);
        let strokes = strokes.filter(|v| v.kind == Figure::Round.number());
        strokes
            .filter(|v| Point::new(v.position[0], v.position[1]).distance(place) < far * camera.scale)
            .count()
    };
    assert!(near((5.5, 2.5), 2.0) >= 9 * 4, "its circle is cracked");
    let pusher = bench.app.watch.session.fold().mirror().players[&PlayerId(29)].at;
    let pusher = (f64::from(pusher.x) + 0.5, f64::from(pusher.y) + 0.5);
    assert!(near(pusher, 1.0) >= 4 * 2 * 4, "and corners stand around the one that pushed");
}
