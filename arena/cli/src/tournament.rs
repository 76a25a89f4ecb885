//! The flags of `tournament`.
//!
//! Tested in `tests/tournament/` and `tests/merge/`.

use std::path::PathBuf;

use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Subcommand, value_parser};
use zappy_game::config::{Clock, MAX_FREQUENCY};
use zappy_play::Error;
use zappy_play::local::many::cores;
use zappy_play::local::plan::{MAX_JOBS, MAX_SEEDS};
use zappy_play::programs::environment::Added;
use zappy_play::programs::sandbox;
use zappy_play::world::Games;
use zappy_tournament::merge::REPLAYS;
use zappy_tournament::place::Place;
use zappy_tournament::plan::{Pairing, Planned, Terms, Wish};
use zappy_tournament::run::{Run, Shard};

use super::Cli;
use super::games::{WorldArgs, with_options};

const PLAN_EXAMPLES: &str = "\
bots.toml names the bots:

  [limits]                     # for every bot that doesn't say otherwise
  memory_mib = 4096            # address space of each process
  team_memory_mib = 4096       # memory that all processes of a team hold
  processes = 64               # of a team at one time
  cpu_seconds = 600            # of each process
  disk_mib = 256               # written into its folder; also the longest file
  files = 512                  # open in each process; also connections of a team
  log_kib = 1024               # kept of each process's output; these are the defaults

  [[bot]]
  name = \"ada\"               # for people; one word
  command = \"python3 bot.py -p {port} -n {team} -h {host}\"
  folder = \"submissions/ada\" # relative to bots.toml; each match works in a copy of it
  environment = { PYTHONHASHSEED = \"0\" }
  processes = 6                # how often the command is started; default: once per slot
  limits = { memory_mib = 512 }  # for this bot, instead of the one above

  [[bot]]
  name = \"ours\"
  command = \"./zappy_ai\"

A bot is known by a hash of its command, environment, limits and of every file
below its folder (without a folder: of its program and of the files that its
command names), not by its name. What the
command reads elsewhere is not looked at.

Address space, processor time and the longest file are the kernel's limits of each
process; what a team uses together is looked at four times a second, and the
whole team ended when it is too much.

Examples:
  Everybody against everybody, ten seeds, each in both seats:
    zappy_arena tournament plan --bots bots.toml --out night

  Everybody against two reference bots, fifty seeds:
    zappy_arena tournament plan --bots bots.toml --out night --seeds 50 \\
        --against easy --against hard

  Each seed in each seat, once with three slots per team and once with six:
    zappy_arena tournament plan --bots bots.toml --out night --vary clients=3,6

Asked for the same again it changes nothing.";

const RUN_EXAMPLES: &str = "\
Plays what has no result yet, in the plan's order. It may be interrupted, or killed,
at any time: run it again and it goes on. Several may run at once on one folder, also
on several machines that share it; a match is played by one of them.

After the first pair of matches in which a bot could not be started, or never joined,
the run ends with that bot's own error. On a full disk it ends at once; free some and run it again.

A match that fails through the arena (the server, the machine) is tried three times,
then listed by status; the next run tries it again. What bots do is no failure.

Where bubblewrap works, bots run in it: they see the system read-only, nothing of each
other and of the tournament, no network but their server, and write into their own
folder (a copy, for each match) and a small /tmp alone. Else Landlock holds them to the
files they need and to the server's port. Where neither works, say --sandbox none: a bot
may then read and write whatever you may, and end the arena. docs/security.md tells more.

A match whose record doesn't prove it isn't scored and is played again, and so is one
whose server somebody ended.

Examples:
  As many matches at once as there are cores:
    zappy_arena tournament run night

  The second of four parts, two matches at a time:
    zappy_arena tournament run night --shard 2/4 --jobs 2

What it leaves in DIR:
  results/ID.json  what came of a match: outcome, winner, and how each bot ended
  matches/ID/      its record (inputs alone), result.json and logs
  failed/ID.json   why a match could not be played

Exit codes:
  0 all of it is played    1 the arena failed    2 wrong usage    130 interrupted
  3 with --strict: a bot misbehaved";

const MERGE_HELP: &str = "\
What it reads in DIR: bots.json, plan.jsonl, results/ and failed/, for times.html
matches/, and nothing else. The same results give the same files, to the byte,
whenever, wherever and in whatever order they were played. If matches are missing, it
says so: the ranking is provisional. A result that doesn't belong to the plan is refused by its name.

What it makes, all of it or nothing:
  ranking.json, ranking.csv   the bots, the best first
  head_to_head.csv            each against each
  matches.csv                 every match that has a result, a row per seat
  times.html                  how long each bot took to answer, from the result.json in
                              matches/: the one file that depends on time
  junit.xml                   a suite per bot, a case per opponent: passed by a share of
                              --pass of the points against it, with the interval

What the columns mean:
  rating  how strong a bot is by all its results at once (the model of Bradley and
          Terry, as in chess: 1500 is the average of this tournament, and 400 more
          means ten wins for each loss). With more than two teams, each pair is
          compared by rank. The true value lies within the interval beside it in about 95
          of 100 cases, also where seeds favour a bot in both seats or matches are
          drawn; where intervals overlap, the order may be luck. Where all results
          went one way how far bots lie apart is a guess, and the table says so.
          Ratings of two tournaments can't be compared.
  points  the share of its opponents that a bot left behind, per match: 1 for a win
          against one, 0.5 for a draw: a match that no team has won, or that only a
          lot could decide; with Wilson's interval, by how whole seeds scatter
  won, drawn, lost   against each opponent of each match
  unscored  matches that were tried, can't be scored and count for nothing. If it is known
          which bot spoiled a match (it used up what all need, or stood behind when
          something ended the match), that bot has lost it; it counts for no other
  marked  matches that may go otherwise when they are played again: a player was late,
          a program came in at a time of its own, the machine was too busy. They count
  faults  matches in which the bot did something other than play: crashed, late ...
  Equal ratings share a place, marked by =. Matches that aren't scored are listed.

Examples:
  zappy_arena tournament merge night
  zappy_arena tournament merge night --out /tmp/merged --quiet

Exit codes:
  0 merged   1 it could not be read or written   2 wrong usage, or not a tournament";

const VERIFY_HELP: &str = "\
Every record is played again. Each must be that of the planned match (game, options, map, seed,
bots, seats, clock), whole, untouched by a console, and end as result.json beside it says; what
result.json comes to must be what the result says that merge ranks. Each result and record must
fit the hashes that were written when the match was judged. Files that the plan doesn't know are
named, too. What no record holds is taken from result.json: how programs ended, fouls, late answers.

