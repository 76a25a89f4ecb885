//! The connections that have no match yet: accepts them, reads their first lines, and sends them away.
//!
//! Carries out the lobby's decisions, and holds no more descriptors than the system gives. Tested in `arena/cli/tests/ladder/`.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::time::Duration;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use zappy_protocol::text::shown;
use zappy_server::net::{Limits, Listener, Notice};

use crate::handed::{GREETING, keep_alive};
use crate::lobby::Caller;

/// The longest first line, in bytes.
const LOGIN_BYTES: usize = 512;
/// How long a connection may take to read its last `ko`.
const LINGER: Duration = Duration::from_secs(1);
/// Connections that read their last `ko` at the same time; the oldest make room.
const MOST_LEAVING: usize = 1_024;
/// Names and reasons of refused logins that have a line each in the log, at the same time.
const MOST_REFUSED: usize = 64;
/// Descriptors that stay free for tables, results, names and seeds.
const OWN_DESCRIPTORS: usize = 128;
/// Descriptors of a match besides its connections: its record, and two with which the site watches it, one of them for a while.
pub const MATCH_DESCRIPTORS: usize = 3;

/// A connection that waits.
pub struct Waiting {
    pub stream: TcpStream,
    pub peer: SocketAddr,
    /// The bytes that were read of it and not yet taken as a line.
    pub unread: Vec<u8>,
    /// The token that its first line had.
    pub token: Vec<u8>,
    pub readable: bool,
}

