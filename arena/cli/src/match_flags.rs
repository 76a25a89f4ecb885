//! The flags of `match`: what they ask for, as a [`Setup`] for programs or as a [`Plan`] for this process.
//!
//! Tested in `tests/refusals.rs` and `tests/in_process.rs`.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, value_parser};
use zappy_game::config::{Clock, MAX_FREQUENCY};
use zappy_play::Error;
use zappy_play::clock::{ClockArgs, ClockSetup, Patience};
use zappy_play::local::bot::LocalBot;
use zappy_play::local::many::cores;
use zappy_play::local::plan::{MAX_JOBS, MAX_PROCS, MAX_SEEDS, Plan, seeds};
use zappy_play::programs::command::{ATTACH, Template};
use zappy_play::programs::environment::Added;
use zappy_play::server;
use zappy_play::setup::PlayerName;
use zappy_play::setup::{Debugging, Entry, Setup};
use zappy_play::world::{Games, World};
use zappy_protocol::Tick;
use zappy_protocol::record::RecordLevel;

use super::games::WorldArgs;
use super::resume::CutOff;

/// The longest time of a match, in seconds: a week is longer than any match, and short enough to be added to a clock.
const MAX_TIMEOUT: u64 = 7 * 24 * 3600;
/// The longest delay of a record that the server takes, in ticks.
const MAX_RECORD_DELAY: u64 = 100_000;

pub(super) const EXAMPLES: &str = "\
Commands:
  {host}, {port}, {team} and {seed} in a command are filled in. A command with
  none of the first three gets the subject's flags: -p PORT -n TEAM -h HOST. It is split into words
  as a shell does, but no shell runs it; for pipes or variables write
  sh -c '... {port} ...'. Relative paths start from the current folder. {seed} is
  also in the environment, as ZAPPY_SEED: the same for all processes of a team.

Examples:
  Our client against itself, ten times as fast as usual:
    zappy_arena match --bot red=./zappy_ai --bot blue=./zappy_ai --freq 1000 --out matches/1

  A match that can be played again to the byte, as fast as the bots think:
    zappy_arena match --bot red=./zappy_ai --bot blue=./zappy_ai --clock lockstep --seed 42 \\
        --out matches/42

  A hundred of those between our own clients, without any other process, over
  all cores; each leaves the record that it would leave over sockets:
    zappy_arena match --bot red=zappy_ai --bot blue=zappy_ai --in-process --seeds 100 \\
        --seed 1 --out matches/hundred

  The first one, watched in a window:
    zappy_arena match --bot red=./zappy_ai --bot blue=./zappy_ai --observer ./zappy_gui \\
        --out matches/2

  A Python bot that opens all its connections itself, in one process per team:
    zappy_arena match --bot 'snakes=python3 bot.py --port {port} --team {team}' \\
        --bot blue='./zappy_ai --players 6' --procs 1 --seed 42 --out matches/3

  A bot of yours that stops in the debugger: start it from your editor, with the
  arguments and variables that this prints. No stop costs it anything
    zappy_arena match --debug --port 4242 --bot red=@attach --bot blue=./zappy_ai --out matches/debug

@attach:
  --bot TEAM=@attach is a seat for a program that you start yourself, @attach:N are N. The
  match is in lockstep unless --clock real is given, and begins when all of them are in. A
  program that belongs to no bot may come in under any team's name; the result tells how many did.

What it leaves in DIR:
  match.zrec   the record of the match (zappy_arena show and verify, the observer)
  result.json  winner, reason, ticks, seed, everything per team and player, and
               under \"arena\" how each program ended
  logs/        the output of the server, of each bot's process, of the observer
  notes/       what bots noted for you in the file that ZAPPY_NOTES names, per player
               (docs/writing-a-client.md, Debugging)
With --seeds:
  results.jsonl  a match's result.json per line, in the order of seeds
  records/       SEED.zrec, of the level inputs unless --record-level says otherwise

Exit codes:
  0 the match came to its end (with or without a winner)   1 it failed
  2 wrong usage                                            130 interrupted
  3 played twice, the records differ";

