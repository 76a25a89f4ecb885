//! How late answers come: from the tick at which each is due until the kernel has it for the client.
//!
//! Every client keeps several commands waiting in the server. So the tick at which each one begins is the tick at which the one
//! before it ended, and all answers of a client are due at ticks that the first one fixes: a generator that is late itself
//! moves none of them (no omission is coordinated with a slow server). The kernel stamps what arrives, so the time until the
//! generator reads it doesn't count; it is told beside. The server's ticks are where the earliest answer of all came, which
//! is some microseconds after its tick.

use std::collections::VecDeque;
use std::io::{ErrorKind, IoSliceMut, Write};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, bail, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_server::net::LatenessHistogram;

use super::server::{PATIENCE, Server, World, row, stand_apart};

/// The handshake's lines: the greeting, the free slots, the size of the map.
const GREETINGS: u8 = 3;
/// Commands that a client keeps in the server: fewer than the ten that may wait.
const AHEAD: usize = 8;
/// Ticks of most commands.
const LONG: u64 = 7;
const CHUNK: usize = 16 << 10;
/// Longer than any line of the server.
const LONGEST: usize = 1 << 20;
/// How far beyond a tick's begin an answer may seem to lie before the tick, by rounding.
const ROUNDING: f64 = 1e-6;

/// One client, with several commands on their way.
struct Client {
    stream: TcpStream,
    decoder: LineDecoder,
    team: String,
    /// Whether it sends commands, and whether it watches.
    plays: bool,
    watches: bool,
    greeted: u8,
    /// Ticks that each command on its way takes.
    costs: VecDeque<u64>,
    /// Ticks of the commands that were answered.
    passed: u64,
    /// When an answer arrived, in seconds, and the ticks of the commands up to it.
    arrivals: Vec<(f64, u64)>,
    draws: u64,
    /// Commands of one tick that it still begins with, so that clients that came together don't act at one tick.
    spread: u64,
}

impl Client {
    fn draw(&mut self) -> u64 {
        self.draws =
            self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.draws >> 33
    }

    /// The next command.
    fn command(&mut self, broadcasts: u64) -> &'static str {
        if self.spread > 0 {
            self.spread -= 1;
            self.costs.push_back(1);
            return "Inventory\n";
        }
        let (text, cost) = match self.draw() % 20 {
            _ if self.draw() % 1_000 < broadcasts => ("Broadcast here is some text of usual length\n", LONG),
            0..8 => ("Forward\n", LONG),
            8..11 => ("Right\n", LONG),
            11..15 => ("Look\n", LONG),
            15..18 => ("Take food\n", LONG),
            _ => ("Inventory\n", 1),
        };
        self.costs.push_back(cost);
        text
    }
}

struct Load {
    poll: Poll,
    clients: Vec<Client>,
    broadcasts: u64,
    start: Instant,
    /// From an answer's arrival until it was read.
    own: LatenessHistogram,
    /// Answers that were read together with a later one, so that their arrival isn't known.
    unstamped: u64,
    chunk: Vec<u8>,
    control: Vec<u8>,
}

impl Load {
    /// Connects the world's players, of which the first `busy` play and the others stay silent, and so many observers.
    fn connect(server: &Server, world: &World, busy: u32, observers: u32, broadcasts: u64) -> Result<Load> {
        let poll = Poll::new()?;
        let mut clients = Vec::new();
        for number in 0..(world.clients + observers) as usize {
            let watches = number >= world.clients as usize;
            let team =
                if watches { "GRAPHIC".to_owned() } else { format!("t{}", number % world.teams as usize) };
            let mut stream = TcpStream::connect(server.address)?;
            // Where the kernel stamps nothing an answer arrives when it is read.
            let _ = setsockopt(&stream, sockopt::ReceiveTimestampns, &true);
            poll.registry().register(&mut stream, Token(number), Interest::READABLE | Interest::WRITABLE)?;
            clients.push(Client {
                stream,
                decoder: LineDecoder::new(LONGEST),
                team,
                plays: number < busy as usize,
                watches,
                greeted: 0,
                costs: VecDeque::new(),
                passed: 0,
                arrivals: Vec::new(),
                draws: number as u64 + 1,
                spread: number as u64 % LONG,
            });
        }
        Ok(Load {
            poll,
            clients,
            broadcasts,
            start: Instant::now(),
            own: LatenessHistogram::default(),
            unstamped: 0,
            chunk: vec![0; CHUNK],
            control: nix::cmsg_space!(TimeSpec),
        })
    }

