//! Signals: the two that end the match, and what else the process needs of the system at its start.
//!
//! Tested in `tests/sockets.rs`.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook_mio::v1_0::Signals;

/// The signals that end a match in order, as a source for the poll.
pub fn ending() -> io::Result<Signals> {
    Signals::new([SIGINT, SIGTERM])
}

/// A background job that reads its terminal is stopped by SIGTTIN, and one that writes more to a file than it
/// may is ended by SIGXFSZ; blocked, the read and the write fail instead.
pub fn block_what_would_end_a_match() -> io::Result<()> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGTTIN);
    set.add(Signal::SIGXFSZ);
    set.thread_block().map_err(io::Error::from)
}

/// Lets the process have as many descriptors as it is allowed, up to `wanted`.
pub fn raise_descriptor_limit(wanted: usize) {
    let wanted = wanted as u64;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    if soft < wanted && soft < hard {
        // If it fails the server lives with fewer, and says so when they have run out.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard);
    }
}