#[derive(Debug, Args)]
pub struct MatchArgs {
    /// A team and the command of its bots; once per team
    #[arg(long = "bot", value_name = "TEAM=COMMAND", required = true)]
    bots: Vec<String>,
    /// Where all chance of the game comes from [default: drawn, and always told]
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    world: WorldArgs,
    /// How often each team's command is started [default: as many as slots]
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_PROCS)))]
    procs: Option<u32>,
    /// Ticks per second [default: 100; of a game in turns, what its rules say]
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_FREQUENCY)))]
    freq: Option<u32>,
    #[command(flatten)]
    clock: ClockArgs,
    /// The tick at which the match ends; the best team wins then
    /// [default: 50000; of a game in turns, what these take]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    max_ticks: Option<u64>,
    /// Seconds after which a match that hasn't ended is cut off, and has failed
    /// [default: 1.5 times what its ticks take, a minute, and the lobby's time]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=MAX_TIMEOUT))]
    timeout: Option<u64>,
    /// Play in lockstep without any limit of time, so that bots can be stopped in a debugger: neither --think-time nor
    /// --timeout, and the lobby waits as long as it takes. The result says so; such a match isn't to be graded
    #[arg(long)]
    debug: bool,
    /// Debug, and wait for Enter before each tick at which something is due (in a game in turns: before each phase is over). A
    /// number goes on by so many ticks (in a game in turns: by so many turns), c without stopping, as the end of the input does;
    /// q ends the match, which then counts as interrupted
    #[arg(long)]
    pub step: bool,
    /// With --step: at each stop show what this player and the server have said to each other since the last one, and what it
    /// has noted: its number, or the name of its program's log, red-1 say, as with show --player
    #[arg(long, value_name = "N", requires = "step", value_parser = PlayerName::parse)]
    player: Option<PlayerName>,
    /// Console lines that set the position before the first player comes in, one per line, as zappy_server --scenario takes
    /// them; `#` begins a comment
    #[arg(long, value_name = "FILE|MAP", conflicts_with = "resume")]
    scenario: Option<PathBuf>,
    /// In lockstep: play the match twice and compare the records, which proves that it is reproducible; exit code 3 if they
    /// differ
    #[arg(long)]
    pub twice: bool,
    /// Go on with the match of this record, which was cut off: the record tells what is played, and each team's command is
    /// started once for each of its players that lived. The record and the result say so, and the match isn't reproducible.
    /// The limits of the lockstep clock don't stand in a record: give those that the match had
    #[arg(long, value_name = "RECORD",
          conflicts_with_all = ["seed", "freq", "max_ticks", "procs", "clock", "width", "height", "game", "pairs", "wait_players",
                                "twice", "in_process"])]
    resume: Option<PathBuf>,
    /// The server's port [default: a free one]
    #[arg(long, value_name = "PORT", value_parser = value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Also start an observer with this command and let the bots in when it watches; the arena
    /// stays until it is closed
    #[arg(long, value_name = "COMMAND")]
    observer: Option<String>,
    /// What the record holds: full, all that was said; inputs, what it takes to play it again: an eighth
    /// of the size [default: full; inputs with --seeds]
    #[arg(long, value_name = "LEVEL", value_parser =
          |text: &str| RecordLevel::parse(text.as_bytes()).ok_or("the levels are full and inputs"))]
    record_level: Option<RecordLevel>,
    /// Ticks after which the record holds what has happened, and a second at the latest; 0: each step at once
    /// [default: 100]
    #[arg(long, value_name = "TICKS", value_parser = value_parser!(u64).range(..=MAX_RECORD_DELAY))]
    record_delay: Option<Tick>,
    /// Play in this process, without server, sockets or clock: only zappy_ai can, with --level,
    /// --players and --seed. It implies --clock lockstep and leaves the same record, to the byte
    #[arg(long)]
    pub in_process: bool,
    /// With --in-process: play N matches, with the seeds SEED, SEED+1 and so on
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    pub seeds: Option<u64>,
    /// With --seeds: matches played at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MAX_JOBS as i64))]
    jobs: Option<u32>,
    #[command(flatten)]
    added: Added,
    /// The server's binary [default: zappy_server beside this program]
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// The folder for record, result and logs
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Replace an earlier match in that folder
    #[arg(long)]
    pub force: bool,
    /// The process that stands by
    #[arg(long, value_name = "PID", hide = true)]
    pub kept_by: Option<i32>,
    /// Say more; twice for even more
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
    /// Say only what went wrong, and the result
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

