//! Signals that end the match or must not, and the limit of descriptors.
//!
//! Tested in `tests/sockets.rs`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin, Sent};

/// The signals that end a match in order, and what the kernel tells of where each came from.
#[derive(Debug)]
pub struct Endings(SignalDelivery<UnixStream, WithOrigin>);

/// Where a signal came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// The kernel: a terminal, say.
    Kernel,
    /// The process of that number, as the kernel itself noted it.
    Process(i32),
    /// A process that may have named another one as the sender, or one that can't be told from here.
    Unknown,
}

impl Sender {
    /// A process that queues a signal writes the sender's number itself, so that one isn't believed.
    fn of(origin: &Origin) -> Sender {
        match (origin.cause, origin.process) {
            (Cause::Kernel, _) => Sender::Kernel,
            (Cause::Sent(Sent::User | Sent::TKill), Some(process)) if process.pid > 0 => {
                Sender::Process(process.pid)
            }
            _ => Sender::Unknown,
        }
    }
}

impl Endings {
    /// From now on they are caught.
    ///
    /// # Errors
    /// The system refuses.
    pub fn catch() -> io::Result<Endings> {
        // Started with nohup it shall outlive its terminal.
        let hung_up = Some(SIGHUP).filter(|&signal| !is_ignored(signal));
        let (read, write) = UnixStream::pair()?;
        let wanted = [SIGINT, SIGTERM].into_iter().chain(hung_up);
        SignalDelivery::with_pipe(read, write, WithOrigin::default(), wanted).map(Endings)
    }

    /// Those that came since this was asked last, by their numbers.
    pub fn take(&mut self) -> Vec<(i32, Sender)> {
        self.0.pending().map(|origin| (origin.signal, Sender::of(&origin))).collect()
    }
}

impl AsFd for Endings {
    /// Readable when one came.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }
}

/// Whether the program was started with this signal ignored, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Blocks two signals. SIGTTIN would stop a background job that reads its terminal, and SIGXFSZ would end a process
/// that writes more to a file than it may; when they are blocked, the read and the write fail instead.
pub fn block_what_would_end_a_match() -> io::Result<()> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGTTIN);
    set.add(Signal::SIGXFSZ);
    set.thread_block().map_err(io::Error::from)
}

/// Raises the process's limit of descriptors to `wanted`, or as far as the system allows.
pub fn raise_descriptor_limit(wanted: usize) {
    let wanted = wanted as u64;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    if soft < wanted && soft < hard {
        // If this fails, the server logs an error when the descriptors have run out.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard);
    }
}

#[cfg(test)]
mod tests {
    use nix::poll::{PollFd, PollFlags, poll};
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::*;

    #[test]
    fn the_sender_is_the_kernels_word() {
        let mut endings = Endings::catch().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        kill(Pid::from_raw(own), Signal::SIGTERM).unwrap();
        // Any thread of the tests may take it.
        poll(&mut [PollFd::new(endings.as_fd(), PollFlags::POLLIN)], 60_000u16).unwrap();
        assert_eq!(endings.take(), [(SIGTERM, Sender::Process(own))]);
    }
}
