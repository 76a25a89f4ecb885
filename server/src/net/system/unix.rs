//! Unix: descriptors in the poll, and limits of them.
//!
//! Tested in `tests/sockets.rs` and `tests/hostile`.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use mio::net::TcpListener;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::socket::{Backlog, listen};

/// Lets what is no socket wake the loop.
#[derive(Debug)]
pub struct Wakes(Registry);

impl Wakes {
    /// Wakes the loop of this poll. Every descriptor has an event of its own, so the bell's token isn't used.
    ///
    /// # Errors
    /// The system's.
    pub fn new(registry: &Registry, _bell: Token) -> io::Result<Wakes> {
        Ok(Wakes(registry.try_clone()?))
    }

    /// Takes a descriptor into the poll.
    ///
    /// # Errors
    /// The poll can't take it, as with files, which is [`io::ErrorKind::PermissionDenied`].
    pub fn join(&self, source: &impl AsFd, token: Token, interest: Interest) -> io::Result<()> {
        self.0.register(&mut SourceFd(&source.as_fd().as_raw_fd()), token, interest)
    }

    /// Takes a descriptor out of the poll. Closing it isn't enough, because it is a copy and the stream itself stays
    /// open.
    pub fn leave(&self, source: &impl AsFd) {
        let _ = self.0.deregister(&mut SourceFd(&source.as_fd().as_raw_fd()));
    }
}

/// mio's queue of 128 overflows when a tournament connects at once, and then connections hang for seconds; the system's
/// own maximum is used instead.
///
/// # Errors
/// The system's.
pub fn lengthen_queue(socket: &TcpListener) -> io::Result<()> {
    Ok(listen(socket, Backlog::MAXCONN)?)
}

/// Whether descriptors or memory have run out: then the connection stays in the system's queue.
pub fn is_exhaustion(error: &io::Error) -> bool {
    let codes = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM];
    error.raw_os_error().is_some_and(|code| codes.contains(&Errno::from_raw(code)))
}

/// Blocks two signals. SIGTTIN would stop a background job that reads its terminal, and SIGXFSZ would end a process
/// that writes more to a file than it may; when they are blocked, the read and the write fail instead.
pub fn block_what_would_end_a_match() -> io::Result<()> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGTTIN);
    set.add(Signal::SIGXFSZ);
    set.thread_block().map_err(io::Error::from)
}

/// Raises the process's limit of descriptors to `wanted`, or as far as the system allows; returns the limit after that.
pub fn raise_descriptor_limit(wanted: usize) -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    let allowed = hard.min(wanted as u64);
    // If this fails, the server logs an error when the descriptors have run out.
    let is_raised = soft < allowed && setrlimit(Resource::RLIMIT_NOFILE, allowed, hard).is_ok();
    usize::try_from(if is_raised { allowed } else { soft }).unwrap_or(usize::MAX)
}
