//! What turns cost: orders resolved per second without sockets, and how a turn's cost grows along each axis.
//!
//! Prints distributions over turns and ratios between sizes, never a verdict. Run by `cargo test` it plays tiny sizes,
//! so that it does not rot.

use std::time::{Duration, Instant};

use zappy_protocol::conquest::UnitType;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::chance::Chance;
use zappy_server::config::MatchConfig;
use zappy_server::game::{Game, Input, MatchSpec, SeatId, find};
use zappy_server::games::GAMES;

/// One match: its map's side, its factions, the units of each, and whether messages to observers are made.
#[derive(Debug, Clone, Copy)]
struct Size {
    side: u16,
    factions: u32,
    units: u16,
    watched: bool,
    turns: u32,
}

struct Bench {
    game: Box<dyn Game>,
    now: u64,
    orders: u64,
    chance: Chance,
    size: Size,
}

/// How long the orders of a turn took to hand in, and the turn to pass: resolution, end, begin and snapshots.
#[derive(Debug, Clone, Copy, Default)]
struct Took {
    orders: Duration,
    turn: Duration,
}

impl Bench {
    /// A match with all units on the map, in columns around which land is neutral.
    fn new(size: Size) -> Bench {
        let teams = (0..size.factions).filter_map(|i| TeamName::parse(format!("faction{i}").as_bytes()));
        let map = MapSize::new(size.side, size.side).expect("a map");
        let config = MatchConfig { seed: 1, publish: size.watched, ..MatchConfig::new(map, teams.collect()) };
        let options = [("turn-time", "0"), ("checkpoint-every", "0"), ("turns", "100000")];
        let spec = MatchSpec::new(find(GAMES, "conquest").expect("the game"), config).with(options);
        let game = spec.expect("options").begin().expect("a match");
        let mut bench = Bench { game, now: 0, orders: 0, chance: Chance::new(1, 0, 0, 0), size };
        let mut place = 0;
        bench.say(SeatId::CONSOLE, "/empty");
        for faction in 0..size.factions {
            let step = size.side / size.factions as u16;
            let (x, y) = (faction as u16 * step, faction as u16 * step);
            bench.say(SeatId::CONSOLE, &format!("/tile {x} {y} owner faction{faction} base on"));
            bench.say(SeatId::CONSOLE, &format!("/faction faction{faction} base {x} {y} gold 1000000000"));
            for unit in 0..size.units {
                let at = (place % size.side, place / size.side * 2 % size.side);
                place += 2;
                let kind = UnitType::ALL[usize::from(unit % 4)];
                let number = faction * u32::from(size.units) + u32::from(unit);
                let line = format!("/unit new faction{faction} {kind} {} {} as {number}", at.0, at.1);
                bench.say(SeatId::CONSOLE, &line);
            }
        }
        for faction in 0..size.factions {
            bench.game.handle_input(0, SeatId(faction), Input::Open);
            bench.drain();
            bench.say(SeatId(faction), &format!("faction{faction}"));
        }
        bench
    }

    fn drain(&mut self) {
        while self.game.poll_output().is_some() {}
    }

    fn say(&mut self, seat: SeatId, line: &str) {
        self.game.handle_input(self.now, seat, Input::Line(line.as_bytes()));
        self.drain();
    }

    fn turn(&mut self, turn: u32) -> Took {
        let side = u32::from(self.size.side);
        let mut lines: Vec<(SeatId, String)> = Vec::new();
        for faction in 0..self.size.factions {
            lines.push((SeatId(faction), "Base income".to_owned()));
            for unit in 0..u32::from(self.size.units) {
                let number = faction * u32::from(self.size.units) + unit;
                let order = match self.chance.below(6) {
                    0 => "conquer".to_owned(),
                    1 => format!("attack {}", self.chance.below(self.size.factions * 50)),
                    2 => "gold".to_owned(),
                    3 => "neutralize".to_owned(),
                    _ => format!("travel {} {}", self.chance.below(side), self.chance.below(side)),
                };
                lines.push((SeatId(faction), format!("Unit {number} {order}")));
            }
        }
        self.orders += lines.len() as u64;
        let begun = Instant::now();
        lines.iter().for_each(|(seat, line)| self.say(*seat, line));
        let orders = begun.elapsed();
        (0..self.size.factions).for_each(|faction| self.say(SeatId(faction), &format!("Done {turn}")));
        let begun = Instant::now();
        let due = self.game.poll_timeout().expect("all are done");
        self.game.handle_timeout(due);
        self.drain();
        Took { orders, turn: begun.elapsed() }
    }
}

/// Plays a match, prints how long its turns took, and gives the median of a turn.
fn measure(name: &str, size: Size) -> Duration {
    let mut bench = Bench::new(size);
    let mut took: Vec<Took> = (1..=size.turns).map(|turn| bench.turn(turn)).collect();
    let all: Duration = took.iter().map(|took| took.orders + took.turn).sum();
    let rate = bench.orders as f64 / all.as_secs_f64();
    took.sort_by_key(|took| took.turn);
    let at = |share: usize| took[(took.len() - 1) * share / 100].turn;
    let handing: Duration = took.iter().map(|took| took.orders).sum::<Duration>() / size.turns;
    println!(
        "{name:<34} {:>10.1?} {:>10.1?} {:>10.1?} {:>10.1?} {rate:>12.0}",
        at(50),
        at(99),
        at(100),
        handing
    );
    at(50)
}

fn main() {
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let whole = if smoke {
        Size { side: 24, factions: 2, units: 6, watched: false, turns: 4 }
    } else {
        Size { side: 100, factions: 8, units: 50, watched: false, turns: 300 }
    };
    println!(
        "{:<34} {:>10} {:>10} {:>10} {:>10} {:>12}",
        "turns of", "median", "99 of 100", "slowest", "handing in", "orders/s"
    );
    let title = format!("{} factions of {} on {}x{}", whole.factions, whole.units, whole.side, whole.side);
    let alone = measure(&title, whole);
    let watched = measure("the same, watched", Size { watched: true, ..whole });
    let few = measure("a fifth of the units", Size { units: whole.units.div_ceil(5), ..whole });
    let small = measure("a quarter of the tiles", Size { side: whole.side / 2, ..whole });
    let fewer = measure("half the factions", Size { factions: whole.factions / 2, ..whole });
    let ratio = |other: Duration| alone.as_secs_f64() / other.as_secs_f64().max(1e-9);
    println!(
        "a turn against that of: watched {:.2}, a fifth of the units {:.2}, a quarter of the tiles {:.2}, half the \
         factions {:.2}",
        ratio(watched),
        ratio(few),
        ratio(small),
        ratio(fewer)
    );
}
