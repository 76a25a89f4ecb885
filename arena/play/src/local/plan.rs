//! What is played in one process: the bots, the map, and how often.
//!
//! Plain, validated values. Knows no file. Tested in `arena/cli/tests/in_process.rs`.

use std::io::Write;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use zappy_game::config::{Clock, MatchConfig};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::text::many;
use zappy_protocol::{TeamName, Tick};
use zappy_server::net::Limits;

use super::bot::LocalBot;
use super::in_process::{InProcessMatch, Played};

use crate::Error;
use crate::setup::check_teams;
use crate::world::World;

/// The most matches of one run: they take about a day, and the folder of their records can still be listed.
pub const MAX_SEEDS: u64 = 1_000_000;
/// The most starts of a team's command: a match in this process has room for so many players.
pub const MAX_PROCS: u32 = 1_000;
/// The most threads, so that a typing error doesn't ask for a million.
pub const MAX_JOBS: usize = 1_024;

/// One match, or many that differ only in their seeds.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The teams in the order given.
    pub bots: Vec<LocalBot>,
    /// The seeds, one per match.
    pub seeds: Range<u64>,
    /// The game, its options and the map.
    pub world: World,
    /// How often each team's command would be started.
    pub procs: usize,
    /// Ticks per second at which the record will be shown.
    pub freq: u32,
    /// The tick at which a match ends.
    pub max_ticks: Tick,
    pub level: RecordLevel,
    /// The number of threads, each of which plays one match at a time.
    pub jobs: usize,
}

/// So many seeds, from the first on.
pub fn seeds(first: u64, count: u64) -> Result<Range<u64>, Error> {
    first.checked_add(count).map(|end| first..end).ok_or(Error::SeedsOverflow(first, count))
}

impl Plan {
    /// Checks the values that depend on each other.
    pub fn validate(&self) -> Result<(), Error> {
        check_teams(&self.bots.iter().map(|bot| &bot.team).collect::<Vec<_>>())?;
        let in_process = self.in_process(self.seeds.start)?;
        in_process.spec.begin()?;
        let (mut all, limit) = (0, Limits::default().connections);
        for (bot, crew) in self.bots.iter().zip(in_process.crews) {
            // The match would begin with the players that happen to be first, and turn the others away.
            let (players, slots) = (crew.len(), self.world.slots);
            if players > slots {
                return Err(Error::TooManyPlayers(bot.team.to_string(), players, slots));
            }
            all += players;
        }
        if all > limit { Err(Error::Crowd(all, limit)) } else { Ok(()) }
    }

    /// Plays the match of a seed and writes its record. When `stop` becomes true it ends in order at the next turn.
    ///
    /// # Errors
    /// It can't be played, or its record not be written.
    pub fn play<W: Write>(&self, seed: u64, record: W, stop: &AtomicBool) -> Result<Played<W>, Error> {
        self.in_process(seed)?.play(record, stop).map_err(|error| Error::InProcess(seed, error))
    }

    fn in_process(&self, seed: u64) -> Result<InProcessMatch, Error> {
        let teams: Vec<TeamName> = self.bots.iter().map(|bot| bot.team.clone()).collect();
        let crews = self.bots.iter().enumerate().map(|(place, bot)| bot.crew(seed, place, self.procs));
        let mut spec = self.world.game(teams);
        spec.config = MatchConfig {
            frequency: spec.game.rate.or(NonZeroU32::new(self.freq)).unwrap_or(NonZeroU32::MIN),
            seed,
            clock: Clock::Lockstep,
            max_ticks: Some(self.max_ticks),
            ..spec.config
        };
        Ok(InProcessMatch { spec, crews: crews.collect::<Result<_, _>>()?, level: self.level })
    }

    /// The plan in one line.
    pub fn describe(&self) -> String {
        let teams: Vec<String> = self.bots.iter().map(|bot| format!("{} ({})", bot.team, bot.text)).collect();
        let Range { start, end } = self.seeds;
        let seeds =
            if end - start == 1 { format!("seed {start}") } else { format!("seeds {start} to {}", end - 1) };
        let Plan { world, max_ticks, .. } = self;
        let most = world.max_length(*max_ticks, self.bots.len());
        format!(
            "{seeds}, {world}, {} per team, in one process, at most {most}: {}",
            many(world.slots as u64, "slot"),
            teams.join(", ")
        )
    }
}
