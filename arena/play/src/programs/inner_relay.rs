//! The inner half of a relay: it runs inside the sandbox and lets the program reach the server, although there is no network.
//!
//! Listens on the server's port of the sandbox's own loopback, starts the program, and carries each of its connections to
//! the team's socket, from which the arena's half carries it to the server. Exits when the program exits, with its exit code.
//! The relay is the first process of the sandbox, which no program inside can end; the filter and the limits apply to it, too,
//! and no program can read its memory. Tested in `arena/cli/tests/tournament/sandbox.rs` and `arena/cli/tests/tournament/walls.rs`.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe::register;

use crate::programs::contain::close_memory;
use crate::programs::context::Context;
use crate::programs::filter;
use crate::programs::limits::Limits;
use crate::programs::pump::Pump;

/// Where the team's socket is inside.
pub const SOCKET: &str = "/tmp/.zappy-server";
/// The exit code of a program that a signal ended is this plus the signal's number, as in shells.
const SIGNAL_BASE: i32 = 128;
/// The exit code of a program that ended for an unknown reason.
const UNKNOWN_END: i32 = 1;
/// Address space that the relay itself needs, in MiB.
const OWN_MIB: u64 = 256;
/// Files that the relay has open besides the two of each connection.
const OWN_FILES: u32 = 64;

/// Runs the program in that context with these limits until it ends; gives its exit code, as a shell would.
///
/// # Errors
/// When there can be no relay, or no program.
pub fn relay(
    port: u16,
    socket: &Path,
    context: &Context,
    limits: Limits,
    words: &[OsString],
) -> io::Result<i32> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let (mut child_ended, writer) = io::pipe()?;
    ioctl_fionbio(&child_ended, true)?;
    register(SIGCHLD, writer)?;
    let own = std::process::id().to_string();
    let mut command = Command::new(std::env::current_exe()?);
    close_memory()?;
    // The relay's own limits are at least those of the program, and enough to carry each of its connections.
    let own_limits = Limits {
        files: limits.files.map(|files| files.saturating_mul(2).saturating_add(OWN_FILES)),
        memory_mib: limits.memory_mib.map(|mib| mib.max(OWN_MIB)),
        cpu_seconds: limits.cpu_seconds.map(|most| most.max(Limits::DEFAULT.cpu_seconds.unwrap_or(0))),
        ..limits
    };
    own_limits.impose(false)?;
    // The program inherits the filter.
    filter::impose(true).map_err(io::Error::other)?;
    command.args(["launch", &own]).args(context.arguments()).args(limits.arguments());
    let child = command.arg("--").args(words).spawn()?;
    let child = Pid::from_child(&child);
    let mut pump = Pump::default();
    loop {
        let ready = pump.wait(&[listener.as_fd(), child_ended.as_fd()], None)?;
        let status = if ready[1] { reap(&mut child_ended, child)? } else { None };
        if ready[0] || status.is_some() {
            // Also after the program's end: it may have connected, sent its lines and ended at once.
            accept(&listener, socket, &mut pump);
        }
        if let Some(status) = status {
            pump.flush();
            let signal = status.terminating_signal().map(|signal| SIGNAL_BASE + signal);
            return Ok(status.exit_status().or(signal).unwrap_or(UNKNOWN_END));
        }
    }
}

/// Reaps all processes that have ended: orphans in the sandbox become children of its first process. Gives how the program
/// ended, if it is among them.
fn reap(child_ended: &mut PipeReader, program: Pid) -> io::Result<Option<WaitStatus>> {
    match child_ended.read(&mut [0; 64]) {
        Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
        _ => {}
    }
    while let Some((pid, status)) = wait(WaitOptions::NOHANG)? {
        if pid == program {
            return Ok(Some(status));
        }
    }
    Ok(None)
}

/// Takes in the connections that wait. One that can't be carried is closed.
fn accept(listener: &TcpListener, socket: &Path, pump: &mut Pump) {
    while let Ok((stream, _)) = listener.accept() {
        let connected = UnixStream::connect(socket).and_then(|other| {
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            other.set_nonblocking(true).map(|()| other)
        });
        match connected {
            Ok(other) => pump.add(stream, other),
            Err(error) => log::debug!("a connection isn't carried: {error}"),
        }
    }
}
