//! The arena's end of the relays: a socket for each contained team, and behind each of its connections one to the server.
//!
//! What comes in over a team's socket is that team's, by construction: no other program can reach it. A thread for each team
//! carries the bytes, and announces each connection at the server's door before it comes, so that the server needn't ask.
//! Never looks at the bytes. Tested in `arena/cli/tests/tournament/sandbox.rs` and
//! `arena/cli/tests/tournament/names.rs`.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::{Relays, Voice};
#[cfg(not(target_os = "linux"))]
use {
    std::io,
    std::net::SocketAddr,
    std::path::{Path, PathBuf},
};

use crate::os::Pid;

/// Connections that a team may open in a match, whether they last or not.
pub const MOST_CONNECTIONS: u32 = 1_000;

/// A team that has a relay.
#[derive(Debug, Clone)]
pub struct Carried {
    pub name: String,
    /// Connections that it may have at one time; `None`: no limit, neither at one time nor in all.
    pub most: Option<u32>,
}

/// A connection that came through a relay.
#[derive(Debug, Clone, Copy)]
pub struct Relayed {
    pub team: usize,
    /// Its place among the connections of all relays in the order in which they came, from 0.
    pub arrival: u64,
    pub relay: Option<Pid>,
}

#[cfg(not(target_os = "linux"))]
absent! { Voice { fn say(&self, &str) -> io::Result<()>; } }

#[cfg(not(target_os = "linux"))]
absent! { Relays {
    fn socket(&self, usize) -> PathBuf;
    fn connection(&self, &SocketAddr) -> Option<Relayed>;
    fn opened(&self, usize) -> u32;
    fn is_crowded(&self, usize) -> bool;
} }

#[cfg(not(target_os = "linux"))]
impl Relays {
    pub fn open(_: &Path, _: SocketAddr, _: &[Option<Carried>], _: Option<Voice>) -> io::Result<Relays> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux contains bots"))
    }
}
