//! How many lines per second the server answers, beside a bare echo that does nothing but what any server must do.
//!
//! The echo polls with mio, has the same handshake and framing, and answers each line with one of the same length, all
//! that were read at once with one write. Both are driven by the same generator, in turns (one after the other, again
//! and again), so that a machine that slows down slows both down. By the real clock each client sends a block of
//! ten `Connect_nbr`, which take no time in the game, and the next block when all are answered. In lockstep each sends one
//! `Inventory` in each round, and the echo answers when all have sent one, too. The server's processor time per line is told beside: it
//! says more where the generator itself is the limit.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use nix::sys::socket::{Backlog, listen};

use super::server::{PATIENCE, SERVER, Server, World, on_processor, stand_apart};

/// The greeting, the free slots, the size of the map.
const GREETINGS: usize = 3;
/// Teams of the match; the echo has none.
const TEAMS: u32 = 2;
/// Bytes that are read at one go, as many as the server reads.
const CHUNK: usize = 16 << 10;
/// Both read no longer line.
const LONGEST: usize = 4 << 10;
/// Ticks per second: a player is heard later that sends more lines than there are ticks and that take none.
const FREQUENCY: u32 = 100_000;
const LISTENER: Token = Token(0);
const BOTH: Interest = Interest::READABLE.add(Interest::WRITABLE);

/// A kind of exchange that is measured.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    name: &'static str,
    command: &'static str,
    /// What the echo answers to it.
    answer: &'static str,
    /// Commands that are sent at once.
    block: usize,
    /// Whether all answers come when all clients have sent their commands.
    lockstep: bool,
}

/// By the real clock, ten at once.
pub const PIPELINED: Exchange =
    Exchange { name: "pipeline ten", command: "Connect_nbr\n", answer: "9", block: 10, lockstep: false };
/// By the lockstep clock, one by one.
pub const LOCKSTEP: Exchange = Exchange {
    name: "play in lockstep",
    command: "Inventory\n",
    answer: "[food 10, linemate 0, deraumere 0, sibur 0, mendiane 0, phiras 0, thystame 0]",
    block: 1,
    lockstep: true,
};

/// A connection to the echo.
struct Peer {
    stream: TcpStream,
    /// The part of a line that came without its end.
    rest: Vec<u8>,
    named: bool,
    /// Lines to answer.
    lines: usize,
    out: Vec<u8>,
}

impl Peer {
    /// Reads what is there; false once it has ended.
    fn read(&mut self, chunk: &mut [u8]) -> bool {
        loop {
            match self.stream.read(chunk) {
                Ok(0) => return false,
                Ok(count) => {
                    self.take(&chunk[..count]);
                    if count < chunk.len() {
                        return true;
                    }
                }
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
    }

    /// Answers so many of the lines that came.
    fn answer(&mut self, lines: usize, answer: &[u8]) -> bool {
        self.lines -= lines;
        (0..lines).for_each(|_| self.out.extend_from_slice(answer));
        self.write()
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.rest.clear();
            bytes = &bytes[end + 1..];
            if std::mem::replace(&mut self.named, true) {
                self.lines += 1;
            } else {
                self.out.extend_from_slice(b"1\n100 100\n");
            }
        }
        if self.rest.len() + bytes.len() <= LONGEST {
            self.rest.extend_from_slice(bytes);
        }
    }

    fn write(&mut self) -> bool {
        while !self.out.is_empty() {
            match self.stream.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }
}

/// Serves until its process is ended.
pub fn serve(exchange: Exchange) -> Result<()> {
    let answer = format!("{}\n", exchange.answer);
    let mut poll = Poll::new()?;
    let mut listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    listen(&listener, Backlog::MAXCONN)?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    println!("listening on {}", listener.local_addr()?);
    let mut peers: HashMap<Token, Peer> = HashMap::new();
    let (mut events, mut chunk, mut next) = (Events::with_capacity(1_024), vec![0; CHUNK], 1);
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            if event.token() != LISTENER {
                if let Some(peer) = peers.get_mut(&event.token()) {
                    let lives = peer.read(&mut chunk);
                    let lines = if exchange.lockstep { 0 } else { peer.lines };
                    if !lives || !peer.answer(lines, answer.as_bytes()) {
                        peers.remove(&event.token());
                    }
                }
                continue;
            }
            while let Ok((mut stream, _)) = listener.accept() {
                stream.set_nodelay(true)?;
                poll.registry().register(&mut stream, Token(next), BOTH)?;
                let mut peer =
                    Peer { stream, rest: Vec::new(), named: false, lines: 0, out: b"WELCOME\n".to_vec() };
                if peer.write() {
                    peers.insert(Token(next), peer);
                }
                next += 1;
            }
        }
        if exchange.lockstep && peers.values().all(|peer| peer.lines > 0) {
            peers.retain(|_, peer| peer.answer(1, answer.as_bytes()));
        }
    }
}

/// The clients of one server.
struct Generator {
    server: Server,
    poll: Poll,
    clients: Vec<Client>,
    chunk: Vec<u8>,
}

