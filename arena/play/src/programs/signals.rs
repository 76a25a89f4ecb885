//! Signals of the operator and ends of children, as sources that can be waited for.
//!
//! A signal counts unless it came from a program that this process has started, or from one that such a program
//! started: no bot can stop the arena. Never acts on signals. Tested in `arena/cli/tests/endings.rs` and
//! `arena/cli/tests/tournament/signals.rs`.

use std::io;
#[cfg(unix)]
use std::io::{PipeReader, Read};

use zappy_server::net::{EndSignals, Sender};

use crate::Error;
#[cfg(unix)]
use crate::os::source;
use crate::os::{Pid, Source, getpid, getppid};
use crate::programs::contain::is_below;

/// The signals that concern the arena.
#[derive(Debug)]
pub struct Signals {
    stop: EndSignals,
    /// Can be read when a child may have ended.
    #[cfg(unix)]
    child_exits: PipeReader,
    /// How often the arena was asked to stop.
    stops: usize,
    /// The process that started this one, and may tell it to stop.
    parent: Option<Pid>,
    /// The programs below this one that told it to stop and aren't known to the caller yet.
    meddlers: Vec<Pid>,
    /// Whether the arena was asked to stop by a program that had ended before it could be looked at, or by one that
    /// the kernel doesn't name.
    pub doubtful: bool,
}

impl Signals {
    /// From now on, signals arrive here.
    pub fn install() -> Result<Signals, Error> {
        let install = || -> io::Result<Signals> {
            let stop = EndSignals::catch()?;
            #[cfg(unix)]
            let child_exits = {
                let (exits, end) = io::pipe()?;
                rustix::io::ioctl_fionbio(&exits, true)?;
                signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, end)?;
                exits
            };
            Ok(Signals {
                stop,
                #[cfg(unix)]
                child_exits,
                stops: 0,
                parent: getppid(),
                meddlers: Vec::new(),
                doubtful: false,
            })
        };
        install().map_err(|error| Error::System("can't listen for signals", error))
    }

    /// The sources to wait for: signals and ends of children. None on Windows, where neither can be waited for.
    pub fn pollables(&self) -> Vec<Source<'_>> {
        #[cfg(unix)]
        return vec![source(&self.stop), source(&self.child_exits)];
        #[cfg(windows)]
        return Vec::new();
    }

    /// How often the arena was asked to stop so far. Signals of programs below this one don't count; their senders are
    /// noted.
    pub fn stops(&mut self) -> usize {
        for (signal, sender) in self.stop.take() {
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
                continue;
            }
            self.stops += 1;
            let known = below.is_some() || sender == Sender::Kernel || (pid.is_some() && pid == self.parent);
            self.doubtful |= !known;
        }
        self.stops
    }

    /// The programs below this one that told it to stop since the last call.
    pub fn meddlers(&mut self) -> Vec<Pid> {
        std::mem::take(&mut self.meddlers)
    }

    /// Whether a child may have ended since the last call: always true on Windows, which doesn't tell.
    pub fn child_ended(&mut self) -> bool {
        #[cfg(unix)]
        return self.child_exits.read(&mut [0; 256]).unwrap_or(0) > 0;
        #[cfg(windows)]
        return true;
    }
}
