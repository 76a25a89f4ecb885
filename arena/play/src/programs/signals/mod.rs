//! Wishes of the operator and ends of children, as sources that join the poll.
//!
//! A wish counts unless a program sent it that this process itself has started, or one of those started: no bot tells the
//! arena to stop. Never acts on them. Tested in `arena/cli/tests/endings.rs` and `arena/cli/tests/tournament/signals.rs`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;

use zappy_server::net::{Endings, Sender};

#[cfg(unix)]
use unix::{ChildEnds, wakes};
#[cfg(windows)]
use windows::{ChildEnds, wakes};

use crate::Error;
use crate::os::{Pid, Source, getpid, getppid};
use crate::programs::contain::is_below;

/// The signals that concern the arena.
#[derive(Debug)]
pub struct Signals {
    stop: Endings,
    child: ChildEnds,
    stops: usize,
    /// The process that started this one, and may tell it to stop.
    parent: Option<Pid>,
    meddlers: Vec<Pid>,
    doubtful: bool,
}

impl Signals {
    /// From now on, signals arrive here.
    pub fn install() -> Result<Signals, Error> {
        let install = || -> io::Result<Signals> {
            let stop = Endings::catch()?;
            let child = ChildEnds::catch()?;
            Ok(Signals { stop, child, stops: 0, parent: getppid(), meddlers: Vec::new(), doubtful: false })
        };
        install().map_err(|error| Error::System("can't listen for signals", error))
    }

    #[must_use]
    pub fn pollables(&self) -> Vec<Source<'_>> {
        wakes(&self.stop, &self.child)
    }

    /// How often the arena was asked to stop so far.
    pub fn stops(&mut self) -> usize {
        for (signal, sender) in self.stop.take() {
            self.judge(signal, sender);
        }
        self.stops
    }

    fn judge(&mut self, signal: i32, sender: Sender) {
        let pid = match sender {
            Sender::Process(pid) => Pid::from_raw(pid),
            Sender::Kernel | Sender::Unknown => None,
        };
        let below = pid.and_then(|pid| is_below(pid, getpid()));
        if let Some(pid) = pid.filter(|_| below == Some(true)) {
            log::warn!(
                "process {pid}, which a bot or this program started, sent signal {signal}; it isn't obeyed"
            );
            self.meddlers.push(pid);
            return;
        }
        self.stops += 1;
        let known = below.is_some() || sender == Sender::Kernel || (pid.is_some() && pid == self.parent);
        self.doubtful |= !known;
    }

    /// The programs below this one that told it to stop since this was asked last.
    pub fn meddlers(&mut self) -> Vec<Pid> {
        std::mem::take(&mut self.meddlers)
    }

    /// Whether the arena was asked to stop by a program that had ended before it could be looked at, or by one that
    /// the kernel doesn't name.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Whether a child may have ended since this was asked last.
    pub fn child_ended(&mut self) -> bool {
        self.child.take()
    }
}
