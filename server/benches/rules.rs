//! What the rules cost: commands per second without sockets, what watching and recording add, how the cost grows with
//! players and tiles, and what a dump for an observer takes.
//!
//! Prints distributions over rounds and ratios between settings, never a verdict. Run by `cargo test` it plays tiny
//! sizes, so that it does not rot; then `.ci/instructions` counts what `play` and `dump` execute.

mod support;

use std::time::Instant;

use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, MatchSpec, SeatId};
use zappy_game_zappy::{Zappy, ZappyOptions};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::record::{Recorder, header};

const COMMANDS: [&str; 10] = [
    "Forward",
    "Look",
    "Take food",
    "Forward",
    "Inventory",
    "Right",
    "Set food",
    "Look",
    "Take linemate",
    "Connect_nbr",
];

#[derive(Debug, Clone, Copy)]
struct Size {
    players: u32,
    side: u16,
    ticks: Tick,
    rounds: usize,
}

fn config(size: &Size) -> (MatchConfig, ZappyOptions) {
    let teams = (0..20).filter_map(|i| TeamName::parse(format!("team{i}").as_bytes())).collect();
    let map = MapSize::new(size.side, size.side).expect("a map");
    let options = ZappyOptions { slots: size.players.div_ceil(20), ..ZappyOptions::default() };
    (MatchConfig { seed: 1, ..MatchConfig::new(map, teams) }, options)
}

fn spec(size: &Size) -> MatchSpec {
    let (config, options) = config(size);
    options.spec(config).expect("a match")
}

/// A match of that size, also on a map that is larger than the server's flags allow.
fn zappy(size: &Size) -> Zappy {
    let (config, options) = config(size);
    Zappy::new(&config, options)
}

fn drain(game: &mut dyn Game) {
    while game.poll_output().is_some() {}
}

/// Lets all players in.
fn enter(game: &mut dyn Game, size: &Size) {
    for player in 0..size.players {
        game.handle_input(0, SeatId(player), Input::Open);
        let team = format!("team{}", player % 20);
        game.handle_input(0, SeatId(player), Input::Line(team.as_bytes()));
    }
    game.handle_input(0, SeatId::CONSOLE, Input::Line(b"/noFood true"));
    drain(game);
}

/// Makes what an observer is sent when it comes, and gives its bytes.
#[inline(never)]
fn dump(game: &dyn Game) -> usize {
    let mut lines = Vec::new();
    game.snapshot(None, &mut lines);
    lines.iter().map(|line| line.bytes().len()).sum()
}

/// Keeps every player busy for so many ticks and gives commands per second.
#[inline(never)]
fn play(mut game: impl Game, size: &Size, broadcasts: bool) -> f64 {
    enter(&mut game, size);
    let (mut commands, mut owing, begun) = (0u32, Vec::new(), Instant::now());
    let mut now = 0;
    while now < size.ticks {
        game.owing(&mut owing);
        for seat in owing.drain(..) {
            let index = commands as usize % COMMANDS.len();
            let line = if broadcasts && index == 0 { "Broadcast here we go" } else { COMMANDS[index] };
            game.handle_input(now, seat, Input::Line(line.as_bytes()));
            drain(&mut game);
            commands += 1;
        }
        now = game.poll_timeout().unwrap_or(size.ticks).max(now);
        game.handle_timeout(now);
        drain(&mut game);
    }
    f64::from(commands) / begun.elapsed().as_secs_f64()
}

fn measure(what: &str, size: &Size, mut once: impl FnMut() -> f64) -> f64 {
    let mut rates: Vec<f64> = (0..size.rounds).map(|_| once()).collect();
    rates.sort_by(f64::total_cmp);
    let at = |share: usize| rates[(rates.len() - 1) * share / 100];
    println!(
        "{:<52} {:>8.0} {:>8.0} {:>8.0} commands/s  slowest, median, fastest of {}",
        format!("rules, {} players on {side}x{side}, {what}", size.players, side = size.side),
        at(0),
        at(50),
        at(100),
        size.rounds
    );
    at(50)
}

/// Measures how long a dump takes.
fn measure_dump(size: &Size) {
    let mut game = zappy(size);
    enter(&mut game, size);
    let mut times: Vec<f64> = Vec::new();
    let mut bytes = 0;
    for _ in 0..size.rounds {
        let begun = Instant::now();
        bytes = std::hint::black_box(dump(&game));
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{:<52} {:>8.2} {:>8.2} {:>8.2} ms  fastest, median, slowest of {}",
        format!("dump of {}x{}, {} players, {} kB", size.side, size.side, size.players, bytes / 1_000),
        times[0],
        times[times.len() / 2],
        times[times.len() - 1],
        size.rounds
    );
}

fn main() {
    if support::leaves_out("rules") {
        return;
    }
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let size = if smoke {
        Size { players: 20, side: 20, ticks: 200, rounds: 1 }
    } else {
        Size { players: 1_000, side: 100, ticks: 1_000, rounds: 5 }
    };
    let spec = spec(&size);
    let published = |publish| {
        let mut spec = spec.clone();
        spec.config.publish = publish;
        spec
    };
    let alone = measure("alone", &size, || play(Zappy::of(&spec), &size, false));
    let watched = measure("watched", &size, || play(Zappy::of(&published(true)), &size, false));
    let recorded = |level| {
        let spec = published(level == RecordLevel::Full);
        play(Recorder::new(Zappy::of(&spec), std::io::sink(), &header(&spec, level)), &size, false)
    };
    let inputs = measure("inputs kept", &size, || recorded(RecordLevel::Inputs));
    let full = measure("all kept", &size, || recorded(RecordLevel::Full));
    let shouting = measure("a tenth shouting", &size, || play(Zappy::of(&spec), &size, true));
    println!(
        "    cost against alone: watched {:.2}, inputs {:.2}, all {:.2}, shouting {:.2}",
        alone / watched,
        alone / inputs,
        alone / full,
        alone / shouting
    );
    measure_dump(&size);
    if smoke {
        return;
    }
    let crowds =
        [100, 10_000].map(|players| Size { players, ticks: 100_000 / u64::from(players) + 100, ..size });
    // The server's flags allow no map as large as the last one; the rules do.
    let maps = [(10, 1_000), (500, 1_000), (1_000, 10_000)].map(|(side, players)| Size {
        side,
        players,
        ticks: 200,
        ..size
    });
    for size in crowds.iter().chain(&maps) {
        measure("alone", size, || play(zappy(size), size, false));
    }
    measure_dump(&Size { side: 500, ..size });
}
