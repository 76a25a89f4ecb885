//! Which screen the observer opens for matches of conquest: a record, and a live match.

#[path = "../../conquest/tests/conquest/played.rs"]
mod played;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use zappy_gui::games::GAMES;
use zappy_observer::app::observer::Observer;
use zappy_observer::ink::Canvas;
use zappy_observer::screen::Screen as _;

/// After so long a test has failed.
const DEADLINE: Duration = Duration::from_secs(60);
const SIZE: (f32, f32) = (1280.0, 720.0);

fn bytes() -> &'static [u8] {
    static RECORD: OnceLock<Vec<u8>> = OnceLock::new();
    RECORD.get_or_init(|| played::record(&["red", "blue", "green"], (18, 12), 45, (3, played::THINKING)))
}

fn texts(canvas: &Canvas) -> Vec<String> {
    canvas.runs().iter().map(|run| run.text.clone()).collect()
}

#[test]
fn the_observer_chooses_this_screen_by_the_records_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("conquest.zrec");
    std::fs::write(&path, bytes()).unwrap();
    let (mut observer, mut canvas) = (Observer::new(GAMES, b""), Canvas::new());
    canvas.watch_text(true);
    observer.open(&path).unwrap();
    observer.screen_mut().read_all();
    observer.frame(0.2, SIZE.0, SIZE.1, 1.0, &mut canvas);
    assert!(observer.state().director, "the director leads a record by default");
    assert!(texts(&canvas).iter().any(|text| text == "against each other"));
    canvas.begin(SIZE.0, SIZE.1, 1.0);
    observer.screen_mut().paint_at(9_000.0, &mut canvas);
    let said = texts(&canvas);
    for wanted in ["FACTIONS", "EVENTS", "red", "blue", "green"] {
        assert!(said.iter().any(|text| text == wanted), "{wanted} is not among {said:?}");
    }
}

#[test]
fn a_live_match_opens_this_screen_wherever_its_server_names_the_game() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let record = String::from_utf8_lossy(bytes()).into_owned();
    let dump: Vec<String> = record
        .lines()
        .skip_while(|line| !line.starts_with("= "))
        .map_while(|line| line.strip_prefix("= ").map(|line| format!("{line}\n")))
        .collect();
    assert!(dump[0].starts_with("msz ") && dump[2].starts_with("gam conquest "), "{:?}", &dump[..3]);
    let told = record.lines().filter_map(|line| line.split_once(" * ").map(|(_, line)| format!("{line}\n")));
    let told: String = told.take_while(|line| !line.starts_with("trn 12 ")).collect();
    let (seen, go_on) = std::sync::mpsc::channel::<()>();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.write_all(b"WELCOME\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "GRAPHIC\n");
        // The name of the game may come later than the first line.
        stream.write_all(dump[0].as_bytes()).unwrap();
        go_on.recv_timeout(DEADLINE).unwrap();
        stream.write_all(dump[1..].concat().as_bytes()).unwrap();
        stream.write_all(told.as_bytes()).unwrap();
        go_on.recv_timeout(DEADLINE).unwrap();
    });
    let (mut observer, mut canvas) = (Observer::new(GAMES, b""), Canvas::new());
    canvas.watch_text(true);
    observer.connect("127.0.0.1", port).unwrap();
    let mut wait_for = |wanted: &[&str]| {
        let until = Instant::now() + DEADLINE;
        loop {
            observer.frame(0.04, SIZE.0, SIZE.1, 1.0, &mut canvas);
            let said = texts(&canvas);
            if wanted.iter().all(|wanted| said.iter().any(|text| text.contains(wanted))) {
                return;
            }
            assert!(Instant::now() < until, "{wanted:?} is not among {said:?}");
            std::thread::yield_now();
        }
    };
    // A map without a game is nothing to show yet, or the world of Zappy.
    wait_for(&["LIVE"]);
    seen.send(()).unwrap();
    // All turns came at once; the newest one is reached turn by turn, and meanwhile it is said how far that is.
    wait_for(&["LIVE", "FACTIONS", "red", "green", "2 / 45", "turns behind the newest"]);
    wait_for(&["11 / 45"]);
    seen.send(()).unwrap();
    server.join().unwrap();
}
