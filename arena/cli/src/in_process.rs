//! The flags of `match` as a plan for one process; those that mean nothing there are refused.
//!
//! Tested in `tests/in_process.rs`.

use zappy_play::Error;
use zappy_play::local::bot::LocalBot;
use zappy_play::local::many::cores;
use zappy_play::local::plan::{Plan, seeds};
use zappy_play::world::Games;
use zappy_protocol::record::RecordLevel;

use super::{MatchArgs, draw_seed};

impl MatchArgs {
    /// The matches that the flags ask for, with `--in-process`.
    pub fn plan(&self, games: Games) -> Result<Plan, Error> {
        let (world, scenario) = self.world_and_file(games)?;
        if let Some(flag) = self.clock.first_waiting_flag() {
            return Err(Error::NotInProcess(flag, "where a match takes no time and nobody is late"));
        }
        let given = [
            (self.debug, "--debug", "where no program can be stopped"),
            (self.step, "--step", "where no program can be stopped"),
            (
                self.player.is_some(),
                "--player",
                "where no tick waits; zappy_arena show --player tells it afterwards",
            ),
            (scenario.is_some(), "--scenario", "where no server is started that reads it"),
            (self.twice, "--twice", "where a match is the same each time"),
            (self.port.is_some(), "--port", "where no server is started"),
            (self.observer.is_some(), "--observer", "where nobody can watch; open the record afterwards"),
            (
                self.record_delay.is_some(),
                "--record-delay",
                "where the record is kept until the match is over",
            ),
            (self.server.is_some(), "--server", "where no server is started"),
            (self.timeout.is_some(), "--timeout", "where --max-ticks is the limit"),
        ];
        if let Some((_, flag, why)) = given.into_iter().find(|(given, ..)| *given) {
            return Err(Error::NotInProcess(flag, why));
        }
        if self.jobs.is_some() && self.seeds.is_none() {
            return Err(Error::NeedsSeeds);
        }
        let max_ticks = self.max_ticks.unwrap_or_else(|| world.max_ticks(self.bots.len()));
        let many = self.seeds.is_some();
        let level = if many { RecordLevel::Inputs } else { RecordLevel::Full };
        let plan = Plan {
            bots: self.bots.iter().map(|text| LocalBot::parse(text, &world)).collect::<Result<_, _>>()?,
            seeds: seeds(self.seed.unwrap_or_else(draw_seed), self.seeds.unwrap_or(1))?,
            procs: self.procs.map_or(world.slots, |procs| procs as usize),
            freq: world.rate(self.freq)?,
            world,
            max_ticks,
            level: self.record_level.unwrap_or(level),
            jobs: if many { self.jobs.map_or_else(cores, |jobs| jobs as usize) } else { 1 },
        };
        plan.validate()?;
        Ok(plan)
    }
}
