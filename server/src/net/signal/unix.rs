//! Unix: the signals that end a match, and what the kernel says of their senders.
//!
//! Tested in this module and in `tests/sockets.rs`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use mio::{Interest, Token};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin, Sent};

use super::sender::Sender;
use crate::net::system::Wakes;

/// The signals that end a match in order, and what the kernel tells of where each came from.
#[derive(Debug)]
pub struct EndSignals(SignalDelivery<UnixStream, WithOrigin>);

/// The sender as the kernel names it. A process that queues a signal (`sigqueue`) writes its own number, which may be
/// forged.
fn sender(origin: &Origin) -> Sender {
    match (origin.cause, origin.process) {
        (Cause::Kernel, _) => Sender::Kernel,
        (Cause::Sent(Sent::User | Sent::TKill), Some(process)) if process.pid > 0 => {
            Sender::Process(process.pid)
        }
        _ => Sender::Unknown,
    }
}

impl EndSignals {
    /// Catches the signals from now on.
    ///
    /// # Errors
    /// The system refuses.
    pub fn catch() -> io::Result<EndSignals> {
        // A server started with nohup is to outlive its terminal: SIGHUP isn't caught if it was ignored at the start,
        // by what `/proc` says.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        let hangup = Some(SIGHUP).filter(|signal| mask >> (signal - 1) & 1 == 0);
        let (read, write) = UnixStream::pair()?;
        let wanted = [SIGINT, SIGTERM].into_iter().chain(hangup);
        SignalDelivery::with_pipe(read, write, WithOrigin::default(), wanted).map(EndSignals)
    }

    /// From now on each signal wakes the loop with this token.
    ///
    /// # Errors
    /// The system refuses.
    pub fn join(&self, wakes: &Wakes, token: Token) -> io::Result<()> {
        wakes.join(self, token, Interest::READABLE)
    }

    /// The signals since the last call, each with its sender.
    pub fn take(&mut self) -> Vec<(i32, Sender)> {
        self.0.pending().map(|origin| (origin.signal, sender(&origin))).collect()
    }
}

impl AsFd for EndSignals {
    /// Readable when a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
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
        let mut endings = EndSignals::catch().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        kill(Pid::from_raw(own), Signal::SIGTERM).unwrap();
        // Any thread of the tests may take it.
        poll(&mut [PollFd::new(endings.as_fd(), PollFlags::POLLIN)], 60_000u16).unwrap();
        assert_eq!(endings.take(), [(SIGTERM, Sender::Process(own))]);
    }
}