/// The listener, and the connections that wait.
pub struct Reception {
    pub listener: Listener,
    limits: Limits,
    pub guests: BTreeMap<Caller, Waiting>,
    arrived: u64,
    closed: u64,
    /// Connections that may still read their last `ko`, and until when.
    leaving: VecDeque<(Duration, TcpStream)>,
    /// The most descriptors that this process may have.
    descriptors: usize,
    full: Notice,
    /// Why logins are refused, by what the log calls the name.
    refused: BTreeMap<(String, &'static str), Notice>,
    /// Refused logins that have no line of their own.
    others: Notice,
}

/// The least number of descriptors with which a match of so many connections can be played.
pub const fn least_descriptors(connections: usize) -> usize {
    OWN_DESCRIPTORS + (connections * (2 + MATCH_DESCRIPTORS)).div_ceil(2)
}

/// Logs how many further logins of a name were refused for a reason since its last line.
fn log_rest(((name, why), notice): (&(String, &'static str), &mut Notice)) {
    if let Some(more) = notice.take_unlogged() {
        log::info!("{more} more logins{name}: refused, {why}");
    }
}

impl Reception {
    pub fn new(listener: Listener, descriptors: usize) -> Reception {
        Reception {
            listener,
            limits: Limits::default(),
            guests: BTreeMap::new(),
            arrived: 0,
            closed: 0,
            leaving: VecDeque::new(),
            descriptors,
            full: Notice::default(),
            refused: BTreeMap::new(),
            others: Notice::default(),
        }
    }

    /// Takes in and greets the connections that came; their numbers are also what the poll reports them by.
    pub fn accept(&mut self, now: Duration, registry: &Registry) -> Vec<(Caller, SocketAddr)> {
        let mut came = Vec::new();
        for (mut stream, peer) in self.listener.accept_all(now, &self.limits) {
            self.arrived += 1;
            let _ = stream.set_nodelay(true);
            keep_alive(&stream);
            let both = Interest::READABLE | Interest::WRITABLE;
            let registered = registry.register(&mut stream, Token(self.arrived as usize), both);
            // A new connection takes a few bytes.
            if registered.and_then(|()| stream.write_all(GREETING)).is_err() {
                self.closed += 1;
                continue;
            }
            let (unread, token) = (Vec::new(), Vec::new());
            self.guests.insert(Caller(self.arrived), Waiting { stream, peer, unread, token, readable: true });
            came.push((Caller(self.arrived), peer));
        }
        came
    }

    /// How many connections may wait, so that descriptors are left even if all of them are paired now; matches that are played have
    /// `playing`.
    pub fn room(&self, playing: usize) -> usize {
        let free = self.descriptors.saturating_sub(OWN_DESCRIPTORS + playing + self.leaving.len());
        free * 2 / (2 + MATCH_DESCRIPTORS)
    }

    /// Logs how many further logins were refused since their last lines.
    pub fn log_the_rest(&mut self) {
        self.refused.iter_mut().for_each(log_rest);
        if let Some(more) = self.others.take_unlogged() {
            log::info!("{more} further logins were refused, of other names or for other reasons");
        }
    }

    /// The next line of a connection, if a whole one has come; of a line that is too long each piece is an empty line.
    ///
    /// # Errors
    /// The connection has ended.
    pub fn read_line(&mut self, guest: Caller) -> io::Result<Option<Vec<u8>>> {
        let Some(waiting) = self.guests.get_mut(&guest) else { return Ok(None) };
        loop {
            if let Some(end) = waiting.unread.iter().position(|&byte| byte == b'\n') {
                return Ok(Some(waiting.unread.drain(..=end).collect()));
            }
            if waiting.unread.len() >= LOGIN_BYTES {
                waiting.unread.clear();
                return Ok(Some(Vec::new()));
            }
            if !waiting.readable {
                return Ok(None);
            }
            let mut bytes = [0; LOGIN_BYTES];
            let room = LOGIN_BYTES - waiting.unread.len();
            match waiting.stream.read(&mut bytes[..room]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => waiting.unread.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => waiting.readable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn close(&mut self, guest: Caller) {
        self.closed += u64::from(self.guests.remove(&guest).is_some());
    }

    pub fn say_ko(&mut self, guest: Caller) {
        if let Some(waiting) = self.guests.get_mut(&guest) {
            let _ = waiting.stream.write_all(b"ko\n");
        }
    }

    /// Says `ko` to a connection, of a bot of that name if it is known, and closes it.
    pub fn dismiss(&mut self, now: Duration, guest: Caller, name: Option<&str>, why: &'static str) {
        self.note_refused(now, guest, name, why);
        self.say_ko(guest);
        let Some(waiting) = self.guests.remove(&guest) else { return };
        let _ = waiting.stream.shutdown(Shutdown::Write);
        self.leaving.push_back((now + LINGER, waiting.stream));
        if self.leaving.len() > MOST_LEAVING {
            self.leaving.pop_front();
            self.closed += 1;
        }
    }

    /// Closes the connections that had time to read their last `ko`.
    pub fn close_expired(&mut self, now: Duration) {
        while self.leaving.front().is_some_and(|(until, _)| *until <= now) {
            self.leaving.pop_front();
            self.closed += 1;
        }
        self.listener.note_closed(self.closed);
    }

    /// Says in the log why a login is refused, and no token.
    pub fn note_refused(&mut self, now: Duration, guest: Caller, name: Option<&str>, why: &'static str) {
        let Some(Waiting { peer, .. }) = self.guests.get(&guest) else { return };
        let every = self.limits.notice;
        let name = name.map(|name| format!(", {}", shown(name.as_bytes()))).unwrap_or_default();
        let refused = (name.clone(), why);
        let is_known = self.refused.contains_key(&refused);
        if self.refused.len() >= MOST_REFUSED && !is_known {
            // The ones that had no line for a while make room.
            self.refused.retain(|refused, notice| {
                let is_past = notice.is_past(now, every);
                if is_past {
                    log_rest((refused, notice));
                }
                !is_past
            });
        }
        if self.refused.len() < MOST_REFUSED || is_known {
            if let Some(more) = self.refused.entry(refused).or_default().due(now, every) {
                log::info!("{peer}{name}: refused, {why}{more}");
            }
        } else if let Some(more) = self.others.due(now, every) {
            log::info!("{peer}: refused, as too many others are for each to have a line{more}");
        }
    }

    /// Says in the log that a connection, the new one or an older one, has to go since there is no room for both.
    pub fn note_full(&mut self, now: Duration, peer: SocketAddr, why: &str) {
        if let Some(more) = self.full.due(now, self.limits.notice) {
            log::warn!("{peer}: a connection has to go, {} wait: {why}{more}", self.guests.len());
        }
    }
}
