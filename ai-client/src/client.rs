//! Joins an agent to a connection: sockets, threads, and how it all ended.
//!
//! One thread per connection, and nothing shared between them but a count that bounds their number. Reading
//! waits as long as the server likes, since a match may be paused; every other wait has a limit. Decides
//! nothing about the game. Tested in `tests/socket.rs`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use log::{debug, info, trace, warn};
use zappy_protocol::line::{Decoded, LineDecoder};

use crate::agent::{Action, Agent, End, Setup};

/// How long a server that isn't there yet is waited for.
const OPENING: Duration = Duration::from_secs(10);
/// The pause between two attempts.
const RETRY: Duration = Duration::from_millis(100);
/// How long one attempt, the greeting of an egg's connection, or a write may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest line that is kept: a view of many tiles with a crowd on each.
const LINE_LIMIT: usize = 1 << 20;
/// Connections of one process at most, those of the eggs included.
const CONNECTIONS: usize = 1_000;

/// Where the game is.
#[derive(Debug, Clone)]
pub struct Address {
    /// A name or an address.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Why a player didn't get to play.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens there.
    #[error("nobody answers at {host} port {port}; start the server or check -h and -p")]
    Unreachable {
        /// The host that was asked for.
        host: String,
        /// The port that was asked for.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The team is unknown or full.
    #[error("the server refused team {0:?}: it doesn't know the team or has no slot left; check -n")]
    Refused(String),
    /// The connection ended before the game began.
    #[error("the server closed the connection before the game began; check that -p is a Zappy server")]
    ClosedEarly,
    /// Something with the socket.
    #[error("the connection failed")]
    Socket(#[from] io::Error),
}

/// How a player ended that got to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It starved.
    Dead,
    /// The server closed the connection: the match is over.
    MatchOver,
}

/// Plays with these players, each on its own connection and thread, and with all the eggs they lay. Returns
/// when the last one has ended: an ending if any of the first players got to play.
///
/// # Errors
/// Why the first player didn't get to play, if none did.
pub fn play(address: &Address, players: Vec<Setup>) -> Result<Ending, ClientError> {
    let (results, ended) = channel();
    let crew = Crew { address: address.clone(), count: Arc::new(AtomicUsize::new(0)), results };
    for (i, setup) in players.into_iter().enumerate() {
        let name = format!("{} {}", setup.team, i + 1);
        let mine = crew.clone();
        crew.start(name.clone(), move || Connection::open(&mine.address, OPENING, setup, name)?.play(&mine))?;
    }
    drop(crew);
    let (mut ending, mut error) = (None, None);
    while let Ok(result) = ended.recv() {
        match result {
            Ok(how) if ending != Some(Ending::MatchOver) => ending = Some(how),
            Ok(_) => {}
            Err(failure) if error.is_none() => error = Some(failure),
            Err(failure) => warn!("{failure}"),
        }
    }
    match (ending, error) {
        (Some(ending), error) => {
            error.inspect(|failure| warn!("{failure}"));
            Ok(ending)
        }
        (None, error) => Err(error.unwrap_or(ClientError::ClosedEarly)),
    }
}

/// What the threads of one process have in common.
#[derive(Clone)]
struct Crew {
    address: Address,
    count: Arc<AtomicUsize>,
    results: Sender<Result<Ending, ClientError>>,
}

impl Crew {
    fn start(
        &self,
        name: String,
        work: impl FnOnce() -> Result<Ending, ClientError> + Send + 'static,
    ) -> io::Result<()> {
        if self.count.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return Err(io::Error::other(format!("a process opens no more than {CONNECTIONS} connections")));
        }
        let (results, count) = (self.results.clone(), self.count.clone());
        thread::Builder::new().name(name).spawn(move || {
            let result = work();
            count.fetch_sub(1, Ordering::Relaxed);
            // Whoever waits for results waits for all of them.
            let _ = results.send(result);
        })?;
        Ok(())
    }

    /// Opens the connection of an egg and reads its greeting; from then on it lives by itself.
    fn hatch(&self, setup: Setup, name: String) -> Result<(), ClientError> {
        let mut child = Connection::open(&self.address, Duration::ZERO, setup, name.clone())?;
        child.stream.set_read_timeout(Some(PATIENCE))?;
        while !child.greeted {
            if !child.read()? {
                return Err(ClientError::ClosedEarly);
            }
        }
        child.stream.set_read_timeout(None)?;
        let crew = self.clone();
        self.start(name, move || child.play(&crew))?;
        Ok(())
    }
}

