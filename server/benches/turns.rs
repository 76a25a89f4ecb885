//! What turns cost: orders resolved per second without sockets, and how a turn's cost grows along each axis by itself:
//! units, tiles, factions, and observers at the shell's connections in memory.
//!
//! Prints distributions over turns, and beside each the growth of the cost against that of the size; never a verdict. Run
//! by `cargo test` it plays tiny sizes, so that it does not rot.

mod support;

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};

use zappy_game::chance::Chance;
use zappy_game::config::MatchConfig;
use zappy_game::{Game, Input, MatchSpec, Output, SeatId, find};
use zappy_protocol::conquest::UnitType;
use zappy_protocol::{MapSize, TeamName};
use zappy_server::games::GAMES;
use zappy_server::net::{Key, Ready, Setup, Shell, Stream};

/// The columns in which units begin, so that they stand alike on a map of any size.
const COLUMNS: u32 = 48;
/// Rounds of the shell in which a turn has to end.
const MOST_ROUNDS: u32 = 10_000;

/// One match: its map's side, its factions, the units of each, and whether messages to observers are made.
#[derive(Debug, Clone, Copy)]
struct Size {
    side: u16,
    factions: u32,
    units: u32,
    cities: bool,
    watched: bool,
    turns: u32,
}

impl Size {
    fn begin(self) -> Box<dyn Game> {
        let teams = (0..self.factions).filter_map(|i| TeamName::parse(format!("faction{i}").as_bytes()));
        let map = MapSize::new(self.side, self.side).expect("a map");
        let config = MatchConfig { seed: 1, publish: self.watched, ..MatchConfig::new(map, teams.collect()) };
        let cities = if self.cities { "on" } else { "off" };
        let options = [("turn-time", "0"), ("turns", "100000"), ("cities", cities)];
        let spec = MatchSpec::new(find(GAMES, "conquest").expect("the game"), config).with(options);
        spec.expect("options").begin().expect("a match")
    }

    /// The console lines that set it up: units on every second tile of the same columns, and bases far from them.
    fn scenario(self) -> Vec<String> {
        let mut lines = vec!["/empty".to_owned()];
        for faction in 0..self.factions {
            let (x, y) = (faction * u32::from(self.side) / self.factions, self.side - 8);
            lines.push(format!("/tile {x} {y} owner faction{faction} base on"));
            lines.push(format!("/faction faction{faction} base {x} {y} gold 1000000000"));
            for unit in faction * self.units..(faction + 1) * self.units {
                let (x, y) = (2 * unit % COLUMNS.min(self.side.into()), 2 * unit / COLUMNS * 2);
                let kind = UnitType::ALL[unit as usize % 4];
                lines.push(format!("/unit new faction{faction} {kind} {x} {y} as {unit}"));
            }
        }
        lines
    }
}

/// A unit that a faction sees: number, faction, tile.
type Seen = (u32, u32, u32, u32);

/// The units in a snapshot.
fn seen(text: &[u8]) -> Vec<Seen> {
    let text = String::from_utf8_lossy(text);
    let units = text.lines().filter_map(|line| line.strip_prefix("unit "));
    let number = |word: Option<&str>| word.and_then(|word| word.parse().ok()).unwrap_or(0);
    let unit = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let at = |place: usize| number(words.get(place).copied());
        (at(0), at(1), at(3), at(4))
    };
    units.map(unit).collect()
}

/// What a faction that sees these units orders in a turn, `Done` left out.
fn orders(size: Size, faction: u32, seen: &[Seen], chance: &mut Chance) -> Vec<String> {
    let (mut lines, side) = (vec!["Base income".to_owned()], u32::from(size.side));
    for &(unit, _, x, y) in seen.iter().filter(|unit| unit.1 == faction) {
        let order = match chance.below(6) {
            0 => "conquer".to_owned(),
            1 => format!("attack {}", seen[chance.below(seen.len() as u32) as usize].0),
            2 => "gold".to_owned(),
            3 => "neutralize".to_owned(),
            _ => {
                let mut step = |at: u32| (at + side - 1 + chance.below(3)) % side;
                format!("travel {} {}", step(x), step(y))
            }
        };
        lines.push(format!("Unit {unit} {order}"));
    }
    lines
}

struct Bench {
    game: Box<dyn Game>,
    now: u64,
    orders: u64,
    chance: Chance,
    size: Size,
    /// The last snapshot of each faction.
    snapshots: Vec<Vec<u8>>,
}

/// How long the orders of a turn took to hand in, and the turn to pass: resolution, end, begin and snapshots.
#[derive(Debug, Clone, Copy, Default)]
struct Took {
    orders: Duration,
    turn: Duration,
}

