//! The listening socket.
//!
//! Accepting is bounded per turn. When descriptors have run out, the system doesn't report when some are free
//! again; so the listener tries again after a while and after each close. Tested in `tests/hostile`.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream};

use super::notice::Notice;
use super::system::{EXHAUSTED, is_exhaustion, lengthen_queue};

/// A listener with its readiness.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    ready: bool,
    /// When to try again after descriptors have run out.
    retry: Option<Duration>,
    failing: Notice,
}

impl Listener {
    pub(super) fn bind(address: SocketAddr) -> io::Result<Listener> {
        let socket = TcpListener::bind(address)?;
        lengthen_queue(&socket)?;
        let address = socket.local_addr()?;
        Ok(Listener { socket, address, ready: false, retry: None, failing: Notice::default() })
    }

    pub(super) fn socket(&mut self) -> &mut TcpListener {
        &mut self.socket
    }

    /// The address that was bound.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn note_ready(&mut self) {
        self.ready = true;
    }

    /// A connection was closed: a descriptor may be free again.
    pub(super) fn note_closed(&mut self) {
        if self.retry.take().is_some() {
            self.ready = true;
        }
    }

    /// When to call [`Listener::accept`] even if the poll reports nothing.
    pub(super) fn next(&self, now: Duration) -> Option<Duration> {
        if self.ready { Some(now) } else { self.retry }
    }

    /// The next connection that waits.
    pub(super) fn accept(
        &mut self,
        now: Duration,
        retry: Duration,
        notice: Duration,
    ) -> Option<(TcpStream, SocketAddr)> {
        if self.retry.is_some_and(|at| at <= now) {
            self.retry = None;
            self.ready = true;
        }
        while self.ready {
            match self.socket.accept() {
                Ok(accepted) => return Some(accepted),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.ready = false,
                // A client that left before it was accepted; others wait behind it.
                Err(error) if is_passing(&error) => log::debug!("a connection failed early: {error}"),
                Err(error) => {
                    self.ready = false;
                    self.retry = Some(now + retry);
                    if let Some(more) = self.failing.due(now, notice) {
                        let remedy = if is_exhaustion(&error) { EXHAUSTED } else { "" };
                        log::error!("no connection can be accepted: {error}{remedy}{more}");
                    }
                }
            }
        }
        None
    }
}

/// Whether an error concerns one connection, which is out of the system's queue then.
fn is_passing(error: &io::Error) -> bool {
    let kinds = [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset, ErrorKind::Interrupted];
    kinds.contains(&error.kind())
}
