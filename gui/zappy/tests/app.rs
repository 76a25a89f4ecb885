//! Keys, clicks and the passing of time, on the sample record: what the spectator does and what that changes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use zappy_observer::app::action::{Control, Direction};
use zappy_observer::app::playback::{NORMAL_SPEED, SPEEDS};
use zappy_observer::app::watching::comfortable_scale;
use zappy_observer::ink::{Canvas, Point};
use zappy_observer::input::{Button, InputEvent, Keycap, Mods};
use zappy_observer::map_screen::MapGame as _;
use zappy_observer::screen::{Next, Screen};
use zappy_protocol::Position;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::story::What;
use zappy_screen_zappy::app::{App, Session};
use zappy_screen_zappy::view::{
    Choice, Panel, Selection, Topic, UserAction, ZappyChoice, ZappyMap, selected_player,
};

const SIZE: (f32, f32) = (1280.0, 720.0);

/// The observer on the sample record, read to its end, with a canvas.
struct Bench {
    app: App,
    canvas: Canvas,
}

impl Bench {
    fn new() -> Bench {
        let sample: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/sample.zrec");
        let mut session = Session::record(&sample).unwrap();
        session.read_all();
        let mut bench = Bench { app: App::new(session), canvas: Canvas::new() };
        bench.app.watch.time.led = false;
        // What is drawn is clicked where it is.
        bench.app.watch.screen.ui_scale = 1.0 / comfortable_scale(SIZE.0, SIZE.1);
        bench.frame(0.0);
        bench
    }

    fn frame(&mut self, seconds: f32) -> Next {
        self.app.frame(seconds, SIZE.0, SIZE.1, 1.0, &mut self.canvas)
    }

    fn key(&mut self, key: Keycap, mods: Mods) {
        self.app.event(InputEvent::Key { key, mods });
        self.frame(0.0);
    }

    fn press(&mut self, key: Keycap) {
        self.key(key, Mods::NONE);
    }

    fn click(&mut self, at: Point) {
        self.app.event(InputEvent::Moved(at));
        self.app.event(InputEvent::Pressed(Button::Left, at));
        self.app.event(InputEvent::Released(Button::Left, at));
        self.frame(0.0);
    }

    fn act(&mut self, action: impl Into<UserAction>) {
        self.app.act(action);
        self.frame(0.0);
    }

    /// The middle of what can be clicked and says this.
    fn hint(&self, says: &str) -> Option<Point> {
        let region = self.app.hits.regions().find(|region| region.hint.contains(says));
        region.map(|region| region.rect.centre())
    }

    fn tick(&self) -> u64 {
        self.app.watch.time.tick as u64
    }

    fn last(&self) -> u64 {
        self.app.watch.reach().range.1
    }
}

#[test]
fn a_record_plays_at_a_hundred_ticks_a_second_and_at_the_speed_chosen() {
    let mut bench = Bench::new();
    let begin = bench.app.watch.time.tick;
    bench.frame(0.2);
    assert!((bench.app.watch.time.tick - begin - 20.0).abs() < 1e-3, "{}", bench.app.watch.time.tick);
    bench.press(Keycap::RightBracket);
    let begin = bench.app.watch.time.tick;
    bench.frame(0.2);
    assert!((bench.app.watch.time.tick - begin - 40.0).abs() < 1e-3);
    for _ in 0..20 {
        bench.press(Keycap::LeftBracket);
    }
    assert_eq!(bench.app.watch.time.speed, 0);
    bench.press(Keycap::Backspace);
    assert_eq!(bench.app.watch.time.speed, NORMAL_SPEED);
}

#[test]
fn a_window_that_slept_does_not_leap() {
    let mut bench = Bench::new();
    let begin = bench.app.watch.time.tick;
    bench.frame(3_600.0);
    assert!(bench.app.watch.time.tick - begin <= 25.0 + 1e-3, "{}", bench.app.watch.time.tick);
}

#[test]
fn ticks_are_stepped_both_ways_and_never_beyond_the_ends() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(700));
    bench.press(Keycap::Period);
    assert_eq!(bench.tick(), 701);
    bench.key(Keycap::Comma, Mods::SHIFT);
    assert_eq!(bench.tick(), 681);
    assert!(!bench.app.watch.time.playing);
    bench.press(Keycap::Home);
    bench.press(Keycap::Comma);
    assert_eq!(bench.tick(), 0);
    bench.press(Keycap::End);
    bench.press(Keycap::Period);
    assert_eq!(bench.tick(), bench.last());
}

