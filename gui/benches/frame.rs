//! What a frame of the observer costs before anything is drawn by the graphics card: taking messages in, the
//! scene, the panels, all vertices. And how long a large map's dump and a jump through a record take.
//!
//! Prints distributions, never a verdict. Run by `cargo test` it shows a tiny match, so that it does not rot.

use std::io::Write;
use std::time::{Duration, Instant};

use zappy_gui::ink::Canvas;
use zappy_gui::match_screen::MatchScreen as _;
use zappy_gui::source::live::Batch;
use zappy_gui::zappy::app::App;
use zappy_gui::zappy::app::action::{Choice, Panel};
use zappy_gui::zappy::app::session::Session;
use zappy_gui::zappy::timeline::Feed;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::config::MatchConfig;
use zappy_server::game::{Game, Input, SeatId};
use zappy_server::record::{Recorder, header};
use zappy_server::zappy::{Zappy, ZappyOptions};

/// Ticks per frame at the subject's frequency and sixty frames a second.
const TICKS_PER_FRAME: f64 = 100.0 / 60.0;
const WINDOW: (f32, f32) = (1280.0, 720.0);
const COMMANDS: [&str; 9] =
    ["Forward", "Take food", "Forward", "Right", "Forward", "Look", "Set food", "Forward", "Take linemate"];

struct Size {
    side: u16,
    players: u32,
    ticks: Tick,
    frames: usize,
    jumps: usize,
}

/// The record of a match in which all players are busy all the time.
fn record(size: &Size) -> Vec<u8> {
    let teams = (0..4).filter_map(|i| TeamName::parse(format!("team{i}").as_bytes())).collect();
    let map = MapSize::new(size.side, size.side).expect("a map");
    let spec = ZappyOptions { slots: size.players.div_ceil(4), ..ZappyOptions::default() }
        .spec(MatchConfig {
            seed: 1,
            publish: true,
            max_ticks: Some(size.ticks),
            ..MatchConfig::new(map, teams)
        })
        .unwrap();
    let head = header(&spec, RecordLevel::Full);
    let mut game = Recorder::new(Zappy::of(&spec), Vec::new(), &head);
    let drain = |game: &mut dyn Game| while game.poll_output().is_some() {};
    for player in 0..size.players {
        game.handle_input(0, SeatId(player), Input::Open);
        game.handle_input(0, SeatId(player), Input::Line(format!("team{}", player % 4).as_bytes()));
        drain(&mut game);
    }
    let (mut commands, mut owing, mut now) = (0usize, Vec::new(), 0);
    while now < size.ticks {
        game.owing(&mut owing);
        for seat in owing.drain(..) {
            let line =
                if commands % 50 == 0 { "Broadcast here we go" } else { COMMANDS[commands % COMMANDS.len()] };
            game.handle_input(now, seat, Input::Line(line.as_bytes()));
            drain(&mut game);
            commands += 1;
        }
        now = game.poll_timeout().unwrap_or(size.ticks).max(now);
        game.handle_timeout(now);
        drain(&mut game);
    }
    game.finish().1.expect("written")
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("{what:<44} {:>8.2} {:>8.2} {:>8.2} {:>8.2}", at(50), at(90), at(99), at(100));
}

/// Plays on frame by frame; gives what the model and what the picture took.
fn frames(app: &mut App, size: &Size, canvas: &mut Canvas) -> (Vec<Duration>, Vec<Duration>, usize) {
    let (mut model, mut picture, mut most) = (Vec::new(), Vec::new(), 0);
    let start = app.watch.time.tick;
    for frame in 0..size.frames {
        let begun = Instant::now();
        app.watch.seek(start + frame as f64 * TICKS_PER_FRAME);
        app.update(0.0, begun);
        model.push(begun.elapsed());
        let begun = Instant::now();
        canvas.begin(WINDOW.0, WINDOW.1, 1.0);
        app.arrange(WINDOW.0, WINDOW.1, 0.0);
        app.paint(canvas);
        picture.push(begun.elapsed());
        most = most.max(canvas.vertices().len());
    }
    (model, picture, most)
}

fn dump(bytes: &[u8]) -> Vec<u8> {
    let mut dump = Vec::new();
    for line in bytes.split(|&b| b == b'\n').skip_while(|line| !line.ends_with(b" k")).skip(1) {
        let Some(message) = line.strip_prefix(b"= ") else { break };
        dump.extend_from_slice(message);
        dump.push(b'\n');
    }
    dump
}

fn main() {
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let size = if smoke {
        Size { side: 12, players: 20, ticks: 1_500, frames: 3, jumps: 3 }
    } else {
        Size { side: 100, players: 1_000, ticks: 1_200, frames: 300, jumps: 200 }
    };
    let bytes = record(&size);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&bytes).expect("written");
    println!(
        "{} players on {side}x{side}, {} ticks, a record of {:.1} MB; milliseconds:",
        size.players,
        size.ticks,
        bytes.len() as f64 / 1e6,
        side = size.side,
    );
    println!("{:<44} {:>8} {:>8} {:>8} {:>8}", "", "median", "p90", "p99", "max");
    let begun = Instant::now();
    let mut session = Session::record(file.path()).expect("a record");
    let opened = begun.elapsed();
    session.read_all();
    let read = begun.elapsed();
    let mut app = App::new(session);
    measure_frames(&mut app, &size);
    measure_jumps(&mut app, &size);
    measure_dumps(&bytes, &size);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("record opened in {:.1} ms, read to its end in {:.0} ms", millis(opened), millis(read));
}

fn measure_frames(app: &mut App, size: &Size) {
    let mut canvas = Canvas::new();
    for (name, zoom, charts) in
        [("far", 1.0, false), ("far, charts too", 1.0, true), ("middle", 4.0, false), ("near", 12.0, false)]
    {
        app.view.panels.remove(&Panel::Charts);
        if charts {
            app.view.panels.insert(Panel::Charts);
        }
        app.watch.seek(size.ticks as f64 / 3.0);
        app.update(0.0, Instant::now());
        app.arrange(WINDOW.0, WINDOW.1, 0.0);
        app.act(Choice::Fit);
        app.act(Choice::Zoom(zoom, None));
        let (model, picture, most) = frames(app, size, &mut canvas);
        let whole = model.iter().zip(&picture).map(|(a, b)| *a + *b).collect();
        print(&format!("frame, {name}"), whole);
        print("  messages taken in", model);
        print(&format!("  scene, panels, {most} vertices"), picture);
    }
}

fn measure_jumps(app: &mut App, size: &Size) {
    let jumps = (0..size.jumps).map(|jump| {
        let begun = Instant::now();
        app.watch.seek(((jump * 7_919) % size.ticks as usize) as f64);
        app.update(0.0, begun);
        while !app.watch.session.arrived() {
            app.update(0.0, begun);
        }
        begun.elapsed()
    });
    print("jump to any tick", jumps.collect());
}

fn measure_dumps(bytes: &[u8], size: &Size) {
    let dump = dump(bytes);
    let dumps = (0..size.jumps.min(50)).map(|_| {
        let begun = Instant::now();
        let mut feed = Feed::new(begun);
        feed.begin(begun);
        feed.take(&Batch::new(begun, dump.clone()));
        begun.elapsed()
    });
    print(&format!("dump of {} kB taken in", dump.len() / 1000), dumps.collect());
}
