//! Joins an agent to a connection: sockets, threads, and how each player ended.
//!
//! Each connection has a thread; the threads share only a count that bounds their number. Reading waits as long as
//! the server likes, since a match may be paused; every other wait has a limit. Decides nothing about the game.
//! Tested in this module and in `tests/socket.rs`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use log::{debug, info, trace, warn};
use zappy_protocol::line::{Decoded, LineDecoder};

use crate::agent::{Action, Agent, AgentState, without_token};

/// How long the client tries to connect to a server that doesn't listen yet.
const STARTUP_WAIT: Duration = Duration::from_secs(10);
/// The pause between two attempts to connect.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// How long one attempt to connect, the server's greeting on an egg's connection, or a write may take.
const IO_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest line that is kept, in bytes: room for a view of many tiles with a crowd on each.
const LINE_LIMIT: usize = 1 << 20;
/// Connections of one process at most, including the ones for eggs.
const CONNECTIONS: usize = 1_000;

#[derive(Debug, Clone)]
pub struct Address {
    /// A host name or an IP address.
    pub host: String,
    pub port: u16,
}

/// Why a player didn't get to play, or couldn't play on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no server answers at {} port {}; start the server or check -h and -p", .0.host, .0.port)]
    Unreachable(Address, #[source] io::Error),
    /// The server didn't let the player in: what was refused, and why.
    #[error("the server refused {0}")]
    Refused(String),
    /// The connection ended before the game began.
    #[error(
        "the server closed the connection before the game began; its match was over, or -p is no Zappy server"
    )]
    ClosedEarly,
    #[error("the connection failed")]
    Socket(#[from] io::Error),
}

/// How a player that got to play ended; of several players of a process the better end counts, which is the later
/// variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlayerEnd {
    /// Its part ended before the match was over: it died.
    Out,
    /// The server closed the connection: the match is over.
    MatchOver,
}

/// Plays with these agents of a team, each on its own connection and thread, and with all the children that they
/// connect. Returns when the last one has ended: the match's end if any of them saw it.
///
/// # Errors
/// If none of the players got to play: the first error that one of them met.
pub fn play(address: &Address, team: &str, agents: Vec<Box<dyn Agent>>) -> Result<PlayerEnd, ClientError> {
    let (results, finished) = channel();
    let shared = Shared { address: address.clone(), connections: Arc::new(AtomicUsize::new(0)), results };
    for (i, agent) in (1..).zip(agents) {
        let name = format!("{team} {i}");
        let mine = shared.clone();
        shared.start(name.clone(), move || {
            Connection::open(&mine.address, STARTUP_WAIT, agent, name)?.play(&mine)
        })?;
    }
    drop(shared);
    let (mut best, mut error) = (None, None);
    while let Ok(result) = finished.recv() {
        match result {
            Ok(end) => best = best.max(Some(end)),
            Err(failure) if error.is_none() => error = Some(failure),
            Err(failure) => warn!("{failure}"),
        }
    }
    match (best, error) {
        (Some(end), Some(failure)) => {
            warn!("{failure}");
            Ok(end)
        }
        (Some(end), None) => Ok(end),
        (None, error) => Err(error.unwrap_or(ClientError::ClosedEarly)),
    }
}

/// What the threads of one process have in common.
#[derive(Clone)]
struct Shared {
    address: Address,
    /// The connections that are open now.
    connections: Arc<AtomicUsize>,
    results: Sender<Result<PlayerEnd, ClientError>>,
}

impl Shared {
    /// Runs `work` in a thread of that name, which sends the result; an error if too many connections are open.
    fn start(
        &self,
        name: String,
        work: impl FnOnce() -> Result<PlayerEnd, ClientError> + Send + 'static,
    ) -> io::Result<()> {
        if self.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            self.connections.fetch_sub(1, Ordering::Relaxed);
            return Err(io::Error::other(format!("a process opens no more than {CONNECTIONS} connections")));
        }
        let (results, connections) = (self.results.clone(), self.connections.clone());
        thread::Builder::new().name(name).spawn(move || {
            let result = work();
            connections.fetch_sub(1, Ordering::Relaxed);
            // The receiver is gone only if another player couldn't be started, and then no result is wanted.
            let _ = results.send(result);
        })?;
        Ok(())
    }

    /// Opens a connection for a player that the team connects to one of its eggs, reads the greeting and names the
    /// team; from then on a thread of its own plays it.
    fn connect_child(&self, agent: Box<dyn Agent>, name: String) -> Result<(), ClientError> {
        let mut child = Connection::open(&self.address, Duration::ZERO, agent, name.clone())?;
        child.stream.set_read_timeout(Some(IO_TIMEOUT))?;
        while !child.greeted {
            if !child.read()? {
                return Err(ClientError::ClosedEarly);
            }
        }
        // The child names its team before its parent says anything more.
        child.act(self)?;
        child.stream.set_read_timeout(None)?;
        let shared = self.clone();
        self.start(name, move || child.play(&shared))?;
        Ok(())
    }
}

/// An agent and its socket.
struct Connection {
    stream: TcpStream,
    decoder: LineDecoder,
    agent: Box<dyn Agent>,
    name: String,
    /// How far the agent has come, as it was last logged; `None` before it plays.
    progress: Option<String>,
    greeted: bool,
    /// How many eggs the agent has asked to connect; names their players.
    eggs: u32,
}

