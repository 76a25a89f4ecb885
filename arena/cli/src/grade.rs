//! The flags of `grade`.
//!
//! Tested in `tests/tournament/grade.rs`, those of a class in `tests/class/`.

use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, value_parser};
use jiff::Timestamp;
use zappy_check::Situation;
use zappy_play::Error;
use zappy_play::local::plan::{MAX_PROCS, MAX_SEEDS};
use zappy_play::world::{Games, World};
use zappy_tournament::bots::{Book, Bot, BotSpec};
use zappy_tournament::gauntlet::Opponents;
use zappy_tournament::grading::command::ForAll;
use zappy_tournament::grading::contained::BUILD_LIMIT;
use zappy_tournament::grading::gradebook::{Cost, Gradebook, LatePolicy, parse_time};
use zappy_tournament::grading::points::Pass;
use zappy_tournament::grading::situations::situations_of;
use zappy_tournament::grading::submission::Submission;
use zappy_tournament::place::Place;
use zappy_tournament::plan::{Pairing, Wish};
use zappy_tournament::seeds::Seeds;

use super::tournament::{PlayingArgs, TermArgs, VaryArgs};

/// The words that `--check` takes in place of names.
const ALL: &str = "all";
const NONE: &str = "none";
/// The longest time for the matches against an opponent, in minutes: a week.
const MAX_BUDGET: u64 = 10_080;
/// The longest build, in seconds.
const MAX_BUILD: u64 = 86_400;

/// The files of a folder that say how its bot is built and started, as the help shows them.
pub(super) const KINDS: &str = "\
  bot.toml   command = \"...\", and if wanted build = \"make\" and processes = 1
  COMMAND    the command in its first line
  run.sh     is run, with the subject's flags behind it
  Makefile   make is run, then what is there of those below is started. It is built for
             COMMAND and run.sh, too; with bot.toml only what that says
  zappy_ai, bot.py, bot.js, Bot.class, Bot.java, bot
             is started as the starters are; called like the game (GAME.py), too
A command names programs of the system without a path, and files of the folder.";

/// The end of the help.
pub(super) fn examples() -> String {
    EXAMPLES.replace("{KINDS}", KINDS)
}

const EXAMPLES: &str = "\
A point for each opponent against which the bot gets more than half (or at least the
share --pass) of what there is to get: 1 for a match in which it ranks before, half for one that no
team has won or that only a lot could decide. Smaller shares bring parts of a point if --pass says so. Each seed is played in both seats. Beside each share stands where
it may well lie, given so few matches (95 %); where that leaves open whether the
opponent is beaten, the report says so, and more --seeds make it clearer.

Without --against the opponents are the levels that our own client has for the game,
easy to expert, and in Zappy the aggressor; it is found beside this program. A file for
it is written like that of tournament plan (see there), its limits hold for the bot, too.

It may be interrupted, or killed: asked for the same again it goes on. Another bot,
also the same with one byte changed, needs another folder.

A submission is a folder that says itself how its bot is built and started, the first of:
{KINDS}
With --command for all nothing of that is looked at. It is built in a copy and within the walls that matches have: no network, limits of time
and size. Then it is checked (zappy_arena check), and then it plays. --class grades every
folder of a class so, each by a process of its own. What is graded isn't graded again, a
submission that has changed is. What is no folder, can't be built or started has no point,
and the table says why.

Examples:
  A whole class, and one submission alone, as services for autograding do it:
    zappy_arena grade --class submissions --against levels.toml --out grades
    zappy_arena grade --submission /autograder/submission --out /tmp/grade \\
        --gradescope /autograder/results/results.json

  A Python bot; all files of its folder are the bot, each match works in a copy:
    zappy_arena grade 'python3 bot.py -p {port} -n {team} -h {host}' \\
        --folder submissions/ada --name ada --out grades/ada

  One process for all players, opponents of our choice, two points in three:
    zappy_arena grade './bot {port} {team}' --folder submissions/bob --procs 1 \\
        --against opponents.toml --pass 0.667 --out grades/bob

