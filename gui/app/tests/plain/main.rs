//! The screen of games that have none of their own, on a record and live: it shows the game's name, the turn and the
//! scores, and time is sought as in any match.

mod tiny;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use zappy_gui::games::GAMES;
use zappy_observer::app::action::{Control, Direction, Panel};
use zappy_observer::app::observer::Observer;
use zappy_observer::app::watching::comfortable_scale;
use zappy_observer::ink::{Canvas, Point, Rect, TextRun};
use zappy_observer::input::{Button, InputEvent, Keycap, Mods};
use zappy_observer::plain::{App, Choice, Session};
use zappy_observer::screen::Screen;

/// After so long a test has failed.
const DEADLINE: Duration = Duration::from_secs(60);
const SIZE: (f32, f32) = (1280.0, 720.0);

fn on_disk() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.zrec");
    std::fs::write(&path, tiny::record()).unwrap();
    (folder, path)
}

/// A canvas that notes its texts.
fn watched() -> Canvas {
    let mut canvas = Canvas::new();
    canvas.watch_text(true);
    canvas
}

/// What stands on the canvas: every run of text.
fn texts(canvas: &Canvas) -> Vec<String> {
    canvas.runs().iter().map(|run| run.text.clone()).collect()
}

fn shows(canvas: &Canvas, wanted: &[&str]) {
    let texts = texts(canvas);
    for text in wanted {
        assert!(texts.iter().any(|shown| shown == text), "{text:?} is not among {texts:?}");
    }
}

#[test]
fn a_record_of_a_game_without_a_screen_shows_name_turn_and_scores() {
    let (_folder, path) = on_disk();
    let (mut observer, mut canvas) = (Observer::new(GAMES, b""), watched());
    observer.open(&path).unwrap();
    observer.screen_mut().read_all();
    let mut paint = |observer: &mut Observer, tick: f64| {
        canvas.begin(SIZE.0, SIZE.1, 1.0);
        observer.screen_mut().paint_at(tick, &mut canvas);
        (texts(&canvas), ["red", "blue"].map(|team| beside(&canvas, team)))
    };
    let shows = |texts: &[String], wanted: &str| texts.iter().any(|text| text == wanted);
    let (middle, scores) = paint(&mut observer, 25.0);
    for wanted in ["tiny", "rules version 1", "Turn 3", "sco blue 1", "trn 3"] {
        assert!(shows(&middle, wanted), "{wanted:?} is not among {middle:?}");
    }
    assert!(!shows(&middle, "trn 4"), "nothing is told before its time");
    assert_eq!(scores, ["1", "1"]);
    let last = observer.screen().last_tick();
    assert_eq!(last, 350, "its fifty ticks, and three seconds in which the end is seen");
    let (end, scores) = paint(&mut observer, last as f64);
    assert!(shows(&end, "Over: red (points)"), "{end:?}");
    assert_eq!(scores, ["3", "1"]);
    let (begin, scores) = paint(&mut observer, 5.0);
    assert!(shows(&begin, "Turn 1") && !shows(&begin, "sco red 1"), "{begin:?}");
    assert_eq!(scores, ["0", "0"]);
}

/// The text at the right of a team's name.
fn beside(canvas: &Canvas, team: &str) -> String {
    let name = canvas.runs().iter().find(|run| run.text == team).expect("the team");
    let same_line = |run: &&TextRun| (run.rect.centre().y - name.rect.centre().y).abs() < 3.0;
    let mut right = canvas.runs().iter().filter(|run| run.rect.x > name.rect.x && same_line(run));
    right.next().map(|run| run.text.clone()).unwrap_or_default()
}

#[test]
fn time_is_stepped_sought_and_goes_from_turn_to_turn() {
    let (_folder, path) = on_disk();
    let (mut app, mut canvas) = (App::new(Session::record(&path).unwrap()), watched());
    // What is drawn is clicked where it is.
    app.watch.screen.ui_scale = 1.0 / comfortable_scale(SIZE.0, SIZE.1);
    while app.watch.session.overview().turns.len() < 5 {
        app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    }
    let key = |app: &mut App, key| app.event(InputEvent::Key { key, mods: Mods::NONE });
    let mut visited = Vec::new();
    for _ in 0..5 {
        key(&mut app, Keycap::N);
        visited.push(app.watch.time.whole_tick());
    }
    assert_eq!(visited, [10, 20, 30, 40, 50]);
    app.act(Choice::KeyMoment(Direction::Previous));
    assert_eq!(app.watch.time.whole_tick(), 40);
    app.act(Control::Step(-20));
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    assert_eq!((app.watch.session.fold().turn, app.watch.time.playing), (Some(3), false));
    shows(&canvas, &["Turn 3"]);
    // A press on the strip seeks, and a drag may leave it.
    let on_strip = |y: u16| Point { x: 640.0, y: f32::from(y) };
    let from = (0..720).map(on_strip).find(|at| app.hits.seek_from(*at, *at).is_some()).expect("a timeline");
    app.event(InputEvent::Pressed(Button::Left, from));
    assert_eq!(app.watch.time.whole_tick(), 25);
    app.event(InputEvent::Moved(Point { x: 5_000.0, y: 0.0 }));
    assert_eq!(app.watch.time.whole_tick(), 50);
    app.event(InputEvent::Released(Button::Left, from));
    key(&mut app, Keycap::H);
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    shows(&canvas, &["Shift N, N", "turn before, next", "Ctrl Q"]);
}

