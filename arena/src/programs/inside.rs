//! The end of a relay that stands inside a sandbox: where the program finds the server, although there is no network.
//!
//! Listens on the server's port of the sandbox's own loopback, starts the program, and carries each of its connections to
//! the team's socket, which the arena's end carries to the server. Ends with the program, and as it did. Tested in
//! `tests/tournament/sandbox.rs`.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::io::ioctl_fionbio;
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe::register;

use crate::programs::context::Context;
use crate::programs::limits::Limits;
use crate::programs::pump::Pump;

/// Where the team's socket is inside.
pub const SOCKET: &str = "/tmp/.zappy-server";
/// What shells add to the signal that ended a program.
const SIGNALS: i32 = 128;
/// A program that ended for an unknown reason.
const UNKNOWN: i32 = 1;

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
    let (mut ended, end) = io::pipe()?;
    ioctl_fionbio(&ended, true)?;
    register(SIGCHLD, end)?;
    let own = std::process::id().to_string();
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["launch", &own, "--filter"]).args(context.arguments()).args(limits.arguments());
    let mut child = command.arg("--").args(words).spawn()?;
    let mut pump: Pump<TcpStream, UnixStream> = Pump::default();
    loop {
        let ready = pump.wait(&[listener.as_fd(), ended.as_fd()], None)?;
        let status = if ready[1] { look(&mut ended, || child.try_wait())? } else { None };
        if ready[0] || status.is_some() {
            // Also those of a program that connects, speaks and ends at once.
            accept(&listener, socket, &mut pump);
        }
        if let Some(status) = status {
            pump.flush();
            return Ok(status.code().or(status.signal().map(|signal| SIGNALS + signal)).unwrap_or(UNKNOWN));
        }
    }
}

fn look(
    ended: &mut PipeReader,
    mut wait: impl FnMut() -> io::Result<Option<ExitStatus>>,
) -> io::Result<Option<ExitStatus>> {
    match ended.read(&mut [0; 64]) {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
        _ => wait(),
    }
}

/// A connection that can't be carried is closed.
fn accept(listener: &TcpListener, socket: &Path, pump: &mut Pump<TcpStream, UnixStream>) {
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