struct Client {
    stream: TcpStream,
    /// Lines that are to come before the next block is sent, and blocks that are still to be sent.
    awaited: usize,
    blocks: usize,
}

/// What one turn came to.
#[derive(Debug, Clone, Copy)]
struct Turn {
    per_second: f64,
    /// Microseconds of the server's processor per line.
    cost: f64,
}

impl Generator {
    /// Connects clients and waits until each is let in.
    fn join(server: Server, many: u32) -> Result<Generator> {
        let poll = Poll::new()?;
        let mut clients = Vec::new();
        for number in 0..many as usize {
            let mut stream = TcpStream::connect(server.address)?;
            poll.registry().register(&mut stream, Token(number), BOTH)?;
            clients.push(Client { stream, awaited: 0, blocks: 0 });
        }
        let mut generator = Generator { server, poll, clients, chunk: vec![0; CHUNK] };
        let deadline = Instant::now() + PATIENCE;
        let (mut events, mut heard) = (Events::with_capacity(1_024), vec![0; many as usize]);
        while heard.iter().any(|&lines| lines < GREETINGS) {
            ensure!(Instant::now() < deadline, "not all clients were let in");
            generator.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            for event in &events {
                let Token(number) = event.token();
                let lines = generator.read(number)?;
                if heard[number] == 0 && lines > 0 {
                    let team = format!("t{}\n", number % TEAMS as usize);
                    generator.clients[number].stream.write_all(team.as_bytes())?;
                }
                heard[number] += lines;
            }
        }
        Ok(generator)
    }

    /// Reads what came for a client; gives how many lines that were.
    fn read(&mut self, number: usize) -> Result<usize> {
        let mut lines = 0;
        loop {
            match self.clients[number].stream.read(&mut self.chunk) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(count) => {
                    lines += self.chunk[..count].iter().filter(|&&byte| byte == b'\n').count();
                    if count < self.chunk.len() {
                        return Ok(lines);
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => {
                    return Ok(lines);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Has each client send so many blocks, and waits for all answers.
    fn turn(&mut self, exchange: Exchange, blocks: usize) -> Result<Turn> {
        let block = exchange.command.repeat(exchange.block);
        let used = self.server.processor_seconds()?;
        let began = Instant::now();
        for client in &mut self.clients {
            client.stream.write_all(block.as_bytes())?;
            (client.awaited, client.blocks) = (exchange.block, blocks - 1);
        }
        let mut busy = self.clients.len();
        let mut events = Events::with_capacity(1_024);
        while busy > 0 {
            ensure!(began.elapsed() < PATIENCE, "the server does not answer");
            self.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            for event in &events {
                let Token(number) = event.token();
                let lines = self.read(number)?;
                let client = &mut self.clients[number];
                client.awaited -= lines;
                if lines == 0 || client.awaited > 0 {
                    continue;
                }
                if client.blocks == 0 {
                    busy -= 1;
                    continue;
                }
                client.stream.write_all(block.as_bytes())?;
                (client.awaited, client.blocks) = (exchange.block, client.blocks - 1);
            }
        }
        let (seconds, lines) = (began.elapsed().as_secs_f64(), self.clients.len() * blocks * exchange.block);
        let cost = (self.server.processor_seconds()? - used) / lines as f64 * 1e6;
        Ok(Turn { per_second: lines as f64 / seconds, cost })
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures both with so many clients, in turns of so many lines.
pub fn compare(exchange: Exchange, many: u32, rounds: usize, lines: usize) -> Result<()> {
    let mut command = on_processor(SERVER, &std::env::current_exe()?.to_string_lossy());
    command.args(["echo", "--bench"]).args(exchange.lockstep.then_some("--lockstep"));
    let world =
        World { clients: many, teams: TEAMS, side: 100, freq: FREQUENCY, lockstep: exchange.lockstep };
    stand_apart(2 * many)?;
    let mut bare = Generator::join(Server::of(command)?, many)?;
    let mut ours = Generator::join(Server::start(&world)?, many)?;
    let blocks = lines.div_ceil(many as usize * exchange.block);
    let mut turns = Vec::new();
    for _ in 0..rounds {
        turns.push((bare.turn(exchange, blocks)?, ours.turn(exchange, blocks)?));
    }
    let print = |name: &str, turns: Vec<Turn>| {
        println!(
            "{:<52} {:>8.0} lines/s, {:.2} us of its processor for each",
            format!("{name}, {many} clients that {}", exchange.name),
            median(turns.iter().map(|turn| turn.per_second)),
            median(turns.iter().map(|turn| turn.cost)),
        );
    };
    print("a bare echo", turns.iter().map(|turn| turn.0).collect());
    print("the server", turns.iter().map(|turn| turn.1).collect());
    let mut ratios: Vec<f64> = turns.iter().map(|(bare, ours)| ours.per_second / bare.per_second).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "{:<52} {:>8.2} median of {rounds} pairs, {:.2} to {:.2}; of processor time {:.2}",
        "lines of the server per line of the echo",
        median(ratios.iter().copied()),
        ratios[0],
        ratios[rounds - 1],
        median(turns.iter().map(|(bare, ours)| bare.cost / ours.cost)),
    );
    Ok(())
}
