//! The program `zappy_arena`, for the games and the readers of records (rooms) that it is given: reads the command
//! line, performs the subcommand, gives the exit code.
//!
//! The arena's binary and that of the tests begin here. An error in the command line is one line that names the flag
//! and the remedy. Tested in `tests/`.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

mod check;
mod commands;
mod compare;
mod games;
mod grade;
mod grade_class;
mod grade_student;
mod grading;
mod ladder;
mod league;
mod match_flags;
mod resume;
mod tournament;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use log::{Level, LevelFilter};
use zappy_check::FindingsText;
use zappy_play::Error;
use zappy_play::display::{CLEAR, Display};
use zappy_play::folder::{self, AGAIN, Folder, RECORDS};
use zappy_play::local::series::{play_all, play_one};
use zappy_play::os::CONTAINS;
use zappy_play::play;
use zappy_play::programs::contain::{become_program, launch};
use zappy_play::programs::context::Context;
use zappy_play::programs::fence::Fence;
use zappy_play::programs::inner_relay::relay;
use zappy_play::programs::keeper::keep;
use zappy_play::programs::limits::Limits;
use zappy_play::result::Ending;
use zappy_play::table;
use zappy_play::twice::first_difference;
use zappy_play::world::Games;
use zappy_records::RecordRooms;
use zappy_records::args::{self, ExpandArgs, ShowArgs, VerifyArgs};
use zappy_server::cli::asked_game;
use zappy_tournament::run::INTERRUPTED;

use check::CheckArgs;
use commands::{FAILED, IN_QUOTES, REFUSED, catch_signals, one_line, perform, print};
use compare::{CompareArgs, MirrorArgs};
use games::with_options;
use grade::GradeArgs;
use ladder::LadderArgs;
use league::LeagueArgs;
use match_flags::MatchArgs;
use tournament::TournamentAction;

/// Matches between programs that play Zappy, and their records.
#[derive(Debug, Parser)]
#[command(name = "zappy_arena", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    action: Action,
}

/// What the arena can do.
#[derive(Debug, Subcommand)]
enum Action {
    /// Play one match: start a server and the bots, wait for the end, leave the record and the result
    #[command(after_long_help = match_flags::EXAMPLES, after_help = "--help shows examples.")]
    Match(Box<MatchArgs>),
    /// Test that seats are fair: play our client against itself in all seats, many times, in this process
    #[command(after_long_help = compare::MIRROR_EXAMPLES, after_help = "--help shows examples.")]
    Mirror(MirrorArgs),
    /// Is the new version of a bot stronger than the old one? Play both until that is known
    #[command(after_long_help = compare::EXAMPLES, after_help = "--help shows examples.")]
    Compare(Box<CompareArgs>),
    /// Give a bot points: play it against a row of opponents, a point for each that it beats
    #[command(after_long_help = grade::examples(), after_help = "--help shows examples.")]
    Grade(Box<GradeArgs>),
    /// Plan and play many matches between many bots, unattended
    Tournament {
        #[command(subcommand)]
        action: TournamentAction,
    },
    /// Play bots that lie in a folder against each other, on and on, as they come and change
    #[command(after_long_help = league::examples(), after_help = "--help says how a bot is started, and shows examples.")]
    League(Box<LeagueArgs>),
    /// Host bots that come over the network by themselves: they wait, are paired, play, and climb
    #[command(after_long_help = ladder::EXAMPLES, after_help = "--help shows examples.")]
    Ladder(Box<LadderArgs>),
    /// Check a bot before it is handed in: put it into crafted situations and say what it does wrong
    #[command(after_long_help = check::EXAMPLES, after_help = "--help shows examples.")]
    Check(CheckArgs),
    /// Play records again, all cores at once, and say which of them are what the rules say
    #[command(after_long_help = args::VERIFY_HELP, after_help = "--help shows examples.")]
    Verify(VerifyArgs),
    /// Tell what happened in a record, or what one player and the server said to each other
    #[command(after_long_help = args::SHOW_HELP, after_help = "--help shows examples.")]
    Show(ShowArgs),
    /// Make the full record of one that holds inputs alone
    #[command(after_long_help = args::EXPAND_HELP, after_help = "--help shows examples.")]
    Expand(ExpandArgs),
    /// Becomes another program that ends with the arena
    #[command(hide = true)]
    Launch {
        /// The arena's process
        parent: i32,
        #[command(flatten)]
        context: Context,
        #[command(flatten)]
        limits: Limits,
        /// The place of its team in the match
        #[arg(long)]
        team: Option<usize>,
        /// The program and its arguments
        #[arg(last = true)]
        words: Vec<OsString>,
    },
    /// Runs a program in a sandbox, and carries its connections out of it
    #[command(hide = true)]
    Relay {
        /// The server's port
        port: u16,
        /// The socket that leads to it
        socket: PathBuf,
        #[command(flatten)]
        context: Context,
        #[command(flatten)]
        limits: Limits,
        /// The program and its arguments
        #[arg(last = true)]
        words: Vec<OsString>,
    },
    /// Becomes another program, held by the kernel to what is named
    // The parser knows the flags of the fence by the variant's usual name.
    #[command(hide = true, name = "fence")]
    Fenced {
        #[command(flatten)]
        fence: Fence,
        /// The program and its arguments
        #[arg(last = true)]
        words: Vec<OsString>,
    },
}