What it leaves in DIR:
  grade.json   points, and per opponent: share, interval, wins, draws, losses
  grade.xml    the same as JUnit: a case per opponent, failed if it isn't beaten
  merged/      the page (index.html), tables; everything else as tournament run
With --submission:
  student.json    how far it came, points, and why; gradescope.json and classroom.json the
                  same as Gradescope and GitHub Classroom read it
  bot/, build.log the bot as it was built, and what the build said
  play/           what is told above; without matches index.html is the page
With --class:
  index.html, class.csv, class.json, class.xml    the table, for people and programs
  leaderboard.html    with --leaderboard: the same without names, for the class
  students/NAME/ID/   what is told above, of each version that was handed in

Exit codes:
  0 it is graded, well or badly    1 the arena failed    2 wrong usage    130 interrupted
  3 with --strict: the bot, or one of a class, misbehaved";

#[derive(Debug, Args)]
pub struct GradeArgs {
    /// The bot's command
    #[arg(value_name = "BOT", required_unless_present_any = ["class", "submission"],
          conflicts_with_all = ["class", "submission"])]
    pub bot: Option<String>,
    /// Grade every folder in this one as a submission
    #[arg(long, value_name = "DIR", conflicts_with_all = ["submission", "folder", "name", "gradescope", "classroom"])]
    pub class: Option<PathBuf>,
    /// Grade this folder as a submission: it says itself how its bot is built and started
    #[arg(long, value_name = "DIR", conflicts_with_all = ["folder", "name"])]
    pub submission: Option<PathBuf>,
    /// With --class or --submission: the command of every bot, whatever its folder says
    #[arg(long, value_name = "COMMAND", conflicts_with = "bot")]
    pub command: Option<String>,
    /// With --command: how every submission is built, in its folder and without a shell
    #[arg(long, value_name = "COMMAND", requires = "command")]
    pub build: Option<String>,
    /// With --class or --submission: seconds that a build may take
    #[arg(long, value_name = "SECONDS", default_value_t = BUILD_LIMIT.as_secs(), value_parser = value_parser!(u64).range(1..=MAX_BUILD))]
    pub build_time: u64,
    /// With --class or --submission: what each bot is checked for before it plays: all, none, or names of situations with commas
    /// between them
    #[arg(long, value_name = "WHAT", default_value = ALL)]
    pub check: String,
    /// Its folder, in which it works; all files in it are the bot
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// What it is called
    #[arg(long, value_name = "NAME", default_value = "graded")]
    pub name: String,
    /// How often its command is started [default: as many as slots]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=i64::from(MAX_PROCS)))]
    pub procs: Option<u32>,
    /// The file that names its opponents, or levels of our own client, as in easy,expert [default: each level that the game has]
    #[arg(long, value_name = "FILE|LEVELS")]
    pub against: Option<PathBuf>,
    /// Where everything goes
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Also write the grade there as Gradescope reads it (results.json)
    #[arg(long, value_name = "FILE")]
    pub gradescope: Option<PathBuf>,
    /// Also write the grade there as GitHub Classroom's autograding reporter takes it, before it is put into Base64
    #[arg(long, value_name = "FILE")]
    pub classroom: Option<PathBuf>,
    /// Seeds played against each opponent, each in both seats
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    pub seeds: u64,
    /// The first of seeds that every program may know, for experiments [default: drawn by the system, and told by the results
    /// alone]
    #[arg(long, value_name = "SEED")]
    pub first: Option<u64>,
    /// The share of the points against an opponent with which it is beaten, 0 to 1; 0.5: more than half. Smaller shares before it
    /// bring a part of its point: 0.25:0.4,0.5 brings 0.4 for a quarter or more
    #[arg(long, value_name = "[SHARE:POINTS,]SHARE", default_value = "0.5")]
    pub pass: Pass,
    /// Minutes that the matches against an opponent may take; no further pair is begun after that, and what is left out is lost
    /// if the others waited for the bot for most of that time. 0: one pair
    #[arg(long, value_name = "MINUTES", default_value_t = 10, value_parser = value_parser!(u64).range(0..=MAX_BUDGET))]
    pub budget: u64,
    /// Play matches, too, that can't change any more whether an opponent is beaten
    #[arg(long)]
    pub all_matches: bool,
    /// Give a bot its points that is an opponent, or our client, or plays like one in every seat
    #[arg(long)]
    pub accept_lookalikes: bool,
    /// How many matches can be watched from a bot's page, those that it lost first, if make web has built the viewer
    /// [default: 500; with --class or --submission 0, since each page brings a viewer of its own, 1.5 MB]
    #[arg(long, value_name = "N")]
    pub replays: Option<usize>,
    #[command(flatten)]
    pub gradebook: GradebookArgs,
    #[command(flatten)]
    vary: VaryArgs,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    pub playing: PlayingArgs,
    /// The process that stands by, which grades the class
    #[arg(long, value_name = "PID", hide = true)]
    pub kept_by: Option<i32>,
    /// What the submission is known by, as it was when the class was looked at
    #[arg(long, value_name = "ID", hide = true)]
    pub known_as: Option<String>,
    /// Seconds after which a submission of a class lets the others play first
    #[arg(long, value_name = "SECONDS", hide = true, default_value_t = 120)]
    pub turn: u64,
    /// The folder of the class, which has the seeds for all of it
    #[arg(long, value_name = "DIR", hide = true)]
    pub of_class: Option<PathBuf>,
    /// A folder that no bot may see
    #[arg(long, value_name = "DIR", hide = true)]
    pub hide: Vec<PathBuf>,
}