impl MatchArgs {
    /// The match that the flags ask for, without `--in-process`.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn setup(&self, games: Games) -> Result<Setup, Error> {
        let given = [(self.seeds.is_some(), "--seeds"), (self.jobs.is_some(), "--jobs")];
        if let Some((_, flag)) = given.into_iter().find(|(given, _)| *given) {
            return Err(Error::NeedsInProcess(flag));
        }
        if let Some(option) = self.world.first_option().filter(|_| self.resume.is_some()) {
            return Err(Error::Flag(format!(
                "--{option} can't be given with --resume: the record tells what is played"
            )));
        }
        let resumed = self.resume.as_deref().map(|path| CutOff::read(path, &self.out, games)).transpose()?;
        let (world, scenario) = match &resumed {
            Some(resumed) => (resumed.world.clone(), None),
            None => self.world_and_file(games)?,
        };
        let launcher = zappy_tournament::worker::own_program()?;
        let config = resumed.as_ref().map(|resumed| &resumed.world.spec.config);
        let freq = config.map_or_else(|| world.rate(self.freq), |config| Ok(config.frequency.get()))?;
        let entries = self.bots.iter().map(|text| Entry::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let mut entries = match &resumed {
            Some(resumed) => resumed.entries(entries)?,
            None => entries,
        };
        let environment = self.added.values()?;
        entries.iter_mut().for_each(|entry| entry.spawn.environment.clone_from(&environment));
        let attached = entries.iter().any(|entry| entry.attached.is_some());
        let clock = self.clock(attached, freq, config.map(|config| config.clock))?;
        let asked = self.max_ticks.or_else(|| config?.max_ticks);
        let max_ticks = asked.unwrap_or_else(|| world.max_ticks(self.bots.len()));
        let timeout = self.timeout(&clock, attached, max_ticks, freq)?;
        if self.twice && clock.clock != Clock::Lockstep {
            return Err(Error::NeedsLockstep("--twice"));
        }
        if self.twice && attached {
            let why = "a program that you start yourself can't be started again by the arena";
            return Err(Error::Contradiction("--twice", ATTACH, why));
        }
        let setup = Setup {
            entries,
            seed: self.seed.or(config.map(|config| config.seed)).unwrap_or_else(draw_seed),
            resume: resumed.as_ref().map(|resumed| resumed.record.clone()),
            sealed: false,
            games: games.specs,
            copied: false,
            procs: self.procs.map_or(world.slots, |procs| procs as usize),
            world,
            freq,
            clock,
            record_level: self.record_level.unwrap_or(RecordLevel::Full),
            record_delay: self.record_delay.or(self.player.as_ref().map(|_| 0)),
            max_ticks,
            timeout,
            debugging: match self.unlimited_flag() {
                _ if self.step => Debugging::ByStep(self.player.clone()),
                Some(_) => Debugging::Yes,
                None => Debugging::No,
            },
            scenario,
            port: self.port.unwrap_or(0),
            notes: true,
            observer: self.observer.as_deref().map(|text| Template::parse("--observer", text)).transpose()?,
            server: server::find(self.server.as_deref(), &launcher)?,
            launcher,
        };
        setup.validate()?;
        if let Some(path) = &setup.scenario {
            server::check_scenario(path, setup.world.spec.game)?;
        }
        Ok(setup)
    }

    /// The world, and the file of console lines that `--scenario` names. If `--scenario` names a map of the game
    /// instead, the world is on that map and there is no file.
    fn world_and_file(&self, games: Games) -> Result<(World, Option<PathBuf>), Error> {
        let world = self.world.world(games, &[])?;
        let named = self.scenario.as_deref().and_then(Path::to_str).and_then(|name| world.spec.on_map(name));
        Ok(match named {
            Some(spec) => (self.world.with_own_size(World::new(spec, world.guest)), None),
            None => (world, self.scenario.clone()),
        })
    }