/// The exit code for a wrong command line.
const USAGE: u8 = 2;
/// The exit code by which shells report a program that could not be run.
const NOT_RUN: u8 = 127;
/// The message after an interrupted match.
const CUT_SHORT: &str = "interrupted; the match was not played to its end";

/// Does what the process's arguments ask for.
pub fn run(games: Games, rooms: RecordRooms) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Whether `-h` is followed by a host: a bot's command was typed without quotes around it.
    let has_host_flag = || {
        let typed: Vec<String> = std::env::args().skip(2).collect();
        let has =
            |three: &[String]| !three[0].starts_with("--") && three[1] == "-h" && !three[2].starts_with('-');
        typed.windows(3).any(has)
    };
    let found = with_options(Cli::command(), games, asked_game(&words)).try_get_matches_from(&words);
    let code = match found.and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => {
            start_log(&cli.action);
            act(&cli.action, games, rooms).unwrap_or_else(|error| {
                let code = if error.is_usage() { USAGE } else { FAILED };
                refuse(&error.to_string(), code)
            })
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelp && has_host_flag() => {
            let words = "-h with a host behind it is a part of the bot's command";
            refuse(&format!("{words}; {IN_QUOTES}"), USAGE)
        }
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let _ = error.print();
            0
        }
        Err(error) => refuse(&one_line(&error), USAGE),
    };
    ExitCode::from(code)
}

/// Performs the action, and gives the exit code.
fn act(action: &Action, games: Games, rooms: RecordRooms) -> Result<u8, Error> {
    use TournamentAction as Part;
    let linux_only = match action {
        Action::Match(args) if args.step => Some("match --step"),
        Action::Compare(args) if !args.in_process => Some("compare"),
        Action::Tournament { action: Part::Plan(_) | Part::Run(_) | Part::Play(_) } => Some("tournament"),
        Action::Grade(_) => Some("grade"),
        Action::League(_) => Some("league"),
        _ => None,
    };
    if let Some(what) = linux_only.filter(|_| !CONTAINS) {
        return Err(Error::NeedsLinux(what));
    }
    match action {
        // No program is started, so no process has to stand by to end programs.
        Action::Match(args) if args.in_process => play_in_process(args, games),
        Action::Match(args) => match args.kept_by {
            Some(keeper) => play_match(args, keeper, games, rooms),
            None => keep_action("match", &args.out, args.step),
        },
        Action::Mirror(args) => compare::mirror(args, games),
        Action::Compare(args) => compare::compare(args, games),
        Action::Tournament { action } => perform(action, games),
        Action::Grade(args) => match (&args.class, &args.submission) {
            (Some(class), _) => grade_class::grade(args, class, games),
            (None, Some(submission)) => grade_student::grade(args, submission, games),
            (None, None) => grading::grade(args, games),
        },
        Action::League(args) => league::league(args, games),
        Action::Ladder(args) => ladder::ladder(args, games),
        Action::Check(args) => match args.kept_by {
            _ if args.list => {
                let all = args.checked_game()?.situations;
                all.iter().for_each(|one| print(&format!("{:<18}  {}\n", one.name, one.purpose)));
                Ok(0)
            }
            Some(keeper) => check_bot(args, keeper, games),
            // Another process starts the bot. If it is killed, this process ends the programs that it leaves behind.
            None => args.check(games).and_then(|_| keep_action("check", Path::new(""), false)),
        },
        Action::Verify(args) => Ok(zappy_records::verify(args, games.specs)),
        Action::Show(args) => Ok(zappy_records::show(args, games.specs, rooms)),
        Action::Expand(args) => Ok(zappy_records::expand(args, games.specs)),
        Action::Launch { parent, context, limits, team, words } => {
            Ok(cannot_run(words, &launch(*parent, context, *limits, *team, words).to_string()))
        }
        Action::Relay { port, socket, context, limits, words } => {
            Ok(match relay(*port, socket, context, *limits, words) {
                Ok(code) => u8::try_from(code).unwrap_or(FAILED),
                Err(error) => refuse(&format!("can't relay: {error}"), NOT_RUN),
            })
        }
        Action::Fenced { fence, words } => {
            let error = fence.impose().map_or_else(|why| why, |()| become_program(words).to_string());
            Ok(cannot_run(words, &error))
        }
    }
}

