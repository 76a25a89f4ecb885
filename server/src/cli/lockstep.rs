//! The flags of the lockstep clock.
//!
//! Under the real clock each of them is an error, since it means nothing, but for `--lobby-time` with `--resume`.
//! Tested in `flags`.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::net::{self, Lockstep};
use clap::Args;
use clap::builder::TypedValueParser;
use zappy_game::Game;
use zappy_game::config::{self, Clock, MatchConfig};

use super::values::{Number, OrNone};

/// The console line that ends a match.
pub(super) const STOP_LINE: &[u8] = b"/quit";

#[derive(Args, Debug)]
pub(super) struct LockstepFlags {
    /// In lockstep: milliseconds after which a player that has sent nothing is late; none: it is waited for as
    /// long as it takes, also for its team's name [default: 1000]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = OrNone(1, 3_600_000, Duration::from_millis))]
    think_time: Option<Duration>,
    /// In lockstep: players that the server waits for before the match begins [default: one for each slot]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = Number(1, 100_000))]
    wait_players: Option<u64>,
    /// In lockstep, and with --resume by either clock: seconds that the server waits for the other players' clients after
    /// the first one came; none: as long as it takes [default: 600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = OrNone(1, 86_400, Duration::from_secs))]
    lobby_time: Option<Duration>,
    /// In lockstep: how often a player may be late; after that the server ends it [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = Number(0, 1_000_000_000).map(|n| n as u32))]
    max_late: Option<u32>,
    /// In lockstep: the most ticks per second, so that people can watch [default: as fast as the players answer]
    #[arg(long, value_name = "FREQ", allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_FREQUENCY.into()).map(|n| n as u32))]
    pace: Option<u32>,
    /// In lockstep: no tick begins before the program at the door allows it
    #[arg(long, hide = true)]
    step: bool,
}

impl LockstepFlags {
    /// Whether the flag of that identifier is one of these.
    pub(super) fn has(id: &str) -> bool {
        ["think_time", "wait_players", "lobby_time", "max_late", "pace", "step"].contains(&id)
    }

    /// How long players are waited for after the first one came.
    pub(super) fn lobby_time(&self) -> Duration {
        self.lobby_time.unwrap_or(net::LOBBY_TIME)
    }

    /// The lockstep clock's settings; `None` under the real clock.
    ///
    /// # Errors
    /// A line that names a flag which needs that clock.
    pub(super) fn settings(
        &self,
        config: &MatchConfig,
        game: &dyn Game,
        door: bool,
        resumes: bool,
    ) -> Result<Option<Lockstep>, String> {
        if self.step && !(door && config.clock == Clock::Lockstep) {
            return Err(
                "--step needs the lockstep clock and a door; zappy_arena match --step has both".to_owned()
            );
        }
        if config.clock == Clock::Real {
            let given = [
                ("--think-time", self.think_time.is_some()),
                ("--wait-players", self.wait_players.is_some()),
                ("--lobby-time", self.lobby_time.is_some() && !resumes),
                ("--max-late", self.max_late.is_some()),
                ("--pace", self.pace.is_some()),
            ];
            return match given.iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(format!("{name} belongs to the lockstep clock; add --clock lockstep")),
                None => Ok(None),
            };
        }
        let slots: usize = (0..config.teams.len() as u32).map(|team| game.room(team)).sum();
        Ok(Some(Lockstep {
            wait_players: self.wait_players.map_or(slots, |players| players as usize),
            lobby_time: self.lobby_time(),
            think_time: self.think_time.unwrap_or(net::THINK_TIME),
            max_late: self.max_late.unwrap_or(net::MAX_LATE),
            pace: self.pace.and_then(NonZeroU32::new),
            step: self.step,
            stop_line: STOP_LINE.to_vec(),
        }))
    }
}