    /// The flag with which programs may take as long as they like, if one is given.
    fn unlimited_flag(&self) -> Option<&'static str> {
        let given = [("--debug", self.debug), ("--step", self.step)];
        given.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }

    /// The clock. `attached`: people start programs themselves, which means lockstep unless a flag says otherwise;
    /// `recorded`: the clock of the record with which the match goes on.
    fn clock(&self, attached: bool, freq: u32, recorded: Option<Clock>) -> Result<ClockSetup, Error> {
        let patience = match (self.unlimited_flag(), attached) {
            (Some(flag), _) => Patience::Unlimited(flag),
            (None, true) => Patience::UnlimitedLobby,
            (None, false) => Patience::Limited,
        };
        if self.unlimited_flag().is_some() && recorded == Some(Clock::Real) {
            let why = "--resume: the match is played under the real clock, which waits for no program; leave out --debug and \
                       --step";
            return Err(Error::Flag(why.to_owned()));
        }
        let mut clock = self.clock.clone();
        clock.clock = clock.clock.or(recorded);
        clock.setup(self.observer.as_ref().map(|_| freq), patience, self.resume.is_some())
    }

    /// How long the match may take before it is cut off; [`Duration::MAX`]: as long as it takes.
    fn timeout(&self, clock: &ClockSetup, attached: bool, ticks: Tick, freq: u32) -> Result<Duration, Error> {
        match (self.timeout, self.unlimited_flag()) {
            (Some(_), Some(flag)) => {
                let why = "the first waits for every program as long as it takes";
                Err(Error::Contradiction(flag, "--timeout", why))
            }
            (None, flag) if flag.is_some() || attached => Ok(Duration::MAX),
            (given, _) => {
                let limit = self.clock.timeout(given, clock.default_timeout(ticks, freq))?;
                Ok(limit.min(Duration::from_secs(MAX_TIMEOUT)))
            }
        }
    }

    /// The matches that the flags ask for, with `--in-process`.
    pub fn plan(&self, games: Games) -> Result<Plan, Error> {
        let (world, scenario) = self.world_and_file(games)?;
        if let Some(flag) = self.clock.first_waiting_flag() {
            return Err(Error::NotInProcess(flag, "where a match takes no time and nobody is late"));
        }
        let (player, delay) = (self.player.is_some(), self.record_delay.is_some());
        let given = [
            (self.debug, "--debug", "where no program can be stopped"),
            (self.step, "--step", "where no program can be stopped"),
            (player, "--player", "where no tick waits; zappy_arena show --player tells it afterwards"),
            (scenario.is_some(), "--scenario", "where no server is started that reads it"),
            (self.twice, "--twice", "where a match is the same each time"),
            (self.port.is_some(), "--port", "where no server is started"),
            (self.observer.is_some(), "--observer", "where nobody can watch; open the record afterwards"),
            (delay, "--record-delay", "where the record is kept until the match is over"),
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
        let jobs = self.jobs.map_or_else(cores, |jobs| jobs as usize);
        let (level, jobs) =
            if self.seeds.is_some() { (RecordLevel::Inputs, jobs) } else { (RecordLevel::Full, 1) };
        let plan = Plan {
            bots: self.bots.iter().map(|text| LocalBot::parse(text, &world)).collect::<Result<_, _>>()?,
            seeds: seeds(self.seed.unwrap_or_else(draw_seed), self.seeds.unwrap_or(1))?,
            procs: self.procs.map_or(world.slots, |procs| procs as usize),
            freq: world.rate(self.freq)?,
            world,
            max_ticks,
            level: self.record_level.unwrap_or(level),
            jobs,
        };
        plan.validate()?;
        Ok(plan)
    }
}

/// A random seed of 32 bits: short enough to be typed, and read exactly by every JSON reader.
fn draw_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) >> 32
}