/// An agent and its socket.
struct Connection {
    stream: TcpStream,
    decoder: LineDecoder,
    agent: Agent,
    name: String,
    team: String,
    level: Option<u8>,
    greeted: bool,
    eggs: u32,
}

impl Connection {
    fn open(
        address: &Address,
        wait: Duration,
        setup: Setup,
        name: String,
    ) -> Result<Connection, ClientError> {
        let stream = connect(address, wait)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let team = setup.team.to_string();
        let decoder = LineDecoder::new(LINE_LIMIT);
        let agent = Agent::new(setup);
        Ok(Connection { stream, decoder, agent, name, team, level: None, greeted: false, eggs: 0 })
    }

    /// Plays to the end.
    fn play(mut self, crew: &Crew) -> Result<Ending, ClientError> {
        if !self.greeted {
            info!("{}: connected, waits for the server's WELCOME", self.name);
        }
        loop {
            self.act(crew)?;
            if let Some(end) = self.agent.end() {
                return self.ended(end);
            }
            match self.read() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => return Err(error.into()),
            }
        }
        match self.agent.end() {
            Some(end) => self.ended(end),
            None if self.level.is_none() => Err(ClientError::ClosedEarly),
            None => {
                info!("{}: the match is over, at level {}", self.name, self.level.unwrap_or(1));
                Ok(Ending::MatchOver)
            }
        }
    }

    fn ended(&self, end: End) -> Result<Ending, ClientError> {
        match end {
            End::Refused => Err(ClientError::Refused(self.team.clone())),
            End::Dead => {
                info!("{}: starved at level {}", self.name, self.level.unwrap_or(1));
                Ok(Ending::Dead)
            }
        }
    }

    /// Does what the agent wants: lines that belong together go out together.
    fn act(&mut self, crew: &Crew) -> Result<(), ClientError> {
        let mut bytes = Vec::new();
        while let Some(action) = self.agent.poll_action() {
            match action {
                Action::Send(line) => {
                    trace!("{} > {}", self.name, String::from_utf8_lossy(&line));
                    bytes.extend_from_slice(&line);
                    bytes.push(b'\n');
                }
                Action::Connect(setup) => {
                    self.send(&bytes)?;
                    bytes.clear();
                    self.eggs += 1;
                    let name = format!("{}.{}", self.name, self.eggs);
                    if let Err(error) = crew.hatch(*setup, name) {
                        debug!("{}: an egg stays without a player: {error}", self.name);
                    }
                }
            }
        }
        self.send(&bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        match self.stream.write_all(bytes) {
            // A server that has ended the match reads no more; what it said last is still to be read.
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
                Ok(())
            }
            other => Ok(other?),
        }
    }

    /// Reads once and hands over the lines; false at the end of the stream.
    fn read(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 16 * 1024];
        let count = match self.stream.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        self.decoder.push(&chunk[..count]);
        while let Some(line) = self.decoder.next_line() {
            self.greeted = true;
            match line {
                Decoded::Line(line) => {
                    trace!("{} < {}", self.name, String::from_utf8_lossy(line));
                    self.agent.handle_line(line);
                }
                Decoded::Overflow => self.agent.handle_overflow(),
            }
        }
        self.note_level();
        Ok(count > 0)
    }

    fn note_level(&mut self) {
        let level = self.agent.level();
        if level.is_some() && level != self.level {
            match level {
                Some(1) => debug!("{}: joined", self.name),
                Some(level) => info!("{}: level {level}", self.name),
                None => {}
            }
            self.level = level;
        }
    }
}

/// Connects; while nobody listens there it tries again for as long as `wait`.
fn connect(address: &Address, wait: Duration) -> Result<TcpStream, ClientError> {
    let begin = Instant::now();
    loop {
        match try_connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused && begin.elapsed() < wait => {
                thread::sleep(RETRY);
            }
            Err(source) => {
                let Address { host, port } = address.clone();
                return Err(ClientError::Unreachable { host, port, source });
            }
        }
    }
}

fn try_connect(address: &Address) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for candidate in (address.host.as_str(), address.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&candidate, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
