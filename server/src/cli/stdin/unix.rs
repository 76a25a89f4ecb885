//! Unix: the system tells when a byte can be read.
//!
//! Tested in `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// The next byte; `None` if stdin has ended.
///
/// # Errors
/// [`ErrorKind::TimedOut`] if no byte comes within `limit`, or an error of the system.
pub fn next_byte(limit: Duration) -> io::Result<Option<u8>> {
    let stdin = io::stdin();
    let timeout = PollTimeout::try_from(limit).map_err(io::Error::other)?;
    // Reads by a descriptor of its own: `io::Stdin` would read ahead, and take bytes that are for others.
    let mut input = File::from(stdin.as_fd().try_clone_to_owned()?);
    loop {
        match poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {
                let mut byte = [0];
                return Ok((input.read(&mut byte)? == 1).then_some(byte[0]));
            }
        }
    }
}
