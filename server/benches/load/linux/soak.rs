//! Chaos for as long as it is asked for: a server of each game, at a high frequency, whose connections come and go all the time.
//!
//! Players play, lay an egg for the next one and leave at any moment; observers watch, or stop reading; vandals send junk
//! and half lines, and close only one direction. Once in a while a line tells each server's memory, its descriptors, and how
//! long one client that does nothing else waited for answers. At the end the same stands in a picture. Whether they grow is for the
//! reader to judge; what must not happen, a server that ends or doesn't answer, is an error.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use zappy_game::chance::Chance;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_server::net::LatenessHistogram;

use super::server::{PATIENCE, Server, World, stand_apart};

/// Connections to each server at a time, and how many of them are of the first kinds; the others are vandals.
const CONNECTIONS: u32 = 64;
const PLAYERS: u32 = 40;
const WATCHERS: u32 = 8;
const TEAMS: u32 = 4;
/// Milliseconds that a connection lives at the most.
const LIFE: u32 = 8_000;
/// Between two questions of the client that does nothing else.
const PAUSE: Duration = Duration::from_millis(20);
/// Between two times that teams are given eggs.
const FILL: Duration = Duration::from_secs(5);
/// How long a turn of the generator waits for news.
const NAP: Duration = Duration::from_millis(5);
/// After a turn that took longer all was stopped, so that something else could be measured. That time does not count.
const STOPPED: Duration = Duration::from_secs(5);
const LONGEST: usize = 1 << 20;
const COMMANDS: [&str; 6] =
    ["Forward\n", "Right\n", "Look\n", "Inventory\n", "Take food\n", "Broadcast all is well\n"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Asks, and waits for the answer.
    Prober,
    Player,
    Watcher,
    /// Watches without reading.
    Staller,
    Vandal,
}

struct Guest {
    kind: Kind,
    stream: TcpStream,
    decoder: LineDecoder,
    lines: u64,
    leaves: Instant,
}

/// A server with its guests.
struct House {
    name: &'static str,
    server: Server,
    poll: Poll,
    guests: Vec<Guest>,
    chance: Chance,
    came: u64,
    /// Players of zappy that the prober was told of.
    born: u64,
    /// When the prober asked, or may ask again.
    asked: Option<Instant>,
    asks: Instant,
    /// When teams were given eggs that lacked some.
    filled: Instant,
    /// When it last looked at the clock.
    turned: Instant,
    waits: LatenessHistogram,
    samples: Vec<Sample>,
}

/// What is told of a server at one time.
struct Sample {
    minutes: f64,
    kilobytes: u64,
    descriptors: usize,
    waits: LatenessHistogram,
}

impl House {
    fn open(name: &'static str, server: Server) -> Result<House> {
        let chance = Chance::new(1, 0, 0, 0);
        let (now, poll) = (Instant::now(), Poll::new()?);
        let waits = LatenessHistogram::default();
        let mut house = House {
            name,
            server,
            poll,
            guests: Vec::new(),
            chance,
            came: 0,
            born: 0,
            asked: None,
            asks: now,
            filled: now,
            turned: now,
            waits,
            samples: Vec::new(),
        };
        for place in 0..CONNECTIONS as usize {
            let guest = house.invite(place)?;
            house.guests.push(guest);
        }
        Ok(house)
    }

