//! The flags of `compare` and `mirror`, and what they start.
//!
//! Tested in `tests/compare.rs` and `tests/in_process.rs`.

use std::path::PathBuf;

use clap::{Args, value_parser};
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::local::many::cores;
use zappy_play::local::plan::{MAX_JOBS, MAX_PROCS, MAX_SEEDS, seeds};
use zappy_play::programs::environment::Added;
use zappy_play::programs::sandbox;
use zappy_play::world::Games;
use zappy_protocol::Tick;
use zappy_tournament::compare::mirror::{MAX_TEAMS, Mirror};
use zappy_tournament::compare::sprt::{Answer, Question};
use zappy_tournament::compare::{Compare, MOST_PAIRS, Processes};
use zappy_tournament::plan::Terms;
use zappy_tournament::run::INTERRUPTED;

use super::commands::{FAILED, REFUSED, catch_signals, print};
use super::games::WorldArgs;
use super::refuse;

pub(super) const EXAMPLES: &str = "\
Plays both versions against each other in lockstep, each seed in both seats, and
stops as soon as it knows whether the new one is stronger. The pairs of matches
are judged by a sequential test (GSPRT) as chess engines are: the answer is

  yes  it is better than --elo0, by default: stronger at all
  no   it is not better than --elo1, by default: not stronger by 50 Elo

Elo is the logistic one: 50 more win 57 % of the points, 400 more ten for each lost.
Of equal bots about --alpha are called stronger; of those that are --elo1 stronger
about --beta are missed. In between either answer may come, and is true. After
--max-pairs nothing is decided. The same seeds give the same answer, after as many
pairs. A match that no team has won, or that only a lot could decide, is a draw.

A bot that fails to join loses the match, and after the first pair in which one could
not be started it ends with that bot's own error. Matches in which neither joins, or
that run out of time, say nothing about strength: their pairs are told and not
counted. More than ten of them, and than the others, are an error.

Examples:
  Is a bot better than it was?
    zappy_arena compare 'python3 old/bot.py -p {port}' 'python3 bot.py -p {port}'

  The same for two entries of bots.toml, matches kept, and continued if interrupted:
    zappy_arena compare ada-1 ada-2 --bots bots.toml --out compared

  Our client, without any other process, a hundred times as fast:
    zappy_arena compare 'zappy_ai --players 5' 'zappy_ai --players 6' --procs 1 --in-process

  At least no weaker, as a check that fails otherwise:
    zappy_arena compare ./old ./new --elo0=-30 --elo1=0 --require