It goes for leagues and for the matches of a grade (grades/class/students/NAME/ID/play) as well.

Exit codes:
  0 all of the plan is proved    1 something doesn't fit, or has no result    2 not a tournament";

/// What can be done with a tournament.
#[derive(Debug, Subcommand)]
pub enum TournamentAction {
    /// Write down which bots play each other, with which seeds and in which seats
    #[command(after_long_help = PLAN_EXAMPLES, after_help = "--help shows bots.toml and examples.")]
    Plan(Box<PlanArgs>),
    /// Play what has no result yet
    #[command(after_long_help = RUN_EXAMPLES, after_help = "--help shows examples.")]
    Run(RunArgs),
    /// Tell how much is played, what failed and which bots misbehaved
    Status(StatusArgs),
    /// Prove a finished tournament again: play every record again, and hold all of it against results, plan and seeds
    #[command(after_long_help = VERIFY_HELP, after_help = "--help tells what is held against what.")]
    Verify(VerifyTournamentArgs),
    /// Make the ranking of all results, as a table and as files
    #[command(after_long_help = MERGE_HELP, after_help = "--help explains the ranking and shows examples.")]
    Merge(MergeArgs),
    /// Plays one match of the plan
    // The name is near to none that a user may mistype.
    #[command(hide = true, name = "one-match")]
    Play(PlayArgs),
}

/// The tick at which a match of a game in ticks ends.
const MAX_TICKS: u64 = 10_000;

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The file that names the bots
    #[arg(long, value_name = "FILE")]
    pub bots: PathBuf,
    /// The folder of the tournament
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// All others meet the bots named so, and no other bots; once per name
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,
    /// Teams in each match
    #[arg(long, value_name = "K", default_value_t = 2)]
    teams: usize,
    /// Seeds that each set of bots plays, in every rotation of the seats
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    seeds: u64,
    /// The first of seeds that every program may know, for experiments [default: drawn by the system, and told by the results
    /// alone]
    #[arg(long, value_name = "SEED")]
    first: Option<u64>,
    #[command(flatten)]
    vary: VaryArgs,
    #[command(flatten)]
    terms: TermArgs,
}

