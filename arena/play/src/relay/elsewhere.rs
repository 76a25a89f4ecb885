//! Systems without a sandbox have no relays.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::carried::Carried;
use crate::os::Pid;

/// The server's door, which this system doesn't have.
#[derive(Debug, Clone)]
pub enum Voice {}

impl Voice {
    /// Says these lines.
    pub fn say(&self, _lines: &str) -> io::Result<()> {
        match *self {}
    }
}

/// Has no value: this system lacks what it needs.
#[derive(Debug)]
pub enum Relays {}

impl Relays {
    /// Opens none.
    pub fn open(
        _folder: &Path,
        _server: SocketAddr,
        _teams: &[Option<Carried>],
        _voice: Option<Voice>,
    ) -> io::Result<Relays> {
        Err(io::Error::new(ErrorKind::Unsupported, "only Linux contains bots"))
    }

    #[must_use]
    pub fn socket(&self, _team: usize) -> PathBuf {
        match *self {}
    }

    /// The team that connects from this address.
    #[must_use]
    pub fn team_of(&self, _peer: &SocketAddr) -> Option<usize> {
        match *self {}
    }

    /// A connection's place in the order in which they came, and the relay that it came through.
    #[must_use]
    pub fn arrival(&self, _peer: &SocketAddr) -> Option<(u64, Pid)> {
        match *self {}
    }

    /// Whether a team opened a connection.
    #[must_use]
    pub fn has_come(&self, _team: usize) -> bool {
        match *self {}
    }

    /// Whether a team opened more connections than it may in a match.
    #[must_use]
    pub fn is_spent(&self, _team: usize) -> bool {
        match *self {}
    }

    /// Whether a team wanted more connections than it may have at one time.
    #[must_use]
    pub fn is_crowded(&self, _team: usize) -> bool {
        match *self {}
    }
}