impl GradeArgs {
    /// The game with its options, and the map; those of the first variant if there are several.
    ///
    /// # Errors
    /// There is no such game, or it can't be played so.
    pub fn world(&self, games: Games) -> Result<World, Error> {
        Ok(self.vary.variants(&self.terms, games, 2)?.swap_remove(0).world)
    }

    /// The path of our own client for the game, beside this program; `None` if the game has none.
    pub fn client(&self, world: &World) -> Option<PathBuf> {
        Some(std::env::current_exe().ok()?.with_file_name(world.guest?.program))
    }

    /// The opponents.
    ///
    /// # Errors
    /// There are none, or their file can't be read.
    pub fn opponents(&self, world: &World) -> Result<Opponents, Error> {
        let program = zappy_tournament::worker::own_program()?;
        let folder = program.parent().unwrap_or(&program);
        Ok(Opponents::read(self.against.as_deref(), (world.spec.game.name, world.guest), folder)?)
    }

    /// Our own client at each of its levels; empty if it can't be found.
    pub fn levels(&self, world: &World) -> Vec<Bot> {
        let program = self.client(world);
        let folder = program.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
        let levels = Opponents::read(None, (world.spec.game.name, world.guest), folder);
        levels.and_then(|levels| levels.bots()).unwrap_or_default()
    }

