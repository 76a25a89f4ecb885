//! What a frame of the observer costs before anything is drawn by the graphics card: taking messages in, the
//! scene, the panels, all vertices. And how long a large map's dump and a jump through a record take. For both games.
//!
//! Prints distributions, never a verdict. Run by `cargo test` it shows a tiny match, so that it does not rot;
//! `.ci/instructions` counts what those frames execute.

#[path = "../../conquest/tests/conquest/played.rs"]
mod played;

#[path = "../../../server/benches/support/mod.rs"]
mod support;

use std::io::Write;
use std::time::{Duration, Instant};

use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_observer::app::session::Session;
use zappy_observer::ink::Canvas;
use zappy_observer::map_screen::{MapGame, MapScreen};
use zappy_observer::source::live::NewsBatch;
use zappy_observer::timeline::fold::History;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_screen_conquest as conquest;
use zappy_screen_zappy::app::App;
use zappy_screen_zappy::timeline::ZappyFeed;
use zappy_screen_zappy::view::{Choice, Panel};
use zappy_server::record::{Recorder, header};

/// Frames per second.
const FRAMES: f64 = 60.0;
const WINDOW: (f32, f32) = (1280.0, 720.0);
const COMMANDS: [&str; 9] =
    ["Forward", "Take food", "Forward", "Right", "Forward", "Look", "Set food", "Forward", "Take linemate"];

struct Size {
    side: u16,
    players: u32,
    ticks: Tick,
    frames: usize,
    jumps: usize,
    /// Of conquest: the map's side, the factions, the turns.
    turns: (u16, usize, u32),
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
#[inline(never)]
fn frames<G: MapGame>(
    app: &mut MapScreen<G>,
    size: &Size,
    canvas: &mut Canvas,
) -> (Vec<Duration>, Vec<Duration>, usize) {
    let (mut model, mut picture, mut most) = (Vec::new(), Vec::new(), 0);
    let (start, pace) = (app.watch.time.tick, app.watch.session.base_rate() / FRAMES);
    for frame in 0..size.frames {
        let begun = Instant::now();
        app.watch.seek(start + frame as f64 * pace);
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
    if support::leaves_out("frame") {
        return;
    }
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let size = if smoke {
        Size { side: 12, players: 20, ticks: 1_500, frames: 3, jumps: 3, turns: (18, 3, 6) }
    } else {
        Size { side: 100, players: 1_000, ticks: 1_200, frames: 300, jumps: 200, turns: (100, 8, 200) }
    };
    let bytes = record(&size);
    println!(
        "zappy: {} players on {side}x{side}, {} ticks, a record of {:.1} MB; milliseconds:",
        size.players,
        size.ticks,
        bytes.len() as f64 / 1e6,
        side = size.side,
    );
    println!("{:<44} {:>8} {:>8} {:>8} {:>8}", "", "median", "p90", "p99", "max");
    let mut app = App::new(opened(&bytes));
    measure_frames(&mut app, &size, |app, zoom, charts| {
        app.view.panels.remove(&Panel::Charts);
        if charts {
            app.view.panels.insert(Panel::Charts);
        }
        app.act(Choice::Fit);
        app.act(Choice::Zoom(zoom, None));
    });
    measure_jumps(&mut app, &size);
    measure_dumps(&bytes, &size);

    let (side, factions, turns) = size.turns;
    let names = ["red", "blue", "green", "gold", "violet", "cyan", "lime", "pink"];
    let bytes = played::record(&names[..factions], (side, side), turns, (1, played::THINKING));
    let mut app = conquest::App::new(opened(&bytes));
    println!(
        "conquest: {factions} factions on {side}x{side}, {turns} turns, a record of {:.1} MB; milliseconds:",
        bytes.len() as f64 / 1e6,
    );
    measure_frames(&mut app, &size, |app, zoom, charts| {
        app.view.panels.remove(&Panel::Charts);
        if charts {
            app.view.panels.insert(Panel::Charts);
        }
        app.act(conquest::view::Choice::Fit);
        app.act(conquest::view::Choice::Zoom(zoom, None));
    });
    println!("  {} units at that time", app.watch.session.fold().mirror.units.len());
    measure_jumps(&mut app, &size);
}

/// The record, read to its end; says how long that took.
fn opened<H: History>(bytes: &[u8]) -> Session<H> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    let begun = Instant::now();
    let mut session = Session::record(file.path()).expect("a record");
    let opened = begun.elapsed();
    session.read_all();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "record opened in {:.1} ms, read to its end in {:.0} ms",
        millis(opened),
        millis(begun.elapsed())
    );
    session
}

/// `frame` shows the map that much closer, with charts or without.
fn measure_frames<G: MapGame>(
    app: &mut MapScreen<G>,
    size: &Size,
    frame: impl Fn(&mut MapScreen<G>, f32, bool),
) {
    let mut canvas = Canvas::new();
    for (name, zoom, charts) in
        [("far", 1.0, false), ("far, charts too", 1.0, true), ("middle", 4.0, false), ("near", 12.0, false)]
    {
        let last = app.watch.session.range().1;
        app.watch.seek(last as f64 / 3.0);
        arrive(app);
        app.arrange(WINDOW.0, WINDOW.1, 0.0);
        frame(app, zoom, charts);
        let (model, picture, most) = frames(app, size, &mut canvas);
        let whole = model.iter().zip(&picture).map(|(a, b)| *a + *b).collect();
        print(&format!("frame, {name}"), whole);
        print("  messages taken in", model);
        print(&format!("  scene, panels, {most} vertices"), picture);
    }
}

fn arrive<G: MapGame>(app: &mut MapScreen<G>) {
    let now = Instant::now();
    app.update(0.0, now);
    while !app.watch.session.arrived {
        app.update(0.0, now);
    }
}

/// Jumps to the beginning, to the end, and to anywhere between, each from where the one before it led.
fn measure_jumps<G: MapGame>(app: &mut MapScreen<G>, size: &Size) {
    let last = app.watch.session.range().1;
    let (mut first, mut end, mut any) = (Vec::new(), Vec::new(), Vec::new());
    for jump in 0..size.jumps as u64 {
        let far = (jump * 7_919 * (last / 1_000 + 1) + jump) % last.max(1);
        for (to, times) in [(0, &mut first), (far, &mut any), (last, &mut end)] {
            let begun = Instant::now();
            app.watch.seek(to as f64);
            arrive(app);
            times.push(begun.elapsed());
        }
    }
    print("jump to the beginning", first);
    print("jump to the end", end);
    print("jump to any tick", any);
}

fn measure_dumps(bytes: &[u8], size: &Size) {
    let dump = dump(bytes);
    let dumps = (0..size.jumps.min(50)).map(|_| {
        let begun = Instant::now();
        let mut feed = ZappyFeed::new(begun);
        feed.begin(begun);
        feed.take(&NewsBatch::new(begun, dump.clone()));
        begun.elapsed()
    });
    print(&format!("dump of {} kB taken in", dump.len() / 1000), dumps.collect());
}
