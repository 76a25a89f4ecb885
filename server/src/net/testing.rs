//! A network in memory around the loop, and a listening socket that fails on request.
//!
//! [`Net::take_turn`] does what a turn in `event_loop` does, with reports of the system that come late and in any
//! order; the methods for the tests of `shell` report at once. Knows no game. Used by the tests of `shell` and by the
//! crate `simulation`.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use super::connection::{Key, Ready, Stream};
use super::limits::Limits;
use super::listener::{Accept, Listener};
#[cfg(test)]
use super::shell::Refused;
use super::shell::{Hosted, RefusedOpening, Setup, Shell};
use zappy_game::chance::Chance;

/// Both directions of one connection.
#[derive(Debug, Default)]
pub struct Wire {
    /// Bytes that the client sent and the server hasn't read.
    pub to_server: VecDeque<u8>,
    /// Whether the client sends nothing more.
    pub ended: bool,
    /// Whether the connection was reset: every read fails.
    pub reset: bool,
    /// Whether the client broke off with something unread: its lines can still be read, then comes an error.
    pub broke_off: bool,
    /// All bytes that the server wrote.
    pub to_client: Vec<u8>,
    /// How many further bytes the client's side takes.
    pub room: usize,
    /// How many bytes one write hands over at most, although there is room for more; `None`: no such limit.
    pub portion: Option<usize>,
    /// How many of the next calls a signal interrupts.
    pub interruptions: u32,
    /// Whether the server has closed its sending side.
    pub server_ended: bool,
    /// Whether the server has dropped the stream.
    pub dropped: bool,
}

impl Wire {
    fn interrupt(&mut self) -> io::Result<()> {
        let Some(left) = self.interruptions.checked_sub(1) else { return Ok(()) };
        self.interruptions = left;
        Err(ErrorKind::Interrupted.into())
    }

    /// What the system reports of the connection as it is.
    fn ready(&self) -> Ready {
        let broken = self.reset || self.broke_off;
        let ended = self.ended || broken;
        let readable = ended || !self.to_server.is_empty();
        Ready { readable, writable: self.room > 0 || broken, ended, broken }
    }
}

#[derive(Debug)]
pub struct FakeStream(pub Rc<RefCell<Wire>>);