#[test]
fn nothing_lies_outside_and_any_window_and_any_event_are_taken() {
    let (_folder, path) = on_disk();
    let (mut app, mut canvas) = (App::new(Session::record(&path).unwrap()), watched());
    for (width, height) in [(1280.0, 720.0), (800.0, 600.0), (400.0, 300.0), (2_560.0, 1_440.0)] {
        for help in [false, true] {
            app.frame(0.016, width, height, 1.0, &mut canvas);
            for run in canvas.runs() {
                let area = Rect::new(0.0, 0.0, canvas.area().w, canvas.area().h);
                assert!(area.encloses(run.rect, 1.0), "{width}x{height}, help {help}: {run:?}");
            }
            app.act(Choice::Toggle(Panel::Help));
        }
    }
    for (width, height) in [(1.0, 1.0), (0.0, 0.0), (30.0, 2_000.0), (5_000.0, 20.0), (f32::NAN, 100.0)] {
        app.frame(0.016, width, height, 1.0, &mut canvas);
    }
    for value in [f32::NAN, f32::INFINITY, -1e30, 0.0] {
        let at = Point { x: value, y: value };
        app.event(InputEvent::Moved(at));
        app.event(InputEvent::Pressed(Button::Left, at));
        app.event(InputEvent::Wheel(value, at));
        app.frame(value, SIZE.0, SIZE.1, 1.0, &mut canvas);
    }
    assert!(app.watch.time.tick.is_finite());
}

#[test]
fn every_team_of_many_can_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (done, end) = std::sync::mpsc::channel::<()>();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let teams: String = (0..40).map(|n| format!("tna t{n}\n")).collect();
        stream.write_all(b"WELCOME\n").unwrap();
        stream.write_all(teams.as_bytes()).unwrap();
        let _ = end.recv_timeout(DEADLINE);
    });
    let (mut app, mut canvas) = (App::new(Session::live("127.0.0.1", port).unwrap()), watched());
    let until = Instant::now() + DEADLINE;
    while app.watch.session.fold().teams.len() < 40 {
        assert!(Instant::now() < until, "{:?}", app.watch.session.origin);
        app.frame(0.01, SIZE.0, SIZE.1, 1.0, &mut canvas);
        std::thread::yield_now();
    }
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..10 {
        app.frame(0.01, SIZE.0, SIZE.1, 1.0, &mut canvas);
        seen.extend(texts(&canvas).into_iter().filter(|text| text.starts_with('t') && text.len() < 4));
        app.act(Choice::BoardMove(8));
    }
    assert!((0..40).all(|n| seen.contains(&format!("t{n}"))), "{seen:?}");
    drop((app, done));
    server.join().unwrap();
}

#[test]
fn no_game_is_described_before_the_server_has_named_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut observer = Observer::new(GAMES, b"");
    assert!(
        texts_of(&mut observer).concat().contains("incantations"),
        "nothing is open, and the sample is Zappy's"
    );
    observer.connect("127.0.0.1", listener.local_addr().unwrap().port()).unwrap();
    let shown = texts_of(&mut observer).concat();
    assert!(shown.contains("Which game it is") && !shown.contains("incantations"), "{shown}");
}

#[test]
fn a_server_that_names_another_game_gets_that_games_screen_and_back() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (seen, go_on) = std::sync::mpsc::channel::<()>();
    let server = std::thread::spawn(move || {
        let lines = [
            "gam tiny 4\nsgt 100\ntna red\nsco red 2\ntna blue\nsco blue 0\ntrn 3\n",
            "msz 5 5\nsgt 100\ntna gold\npnw #0 1 1 1 1 gold\n",
        ];
        for text in lines {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(DEADLINE)).unwrap();
            stream.write_all(b"WELCOME\n").unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
            assert_eq!(line, "GRAPHIC\n");
            stream.write_all(text.as_bytes()).unwrap();
            go_on.recv_timeout(DEADLINE).unwrap();
        }
    });
    let (mut observer, mut canvas) = (Observer::new(GAMES, b""), watched());
    observer.connect("127.0.0.1", port).unwrap();
    let mut wait_for = |observer: &mut Observer, wanted: &[&str]| {
        let until = Instant::now() + DEADLINE;
        loop {
            observer.frame(0.01, SIZE.0, SIZE.1, 1.0, &mut canvas);
            let texts = texts(&canvas);
            if wanted.iter().all(|wanted| texts.iter().any(|text| text == wanted)) {
                return;
            }
            assert!(Instant::now() < until, "{wanted:?} is not among {texts:?}");
            std::thread::yield_now();
        }
    };
    wait_for(&mut observer, &["tiny", "rules version 4", "Turn 3", "red", "2", "sco red 2"]);
    seen.send(()).unwrap();
    // The server is another one now, of a game with a screen of its own.
    wait_for(&mut observer, &["gold"]);
    assert!(!texts_of(&mut observer).iter().any(|text| text == "tiny"));
    seen.send(()).unwrap();
    drop(observer);
    server.join().unwrap();
}

fn texts_of(observer: &mut Observer) -> Vec<String> {
    let mut canvas = watched();
    observer.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    texts(&canvas)
}
