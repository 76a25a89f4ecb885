//! The listening socket.
//!
//! Accepting is bounded per turn. When descriptors have run out, the system doesn't report when some are free
//! again; so the listener tries again after a while and after each close. Tested in `tests/hostile`.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream};

use super::limits::Limits;
use super::notice::Notice;
use super::system::{EXHAUSTED, is_exhaustion, lengthen_queue};

/// Errors of a single connection, which the system then has taken out of its queue.
const PASSING: [ErrorKind; 3] =
    [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset, ErrorKind::Interrupted];

/// A socket from which connections are taken, without waiting.
pub trait Accept {
    type Stream;

    /// The next connection that waits.
    ///
    /// # Errors
    /// None waits, or it can't be taken.
    fn accept(&self) -> io::Result<(Self::Stream, SocketAddr)>;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        TcpListener::accept(self)
    }
}

/// A listener with its readiness.
#[derive(Debug)]
pub struct Listener<A = TcpListener> {
    socket: A,
    address: SocketAddr,
    ready: bool,
    /// When to try again after descriptors have run out.
    retry: Option<Duration>,
    /// The number of closed connections that [`Listener::note_closed`] was given last.
    closed: u64,
    failing: Notice,
}

impl Listener {
    pub(super) fn bind(address: SocketAddr) -> io::Result<Listener> {
        let socket = TcpListener::bind(address)?;
        lengthen_queue(&socket)?;
        let address = socket.local_addr()?;
        Ok(Listener::new(socket, address))
    }

    /// The address that was bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl<A: Accept> Listener<A> {
    pub(super) fn new(socket: A, address: SocketAddr) -> Listener<A> {
        Listener { socket, address, ready: false, retry: None, closed: 0, failing: Notice::default() }
    }

    /// The socket, to be registered.
    pub fn socket(&mut self) -> &mut A {
        &mut self.socket
    }

    /// Notes that the poll reported the listening socket.
    pub fn note_ready(&mut self) {
        self.ready = true;
    }

    /// Notes how many connections were closed in all: if there are more than before, a descriptor may be free again.
    pub fn note_closed(&mut self, closed: u64) {
        if std::mem::replace(&mut self.closed, closed) != closed && self.retry.take().is_some() {
            self.ready = true;
        }
    }

    /// When to call [`Listener::accept`] even if the poll reports nothing.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        if self.ready { Some(now) } else { self.retry }
    }

    /// Takes the connections that wait, at most as many as one turn takes.
    pub fn accept_all(&mut self, now: Duration, limits: &Limits) -> Vec<(A::Stream, SocketAddr)> {
        let accept = || self.accept(now, limits);
        std::iter::from_fn(accept).take(limits.turn_accepts).collect()
    }

    fn accept(&mut self, now: Duration, limits: &Limits) -> Option<(A::Stream, SocketAddr)> {
        if self.retry.is_some_and(|at| at <= now) {
            self.retry = None;
            self.ready = true;
        }
        while self.ready {
            match self.socket.accept() {
                Ok(accepted) => return Some(accepted),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.ready = false,
                // A client that left before it was accepted; others wait behind it.
                Err(error) if PASSING.contains(&error.kind()) => {
                    log::debug!("a connection failed early: {error}");
                }
                Err(error) => {
                    self.ready = false;
                    self.retry = Some(now + limits.accept_retry);
                    if let Some(more) = self.failing.due(now, limits.notice) {
                        let remedy = if is_exhaustion(&error) { EXHAUSTED } else { "" };
                        log::error!("no connection can be accepted: {error}{remedy}{more}");
                    }
                }
            }
        }
        None
    }
}