#[test]
fn stopped_with_nothing_to_do_it_asks_for_no_frame() {
    let mut bench = Bench::new();
    assert_eq!(bench.frame(0.016), Next::Again);
    bench.press(Keycap::Space);
    assert_eq!(bench.frame(0.016), Next::WhenSomethingHappens);
    bench.press(Keycap::Space);
    assert_eq!(bench.frame(0.016), Next::Again);
    bench.key(Keycap::Q, Mods::CTRL);
    assert_eq!(bench.frame(0.016), Next::Quit);
}

#[test]
fn seeking_shows_the_same_picture_as_playing() {
    let mut played = Bench::new();
    played.app.watch.seek(1_000.0);
    for _ in 0..15 {
        played.act(Control::Step(20));
    }
    let mut sought = Bench::new();
    sought.act(Control::Seek(2_900));
    sought.act(Control::Step(-1_600));
    assert_eq!((played.tick(), sought.tick()), (1_300, 1_300));
    assert_eq!(played.app.watch.session.fold(), sought.app.watch.session.fold());
    // On fresh canvases: where a glyph stands in the atlas depends on what was written before.
    let picture = |bench: &mut Bench| {
        bench.canvas = Canvas::new();
        bench.frame(0.0);
        bench.canvas.vertices().to_vec()
    };
    assert!(picture(&mut played) == picture(&mut sought), "the pictures differ");
}

#[test]
fn the_end_opens_the_closing_screen_once_and_play_begins_anew_from_there() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(bench.last() - 30));
    bench.app.watch.time.playing = true;
    for _ in 0..4 {
        bench.frame(0.25);
    }
    assert_eq!(bench.tick(), bench.last());
    assert!(bench.app.view.panels.contains(&Panel::Closing) && !bench.app.watch.time.playing);
    bench.press(Keycap::Escape);
    bench.frame(0.1);
    assert!(!bench.app.view.panels.contains(&Panel::Closing), "closed is closed");
    bench.press(Keycap::Space);
    assert!(bench.tick() < 100 && bench.app.watch.time.playing);
}

#[test]
fn key_moments_are_visited_one_after_the_other_and_back() {
    let mut bench = Bench::new();
    let key = |what: &What| matches!(what, What::IncantationEnded { .. } | What::Gone { .. } | What::Won(_));
    let entries = bench.app.watch.session.overview().chronicle.entries.iter();
    let mut moments: Vec<u64> =
        entries.filter(|noted| key(&noted.happening.what)).map(|noted| noted.happening.tick).collect();
    moments.dedup();
    assert!(moments.len() > 10, "the sample has too little to show");
    let mut visited = Vec::new();
    for _ in 0..moments.len() {
        bench.press(Keycap::N);
        visited.push(bench.tick());
    }
    assert_eq!(visited, moments);
    bench.act(Choice::KeyMoment(Direction::Previous));
    assert_eq!(bench.tick(), moments[moments.len() - 2]);
}

#[test]
fn players_are_selected_by_key_followed_and_seen_in_the_middle() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(900));
    bench.press(Keycap::Tab);
    let first = selected_player(&bench.app.view).expect("a player");
    bench.press(Keycap::Tab);
    let second = selected_player(&bench.app.view).expect("a player");
    assert!(second > first);
    bench.key(Keycap::Tab, Mods::SHIFT);
    assert_eq!(selected_player(&bench.app.view), Some(first));
    bench.press(Keycap::F);
    for _ in 0..200 {
        bench.frame(0.05);
    }
    assert!(bench.app.view.follow);
    let at = bench.app.place_of(bench.app.view.selection).expect("alive");
    let camera = bench.app.view.camera;
    let size = bench.app.watch.session.fold().mirror().size.unwrap();
    let middle = Position {
        x: camera.x.rem_euclid(f64::from(size.width())) as u16,
        y: camera.y.rem_euclid(f64::from(size.height())) as u16,
    };
    assert!(size.distance(middle, at) <= 2, "{middle:?} {at:?}");
    bench.press(Keycap::Left);
    assert!(!bench.app.view.follow, "who moves the view wants to look elsewhere");
}

