//! How the matches of a plan are played: plain values, the same for all of them.
//!
//! Tested where they are used, in `plan`.

use zappy_play::world::World;
use zappy_protocol::Tick;

/// How each match is played.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The game with its options, and the map.
    pub world: World,
    /// The tick at which a match ends.
    pub max_ticks: Tick,
    /// `lockstep` or `real`.
    pub clock: String,
    /// Ticks per second of the real clock.
    pub freq: u32,
    /// In lockstep, how long a player is waited for, in milliseconds.
    pub think_time: u64,
    /// In lockstep, how long programs may take to connect and log in, in seconds.
    pub lobby_time: u64,
    /// In lockstep, how often a player may be late.
    pub max_late: u32,
}
