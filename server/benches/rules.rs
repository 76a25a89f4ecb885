//! What the rules cost: commands per second without sockets, and what watching and recording add.
//!
//! Prints distributions over rounds and ratios between settings, never a verdict. Run by `cargo test` it plays tiny
//! sizes, so that it does not rot.

use std::time::Instant;

use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::config::MatchConfig;
use zappy_server::game::{Game, Input, MatchSpec, SeatId};
use zappy_server::record::{Recorder, header};
use zappy_server::zappy::{Zappy, ZappyOptions};

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

struct Size {
    players: u32,
    ticks: Tick,
    rounds: usize,
}

fn spec(size: &Size) -> MatchSpec {
    let teams = (0..20).filter_map(|i| TeamName::parse(format!("team{i}").as_bytes())).collect();
    let map = MapSize::new(100, 100).expect("a map");
    let options = ZappyOptions { slots: size.players.div_ceil(20), ..ZappyOptions::default() };
    options.spec(MatchConfig { seed: 1, ..MatchConfig::new(map, teams) }).expect("a match")
}

/// Keeps every player busy for so many ticks and gives commands per second.
fn play(mut game: impl Game, size: &Size, broadcasts: bool) -> f64 {
    let drain = |game: &mut dyn Game| while game.poll_output().is_some() {};
    for player in 0..size.players {
        game.handle_input(0, SeatId(player), Input::Open);
        let team = format!("team{}", player % 20);
        game.handle_input(0, SeatId(player), Input::Line(team.as_bytes()));
    }
    game.handle_input(0, SeatId::CONSOLE, Input::Line(b"/noFood true"));
    drain(&mut game);
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

fn measure(size: &Size, mut once: impl FnMut() -> f64) -> f64 {
    let mut rates: Vec<f64> = (0..size.rounds).map(|_| once()).collect();
    rates.sort_by(f64::total_cmp);
    let at = |share: usize| rates[(rates.len() - 1) * share / 100];
    println!(
        "{:>12.0} {:>12.0} {:>12.0}   (slowest, median, fastest of {} rounds)",
        at(0),
        at(50),
        at(100),
        size.rounds
    );
    at(50)
}

fn main() {
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let size = if smoke {
        Size { players: 20, ticks: 200, rounds: 1 }
    } else {
        Size { players: 1000, ticks: 2000, rounds: 7 }
    };
    let spec = spec(&size);
    let published = |publish| {
        let mut spec = spec.clone();
        spec.config.publish = publish;
        spec
    };
    println!("{} players on 100x100 for {} ticks; commands per second:", size.players, size.ticks);
    print!("alone            ");
    let alone = measure(&size, || play(Zappy::of(&spec), &size, false));
    print!("watched          ");
    let watched = measure(&size, || play(Zappy::of(&published(true)), &size, false));
    let recorded = |level| {
        let spec = published(level == RecordLevel::Full);
        play(Recorder::new(Zappy::of(&spec), std::io::sink(), &header(&spec, level)), &size, false)
    };
    print!("recorded, inputs ");
    let inputs = measure(&size, || recorded(RecordLevel::Inputs));
    print!("recorded, full   ");
    let full = measure(&size, || recorded(RecordLevel::Full));
    print!("a tenth shouting ");
    let shouting = measure(&size, || play(Zappy::of(&spec), &size, true));
    println!(
        "cost against alone: watched {:.2}, inputs {:.2}, full {:.2}, shouting {:.2}",
        alone / watched,
        alone / inputs,
        alone / full,
        alone / shouting
    );
}