/// What differs between the matches of a plan.
#[derive(Debug, Args)]
pub struct VaryArgs {
    /// Play each set of bots on each seed, and in every rotation of the seats, with each of these values of an option, as in
    /// scenario=straits,ring; of several options, with each combination
    #[arg(long = "vary", value_name = "KEY=VALUE,...", action = ArgAction::Append, value_parser =
          |text: &str| text.split_once('=')
              .map(|(key, values)| (key.to_owned(), values.split(',').map(str::to_owned).collect::<Vec<_>>()))
              .ok_or("write KEY=VALUE,VALUE, as in cities=on,off"))]
    vary: Vec<(String, Vec<String>)>,
}

/// The world and the clock of every match.
#[derive(Debug, Args)]
pub struct TermArgs {
    #[command(flatten)]
    world: WorldArgs,
    /// The tick at which a match ends; the best team wins then
    /// [default: 10000; of a game in turns, what these take]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    max_ticks: Option<u64>,
    /// What makes time pass: lockstep, all players having acted; real, the clock on the wall
    #[arg(long, value_name = "CLOCK", default_value = "lockstep", value_parser =
          |text: &str| Clock::parse(text).ok_or("the clocks are real and lockstep"))]
    clock: Clock,
    /// Ticks per second of the real clock [default: 100; of a game in turns, what its rules say]
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_FREQUENCY)))]
    freq: Option<u32>,
    /// In lockstep: milliseconds a player is waited for before it is late
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = value_parser!(u64).range(1..=3_600_000))]
    think_time: u64,
    /// In lockstep: seconds after the first player came in which the others are waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    lobby_time: u64,
    /// In lockstep: a player that is late more often than this is ended
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(0..=1_000_000_000))]
    max_late: u32,
}

/// The terms that the command line `words`, a subcommand with its flags, asks for.
///
/// # Errors
/// The command line is wrong.
pub(super) fn plain_terms(words: &[&str], games: Games, teams: usize) -> Result<Terms, Error> {
    let command = with_options(Cli::command(), games, None);
    let found = command.try_get_matches_from([&["zappy_arena"], words].concat());
    let inner = found.map(|mut found| found.remove_subcommand().map_or(found, |(_, inner)| inner));
    let terms = inner.and_then(|inner| TermArgs::from_arg_matches(&inner));
    terms.map_err(|error| Error::Flag(error.to_string()))?.terms(games, teams, &[])
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Play the Ith of N parts alone; the parts together are the whole plan
    #[arg(long, value_name = "I/N", allow_hyphen_values = true, value_parser = Shard::parse)]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub playing: PlayingArgs,
}

/// How matches are played.
#[derive(Debug, Args)]
pub struct PlayingArgs {
    /// Matches played at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MAX_JOBS as i64))]
    jobs: Option<u32>,
    /// What is around the bots; auto: bubblewrap, else Landlock, else no match
    #[arg(long, value_name = "WHAT", value_enum, default_value = "auto")]
    sandbox: sandbox::Wish,
    /// What the bots get of the environment.
    #[command(flatten)]
    pub added: Added,
    /// Play matches again that were disturbed, up to three times; a bot that disturbs on purpose has them drawn
    /// anew
    #[arg(long)]
    replay_disturbed: bool,
    /// Go on after a pair of matches in which a bot could not be started or never joined; it loses all of its matches
    #[arg(short, long)]
    keep_going: bool,
    /// Exit with 3 when a bot misbehaved
    #[arg(long)]
    pub strict: bool,
    /// The server's binary [default: zappy_server beside this program]
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct VerifyTournamentArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Say nothing but what doesn't fit
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The tournament's folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where the files go; an earlier merge is replaced [default: DIR/merged]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The share of points against an opponent with which a bot passes in junit.xml, 0 to 1; 0.5: more than half
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser =
          |text: &str| text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share))
              .ok_or("it is a share of all points; the range is 0 to 1"))]
    pub pass: f64,
    /// How many matches can be watched from the page, the first ones, if make web has built the viewer
    #[arg(long, value_name = "N", default_value_t = REPLAYS)]
    pub replays: usize,
    /// Don't show the table
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The match: its line of the plan
    #[arg(value_name = "LINE", value_parser = |line: &str| Planned::parse(line.as_bytes()))]
    pub planned: Planned,
    /// The process that has it played
    #[arg(long, value_name = "PID")]
    pub kept_by: i32,
    /// The server's binary
    #[arg(long, value_name = "PATH")]
    pub server: PathBuf,
    /// What is around the bots
    #[arg(long, value_name = "WHAT", value_enum)]
    pub sandbox: sandbox::Containment,
    /// What the bots get of the environment.
    #[command(flatten)]
    pub added: Added,
    /// Play it though it has a result, if that was disturbed
    #[arg(long)]
    pub again: bool,
}