    /// Serves the clients until `done` says so.
    fn serve(&mut self, mut done: impl FnMut(&Load) -> bool) -> Result<()> {
        let mut events = Events::with_capacity(1_024);
        while !done(self) {
            self.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            for event in &events {
                while self.read(event.token().0)? {}
            }
        }
        Ok(())
    }

    /// Reads once; true if there may be more.
    fn read(&mut self, number: usize) -> Result<bool> {
        let Client { stream, .. } = &self.clients[number];
        let mut slices = [IoSliceMut::new(&mut self.chunk)];
        let received =
            recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut self.control), MsgFlags::empty());
        let received = match received {
            Err(Errno::EAGAIN | Errno::ENOTCONN) => return Ok(false),
            received => received?,
        };
        let (count, now) = (received.bytes, self.start.elapsed());
        ensure!(count > 0, "the server closed a connection");
        let mut late = Duration::ZERO;
        for message in received.cmsgs()? {
            if let ControlMessageOwned::ScmTimestampns(stamp) = message {
                let arrived = SystemTime::UNIX_EPOCH + Duration::from(stamp);
                late = SystemTime::now().duration_since(arrived).unwrap_or_default();
            }
        }
        self.own.add(late);
        let arrived = (now.as_secs_f64() - late.as_secs_f64()).max(0.0);
        self.take(number, count, arrived)?;
        Ok(count == CHUNK)
    }

    /// Takes what was read for a client, and sends a command for each answer.
    fn take(&mut self, number: usize, count: usize, arrived: f64) -> Result<()> {
        let client = &mut self.clients[number];
        client.decoder.push(&self.chunk[..count]);
        let (mut more, mut answers) = (0, 0);
        loop {
            match client.decoder.next_line() {
                None => break,
                Some(Decoded::Overflow) => bail!("an endless line"),
                Some(Decoded::Line(b"dead")) => bail!("a player starved"),
                Some(Decoded::Line(line))
                    if line.starts_with(b"message ") || line.starts_with(b"eject: ") => {}
                Some(Decoded::Line(_)) if client.greeted < GREETINGS => {
                    client.greeted += 1;
                    match client.greeted {
                        1 => client.stream.write_all(format!("{}\n", client.team).as_bytes())?,
                        GREETINGS if client.plays => more = AHEAD,
                        _ => {}
                    }
                }
                Some(Decoded::Line(_)) if client.watches => {}
                Some(Decoded::Line(_)) => {
                    client.passed += client.costs.pop_front().unwrap_or(0);
                    answers += 1;
                }
            }
        }
        if answers > 0 {
            self.unstamped += answers - 1;
            client.arrivals.push((arrived, client.passed));
        }
        let text: String = (0..more + answers as usize).map(|_| client.command(self.broadcasts)).collect();
        match client.stream.write_all(text.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => bail!("the server doesn't read"),
            written => Ok(written?),
        }
    }

    /// How late the answers were that arrived from then on.
    fn lateness(&self, freq: f64, from: f64) -> LatenessHistogram {
        // Each client's ticks begin where its earliest answer lies; all of them together share the begin of a tick.
        let began: Vec<Option<f64>> = self
            .clients
            .iter()
            .map(|client| {
                client.arrivals.iter().map(|&(at, passed)| at - passed as f64 / freq).min_by(f64::total_cmp)
            })
            .collect();
        let first = began.iter().flatten().copied().next().unwrap_or(0.0);
        let part = |at: f64| ((at - first) * freq) - ((at - first) * freq).round();
        let phase = first + began.iter().flatten().map(|&at| part(at)).fold(0.0, f64::min) / freq;
        let mut late = LatenessHistogram::default();
        for (client, began) in self.clients.iter().zip(&began) {
            let Some(began) = began else { continue };
            let tick = ((began - phase) * freq + ROUNDING).floor();
            for &(at, passed) in client.arrivals.iter().filter(|(at, _)| *at >= from) {
                let due = phase + (tick + passed as f64) / freq;
                late.add(Duration::from_secs_f64((at - due).max(0.0)));
            }
        }
        late
    }
}