    /// The bot, and after it its opponents.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub fn book(&self, games: Games) -> Result<Book, Error> {
        let graded = BotSpec {
            name: self.name.clone(),
            command: self.bot.clone().unwrap_or_default(),
            folder: self.folder.clone(),
            processes: self.procs,
            ..BotSpec::default()
        };
        Ok(self.opponents(&self.world(games)?)?.book_with(graded)?)
    }

    /// The matches that the flags ask for, for a grade in the folder `out`.
    ///
    /// # Errors
    /// The game can't be played so.
    pub fn wish(&self, book: &Book, out: &Path, games: Games) -> Result<Wish, Error> {
        let opponents = book.bots[1..].iter().map(|bot| bot.name.clone()).collect();
        Ok(Wish {
            pairing: Pairing::Gauntlet(opponents),
            teams: 2,
            variants: self.vary.variants(&self.terms, games, 2)?,
            seeds: self.seeds_in(self.of_class.as_deref().unwrap_or(out))?,
        })
    }

    /// The seeds that are kept in that folder, or new ones.
    ///
    /// # Errors
    /// They can't be read or drawn.
    pub fn seeds_in(&self, folder: &Path) -> Result<Seeds, Error> {
        Ok(Place::seeds(folder, self.first, self.seeds)?)
    }

    /// The command, build and number of processes that the grader gives to every submission.
    pub fn for_all(&self) -> ForAll<'_> {
        let (command, build) = (self.command.as_deref(), self.build.as_deref());
        ForAll { command, build, processes: self.procs }
    }

    /// The situations in which each bot of that game is checked; empty if bots aren't checked.
    ///
    /// # Errors
    /// There is no such situation.
    pub fn situations(&self, game: &str) -> Result<Vec<&'static Situation>, Error> {
        let known = situations_of(game);
        match self.check.as_str() {
            ALL => Ok(known.iter().collect()),
            NONE => Ok(Vec::new()),
            names => {
                let situation = |name| {
                    let words = format!(
                        "there is no situation {name:?}; zappy_arena check --game {game} --list names them"
                    );
                    let found = known.iter().find(|situation| situation.name == name);
                    found.ok_or_else(|| Error::Flag(format!("--check: {words}")))
                };
                names.split(',').map(situation).collect()
            }
        }
    }
}

/// What counts besides matches.
#[derive(Debug, Args)]
pub struct GradebookArgs {
    /// With --class: a CSV file with the columns student, handed_in (RFC 3339) and, if wanted, attempt; a line for each time that
    /// a student handed in
    #[arg(long, value_name = "FILE", requires = "class")]
    handed_in: Option<PathBuf>,
    /// With --handed-in: until when it is in time, such as 2026-11-24T18:00:00+01:00
    #[arg(long, value_name = "TIME", requires = "handed_in", value_parser = parse_time)]
    due: Option<Timestamp>,
    /// With --due: what each day costs that has begun after that, points (0.5) or a share of those that the matches came to (10%)
    /// [default: nothing]
    #[arg(long, value_name = "POINTS", requires = "due")]
    late_cost: Option<Cost>,
    /// With --due: the days after it; what is handed in later has no point
    #[arg(long, value_name = "DAYS", requires = "due", value_parser = value_parser!(u64).range(..=10_000))]
    late_days: Option<u64>,
    /// With --handed-in: how often a student may hand in; with more attempts a student has no point
    #[arg(long, value_name = "N", requires = "handed_in", value_parser = value_parser!(u64).range(1..=1_000_000))]
    attempts: Option<u64>,
    /// With --class: a CSV file with the columns student, points (such as 0.5 or -1) and comment; they are added to what the
    /// student has, and the student reads the comment
    #[arg(long, value_name = "FILE", requires = "class")]
    adjust: Option<PathBuf>,
    /// With --class: also leave leaderboard.html, a page for the class with places, points and shares under pseudonyms; each
    /// student's own page tells the student's
    #[arg(long, requires = "class")]
    pub leaderboard: bool,
}

impl GradebookArgs {
    /// The flags, each with whether it takes a value; the process of a submission needs none of them.
    pub fn flags() -> Vec<(String, bool)> {
        let command = Self::augment_args(Command::new("gradebook"));
        let flag = |flag: &Arg| Some((format!("--{}", flag.get_long()?), flag.get_action().takes_values()));
        command.get_arguments().filter_map(flag).collect()
    }

    /// Reads the files that the flags name, for these students.
    ///
    /// # Errors
    /// A line of a file is wrong.
    pub fn read(&self, students: &[Submission]) -> Result<Gradebook, Error> {
        let Self { due, late_cost: cost, late_days: days, attempts, .. } = *self;
        let policy = LatePolicy { due, cost, days, attempts };
        Gradebook::read(self.handed_in.as_deref(), self.adjust.as_deref(), policy, students)
    }
}
