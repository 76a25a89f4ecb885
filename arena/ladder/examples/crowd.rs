//! Bots for a ladder by the thousand, in one process and one thread, to measure its host:
//! `cargo run --release -p zappy-ladder --example crowd -- PORT TOKENS CONNECTIONS SECONDS`.
//!
//! TOKENS is what `ladder --import` has written. Each bot opens so many connections, sends a command for each answer, and comes
//! again after its match. At the end this prints how many answers came. The host is on the same machine.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use zappy_server::net::raise_descriptor_limit;

const COMMANDS: [&str; 5] = ["Forward", "Look", "Right", "Inventory", "Take food"];
/// Connections that are begun at once; more wait for the next turn, so that the listener's queue holds them.
const AT_ONCE: usize = 64;

struct Client {
    login: String,
    stream: Option<TcpStream>,
    /// What was read since the last whole line.
    rest: Vec<u8>,
    lines: usize,
    answers: u64,
    matches: u64,
}

impl Client {
    fn connect(&mut self, poll: &Poll, number: usize, address: SocketAddr) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(address)?;
        poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
        (self.stream, self.lines) = (Some(stream), 0);
        self.rest.clear();
        Ok(())
    }

    /// Answers all that has come; false once the connection has ended.
    fn serve(&mut self) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let mut bytes = [0; 16 << 10];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => self.rest.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        let mut said = String::new();
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.lines += 1;
            // The greeting, the free slots, the size of the map; then an answer for each command.
            match self.lines {
                1 => said += &format!("{}\n", self.login),
                2 => self.matches += 1,
                _ if line.starts_with(b"message ") || line.starts_with(b"eject") => {}
                count => {
                    self.answers += u64::from(count > 3);
                    said += &format!("{}\n", COMMANDS[count % COMMANDS.len()]);
                }
            }
        }
        stream.write_all(said.as_bytes()).is_ok()
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
    let (each, time) = (number(connections)? as usize, Duration::from_secs(number(seconds)?));
    let logins = std::fs::read_to_string(tokens)?;
    let logins = logins.lines().map(|line| line.replacen(',', ":", 1));
    let logins = logins.flat_map(|login| std::iter::repeat_n(login, each));
    let new = |login| Client { login, stream: None, rest: Vec::new(), lines: 0, answers: 0, matches: 0 };
    let mut clients: Vec<Client> = logins.map(new).collect();
    raise_descriptor_limit(clients.len() + 64);
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(4_096));
    let (start, mut away): (_, Vec<usize>) = (Instant::now(), (0..clients.len()).rev().collect());
    while start.elapsed() < time {
        for _ in 0..AT_ONCE {
            let Some(client) = away.pop() else { break };
            if clients[client].connect(&poll, client, address).is_err() {
                away.insert(0, client);
            }
        }
        let wait = if away.is_empty() { 200 } else { 5 };
        poll.poll(&mut events, Some(Duration::from_millis(wait)))?;
        for event in &events {
            let Token(number) = event.token();
            if clients[number].stream.is_some() && !clients[number].serve() {
                clients[number].stream = None;
                away.insert(0, number);
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let answers: u64 = clients.iter().map(|client| client.answers).sum();
    let logins: u64 = clients.iter().map(|client| client.matches).sum();
    println!(
        "{answers} answers, {:.0} per second; {logins} logins in {seconds:.0} s",
        answers as f64 / seconds
    );
    Ok(())
}