impl Read for FakeStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        wire.interrupt()?;
        if wire.reset {
            return Err(ErrorKind::ConnectionReset.into());
        }
        if wire.to_server.is_empty() && wire.broke_off {
            return Err(ErrorKind::ConnectionReset.into());
        }
        if wire.to_server.is_empty() {
            return if wire.ended { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        // As with TCP: all bytes that have come, as far as there is room.
        let count = wire.to_server.len().min(bytes.len());
        for (place, byte) in bytes.iter_mut().zip(wire.to_server.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }
}

impl Write for FakeStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut wire = self.0.borrow_mut();
        assert!(!wire.server_ended, "written after the end");
        wire.interrupt()?;
        if wire.reset || wire.broke_off {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let (mut written, most) = (0, wire.portion.unwrap_or(usize::MAX));
        for slice in slices {
            let count = slice.len().min(wire.room).min(most - written);
            wire.room -= count;
            wire.to_client.extend_from_slice(&slice[..count]);
            written += count;
        }
        if written == 0 && slices.iter().any(|slice| !slice.is_empty()) {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for FakeStream {
    fn shutdown_write(&mut self) -> io::Result<()> {
        let mut wire = self.0.borrow_mut();
        if wire.reset || wire.broke_off {
            return Err(ErrorKind::NotConnected.into());
        }
        wire.server_ended = true;
        Ok(())
    }
}

impl Drop for FakeStream {
    fn drop(&mut self) {
        self.0.borrow_mut().dropped = true;
    }
}

/// The result of a call to accept a connection.
type Knock = io::Result<(FakeStream, SocketAddr)>;

/// The connections that wait to be accepted.
#[derive(Debug, Default)]
pub struct Doorstep(RefCell<VecDeque<Knock>>);

impl Accept for Doorstep {
    type Stream = FakeStream;

    fn accept(&self) -> io::Result<(FakeStream, SocketAddr)> {
        self.0.borrow_mut().pop_front().unwrap_or_else(|| Err(ErrorKind::WouldBlock.into()))
    }
}

/// A shell with its network.
pub struct Net<'g, G> {
    pub shell: Shell<&'g mut G, FakeStream>,
    pub at: Duration,
    limits: Limits,
    listener: Listener<Doorstep>,
    /// The connections that were let in, by the addresses of their clients.
    pub keys: BTreeMap<SocketAddr, Key>,
    /// The connections that the system will report in the next turn, or later.
    reports: Vec<Key>,
    /// The only names under which some clients may come in, by their addresses.
    pub names: BTreeMap<SocketAddr, Vec<u8>>,
}

impl<'g, G: Hosted> Net<'g, G> {
    /// A shell around a new game, unless that refuses an opening line.
    pub fn open(game: &'g mut G, setup: &Setup) -> Result<Net<'g, G>, RefusedOpening> {
        Ok(Net {
            shell: Shell::new(game, setup)?,
            at: Duration::ZERO,
            limits: setup.limits.clone(),
            listener: Listener::new(Doorstep::default(), SocketAddr::from(([127, 0, 0, 1], 1))),
            keys: BTreeMap::new(),
            reports: Vec::new(),
            names: BTreeMap::new(),
        })
    }

    /// A client asks for a connection.
    pub fn knock(&mut self, wire: &Rc<RefCell<Wire>>, peer: SocketAddr) {
        self.listener.socket().0.borrow_mut().push_back(Ok((FakeStream(wire.clone()), peer)));
        self.listener.note_ready();
    }

    /// The next call to accept a connection fails.
    pub fn fail_to_accept(&mut self, error: io::Error) {
        self.listener.socket().0.borrow_mut().push_front(Err(error));
    }

    /// Something has changed on the wire to that client: the system will report it, if it was let in.
    pub fn report(&mut self, peer: SocketAddr) {
        self.reports.extend(self.keys.get(&peer));
    }

    /// Panics if something waits on the network and the shell, which has nothing left to do, doesn't know of it.
    pub fn assert_nothing_forgotten(&self) {
        self.shell.assert_nothing_forgotten(|stream| {
            let wire = stream.0.borrow();
            let ended = wire.ended || wire.reset || wire.broke_off;
            Ready { readable: !wire.to_server.is_empty(), writable: wire.room > 0, ended, broken: false }
        });
    }

    /// When the next turn begins, if nothing new happens.
    pub fn next_turn(&self) -> Option<Duration> {
        if !self.reports.is_empty() {
            return Some(self.at);
        }
        self.shell.next_turn().into_iter().chain(self.listener.next(self.at)).min()
    }

    /// One turn at that time. The system's reports come in an order drawn from `chance`, some of them in a later turn.
    pub fn take_turn(&mut self, at: Duration, chance: &mut Chance) {
        self.at = self.at.max(at);
        self.shell.advance(self.at);
        let mut reports = std::mem::take(&mut self.reports);
        chance.shuffle(&mut reports);
        for key in reports {
            let Some(ready) = self.shell.stream(key).map(|stream| stream.0.borrow().ready()) else {
                continue;
            };
            if chance.below(8) == 0 {
                self.reports.push(key);
            } else {
                self.shell.note_ready(key, ready);
            }
        }
        for (stream, peer) in self.listener.accept_all(self.shell.time(), &self.limits) {
            let Ok(key) = self.shell.admit(peer) else { continue };
            self.shell.accept(key, stream, peer);
            self.keys.insert(peer, key);
            self.reports.push(key);
            if let Some(name) = self.names.remove(&peer) {
                self.shell.hold_to(key, name);
            }
        }
        self.shell.serve();
        self.shell.flush();
        self.listener.note_closed(self.shell.closed());
    }
}

/// The client's end of a wire.
#[cfg(test)]
#[derive(Debug, Clone)]
pub struct Client {
    pub key: Key,
    pub wire: Rc<RefCell<Wire>>,
}

#[cfg(test)]
impl Client {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.wire.borrow().to_client).into_owned()
    }
}

/// For the tests of `shell`: each change is reported at once.
#[cfg(test)]
impl<'g, G: Hosted> Net<'g, G> {
    pub fn new(game: &'g mut G, setup: &Setup) -> Net<'g, G> {
        Net::open(game, setup).unwrap()
    }

    pub fn connect_from(&mut self, address: &str) -> Result<Client, Refused> {
        let peer: SocketAddr = address.parse().unwrap();
        let key = self.shell.admit(peer)?;
        let wire = Rc::new(RefCell::new(Wire { room: usize::MAX, ..Wire::default() }));
        self.shell.accept(key, FakeStream(wire.clone()), peer);
        Ok(Client { key, wire })
    }

    pub fn connect(&mut self) -> Client {
        self.connect_from("127.0.0.1:9").unwrap()
    }

    pub fn send(&mut self, client: &Client, bytes: &[u8]) {
        client.wire.borrow_mut().to_server.extend(bytes);
        self.shell.note_ready(client.key, Ready { readable: true, ..Ready::default() });
    }

    pub fn end(&mut self, client: &Client) {
        client.wire.borrow_mut().ended = true;
        self.shell.note_ready(client.key, Ready { readable: true, ended: true, ..Ready::default() });
    }

    pub fn reset(&mut self, client: &Client) {
        client.wire.borrow_mut().reset = true;
        self.shell
            .note_ready(client.key, Ready { readable: true, writable: true, ended: true, broken: true });
    }

    pub fn break_off(&mut self, client: &Client) {
        client.wire.borrow_mut().broke_off = true;
        self.shell
            .note_ready(client.key, Ready { readable: true, writable: true, ended: true, broken: true });
    }

    pub fn set_room(&mut self, client: &Client, room: usize) {
        client.wire.borrow_mut().room = room;
        self.shell.note_ready(client.key, Ready { writable: room > 0, ..Ready::default() });
    }

    /// One turn after so many milliseconds.
    pub fn turn(&mut self, millis: u64) {
        self.at += Duration::from_millis(millis);
        self.shell.advance(self.at);
        self.shell.serve();
        self.shell.flush();
    }

    /// Turns until nothing is left to do now.
    pub fn settle(&mut self) {
        self.turn(0);
        for _ in 0..100_000 {
            if self.shell.next_turn().is_none_or(|next| next > self.at) {
                return;
            }
            self.turn(0);
        }
        panic!("the shell never rests");
    }
}
