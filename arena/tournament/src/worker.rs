//! Processes of this program that do a part of its work: a match of a run, or a submission of a class.
//!
//! A terminal's signals don't reach them: the process that started them passes signals on, and ends them when it fails.
//! Knows nothing of their work. Tested where it is used, in `arena/cli/tests/tournament/` and `arena/cli/tests/class/`.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use zappy_play::Error;
use zappy_play::os::{self, Pid, Signal, kill_process};
use zappy_play::programs::signals::Signals;

/// The longest wait for a signal, after which a loop looks for changes that no signal reports.
const BEAT: Duration = Duration::from_millis(200);

/// The path of this program.
///
/// # Errors
/// The system's.
pub fn own_program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|error| Error::System("can't find this program", error))
}

/// A process of this program; it is ended when this value is dropped.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    pub pid: Pid,
}

impl Worker {
    /// Starts a process; errors name it by its work.
    ///
    /// # Errors
    /// The process can't be started.
    pub fn start(command: &mut Command, work: &str) -> Result<Worker, Error> {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // In the same group a terminal's Ctrl-C would reach the child twice, and a second signal means hurry.
        let child = os::set_apart(command).spawn().map_err(|error| Error::Spawn(work.to_owned(), error))?;
        let pid = Pid::from_child(&child);
        Ok(Worker { child, pid })
    }

    /// Sends it the signal by which an operator ends it.
    pub fn interrupt(&self) {
        let _ = kill_process(self.pid, Signal::INT);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // When this process fails, the worker still ends its work in an orderly way.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(self.pid, Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// Removes the processes that have ended; gives their work and how they ended.
///
/// # Errors
/// The system's.
pub fn ended<T>(workers: &mut Vec<(T, Worker)>) -> Result<Vec<(T, ExitStatus)>, Error> {
    let (mut over, mut i) = (Vec::new(), 0);
    while i < workers.len() {
        let ended = workers[i].1.child.try_wait();
        match ended.map_err(|error| Error::System("can't wait for a process", error))? {
            Some(status) => over.push((workers.swap_remove(i).0, status)),
            None => i += 1,
        }
    }
    Ok(over)
}

/// Waits until a process has ended, the operator has sent a signal, or [`BEAT`] has passed.
pub fn wait(signals: &mut Signals) {
    // An error means a signal interrupted the wait; the signal's pipe is read anyway.
    let _ = os::wait(&signals.pollables(), BEAT);
    signals.child_ended();
}
