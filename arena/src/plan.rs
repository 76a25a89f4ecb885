//! What is played in one process: the bots, the map, and how often.
//!
//! Plain, validated values; plays nothing. Tested in `tests/in_process.rs`.

use std::num::NonZeroU32;
use std::ops::Range;

use zappy_protocol::record::RecordLevel;
use zappy_protocol::{TeamName, Tick};
use zappy_server::config::{Clock, GameConfig};
use zappy_server::net::Limits;

use crate::Error;
use crate::hall::{Hall, OurBot};
use crate::setup::check_teams;
use crate::world::World;

/// Matches of one run at the most: a day's work, and a folder that can still be listed.
pub const MAX_SEEDS: u64 = 1_000_000;
/// Threads at the most, so that a slip of the pen doesn't ask for a million.
pub const MAX_JOBS: usize = 1_024;

/// One match or many that differ in nothing but their seeds.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The teams in the order given.
    pub bots: Vec<OurBot>,
    /// The seeds, one match each.
    pub seeds: Range<u64>,
    /// What it is played on.
    pub world: World,
    /// How often each team's command would be started.
    pub procs: usize,
    /// Ticks per second, for who looks at the record.
    pub freq: u32,
    /// The tick at which a match ends.
    pub max_ticks: Tick,
    /// What the records hold.
    pub level: RecordLevel,
    /// Threads.
    pub jobs: usize,
}

/// So many seeds from the first on.
///
/// # Errors
/// There are not so many numbers.
pub fn seeds(first: u64, count: u64) -> Result<Range<u64>, Error> {
    first.checked_add(count).map(|end| first..end).ok_or(Error::SeedsOverflow(first, count))
}

impl Plan {
    /// Checks what concerns several values at once.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn validate(&self) -> Result<(), Error> {
        check_teams(&self.bots.iter().map(|bot| &bot.team).collect::<Vec<_>>())?;
        let hall = self.hall(self.seeds.start)?;
        hall.config.validate()?;
        let (mut all, limit) = (0, Limits::default().connections);
        for (bot, crew) in self.bots.iter().zip(hall.crews) {
            // The match would begin with those who happen to be first, and turn the others away.
            if crew.players > self.world.clients as usize {
                return Err(Error::TooManyPlayers(bot.team.to_string(), crew.players, self.world.clients));
            }
            all += crew.players;
        }
        if all > limit { Err(Error::Crowd(all, limit)) } else { Ok(()) }
    }

    /// The match of a seed.
    ///
    /// # Errors
    /// A command asks for what can't be had.
    pub fn hall(&self, seed: u64) -> Result<Hall, Error> {
        let teams: Vec<TeamName> = self.bots.iter().map(|bot| bot.team.clone()).collect();
        let crews = self.bots.iter().enumerate().map(|(place, bot)| bot.crew(seed, place, self.procs));
        let config = GameConfig {
            frequency: NonZeroU32::new(self.freq).unwrap_or(NonZeroU32::MIN),
            seed,
            clock: Clock::Lockstep,
            max_ticks: Some(self.max_ticks),
            ..self.world.game(teams)?
        };
        Ok(Hall { config, crews: crews.collect::<Result<_, _>>()?, level: self.level })
    }

    /// The plan in one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let teams: Vec<String> = self.bots.iter().map(|bot| format!("{} ({})", bot.team, bot.text)).collect();
        let Range { start, end } = self.seeds;
        let seeds =
            if end - start == 1 { format!("seed {start}") } else { format!("seeds {start} to {}", end - 1) };
        let Plan { world, max_ticks, .. } = self;
        format!(
            "{seeds}, {world}, {} slots per team, in one process, at most {max_ticks} ticks: {}",
            world.clients,
            teams.join(", ")
        )
    }
}
