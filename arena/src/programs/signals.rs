//! Wishes of the operator and ends of children, as pipes that join the poll.
//!
//! Never acts on them. Tested in `tests/endings.rs`.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::ioctl_fionbio;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe::register;

use zappy_server::net::is_ignored;

use crate::Error;

/// The signals that concern the arena.
#[derive(Debug)]
pub struct Signals {
    stop: PipeReader,
    child: PipeReader,
    stops: usize,
}

impl Signals {
    /// From now on, signals arrive here.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn install() -> Result<Signals, Error> {
        let install = || -> io::Result<Signals> {
            let (stop, wish) = io::pipe()?;
            let (child, end) = io::pipe()?;
            ioctl_fionbio(&stop, true)?;
            ioctl_fionbio(&child, true)?;
            // Started with nohup it shall outlive its terminal.
            if !is_ignored(SIGHUP) {
                register(SIGHUP, wish.try_clone()?)?;
            }
            register(SIGINT, wish.try_clone()?)?;
            register(SIGTERM, wish)?;
            register(SIGCHLD, end)?;
            Ok(Signals { stop, child, stops: 0 })
        };
        install().map_err(|error| Error::System("can't listen for signals", error))
    }

    /// What to wait for.
    #[must_use]
    pub fn pollables(&self) -> [BorrowedFd<'_>; 2] {
        [self.stop.as_fd(), self.child.as_fd()]
    }

    /// How often the arena was asked to stop so far.
    pub fn stops(&mut self) -> usize {
        self.stops += drain(&mut self.stop);
        self.stops
    }

    /// Whether a child may have ended since this was asked last.
    pub fn child_ended(&mut self) -> bool {
        drain(&mut self.child) > 0
    }
}

fn drain(pipe: &mut PipeReader) -> usize {
    let mut bytes = [0; 256];
    pipe.read(&mut bytes).unwrap_or(0)
}
