//! Unix: the door is a Unix socket, so that the kernel can name the process at the other end.
//!
//! Tested in `tests/sockets.rs`.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use mio::{Interest, Token};

use crate::net::system::Wakes;

/// Each end of the socket.
pub type Stream = UnixStream;

/// The socket that is stdin.
///
/// # Errors
/// The system's.
pub fn open() -> io::Result<Stream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// From now on each line wakes the loop.
///
/// # Errors
/// The system's.
pub fn join(stream: &Stream, wakes: &Wakes, token: Token) -> io::Result<()> {
    wakes.join(stream, token, Interest::READABLE)
}

/// The process that made the socket; `None` where the system doesn't tell.
#[cfg(target_os = "linux")]
pub fn maker(stream: &Stream) -> Option<i32> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    getsockopt(stream, PeerCredentials).ok().map(|peer| peer.pid()).filter(|&pid| pid > 0)
}

/// The process that made the socket; `None` where the system doesn't tell.
#[cfg(not(target_os = "linux"))]
pub fn maker(_: &Stream) -> Option<i32> {
    None
}

/// Both ends of a socket.
#[cfg(test)]
pub fn pair() -> (Stream, Stream) {
    UnixStream::pair().unwrap()
}