impl TermArgs {
    /// The terms of matches with `teams` teams; `options` override those of the flags.
    ///
    /// # Errors
    /// The game can't be played so.
    pub fn terms(&self, games: Games, teams: usize, options: &[(&str, &str)]) -> Result<Terms, Error> {
        let world = self.world.world(games, options)?;
        // A game with a rate of its own knows how many ticks its turns take; any other one has a general limit.
        let default = if world.spec.game.rate.is_some() { world.max_ticks(teams) } else { MAX_TICKS };
        Ok(Terms {
            freq: world.rate(self.freq)?,
            world,
            max_ticks: self.max_ticks.unwrap_or(default),
            clock: self.clock.name().to_owned(),
            think_time: self.think_time,
            lobby_time: self.lobby_time,
            max_late: self.max_late,
        })
    }
}

impl VaryArgs {
    /// The terms with each combination of values, in the order in which the values are named.
    ///
    /// # Errors
    /// The game can't be played so, or a combination would be played twice.
    pub fn variants(&self, terms: &TermArgs, games: Games, teams: usize) -> Result<Vec<Terms>, Error> {
        let mut all: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
        for (place, (key, values)) in self.vary.iter().enumerate() {
            let refuse = |words: String| Err(Error::Flag(format!("--vary {key} {words}")));
            let twice = values.iter().enumerate().find(|(i, value)| values[..*i].contains(value));
            if let Some((_, value)) = twice {
                return refuse(format!("names {value} twice; name each value once"));
            }
            if self.vary[..place].iter().any(|(known, _)| known == key) {
                return refuse(format!("is given twice; write all its values behind one, as in {key}=a,b"));
            }
            let with_each_value = |one: &Vec<_>| -> Vec<Vec<(&str, &str)>> {
                values.iter().map(|value| [&one[..], &[(key.as_str(), value.as_str())]].concat()).collect()
            };
            all = all.iter().flat_map(with_each_value).collect();
        }
        all.iter().map(|options| terms.terms(games, teams, options)).collect()
    }
}

impl PlanArgs {
    /// The plan that the flags ask for.
    ///
    /// # Errors
    /// The game can't be played with these flags.
    pub fn wish(&self, games: Games) -> Result<Wish, Error> {
        let pairing = match &self.against[..] {
            [] => Pairing::RoundRobin,
            names => Pairing::Gauntlet(names.to_vec()),
        };
        let variants = self.vary.variants(&self.terms, games, self.teams)?;
        let seeds = Place::seeds(&self.out, self.first, self.seeds)?;
        Ok(Wish { pairing, teams: self.teams, seeds, variants })
    }
}

impl PlayingArgs {
    /// The number of matches at once; without the flag that of cores.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, |jobs| jobs as usize)
    }

    /// The containment of the bots.
    ///
    /// # Errors
    /// There is no sandbox where one must be.
    pub fn containment(&self) -> Result<sandbox::Containment, Error> {
        Ok(self.sandbox.settle().map_err(zappy_tournament::Error::Sandbox)?)
    }

    /// The run of a part of a tournament that the flags ask for.
    ///
    /// # Errors
    /// When there is no server, or no sandbox where one must be.
    pub fn run(&self, place: Place, shard: Shard, games: Games) -> Result<Run, Error> {
        let program = zappy_tournament::worker::own_program()?;
        // A mistake in the environment is an error here once, and not in each match.
        self.added.values()?;
        Ok(Run {
            games,
            place,
            jobs: self.jobs(),
            shard,
            server: zappy_play::server::find(self.server.as_deref(), &program)?,
            containment: self.containment()?,
            added: self.added.clone(),
            replay_disturbed: self.replay_disturbed,
            keep_going: self.keep_going,
        })
    }
}