impl Bench {
    fn new(size: Size) -> Bench {
        let snapshots = vec![Vec::new(); size.factions as usize];
        let chance = Chance::new(1, 0, 0, 0);
        let mut bench = Bench { game: size.begin(), now: 0, orders: 0, chance, size, snapshots };
        size.scenario().iter().for_each(|line| bench.say(SeatId::CONSOLE, line));
        for faction in 0..size.factions {
            bench.game.handle_input(0, SeatId(faction), Input::Open);
            bench.drain();
            bench.say(SeatId(faction), &format!("faction{faction}"));
        }
        bench
    }

    fn drain(&mut self) {
        while let Some(output) = self.game.poll_output() {
            if let Output::Send(SeatId(seat), line) = output
                && line.bytes().starts_with(b"turn ")
            {
                self.snapshots[seat as usize] = line.bytes().to_vec();
            }
        }
    }

    fn say(&mut self, seat: SeatId, line: &str) {
        self.game.handle_input(self.now, seat, Input::Line(line.as_bytes()));
        self.drain();
    }

    fn turn(&mut self, turn: u32) -> Took {
        let mut lines: Vec<(SeatId, String)> = Vec::new();
        for faction in 0..self.size.factions {
            let seen = seen(&self.snapshots[faction as usize]);
            let orders = orders(self.size, faction, &seen, &mut self.chance);
            lines.extend(orders.into_iter().map(|line| (SeatId(faction), line)));
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

/// Plays a match, prints how long its turns took, and gives the median of a turn with its orders, in seconds.
fn measure(name: &str, size: Size) -> f64 {
    let mut bench = Bench::new(size);
    let mut took: Vec<Took> = (1..=size.turns).map(|turn| bench.turn(turn)).collect();
    let all: Duration = took.iter().map(|took| took.orders + took.turn).sum();
    let rate = bench.orders as f64 / all.as_secs_f64();
    took.sort_by_key(|took| took.turn);
    let at = |share: usize| took[(took.len() - 1) * share / 100].turn;
    let (median, most, slowest) = (at(50), at(99), at(100));
    took.sort_by_key(|took| took.orders);
    let handing = took[took.len() / 2].orders;
    println!("{name:<44} {median:>10.1?} {most:>10.1?} {slowest:>10.1?} {handing:>10.1?} {rate:>12.0}");
    (median + handing).as_secs_f64()
}

/// Measures growing sizes, and prints how the cost of a turn with its orders grows against the size.
fn axis(name: &str, sizes: &[(u32, Size)]) {
    let cost: Vec<f64> = sizes.iter().map(|(many, size)| measure(&format!("{many} {name}"), *size)).collect();
    growth(name, &sizes.iter().map(|(many, _)| *many).collect::<Vec<_>>(), &cost);
}

fn growth(name: &str, many: &[u32], cost: &[f64]) {
    for (many, cost) in many.windows(2).zip(cost.windows(2)) {
        let grown = f64::from(many[1]) / f64::from(many[0].max(1));
        let ratio = cost[1] / cost[0].max(1e-9);
        println!(
            "    {:>6} -> {:>6} {name}: {grown:.1} times as many cost {ratio:.2} times as much",
            many[0], many[1]
        );
    }
}

/// A connection in memory: what its client sends, and what it has read since it was looked at last.
#[derive(Debug, Default)]
struct Wire {
    up: Vec<u8>,
    down: Vec<u8>,
    /// Whether what is read is only counted.
    watches: bool,
    bytes: u64,
}

#[derive(Debug)]
struct End(Rc<RefCell<Wire>>);

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        let count = wire.up.len().min(buffer.len());
        if count == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        buffer[..count].copy_from_slice(&wire.up[..count]);
        wire.up.drain(..count);
        Ok(count)
    }
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        wire.bytes += bytes.len() as u64;
        if !wire.watches {
            wire.down.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for End {
    fn shutdown_write(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the last that a faction was told is that it has lost: it isn't asked for orders any more.
fn is_dead(wire: &Wire) -> bool {
    wire.down.ends_with(b"\ndead\n")
}

/// Plays a match through the shell with so many observers, and gives the median of a turn in seconds and the bytes that an
/// observer read in a turn.
fn watched(size: Size, observers: u32) -> (f64, u64) {
    let mut game = size.begin();
    let opening = size.scenario().into_iter().map(String::into_bytes).collect();
    let setup = Setup { opening, seed: 1, ..Setup::default() };
    let mut shell = Shell::new(&mut game, &setup).expect("lines that the console takes");
    let mut now = Duration::ZERO;
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut chance = Chance::new(1, 0, 0, 0);
    let names = (0..observers).map(|_| "GRAPHIC".to_owned());
    let names = names.chain((0..size.factions).map(|faction| format!("faction{faction}")));
    let mut clients: Vec<(Key, Rc<RefCell<Wire>>)> = Vec::new();
    for name in names {
        let watches = name == "GRAPHIC";
        let up = format!("{name}\n").into_bytes();
        let wire = Rc::new(RefCell::new(Wire { up, watches, ..Wire::default() }));
        let key = shell.admit(peer).expect("room");
        shell.accept(key, End(wire.clone()), peer);
        clients.push((key, wire));
    }
    let (watching, playing) = clients.split_at(observers as usize);
    let mut took = Vec::new();
    for turn in 0..=size.turns {
        let told = watching.first().map_or(0, |(_, wire)| wire.borrow().bytes);
        for ((_, wire), faction) in playing.iter().zip(0..).filter(|_| turn > 0) {
            if is_dead(&wire.borrow()) {
                continue;
            }
            let snapshot = std::mem::take(&mut wire.borrow_mut().down);
            let lines = orders(size, faction, &seen(&snapshot), &mut chance);
            wire.borrow_mut().up.extend(format!("{}\nDone {turn}\n", lines.join("\n")).into_bytes());
        }
        let start = Instant::now();
        let last = format!("go {}\n", turn + 1);
        let mut rounds = 0;
        let is_told = |wire: &Wire| wire.down.ends_with(last.as_bytes()) || is_dead(wire);
        while !playing.iter().all(|(_, wire)| is_told(&wire.borrow())) {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                let last =
                    |wire: &Wire| String::from_utf8_lossy(&wire.down).lines().last().map(str::to_owned);
                let told: Vec<_> = playing.iter().map(|(_, wire)| last(&wire.borrow())).collect();
                panic!(
                    "with {observers} observers turn {turn} did not end; the factions were told last: {told:?}"
                );
            }
            clients.iter().filter(|(_, wire)| !wire.borrow().up.is_empty()).for_each(|(key, _)| {
                shell.note_ready(*key, Ready { readable: true, ..Ready::default() });
            });
            // Time passes where there is nothing to do before it has passed: waiting costs nothing.
            now = shell.next_turn().map_or(now, |next| next.max(now));
            shell.advance(now);
            shell.serve();
            shell.flush();
        }
        let bytes = watching.first().map_or(0, |(_, wire)| wire.borrow().bytes) - told;
        took.push((start.elapsed(), bytes));
    }
    // The first ones are the login and the dump.
    took.drain(..2);
    let bytes = took.iter().map(|(_, bytes)| bytes).sum::<u64>() / took.len() as u64;
    took.sort_unstable();
    (took[took.len() / 2].0.as_secs_f64(), bytes)
}

fn main() {
    if support::leaves_out("turns") {
        return;
    }
    let smoke = !std::env::args().any(|argument| argument == "--bench");
    let whole = if smoke {
        Size { side: 24, factions: 2, units: 6, cities: false, watched: false, turns: 4 }
    } else {
        Size { side: 100, factions: 8, units: 50, cities: false, watched: false, turns: 300 }
    };
    println!(
        "{:<44} {:>10} {:>10} {:>10} {:>10} {:>12}",
        "turns of", "median", "99 of 100", "slowest", "handing in", "orders/s"
    );
    let title = format!("{} factions of {} on {}x{}", whole.factions, whole.units, whole.side, whole.side);
    measure(&title, whole);
    measure("the same, with cities", Size { cities: true, ..whole });
    measure("the same, watched", Size { watched: true, ..whole });
    let part = |units: u32| (units * whole.factions, Size { units, ..whole });
    axis("units", &[whole.units.div_ceil(5), whole.units.div_ceil(2), whole.units].map(part));
    let side = |side: u16| (u32::from(side).pow(2), Size { side, ..whole });
    axis(
        "tiles",
        &[whole.side.max(100) / 2, whole.side, 2 * whole.side, 4 * whole.side].map(side)
            [usize::from(smoke)..],
    );
    let factions = |factions: u32| {
        let units = whole.units * whole.factions / factions;
        (factions, Size { factions, units, ..whole })
    };
    axis(
        "factions that share these units",
        &[whole.factions.div_ceil(4), whole.factions.div_ceil(2), whole.factions].map(factions),
    );
    let observers: &[u32] = if smoke { &[0, 1, 2] } else { &[0, 1, 8, 64] };
    let mut cost = Vec::new();
    for &many in observers {
        let (median, bytes) = watched(whole, many);
        let median = Duration::from_secs_f64(median);
        println!("{many:>3} observers at the shell: {median:>10.1?} a turn, {bytes} bytes to each");
        cost.push(median.as_secs_f64());
    }
    growth("observers", observers, &cost);
}
