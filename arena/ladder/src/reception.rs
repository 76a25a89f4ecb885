//! The connections that have no match yet: accepts them, reads their first lines, and sends away those that the lobby
//! dismisses.
//!
//! Holds no more descriptors than the system gives. Tested in `arena/cli/tests/ladder/`.

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
/// How long a dismissed connection may take to read its last `ko`.
const LINGER: Duration = Duration::from_secs(1);
/// The most connections that read their last `ko` at the same time; of more the oldest are closed.
const MOST_LEAVING: usize = 1_024;
/// The most pairs of name and reason of refused logins that have lines of their own in the log at the same time.
const MOST_REFUSED: usize = 64;
/// How many descriptors stay free for tables, results, names and seeds.
const OWN_DESCRIPTORS: usize = 128;
/// How many descriptors a match has besides its connections: its record, and two with which the site watches it, one of
/// them only for a while.
pub const MATCH_DESCRIPTORS: usize = 3;

pub struct Waiting {
    pub stream: TcpStream,
    pub peer: SocketAddr,
    /// The bytes that were read and not yet taken as a line.
    pub unread: Vec<u8>,
    /// The token that its first line had.
    pub token: Vec<u8>,
    /// Whether the stream may have more bytes.
    pub readable: bool,
}

/// The listener, and the connections that wait.
pub struct Reception {
    pub listener: Listener,
    limits: Limits,
    pub callers: BTreeMap<Caller, Waiting>,
    /// How many connections ever came, which is the number of the last one.
    arrived: u64,
    /// How many of them were closed before they had a match.
    closed: u64,
    /// The connections that still read their last `ko`, each with the time at which it is closed.
    leaving: VecDeque<(Duration, TcpStream)>,
    /// The most descriptors that this process may have.
    descriptors: usize,
    full: Notice,
    /// The notices on refused logins, by what the log shows as the name and by the reason.
    refused: BTreeMap<(String, &'static str), Notice>,
    /// The notice on refused logins that have no lines of their own.
    refused_others: Notice,
}

/// The least number of descriptors with which a match of so many connections can be played.
pub const fn least_descriptors(connections: usize) -> usize {
    OWN_DESCRIPTORS + (connections * (2 + MATCH_DESCRIPTORS)).div_ceil(2)
}

/// Logs how many further logins of a name were refused for a reason since the last line on them.
fn log_unlogged(((name, why), notice): (&(String, &'static str), &mut Notice)) {
    if let Some(more) = notice.take_unlogged() {
        log::info!("{more} more logins{name}: refused, {why}");
    }
}

impl Reception {
    pub fn new(listener: Listener, descriptors: usize) -> Reception {
        Reception {
            listener,
            limits: Limits::default(),
            callers: BTreeMap::new(),
            arrived: 0,
            closed: 0,
            leaving: VecDeque::new(),
            descriptors,
            full: Notice::default(),
            refused: BTreeMap::new(),
            refused_others: Notice::default(),
        }
    }

    /// Takes in and greets the connections that came; the poll reports them by the same numbers.
    pub fn accept(&mut self, now: Duration, registry: &Registry) -> Vec<(Caller, SocketAddr)> {
        let mut accepted = Vec::new();
        for (mut stream, peer) in self.listener.accept_all(now, &self.limits) {
            self.arrived += 1;
            let _ = stream.set_nodelay(true);
            keep_alive(&stream);
            let both = Interest::READABLE | Interest::WRITABLE;
            let registered = registry.register(&mut stream, Token(self.arrived as usize), both);
            // The buffer of a new connection has room for a few bytes.
            if registered.and_then(|()| stream.write_all(GREETING)).is_err() {
                self.closed += 1;
                continue;
            }
            let (unread, token) = (Vec::new(), Vec::new());
            self.callers
                .insert(Caller(self.arrived), Waiting { stream, peer, unread, token, readable: true });
            accepted.push((Caller(self.arrived), peer));
        }
        accepted
    }

    /// How many connections may wait, so that descriptors are left even if all of them are paired now; running matches
    /// have `playing` descriptors.
    pub fn room(&self, playing: usize) -> usize {
        let free = self.descriptors.saturating_sub(OWN_DESCRIPTORS + playing + self.leaving.len());
        free * 2 / (2 + MATCH_DESCRIPTORS)
    }

    /// Logs how many further logins were refused since the last lines on them.
    pub fn log_all_unlogged(&mut self) {
        self.refused.iter_mut().for_each(log_unlogged);
        if let Some(more) = self.refused_others.take_unlogged() {
            log::info!("{more} further logins were refused, of other names or for other reasons");
        }
    }

    /// The next line of a connection, if a whole one has come. A line that is too long counts as an empty line for each
    /// [`LOGIN_BYTES`].
    ///
    /// # Errors
    /// The connection has ended.
    pub fn read_line(&mut self, caller: Caller) -> io::Result<Option<Vec<u8>>> {
        let Some(waiting) = self.callers.get_mut(&caller) else { return Ok(None) };
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

    pub fn close(&mut self, caller: Caller) {
        self.closed += u64::from(self.callers.remove(&caller).is_some());
    }

    pub fn say_ko(&mut self, caller: Caller) {
        if let Some(waiting) = self.callers.get_mut(&caller) {
            let _ = waiting.stream.write_all(b"ko\n");
        }
    }

    /// Answers `ko` to a connection, for a bot of that name if it has logged in, and closes it.
    pub fn dismiss(&mut self, now: Duration, caller: Caller, name: Option<&str>, why: &'static str) {
        self.note_refused(now, caller, name, why);
        self.say_ko(caller);
        let Some(waiting) = self.callers.remove(&caller) else { return };
        let _ = waiting.stream.shutdown(Shutdown::Write);
        self.leaving.push_back((now + LINGER, waiting.stream));
        if self.leaving.len() > MOST_LEAVING {
            self.leaving.pop_front();
            self.closed += 1;
        }
    }

    /// Closes the connections that have had their time to read their last `ko`.
    pub fn close_expired(&mut self, now: Duration) {
        while self.leaving.front().is_some_and(|(until, _)| *until <= now) {
            self.leaving.pop_front();
            self.closed += 1;
        }
        self.listener.note_closed(self.closed);
    }

    /// Logs why a login is refused, without its token.
    pub fn note_refused(&mut self, now: Duration, caller: Caller, name: Option<&str>, why: &'static str) {
        let Some(Waiting { peer, .. }) = self.callers.get(&caller) else { return };
        let every = self.limits.notice;
        let name = name.map(|name| format!(", {}", shown(name.as_bytes()))).unwrap_or_default();
        let refused = (name.clone(), why);
        let is_known = self.refused.contains_key(&refused);
        if self.refused.len() >= MOST_REFUSED && !is_known {
            // Notices without a line for a while make room.
            self.refused.retain(|refused, notice| {
                let is_past = notice.is_past(now, every);
                if is_past {
                    log_unlogged((refused, notice));
                }
                !is_past
            });
        }
        if self.refused.len() < MOST_REFUSED || is_known {
            if let Some(more) = self.refused.entry(refused).or_default().due(now, every) {
                log::info!("{peer}{name}: refused, {why}{more}");
            }
        } else if let Some(more) = self.refused_others.due(now, every) {
            log::info!("{peer}: refused, as too many others are for each to have a line{more}");
        }
    }

    /// Logs that a connection, the new one or an older one, is closed since there is no room for both.
    pub fn note_full(&mut self, now: Duration, peer: SocketAddr, why: &str) {
        if let Some(more) = self.full.due(now, self.limits.notice) {
            log::warn!("{peer}: a connection has to go, {} wait: {why}{more}", self.callers.len());
        }
    }
}