/// Says why a program can't be run; gives the exit code.
fn cannot_run(words: &[OsString], error: &str) -> u8 {
    let program = words.first().cloned().unwrap_or_default();
    refuse(&format!("can't run {}: {error}", program.display()), NOT_RUN)
}

/// Says on standard error why something isn't done; gives `code` back.
fn refuse(text: &str, code: u8) -> u8 {
    let _ = writeln!(io::stderr(), "zappy_arena: {text}");
    code
}

fn check_bot(args: &CheckArgs, keeper: i32, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(Some(keeper))?;
    let check = args.check(games)?;
    let print_text = |text: String| {
        if !args.json {
            print(&text);
        }
    };
    print_text(check.describe());
    let mut findings_text = FindingsText::default();
    let report = check.run(&mut signals, |finding| print_text(findings_text.take(finding, args.verbose)))?;
    print_text(findings_text.rest());
    if report.interrupted {
        return Ok(refuse("interrupted; not all situations were tried", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", report.json()) } else { report.summary() });
    Ok(if report.is_good() { 0 } else { REFUSED })
}

fn play_in_process(args: &MatchArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let plan = args.plan(games)?;
    log::info!("{}", plan.describe());
    if args.seeds.is_none() {
        let folder = Folder::prepare(&args.out, args.force)?;
        let Some((result, ending)) = play_one(&plan, &folder, &mut signals, games.specs)? else {
            return Ok(refuse(CUT_SHORT, INTERRUPTED));
        };
        print(&table::render(&result, plan.world.spec.game));
        log::info!("record and result are in {}", args.out.display());
        return Ok(match (ending, result.arena.and_then(|arena| arena.error)) {
            (Ending::Interrupted, _) => refuse(CUT_SHORT, INTERRUPTED),
            (_, Some(why)) => refuse(&why, FAILED),
            _ => 0,
        });
    }
    let folder = Folder::prepare_with(&args.out, args.force, RECORDS)?;
    let summary = play_all(&plan, &folder, &mut signals, &mut Display::new(args.quiet))?;
    print(&summary.render());
    log::info!("results.jsonl and records are in {}", args.out.display());
    let words = "interrupted; the matches that were over are in the folder";
    Ok(if summary.interrupted { refuse(words, INTERRUPTED) } else { 0 })
}

/// Lets another process perform the action, and stands by to end its programs if it is killed. With `has_input` the
/// other process gets the input of this one.
fn keep_action(action: &str, out: &Path, has_input: bool) -> Result<u8, Error> {
    let program = zappy_tournament::worker::own_program()?;
    let own = std::process::id().to_string();
    let mut arguments: Vec<OsString> = [action, "--kept-by", &own].map(Into::into).into();
    // The program's name and the subcommand come first.
    arguments.extend(std::env::args_os().skip(2));
    let Some(code) = keep(&program, &arguments, has_input)?.code() else {
        folder::remove_scratch(out);
        return Err(Error::Killed);
    };
    Ok(u8::try_from(code).unwrap_or(FAILED))
}

fn play_match(args: &MatchArgs, keeper: i32, games: Games, rooms: RecordRooms) -> Result<u8, Error> {
    let mut signals = catch_signals(Some(keeper))?;
    let setup = args.setup(games)?;
    let folder = Folder::prepare(&args.out, args.force)?;
    if let Some(record) = &setup.resume {
        fs::copy(record, folder.record()).map_err(|error| Error::File(record.clone(), error))?;
    }
    log::info!("{}", setup.describe());
    let played = play(&setup, &folder, &mut signals, &mut Display::new(args.quiet))?;
    print(&table::render(&played.result, setup.world.spec.game));
    if played.result.played().is_some_and(|result| result.teams.iter().any(|team| team.conduct.refused > 0)) {
        print(&zappy_records::refusals(&args.out, games.specs, rooms));
    }
    log::info!("record, result and logs are in {}", args.out.display());
    played.error.map_or(Ok(()), Err)?;
    if played.ending == Ending::Interrupted {
        return Ok(refuse(CUT_SHORT, INTERRUPTED));
    }
    if !args.twice {
        if played.result.played().is_some_and(|result| result.reproducible) {
            print(&proof_commands(args, setup.seed));
        }
        return Ok(0);
    }
    log::info!("once more, with the same seed");
    let second = Folder::prepare(&folder.scratch().join("second"), false)?;
    let played = play(&setup, &second, &mut signals, &mut Display::new(args.quiet))?;
    played.error.map_or(Ok(()), Err)?;
    if played.ending == Ending::Interrupted {
        return Ok(refuse("interrupted; the match was not played twice to its end", INTERRUPTED));
    }
    let Some(difference) = first_difference(&folder.record(), &second.record())? else {
        print("played twice: the records are equal, to the byte\n");
        return Ok(0);
    };
    let again = folder.path().join(AGAIN);
    fs::rename(second.record(), &again).map_err(|error| Error::File(again, error))?;
    print(&difference.render(&args.out));
    Ok(refuse("played twice, the records differ", REFUSED))
}

/// The commands that prove that the match is reproducible.
fn proof_commands(args: &MatchArgs, seed: u64) -> String {
    let out = args.out.display().to_string();
    let again = format!("{}-again", out.trim_end_matches('/'));
    let mut words: Vec<String> = std::env::args().filter(|word| *word != "--force").collect();
    if let Some(place) = words.iter().position(|word| word == "--kept-by") {
        words.drain(place..words.len().min(place + 2));
    }
    for word in words.iter_mut().filter(|word| **word == out || **word == format!("--out={out}")) {
        *word = word.replace(&out, &again);
    }
    if args.seed.is_none() {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    let quote =
        |word: &String| shlex::try_quote(word).map_or_else(|_| word.clone(), std::borrow::Cow::into_owned);
    let command = words.iter().map(quote).collect::<Vec<_>>().join(" ");
    let [one, two] = [&out, &again].map(|folder| quote(&format!("{folder}/match.zrec")));
    format!("to prove it, add --twice, or:\n  {command} --force\n  cmp {one} {two}\n")
}

fn start_log(action: &Action) {
    use TournamentAction as Part;
    let (quiet, verbose, in_process) = match action {
        Action::Match(args) => (args.quiet, args.verbose, args.in_process),
        Action::Mirror(args) => (args.quiet, 0, true),
        Action::Compare(args) => (args.quiet, 0, args.in_process),
        Action::Tournament { action: Part::Run(args) } => (args.playing.quiet, 0, false),
        Action::Tournament { .. } => (false, 0, false),
        Action::Grade(args) => (args.playing.quiet, 0, false),
        Action::League(args) => (args.playing.quiet, 0, false),
        Action::Ladder(args) => (args.quiet, args.verbose, true),
        Action::Check(_) => (true, 0, true),
        _ => return,
    };
    // The process that runs the tournament reports on its matches.
    let is_reported = matches!(action, Action::Tournament { action: Part::Play(_) });
    let level = match (quiet, verbose) {
        _ if is_reported => LevelFilter::Error,
        (true, _) => LevelFilter::Warn,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let start = Instant::now();
    let clear = if io::stderr().is_terminal() { CLEAR } else { "" };
    let mut builder = env_logger::Builder::new();
    builder.filter_level(level);
    if is_reported {
        // Only the process of the match knows what is missing in a bot's sandbox.
        builder.filter_module("zappy_tournament::team_sandbox", LevelFilter::Warn);
    }
    // The server in this process would log the beginning of each match.
    if in_process && verbose == 0 {
        builder.filter_module("zappy_server", LevelFilter::Warn);
    }
    builder
        .parse_default_env()
        .format(move |out, record| {
            let seconds = start.elapsed().as_secs_f64();
            let mark = match record.level() {
                Level::Error => "error: ",
                Level::Warn => "warning: ",
                _ => "",
            };
            writeln!(out, "{clear}{seconds:7.1} s  {mark}{}", record.args())
        })
        .init();
}