#[test]
fn a_click_selects_what_is_there_and_again_the_next_one() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(1_500));
    bench.act(Choice::Fit);
    bench.press(Keycap::Space);
    bench.press(Keycap::Space);
    let middle = bench.app.layout.world.centre();
    bench.click(middle);
    let first = bench.app.view.selection.expect("a tile at least");
    bench.click(middle);
    let second = bench.app.view.selection.expect("a tile at least");
    assert!(matches!(first, Selection::Tile(_)) || first != second);
    bench.press(Keycap::Escape);
    assert_eq!(bench.app.view.selection, None);
}

#[test]
fn a_drag_moves_the_view_and_selects_nothing() {
    let mut bench = Bench::new();
    let (from, before) = (bench.app.layout.world.centre(), bench.app.view.camera);
    bench.app.event(InputEvent::Moved(from));
    bench.app.event(InputEvent::Pressed(Button::Left, from));
    for step in 1..=10 {
        bench.app.event(InputEvent::Moved(Point { x: from.x + step as f32 * 6.0, y: from.y }));
    }
    bench.app.event(InputEvent::Released(Button::Left, Point { x: from.x + 60.0, y: from.y }));
    bench.frame(0.0);
    let (moved, width) = (bench.app.view.camera, 16.0);
    let tiles = (before.x - moved.x).rem_euclid(width);
    assert!((tiles - f64::from(60.0 / before.scale)).abs() < 1e-3, "{tiles}");
    assert_eq!(bench.app.view.selection, None);
}

#[test]
fn the_timeline_is_dragged_and_every_button_can_be_clicked() {
    let mut bench = Bench::new();
    let actions: Vec<(Point, UserAction)> =
        bench.app.hits.regions().map(|region| (region.rect.centre(), region.action)).collect();
    assert!(actions.len() > 20, "{}", actions.len());
    for (at, action) in actions {
        assert_eq!(bench.app.hits.at(at), Some(&action), "hidden by another");
    }
    let strip = (0..720).rev().find_map(|y| {
        let at = Point { x: 640.0, y: y as f32 };
        bench.app.hits.seek_from(at, at).map(|tick| (at, tick))
    });
    let (at, tick) = strip.expect("a timeline");
    // The lowest row of it may belong to a button, by a share of a pixel.
    let at = at - Point { x: 0.0, y: 1.0 };
    bench.click(at);
    assert_eq!(bench.tick(), tick);
    assert!(tick > bench.last() / 4 && tick < bench.last() * 3 / 4);
}

#[test]
fn the_feed_is_filtered_and_leads_to_place_and_moment() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(2_000));
    for kind in Topic::ALL {
        if kind != Topic::Lives && bench.app.view.own.filter.topics.contains(&kind) {
            bench.act(Choice::Own(ZappyChoice::ToggleTopic(kind)));
        }
    }
    bench.press(Keycap::J);
    bench.press(Keycap::O);
    let life = bench.app.watch.session.overview().chronicle.entries.iter().rev().find(|noted| {
        noted.happening.tick <= 2_000 && matches!(noted.happening.what, What::Gone { .. } | What::Joined(_))
    });
    assert_eq!(Some(bench.tick()), life.map(|noted| noted.happening.tick));
    bench.act(Choice::Select(Selection::Player(PlayerId(1))));
    bench.press(Keycap::I);
    assert_eq!(bench.app.view.own.filter.player, Some(PlayerId(1)));
    bench.press(Keycap::G);
    assert_eq!(bench.app.view.own.filter.team.map(|team| team.0), Some(0));
}

#[test]
fn any_window_and_any_event_are_taken() {
    let mut bench = Bench::new();
    for (width, height) in [(1.0, 1.0), (0.0, 0.0), (30.0, 2_000.0), (5_000.0, 20.0), (f32::NAN, 100.0)] {
        bench.app.frame(0.016, width, height, 1.0, &mut bench.canvas);
    }
    for value in [f32::NAN, f32::INFINITY, -1e30, 0.0] {
        let at = Point { x: value, y: value };
        bench.app.event(InputEvent::Moved(at));
        bench.app.event(InputEvent::Pressed(Button::Left, at));
        bench.app.event(InputEvent::Released(Button::Left, at));
        bench.app.event(InputEvent::Wheel(value, at));
        bench.frame(value);
    }
    bench.app.update(f32::NAN, Instant::now());
    assert!(bench.app.watch.time.tick.is_finite() && bench.app.view.camera.scale.is_finite());
}