/// What a measurement came to.
pub struct Measured {
    pub late: LatenessHistogram,
    pub per_second: f64,
    /// Microseconds of the server's processor per answer.
    pub cost: f64,
    /// The server's memory, in kilobytes.
    pub memory: u64,
    /// How much later than it arrived an answer was read: 99 of 100.
    own: Duration,
    /// What the server says of how late its ticks began.
    ticks: String,
    /// Whether the server's clock was set back, because there was too much to do.
    set_back: bool,
}

/// Measures a world for so many seconds; its first `busy` players play.
pub fn measure(world: &World, busy: u32, observers: u32, seconds: f64, broadcasts: u64) -> Result<Measured> {
    stand_apart(world.clients + observers)?;
    let server = Server::start(world)?;
    let mut load = Load::connect(&server, world, busy, observers, broadcasts)?;
    let joining = load.start.elapsed() + PATIENCE;
    let joined = |load: &Load| load.clients.iter().all(|client| client.greeted == GREETINGS);
    load.serve(|load| joined(load) || load.start.elapsed() > joining)?;
    ensure!(joined(&load), "not all clients were let in");
    // What the joining has left to do.
    let settled = load.start.elapsed() + Duration::from_secs_f64(seconds / 4.0);
    load.serve(|load| load.start.elapsed() >= settled)?;
    (load.own, load.unstamped) = (LatenessHistogram::default(), 0);
    let (began, used) = (load.start.elapsed(), server.processor_seconds()?);
    let end = began + Duration::from_secs_f64(seconds);
    load.serve(|load| load.start.elapsed() >= end)?;
    let elapsed = (load.start.elapsed() - began).as_secs_f64();
    let used = server.processor_seconds()? - used;
    let late = load.lateness(world.freq.into(), began.as_secs_f64());
    let (answers, own) = ((late.total() + load.unstamped) as f64, load.own.percentile(99.0));
    let memory = server.status("VmRSS")?;
    drop(load.clients);
    let (_, log) = server.end()?;
    let set_back = log.contains("the clock is set back");
    let ticks = log.lines().find_map(|line| line.split_once("due ticks: ")).map(|words| words.1.to_owned());
    let ticks = ticks.unwrap_or_default();
    let (per_second, cost) = (answers / elapsed, used / answers.max(1.0) * 1e6);
    Ok(Measured { late, per_second, cost, memory, own, ticks, set_back })
}

/// Teams of the match.
const TEAMS: u32 = 10;

/// Measures with so many clients at that rate, and prints a row.
pub fn print(many: u32, freq: u32, seconds: f64, broadcasts: u64) -> Result<()> {
    let world = World { clients: many, teams: TEAMS, side: 100, freq, lockstep: false };
    let measured = measure(&world, many, 0, seconds, broadcasts)?;
    ensure!(measured.late.total() > 0, "no answer came");
    row(
        &format!("lateness, {many} players at {freq} ticks/s"),
        &measured.late,
        &format!(
            "{:.0} answers/s, {:.0} % of a core; read {} us later at p99; ticks: {}{}",
            measured.per_second,
            measured.per_second * measured.cost / 1e4,
            measured.own.as_micros(),
            measured.ticks,
            if measured.set_back { "; TOO MUCH: the clock was set back" } else { "" }
        ),
    );
    Ok(())
}
