//! The flags of `mirror`.
//!
//! Tested in `tests/in_process.rs`.

use clap::{Args, value_parser};
use zappy_play::Error;
use zappy_play::local::many::cores;
use zappy_play::local::plan::{MAX_JOBS, MAX_SEEDS, seeds};
use zappy_play::world::Games;
use zappy_protocol::Tick;
use zappy_tournament::compare::mirror::{MAX_TEAMS, Mirror};

use super::games::WorldArgs;

pub(super) const EXAMPLES: &str = "\
Plays zappy_ai in every seat over many seeds, in this process, and tests by
chi-square whether wins are spread over the seats (a team's place on the command
line) as chance would spread them. The same for names, which are shuffled over
the seats for each seed, and for the order in which players are admitted.

A test fails when chance gives such a spread less than once in a thousand times. A
test that doesn't fail proves nothing fair: what it says is how near a share is known,
and which unfairness it would have found. Wins by lot don't count.

Examples:
  Two teams, 200 matches:
    zappy_arena mirror

  Four teams on a larger map, a thousand matches, for a program to read:
    zappy_arena mirror --teams 4 --width 30 --height 30 --seeds 1000 --json

Exit codes:
  0 nothing is shown to matter    1 something is, or too few matches to say    2 wrong usage
  130 interrupted";

#[derive(Debug, Args)]
pub struct MirrorArgs {
    /// Matches, one for each seed
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    first: u64,
    /// Teams
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u8).range(2..=MAX_TEAMS as i64))]
    teams: u8,
    #[command(flatten)]
    world: WorldArgs,
    /// The tick at which a match ends; the best team wins then
    /// [default: 50000; of a game in turns, what these take]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    max_ticks: Option<Tick>,
    /// Matches played at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MAX_JOBS as i64))]
    jobs: Option<u32>,
    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl MirrorArgs {
    /// The mirror matches that the flags ask for.
    pub fn mirror(&self, games: Games) -> Result<Mirror, Error> {
        let (world, teams) = (self.world.world(games, &[])?, usize::from(self.teams));
        let mirror = Mirror {
            teams,
            seeds: seeds(self.first, self.seeds)?,
            max_ticks: self.max_ticks.unwrap_or_else(|| world.max_ticks(teams)),
            world,
            jobs: self.jobs.map_or_else(cores, |jobs| jobs as usize),
        };
        mirror.validate()?;
        Ok(mirror)
    }
}
