//! Unix: a signal tells when a child has ended.

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;

use rustix::io::ioctl_fionbio;
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe::register;
use zappy_server::net::Endings;

use crate::os::Source;

#[derive(Debug)]
pub struct ChildEnds(PipeReader);

impl ChildEnds {
    /// From now on the end of a child is noted.
    pub fn catch() -> io::Result<ChildEnds> {
        let (child, end) = io::pipe()?;
        ioctl_fionbio(&child, true)?;
        register(SIGCHLD, end)?;
        Ok(ChildEnds(child))
    }

    /// Whether a child may have ended since this was asked last.
    pub fn take(&mut self) -> bool {
        self.0.read(&mut [0; 256]).unwrap_or(0) > 0
    }
}

/// The pipes that are polled for both.
pub fn wakes<'a>(stop: &'a Endings, child: &'a ChildEnds) -> Vec<Source<'a>> {
    vec![stop.as_fd(), child.0.as_fd()]
}
