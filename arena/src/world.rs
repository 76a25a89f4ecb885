//! What a match is played on: the map and the places on it.
//!
//! The same flags wherever a match is asked for. Tested where they are used, in `tests/match_cli.rs` and
//! `tests/in_process.rs`.

use std::fmt;

use clap::{Args, value_parser};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::config::{GameConfig, MAX_SIDE, MAX_SLOTS};

use crate::Error;

/// The map and the places on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub struct World {
    /// Width of the map
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    pub width: u16,
    /// Height of the map
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    pub height: u16,
    /// Slots per team at the start
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u32).range(1..=i64::from(MAX_SLOTS)))]
    pub clients: u32,
}

impl World {
    /// The game of these teams on it, everything else being as by default.
    ///
    /// # Errors
    /// There is no such map.
    pub fn game(&self, teams: Vec<TeamName>) -> Result<GameConfig, Error> {
        let size = MapSize::new(self.width, self.height).ok_or(Error::NoMap(self.width, self.height))?;
        Ok(GameConfig { slots: self.clients, ..GameConfig::new(size, teams) })
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}