Exit codes:
  0 it came to an end, whatever the answer    1 the arena failed    2 wrong usage
  130 interrupted    3 with --require: not yes; with --strict: a bot misbehaved";

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The old version: a command, or with --bots a name
    #[arg(value_name = "OLD")]
    old: String,
    /// The new version, likewise
    #[arg(value_name = "NEW")]
    new: String,
    /// The file in which the versions are named, as for tournament plan
    #[arg(long, value_name = "FILE", conflicts_with_all = ["in_process", "procs"])]
    bots: Option<PathBuf>,
    /// Up to this much better the answer is no
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// From this much better on the answer is yes
    #[arg(long, value_name = "ELO", default_value_t = 50.0, allow_negative_numbers = true)]
    elo1: f64,
    /// How often the answer may be yes where it should be no
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    alpha: f64,
    /// How often the answer may be no where it should be yes
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    beta: f64,
    /// Pairs after which it is given up
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u64).range(1..=MOST_PAIRS))]
    max_pairs: u64,
    /// The seed of the first pair; the others follow [default: drawn by the system; with --in-process 1]
    #[arg(long, value_name = "SEED")]
    first: Option<u64>,
    #[command(flatten)]
    world: WorldArgs,
    /// How often each command is started [default: as many as slots]
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_PROCS)))]
    procs: Option<u32>,
    /// The tick at which a match ends; the best team wins then
    /// [default: 50000; of a game in turns, what these take]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    max_ticks: Option<Tick>,
    /// Milliseconds a player is waited for before it is late
    #[arg(long, value_name = "MS", default_value_t = 1_000, conflicts_with = "in_process",
        value_parser = value_parser!(u64).range(1..=3_600_000))]
    think_time: u64,
    /// Seconds after the first player came in which those of all slots are waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 30, conflicts_with = "in_process",
        value_parser = value_parser!(u64).range(1..=86_400))]
    lobby_time: u64,
    /// A player that is late more often than this is ended
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "in_process",
        value_parser = value_parser!(u32).range(0..=1_000_000_000))]
    max_late: u32,
    /// Play in this process: only zappy_ai can, with --level, --players and --seed
    #[arg(long)]
    pub in_process: bool,
    /// Matches played at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MAX_JOBS as i64))]
    jobs: Option<u32>,
    /// Keep the matches in this folder, as a tournament; started again on it, it goes on
    #[arg(long, value_name = "DIR", conflicts_with = "in_process")]
    out: Option<PathBuf>,
    /// The server's binary [default: zappy_server beside this program]
    #[arg(long, value_name = "PATH", conflicts_with = "in_process")]
    server: Option<PathBuf>,
    /// What is around the bots
    #[arg(long, value_name = "WHAT", value_enum, default_value = "auto", conflicts_with = "in_process")]
    sandbox: sandbox::Wish,
    #[command(flatten)]
    added: Added,
    /// Exit with 3 unless the answer is yes
    #[arg(long)]
    pub require: bool,
    /// Exit with 3 when a bot misbehaved
    #[arg(long)]
    pub strict: bool,
    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl CompareArgs {
    /// The comparison that the flags ask for.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn compare(&self, games: Games) -> Result<Compare, Error> {
        let processes = if self.in_process {
            None
        } else {
            let program = zappy_tournament::worker::own_program()?;
            let server = zappy_play::server::find(self.server.as_deref(), &program)?;
            let containment = self.sandbox.settle().map_err(zappy_tournament::Error::Sandbox)?;
            self.added.values()?;
            let random_seeds = self.first.is_none();
            Some(Processes {
                bots: self.bots.clone(),
                out: self.out.clone(),
                server,
                containment,
                added: self.added.clone(),
                random_seeds,
            })
        };
        let world = self.world.world(games, &[])?;
        let terms = Terms {
            max_ticks: self.max_ticks.unwrap_or_else(|| world.max_ticks(2)),
            freq: world.rate(None)?,
            world,
            clock: "lockstep".to_owned(),
            think_time: self.think_time,
            lobby_time: self.lobby_time,
            max_late: self.max_late,
        };
        Ok(Compare {
            games,
            versions: [self.old.clone(), self.new.clone()],
            processes,
            question: self.question()?,
            seeds: seeds(self.first.unwrap_or(1), self.max_pairs)?,
            terms,
            procs: self.procs,
            jobs: self.jobs.map_or_else(cores, |jobs| jobs as usize),
        })
    }

    fn question(&self) -> Result<Question, Error> {
        let CompareArgs { elo0, elo1, alpha, beta, .. } = *self;
        for (flag, elo) in [("--elo0", elo0), ("--elo1", elo1)] {
            if !(-1_000.0..=1_000.0).contains(&elo) {
                return Err(Error::Flag(format!("{flag} is {elo}, the range is -1000 to 1000")));
            }
        }
        if elo1 - elo0 < 1.0 {
            let words =
                format!("--elo1 {elo1} is not above --elo0 {elo0}; leave at least 1 Elo between them");
            return Err(Error::Flag(words));
        }
        for (flag, chance) in [("--alpha", alpha), ("--beta", beta)] {
            if !(1e-6..=0.4).contains(&chance) {
                return Err(Error::Flag(format!("{flag} is {chance}, the range is 0.000001 to 0.4")));
            }
        }
        Ok(Question { elo0, elo1, alpha, beta })
    }
}

pub(super) const MIRROR_EXAMPLES: &str = "\
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

/// Compares two versions of a bot; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub(super) fn compare(args: &CompareArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let findings = args.compare(games)?.play(&mut signals, &mut Display::new(args.quiet))?;
    if findings.interrupted {
        return Ok(refuse("interrupted; nothing was decided", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", findings.json()) } else { findings.render() });
    let misbehaved = args.strict && findings.count.misbehaved();
    let refused = misbehaved || args.require && findings.answer != Some(Answer::Yes);
    Ok(if refused { REFUSED } else { 0 })
}

/// Plays our client against itself; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub(super) fn mirror(args: &MirrorArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let findings = args.mirror(games)?.play(&mut signals, &mut Display::new(args.quiet))?;
    if findings.interrupted {
        return Ok(refuse("interrupted; so few matches were not judged", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", findings.json()) } else { findings.render() });
    Ok(if findings.is_clean() { 0 } else { FAILED })
}
