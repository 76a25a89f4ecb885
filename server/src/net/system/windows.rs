//! Windows: a bell in the poll, which threads ring; no limit of descriptors, and no signal that would end a match.
//!
//! Tried by `arena/windows/smoke.sh`.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use mio::net::TcpListener;
use mio::{Registry, Token, Waker};

/// Lets what is no socket wake the loop.
#[derive(Debug, Clone)]
pub struct Wakes(Arc<Waker>);

impl Wakes {
    /// Wakes the loop of this poll, which may have only one such value; each ring is an event with the bell's token.
    ///
    /// # Errors
    /// The system's.
    pub fn new(registry: &Registry, bell: Token) -> io::Result<Wakes> {
        Ok(Wakes(Arc::new(Waker::new(registry, bell)?)))
    }

    /// Wakes the loop from another thread.
    pub fn ring(&self) {
        if let Err(error) = self.0.wake() {
            log::error!("the loop can't be woken: {error}");
        }
    }
}

/// The queue stays as long as the system has made it: it can't be changed later.
///
/// # Errors
/// None.
pub fn lengthen_queue(_socket: &TcpListener) -> io::Result<()> {
    Ok(())
}

/// Whether memory has run out: then the connection stays in the system's queue.
pub fn is_exhaustion(error: &io::Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory
}

/// Does nothing: Windows has no such signals.
pub fn block_what_would_end_a_match() -> io::Result<()> {
    Ok(())
}

/// Does nothing: Windows has no limit of descriptors.
pub fn raise_descriptor_limit(_wanted: usize) -> usize {
    usize::MAX
}