#[test]
fn a_live_match_that_is_over_stands_still() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"WELCOME\n").unwrap();
        let mut hello = [0; 8];
        stream.read_exact(&mut hello).unwrap();
        stream.write_all(b"msz 4 4\nsgt 1000\ntna red\npnw #0 1 1 1 1 red\npbc #0 bye\nseg red\n").unwrap();
    });
    let mut bench = Bench { app: App::new(Session::live("127.0.0.1", port).unwrap()), canvas: Canvas::new() };
    let deadline = Instant::now() + std::time::Duration::from_secs(20);
    let still = |next: Next| matches!(next, Next::After(_) | Next::WhenSomethingHappens);
    while !(still(bench.frame(0.016)) && bench.app.watch.session.overview().chronicle.finish.is_some()) {
        assert!(Instant::now() < deadline, "still moving: {:?}", &bench.app.watch.session.origin);
        std::thread::yield_now();
    }
    server.join().unwrap();
    assert!(bench.app.view.panels.contains(&Panel::Closing));
}

#[test]
fn refusals_of_a_player_are_visited_with_their_reasons() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(900));
    bench.press(Keycap::U);
    assert!(bench.app.shown().notice.is_some_and(|notice| notice.contains("elect a player")));
    bench.act(Choice::Select(Selection::Player(PlayerId(15))));
    bench.press(Keycap::U);
    let first = bench.tick();
    assert!(first > 900 && bench.app.view.panels.contains(&Panel::Dialogue));
    let spoken = bench.app.conversation.spoken();
    assert!(spoken.iter().any(|line| line.tick == first && line.why.is_some()));
    bench.press(Keycap::U);
    assert!(bench.tick() > first);
    bench.key(Keycap::U, Mods::SHIFT);
    assert_eq!(bench.tick(), first);
}

#[test]
fn a_drag_of_the_timeline_goes_on_beside_the_strip() {
    let mut bench = Bench::new();
    let on_strip = |y: u16| Point { x: 640.0, y: f32::from(y) };
    let from =
        (0..720).map(on_strip).find(|at| bench.app.hits.seek_from(*at, *at).is_some()).expect("a timeline");
    bench.app.event(InputEvent::Pressed(Button::Left, from));
    bench.app.event(InputEvent::Moved(Point { x: 900.0, y: 200.0 }));
    bench.frame(0.0);
    assert!(bench.tick() > bench.app.watch.session.range().1 / 2, "{}", bench.tick());
    bench.app.event(InputEvent::Moved(Point { x: 5_000.0, y: 200.0 }));
    bench.frame(0.0);
    assert_eq!(bench.tick(), bench.app.watch.session.range().1);
    bench.app.event(InputEvent::Released(Button::Left, Point { x: 5_000.0, y: 200.0 }));
    assert_eq!(bench.app.view.selection, None);
}

#[test]
fn the_wheel_scrolls_down_to_older_events_and_up_to_older_lines() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(2_000));
    let wheel = |bench: &mut Bench, at: Point, delta_y: f32| {
        bench.app.event(InputEvent::Wheel(delta_y, at));
        bench.frame(0.0);
    };
    let feed = bench.app.layout.feed.centre();
    wheel(&mut bench, feed, -2.0);
    assert_eq!(bench.app.view.feed_at, Some(1));
    wheel(&mut bench, feed, 1.0);
    assert_eq!(bench.app.view.feed_at, Some(0));
    bench.act(Choice::Select(Selection::Player(PlayerId(15))));
    bench.act(Choice::Toggle(Panel::Dialogue));
    let dialogue = bench.app.layout.dialogue.centre();
    wheel(&mut bench, dialogue, 1.0);
    assert_eq!(bench.app.view.dialogue_at, 3);
}

#[test]
fn the_director_leads_until_the_spectator_takes_the_camera() {
    let mut bench = Bench::new();
    let whole = bench.app.view.camera;
    bench.press(Keycap::Z);
    bench.act(Control::Seek(3_150));
    let led = bench.app.view.camera;
    assert!(bench.app.watch.screen.director && led.scale > whole.scale, "{led:?}");
    assert!(bench.hint("lets it go").is_some(), "it is seen that it leads");
    bench.press(Keycap::Left);
    assert!(
        !bench.app.watch.screen.director && bench.app.view.camera.scale == led.scale,
        "it stays where it was"
    );
    assert!(bench.hint("lets it go").is_none());
    let back = bench.hint("Let the camera go where it matters").expect("the way back is seen");
    bench.click(back);
    assert!(bench.app.watch.screen.director);
    assert_eq!(bench.app.view.camera, led);
}

