//! Signals that end the match or must not, and the limit of descriptors.
//!
//! Tested in `tests/sockets.rs`.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook_mio::v1_0::Signals;

/// The signals that end a match in order, as a source for the poll.
pub fn ending() -> io::Result<Signals> {
    // Started with nohup it shall outlive its terminal.
    let hung_up = Some(SIGHUP).filter(|&signal| !is_ignored(signal));
    Signals::new([SIGINT, SIGTERM].into_iter().chain(hung_up))
}

/// Whether the program was started with this signal ignored, where the system tells.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
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