    /// A new guest for that place.
    fn invite(&mut self, place: usize) -> Result<Guest> {
        let zappy = self.name == "zappy";
        // A faction that has left doesn't come back, so those of conquest stay.
        let players = if zappy { PLAYERS } else { TEAMS };
        let kind = match place as u32 {
            0 => Kind::Prober,
            number if number <= players => Kind::Player,
            number if number <= players + WATCHERS => {
                [Kind::Watcher, Kind::Watcher, Kind::Staller][self.chance.below(3) as usize]
            }
            _ => Kind::Vandal,
        };
        let stays = kind == Kind::Prober || kind == Kind::Player && !zappy;
        let life = if stays { u64::from(u32::MAX) } else { u64::from(self.chance.below(LIFE)) };
        let mut stream = TcpStream::connect(self.server.address)?;
        let interests = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut stream, Token(place), interests)?;
        self.came += 1;
        let leaves = Instant::now() + Duration::from_millis(life);
        Ok(Guest { kind, stream, decoder: LineDecoder::new(LONGEST), lines: 0, leaves })
    }

    /// One turn: news, guests whose time is over, a question. Gives the time in which all was stopped.
    fn turn(&mut self, events: &mut Events) -> Result<Duration> {
        match self.poll.poll(events, Some(NAP)) {
            // As it is after a stop.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            polled => polled?,
        }
        let (now, before) = (Instant::now(), self.turned);
        let stopped = Some(now - before).filter(|&time| time > STOPPED).unwrap_or_default();
        self.skip(stopped);
        self.turned = now;
        let waits = self.asked.map_or(Duration::ZERO, |asked| asked.elapsed());
        ensure!(waits < PATIENCE, "the server of {} does not answer", self.name);
        for event in &*events {
            self.hear(event.token().0)?;
        }
        for place in 0..self.guests.len() {
            if self.guests[place].leaves <= now {
                self.guests[place] = self.invite(place)?;
            }
        }
        if self.asked.is_none() && self.asks <= now && self.guests[0].lines > 0 {
            // The prober watches, because questions of observers are answered at once in each game.
            self.guests[0].stream.write_all(b"msz\n")?;
            self.asked = Some(now);
        }
        if self.name == "zappy" && self.filled.elapsed() >= FILL {
            // Some leave before their egg lies there, more of them where the machine is slow. A team without eggs would never come
            // back, and without any the match is over.
            self.server.tell(&format!("/setClientsNb {}", PLAYERS / TEAMS))?;
            self.filled = now;
        }
        Ok(stopped)
    }

    /// Time in which all was stopped has not passed for the guests.
    fn skip(&mut self, time: Duration) {
        let leaves = self.guests.iter_mut().map(|guest| &mut guest.leaves);
        let own = [&mut self.asks, &mut self.filled, &mut self.turned].into_iter().chain(&mut self.asked);
        leaves.chain(own).for_each(|moment| *moment += time);
    }

    /// Reads what came for a guest. A guest that the server has sent away is replaced in its time.
    fn hear(&mut self, place: usize) -> Result<()> {
        let mut chunk = [0; 16 << 10];
        loop {
            let guest = &mut self.guests[place];
            if guest.kind == Kind::Staller && guest.lines > 0 {
                return Ok(());
            }
            match guest.stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => guest.decoder.push(&chunk[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => {
                    break;
                }
                Err(error) => {
                    ensure!(guest.kind != Kind::Prober, "the server of {} is gone: {error}", self.name);
                    break;
                }
            }
            let mut said = Vec::new();
            while let Some(Decoded::Line(line)) = self.guests[place].decoder.next_line() {
                said.push(line.to_vec());
            }
            for line in said {
                self.answer(place, &line);
            }
        }
        Ok(())
    }

    /// What a guest says to a line. What can't be written is lost: then the server doesn't read, or has closed.
    fn answer(&mut self, place: usize, line: &[u8]) {
        let guest = &mut self.guests[place];
        let first = guest.lines == 0;
        guest.lines += 1;
        let text = match guest.kind {
            Kind::Prober | Kind::Watcher | Kind::Staller if first => "GRAPHIC\n".to_owned(),
            Kind::Prober => {
                self.born += u64::from(line.starts_with(b"pnw "));
                if line.starts_with(b"msz")
                    && let Some(asked) = self.asked.take()
                {
                    self.waits.add(asked.elapsed());
                    self.asks = Instant::now() + PAUSE;
                }
                return;
            }
            Kind::Player if first => format!("t{}\n", place as u32 % TEAMS),
            Kind::Player if self.name != "zappy" => {
                let Some(turn) = line.strip_prefix(b"go ") else { return };
                format!("Base income\nDone {}\n", String::from_utf8_lossy(turn))
            }
            // Each lays one egg for the next one.
            Kind::Player if guest.lines == 3 => "Fork\n".to_owned(),
            Kind::Player if guest.lines > 3 && !line.starts_with(b"message ") => {
                COMMANDS[self.chance.below(COMMANDS.len() as u32) as usize].to_owned()
            }
            Kind::Vandal => {
                let junk: Vec<u8> =
                    (0..self.chance.below(6_000)).map(|_| self.chance.below(256) as u8).collect();
                let _ = guest.stream.write(&junk);
                if self.chance.below(4) == 0 {
                    let _ = guest.stream.shutdown(Shutdown::Write);
                }
                return;
            }
            Kind::Player | Kind::Watcher | Kind::Staller => return,
        };
        let _ = guest.stream.write(text.as_bytes());
    }

    /// Notes and prints how the server stands.
    fn sample(&mut self, since: Instant) -> Result<()> {
        ensure!(self.server.runs()?, "the server of {} has ended", self.name);
        let sample = Sample {
            minutes: since.elapsed().as_secs_f64() / 60.0,
            kilobytes: self.server.status("VmRSS")?,
            descriptors: self.server.descriptors()?,
            waits: std::mem::take(&mut self.waits),
        };
        let micros = |percent| sample.waits.percentile(percent).as_micros();
        println!(
            "{:>6.1} min  {:<9} {:>8} KiB {:>5} descriptors, {:>8} came, {:>8} born, answers after {} us at p50, {} at p99, {} at most",
            sample.minutes,
            self.name,
            sample.kilobytes,
            sample.descriptors,
            self.came,
            self.born,
            micros(50.0),
            micros(99.0),
            sample.waits.worst().as_micros(),
        );
        self.samples.push(sample);
        Ok(())
    }
}