#[test]
fn playing_and_seeking_lead_the_camera_to_the_same_place() {
    let (mut played, mut sought) = (Bench::new(), Bench::new());
    for bench in [&mut played, &mut sought] {
        bench.press(Keycap::Z);
        bench.act(Control::Seek(2_000));
    }
    for _ in 0..130 {
        played.frame(0.0999);
        sought.app.watch.seek(played.app.watch.time.tick);
        sought.app.watch.time.playing = false;
    }
    sought.frame(0.0);
    assert!(played.tick() > 3_200);
    assert_eq!(played.app.view.camera, sought.app.view.camera);
}

#[test]
fn a_moment_that_decided_the_match_is_shown_again_from_a_little_before() {
    let mut bench = Bench::new();
    bench.app.watch.time.speed = SPEEDS.len() - 1;
    bench.act(Choice::Toggle(Panel::Closing));
    let again = bench.hint("Watch it again").expect("the closing panel offers it");
    bench.click(again);
    assert!(bench.app.watch.screen.director && bench.app.watch.time.playing);
    assert!(!bench.app.view.panels.contains(&Panel::Closing));
    assert_eq!(bench.app.watch.time.speed, NORMAL_SPEED);
    let moments = ZappyMap::highlights(bench.app.watch.session.overview());
    assert!(!moments.is_empty() && moments.len() <= 5 && moments.is_sorted());
    assert!(moments.iter().any(|tick| bench.tick() + 400 == *tick), "{} of {moments:?}", bench.tick());
}

#[test]
fn what_comes_later_is_hidden_and_the_moment_can_be_shared() {
    let mut bench = Bench::new();
    bench.act(Control::Seek(1_500));
    bench.act(Choice::Select(Selection::Tile(Position { x: 3, y: 2 })));
    let says = |bench: &mut Bench| {
        bench.canvas.watch_text(true);
        bench.frame(0.0);
        bench.canvas.runs().iter().map(|run| run.text.clone()).collect::<Vec<_>>().join("|")
    };
    let last = format!("/ {}", zappy_protocol::text::clock(bench.app.watch.session.range().1, 400));
    assert!(says(&mut bench).contains(&last), "{last} is told");
    bench.press(Keycap::L);
    let hidden = says(&mut bench);
    assert!(!hidden.contains(&last), "{hidden}");
    bench.press(Keycap::Y);
    let copied = bench.app.state().copied.take().expect("something is copied");
    assert!(copied.starts_with("zappy_gui --replay ") && copied.contains("sample.zrec"), "{copied}");
    assert!(copied.contains("--at-tick 1500") && copied.ends_with("--select tile:3,2"), "{copied}");
}

#[test]
fn the_end_is_seen_for_three_seconds_before_the_match_is_told() {
    let mut bench = Bench::new();
    let end = bench.app.watch.session.range().1;
    bench.act(Control::Seek(end - 10));
    let mut seen = 0;
    while !bench.app.view.panels.contains(&Panel::Closing) {
        bench.frame(0.1);
        seen += usize::from(bench.tick() > end);
        assert!(seen < 100, "it is told at last");
    }
    assert!((29..=31).contains(&seen), "{seen} tenths of a second");
    assert_eq!(bench.tick(), bench.last());
    assert_eq!(bench.app.shown().range.1, end, "no tick of the match is added");
}

#[test]
fn charts_asked_for_at_the_end_are_seen_and_no_key_is_named_to_fingers() {
    let mut bench = Bench::new();
    bench.act(Choice::Toggle(Panel::Closing));
    bench.act(Choice::Toggle(Panel::Closing));
    bench.app.view.panels.insert(Panel::Closing);
    bench.press(Keycap::C);
    let open = &bench.app.view.panels;
    assert!(open.contains(&Panel::Charts) && !open.contains(&Panel::Closing), "{open:?}");
    bench.app.event(InputEvent::Touched);
    bench.frame(0.0);
    assert!(bench.app.hits.touched);
    bench.press(Keycap::C);
    assert!(!bench.app.hits.touched, "a key was pressed");
}