impl Connection {
    fn open(
        address: &Address,
        wait: Duration,
        agent: Box<dyn Agent>,
        name: String,
    ) -> Result<Connection, ClientError> {
        let stream = connect(address, wait)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(IO_TIMEOUT))?;
        let decoder = LineDecoder::new(LINE_LIMIT);
        Ok(Connection { stream, decoder, agent, name, progress: None, greeted: false, eggs: 0 })
    }

    fn play(mut self, shared: &Shared) -> Result<PlayerEnd, ClientError> {
        if !self.greeted {
            info!("{}: connected, waits for the server's WELCOME", self.name);
        }
        let mut open = true;
        loop {
            self.act(shared)?;
            match self.agent.state() {
                AgentState::Refused => return Err(ClientError::Refused(self.agent.words())),
                AgentState::Out => {
                    info!("{}: {}", self.name, self.agent.words());
                    return Ok(PlayerEnd::Out);
                }
                AgentState::Entering if !open => return Err(ClientError::ClosedEarly),
                AgentState::Playing if !open => {
                    info!("{}: the match is over, at {}", self.name, self.agent.words());
                    return Ok(PlayerEnd::MatchOver);
                }
                AgentState::Entering | AgentState::Playing => {}
            }
            open = match self.read() {
                Err(error) if error.kind() == ErrorKind::ConnectionReset => false,
                other => other?,
            };
        }
    }

    /// Carries out the agent's actions; lines with no new connection between them go out in one write.
    fn act(&mut self, shared: &Shared) -> Result<(), ClientError> {
        let mut bytes = Vec::new();
        while let Some(action) = self.agent.poll_action() {
            match action {
                Action::Send(line) => {
                    let text = String::from_utf8_lossy(&line);
                    let is_name = self.agent.state() == AgentState::Entering;
                    trace!("{} > {}", self.name, if is_name { without_token(&text) } else { &text });
                    bytes.extend_from_slice(&line);
                    bytes.push(b'\n');
                }
                Action::Connect(child) => {
                    self.send(&bytes)?;
                    bytes.clear();
                    self.eggs += 1;
                    let name = format!("{}.{}", self.name, self.eggs);
                    if let Err(error) = shared.connect_child(child, name) {
                        debug!("{}: an egg stays without a player: {error}", self.name);
                    }
                }
            }
        }
        self.send(&bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        match self.stream.write_all(bytes) {
            // A server that has ended the match reads no more, but its last lines are still to be read.
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
                Ok(())
            }
            other => Ok(other?),
        }
    }

    /// Reads once and hands the lines to the agent; false at the end of the stream.
    fn read(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 16 * 1024];
        let count = match self.stream.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        acknowledge(&self.stream);
        self.decoder.push(&chunk[..count]);
        while let Some(line) = self.decoder.next_line() {
            self.greeted = true;
            if let Decoded::Line(line) = line {
                trace!("{} < {}", self.name, String::from_utf8_lossy(line));
            }
            self.agent.handle_line(line);
        }
        if self.agent.state() == AgentState::Playing {
            let words = self.agent.words();
            match &self.progress {
                None => debug!("{}: joined", self.name),
                Some(before) if *before == words => {}
                Some(_) => info!("{}: {words}", self.name),
            }
            self.progress = Some(words);
        }
        Ok(count > 0)
    }
}

/// Acknowledges at once what was read, where the system has a switch for that. Otherwise the system may wait some 40 ms
/// for something to send along, and a server that leaves Nagle's algorithm on holds its next small write back for so
/// long: many ticks at a high frequency. The system takes the switch back when it likes, so each read sets it anew.
#[cfg(target_os = "linux")]
fn acknowledge(stream: &TcpStream) {
    if let Err(error) = rustix::net::sockopt::set_tcp_quickack(stream, true) {
        debug!("TCP_QUICKACK can't be set: {error}");
    }
}

/// This system has no such switch.
#[cfg(not(target_os = "linux"))]
fn acknowledge(_stream: &TcpStream) {}

/// Connects; while no server listens at the address it tries again until `wait` has passed.
fn connect(address: &Address, wait: Duration) -> Result<TcpStream, ClientError> {
    let begin = Instant::now();
    loop {
        let connected = (address.host.as_str(), address.port).to_socket_addrs().and_then(|candidates| {
            let mut last = Err(io::Error::new(ErrorKind::NotFound, "the host has no address"));
            for candidate in candidates {
                last = TcpStream::connect_timeout(&candidate, IO_TIMEOUT);
                if last.is_ok() {
                    break;
                }
            }
            last
        });
        match connected {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused && begin.elapsed() < wait => {
                thread::sleep(RETRY_PAUSE);
            }
            Err(source) => return Err(ClientError::Unreachable(address.clone(), source)),
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustix::net::sockopt::{set_tcp_quickack, tcp_quickack};

    use super::*;

    /// An agent that ignores what it reads and wants nothing done.
    #[derive(Debug)]
    struct Listener;

    impl Agent for Listener {
        fn handle_line(&mut self, _line: Decoded<'_>) {}

        fn poll_action(&mut self) -> Option<Action> {
            None
        }

        fn state(&self) -> AgentState {
            AgentState::Entering
        }

        fn words(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn what_was_read_is_acknowledged_at_once_after_each_read() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address { host: "127.0.0.1".into(), port: server.local_addr().unwrap().port() };
        let mut client =
            Connection::open(&address, Duration::ZERO, Box::new(Listener), "red 1".into()).unwrap();
        let (mut guest, _) = server.accept().unwrap();
        for _ in 0..3 {
            set_tcp_quickack(&client.stream, false).unwrap();
            guest.write_all(b"ok\n").unwrap();
            assert!(client.read().unwrap());
            assert!(tcp_quickack(&client.stream).unwrap());
        }
    }
}