/// Lines of a server's log that are told.
const TOLD: usize = 20;

/// Runs for so many minutes, prints a line for each server after each `every`, and at the end how each server ended and what it
/// logged last. Draws a picture.
pub fn run(minutes: f64, every: f64, freq: u32, picture: Option<&Path>) -> Result<()> {
    stand_apart(2 * CONNECTIONS + 20)?;
    let world = World { clients: PLAYERS, teams: TEAMS, side: 30, freq, lockstep: false };
    let names: Vec<String> = (0..TEAMS).map(|team| format!("t{team}")).collect();
    let mut conquest = Server::command("conquest", world.side, &names);
    let allied = names.join(",");
    conquest.args(["--alliance", &allied, "--turns", "100000", "--turn-time", "50", "--fixed-length", "on"]);
    let mut houses =
        [House::open("zappy", Server::start(&world)?)?, House::open("conquest", Server::of(conquest)?)?];
    let (mut since, mut events) = (Instant::now(), Events::with_capacity(256));
    let (length, step) = (Duration::from_secs_f64(minutes * 60.0), Duration::from_secs_f64(every * 60.0));
    let mut next = step;
    let mut play = |houses: &mut [House]| -> Result<()> {
        while since.elapsed() < length {
            for index in 0..houses.len() {
                let stopped = houses[index].turn(&mut events)?;
                if !stopped.is_zero() {
                    println!("all was stopped for {} s", stopped.as_secs());
                    since += stopped;
                    let others = houses.iter_mut().enumerate().filter(|(other, _)| *other != index);
                    others.for_each(|(_, house)| house.skip(stopped));
                }
            }
            if since.elapsed() >= next {
                next += step;
                houses.iter_mut().try_for_each(|house| house.sample(since))?;
            }
        }
        let unsaid = |house: &&mut House| house.waits.total() > 0;
        houses.iter_mut().filter(unsaid).try_for_each(|house| house.sample(since))
    };
    let played = play(&mut houses);
    if let Some(path) = picture {
        std::fs::write(path, draw(&houses)).with_context(|| path.display().to_string())?;
    }
    for House { name, server, .. } in houses {
        let (status, log) = server.end()?;
        println!("the server of {name} ended with {status}; the last that it logged:");
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(TOLD)..].iter().for_each(|line| println!("    {line}"));
    }
    played
}

/// Width and height of a curve in the picture.
const CURVE: (f64, f64) = (640.0, 90.0);

/// The curves as an SVG: one below the other, each from zero to its greatest value.
fn draw(houses: &[House]) -> String {
    let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for house in houses {
        let mut curve = |name: &str, value: &dyn Fn(&Sample) -> f64| {
            let points = house.samples.iter().map(|sample| (sample.minutes, value(sample))).collect();
            curves.push((format!("{}: {name}", house.name), points));
        };
        curve("memory in MiB", &|sample| sample.kilobytes as f64 / 1024.0);
        curve("descriptors", &|sample| sample.descriptors as f64);
        curve("an answer's delay in ms, 99 of 100", &|sample| {
            sample.waits.percentile(99.0).as_secs_f64() * 1e3
        });
    }
    let (width, height) = CURVE;
    let all = curves.len() as f64 * (height + 30.0) + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{all}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{w}\" height=\"{all}\" fill=\"white\"/>\n",
        w = width + 20.0
    );
    for (row, (name, points)) in curves.iter().enumerate() {
        let most = points.iter().map(|point| point.1).fold(1e-9, f64::max);
        let last = points.last().map_or(1.0, |point| point.0).max(1e-9);
        let top = row as f64 * (height + 30.0) + 25.0;
        let line: String = points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1} ", 10.0 + x / last * width, top + height - y / most * height))
            .collect();
        let bottom = top + height;
        let _ = writeln!(
            svg,
            "<text x=\"10\" y=\"{:.0}\">{name}, from 0 to {most:.1}, over {last:.0} minutes</text>\n\
             <path d=\"M10 {bottom}H{:.0}\" stroke=\"#999\"/>\n\
             <polyline points=\"{}\" fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\"/>",
            top - 5.0,
            10.0 + width,
            line.trim_end()
        );
    }
    svg + "</svg>\n"
}
