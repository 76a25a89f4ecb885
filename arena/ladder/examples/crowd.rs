//! Bots for a ladder by the thousand, in one process and one thread, to measure the ladder's host:
//! `cargo run --release -p zappy-ladder --example crowd -- PORT TOKENS CONNECTIONS SECONDS`.
//!
//! TOKENS is the file that `ladder --import` has written. Each bot opens CONNECTIONS connections, sends a command for
//! each answer, and comes again after its match. After SECONDS the number of answers is printed. The host is on the
//! same machine.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use zappy_server::net::raise_descriptor_limit;

/// The commands that a client sends, in turn.
const COMMANDS: [&str; 5] = ["Forward", "Look", "Right", "Inventory", "Take food"];
/// The most connections that are opened in one round of the loop, so that the listener's queue holds them.
const CONNECTS_PER_ROUND: usize = 64;

struct Client {
    /// The first line that it sends: `NAME:TOKEN`.
    login: String,
    stream: Option<TcpStream>,
    /// What was read since the last whole line.
    unread: Vec<u8>,
    /// Lines read on this connection.
    lines: usize,
    answers: u64,
    /// Connections that were let into a match.
    logins: u64,
}

impl Client {
    fn connect(&mut self, poll: &Poll, number: usize, address: SocketAddr) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(address)?;
        poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
        (self.stream, self.lines) = (Some(stream), 0);
        self.unread.clear();
        Ok(())
    }

    /// Reads and answers all lines that have come; false once the connection has ended.
    fn serve(&mut self) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let mut bytes = [0; 16 << 10];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => self.unread.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        let mut commands = String::new();
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            self.lines += 1;
            // First come the greeting, the free slots and the size of the map, then an answer for each command.
            match self.lines {
                1 => commands += &format!("{}\n", self.login),
                2 => self.logins += 1,
                _ if line.starts_with(b"message ") || line.starts_with(b"eject") => {}
                count => {
                    self.answers += u64::from(count > 3);
                    commands += &format!("{}\n", COMMANDS[count % COMMANDS.len()]);
                }
            }
        }
        stream.write_all(commands.as_bytes()).is_ok()
    }
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [port, tokens, connections, seconds] = &words[..] else {
        eprintln!("crowd PORT TOKENS CONNECTIONS SECONDS");
        std::process::exit(2);
    };
    let number = |word: &String| word.parse::<u64>().map_err(|_| std::io::Error::other(word.clone()));
    let address = SocketAddr::from(([127, 0, 0, 1], number(port)? as u16));
    let (per_bot, limit) = (number(connections)? as usize, Duration::from_secs(number(seconds)?));
    let logins = std::fs::read_to_string(tokens)?;
    let logins = logins.lines().map(|line| line.replacen(',', ":", 1));
    let logins = logins.flat_map(|login| std::iter::repeat_n(login, per_bot));
    let new = |login| Client { login, stream: None, unread: Vec::new(), lines: 0, answers: 0, logins: 0 };
    let mut clients: Vec<Client> = logins.map(new).collect();
    raise_descriptor_limit(clients.len() + 64);
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(4_096));
    let (start, mut offline): (_, Vec<usize>) = (Instant::now(), (0..clients.len()).rev().collect());
    while start.elapsed() < limit {
        for _ in 0..CONNECTS_PER_ROUND {
            let Some(client) = offline.pop() else { break };
            if clients[client].connect(&poll, client, address).is_err() {
                offline.insert(0, client);
            }
        }
        let wait_ms = if offline.is_empty() { 200 } else { 5 };
        poll.poll(&mut events, Some(Duration::from_millis(wait_ms)))?;
        for event in &events {
            let Token(number) = event.token();
            if clients[number].stream.is_some() && !clients[number].serve() {
                clients[number].stream = None;
                offline.insert(0, number);
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let answers: u64 = clients.iter().map(|client| client.answers).sum();
    let logins: u64 = clients.iter().map(|client| client.logins).sum();
    println!(
        "{answers} answers, {:.0} per second; {logins} logins in {seconds:.0} s",
        answers as f64 / seconds
    );
    Ok(())
}
