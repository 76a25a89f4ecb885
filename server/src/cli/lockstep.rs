//! The flags of the lockstep clock.
//!
//! They mean nothing under the real clock, so giving one there is an error with its remedy. Tested in `cli`.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use zappy_server::config::{self, Clock, GameConfig};
use zappy_server::net::{self, Lockstep};

use super::{Number, STOP_LINE};

#[derive(Args, Debug)]
pub(super) struct LockstepFlags {
    /// In lockstep: milliseconds a player is waited for before it is late [default: 1000]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = Number(1, 3_600_000))]
    think_time: Option<u64>,
    /// In lockstep: players without whom the match doesn't begin [default: one for each slot]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = Number(1, 100_000))]
    wait_players: Option<u64>,
    /// In lockstep: seconds after the first player came in which the others are waited for [default: 600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = Number(1, 86_400))]
    lobby_time: Option<u64>,
    /// In lockstep: a player that is late more often than this is ended [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = Number(0, 1_000_000_000).map(|n| n as u32))]
    max_late: Option<u32>,
    /// In lockstep: ticks per second at the most, to watch it by [default: as fast as the players answer]
    #[arg(long, value_name = "FREQ", allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_FREQUENCY.into()).map(|n| n as u32))]
    pace: Option<u32>,
}

impl LockstepFlags {
    /// The lockstep clock's settings, if the match runs by it.
    ///
    /// # Errors
    /// A line that names a flag which needs that clock.
    pub(super) fn settings(&self, config: &GameConfig) -> Result<Option<Lockstep>, String> {
        if config.clock == Clock::Real {
            let given = [
                ("--think-time", self.think_time),
                ("--wait-players", self.wait_players),
                ("--lobby-time", self.lobby_time),
                ("--max-late", self.max_late.map(u64::from)),
                ("--pace", self.pace.map(u64::from)),
            ];
            return match given.iter().find(|(_, value)| value.is_some()) {
                Some((name, _)) => Err(format!("{name} belongs to the lockstep clock; add --clock lockstep")),
                None => Ok(None),
            };
        }
        let slots = u64::from(config.slots) * config.teams.len() as u64;
        Ok(Some(Lockstep {
            wait_players: self.wait_players.unwrap_or(slots) as usize,
            lobby_time: self.lobby_time.map_or(net::LOBBY_TIME, Duration::from_secs),
            think_time: self.think_time.map_or(net::THINK_TIME, Duration::from_millis),
            max_late: self.max_late.unwrap_or(net::MAX_LATE),
            pace: self.pace.and_then(NonZeroU32::new),
            stop_line: STOP_LINE.to_vec(),
        }))
    }
}
