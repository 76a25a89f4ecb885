//! What a site is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

use zappy_arena::play::signature::Key;

use crate::summary::Games;

/// Connections in all.
pub const CONNECTIONS: usize = 2_048;
/// Connections of one address, this machine's own apart: a proxy here speaks for all spectators.
pub const PER_ADDRESS: usize = 64;

/// What a site is started with.
#[derive(Debug)]
pub struct Setup {
    /// The folder that it shows, or the record.
    pub folder: PathBuf,
    /// Outputs of the arena, and records, that are shown though they aren't signed.
    pub trusted: Vec<PathBuf>,
    /// Whether grades are shown.
    pub grades: bool,
    /// The key of the arena's user, if there is one.
    pub key: Option<Key>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// The viewer that `make web` leaves.
    pub viewer: PathBuf,
    /// Names under which it is known, beside this machine's own.
    pub names: Vec<String>,
    /// Connections in all.
    pub connections: usize,
    /// Connections of one address.
    pub per_address: usize,
    /// The games whose records can be played again.
    pub games: Games,
}
