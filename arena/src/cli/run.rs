//! The program, with the games it is given: reads the command line, plays, says how it went.
//!
//! The arena's binary and that of the tests begin here. Tested in `tests/`.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::commands::perform;
use super::games::with_options;
use super::grading::grade;
use super::{
    Action, CheckArgs, Cli, CompareArgs, GradeArgs, MatchArgs, MirrorArgs, TournamentAction, one_line,
};
use crate::check;
use crate::compare::sprt::Answer;
use crate::local::series::{play_all, play_one};
use crate::play::display::{CLEAR, Display};
use crate::play::folder::{self, Folder};
use crate::play::play;
use crate::play::result::Ending;
use crate::play::table;
use crate::play::world::Games;
use crate::programs::contain::{become_program, launch, signal_at_death_of};
use crate::programs::inside::relay;
use crate::programs::keeper::keep;
use crate::programs::signals::Signals;
use crate::{Error, records};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use log::{Level, LevelFilter};
use rustix::process::Signal;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
/// A bot misbehaved, or the answer isn't the one that was required.
const REFUSED: u8 = 3;
/// What shells report for a program that could not be run.
const NOT_RUN: u8 = 127;
const INTERRUPTED: u8 = 130;

/// Does what the process's arguments ask for.
pub fn run(games: Games) -> ExitCode {
    let found = with_options(Cli::command(), games).try_get_matches();
    let cli = match found.and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => return refuse(&one_line(&error), USAGE),
    };
    match cli.action {
        Action::Match(args) => run_match(&args, games),
        Action::Mirror(args) => run_mirror(&args, games),
        Action::Compare(args) => run_compare(&args, games),
        Action::Tournament(args) => run_tournament(&args.action, games),
        Action::Grade(args) => run_grade(&args, games),
        Action::Check(args) => run_check(&args),
        Action::Verify(args) => ExitCode::from(records::verify(&args, games.specs)),
        Action::Show(args) => ExitCode::from(records::show(&args, games.specs)),
        Action::Expand(args) => ExitCode::from(records::expand(&args, games.specs)),
        Action::Launch(args) => {
            let program = args.words.first().cloned().unwrap_or_default();
            let error = launch(args.parent, args.limits, args.filter, &args.words);
            refuse(&format!("can't run {}: {error}", program.display()), NOT_RUN)
        }
        Action::Relay(args) => match relay(args.port, &args.socket, args.limits, &args.words) {
            Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(FAILED)),
            Err(error) => refuse(&format!("can't relay: {error}"), NOT_RUN),
        },
        Action::Fence(args) => {
            let error =
                args.fence.impose().map_or_else(|why| why, |()| become_program(&args.words).to_string());
            let program = args.words.first().cloned().unwrap_or_default();
            refuse(&format!("can't run {}: {error}", program.display()), NOT_RUN)
        }
    }
}

fn refuse(text: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "zappy_arena: {text}");
    ExitCode::from(code)
}

fn fail(error: &Error) -> ExitCode {
    refuse(&error.to_string(), if error.is_usage() { USAGE } else { FAILED })
}

fn run_match(args: &MatchArgs, games: Games) -> ExitCode {
    start_log(args.quiet, args.verbose, args.in_process);
    let code = match args.kept_by {
        // Nothing is started that would have to be ended.
        _ if args.in_process => try_in_process(args, games),
        Some(keeper) => try_match(args, keeper, games),
        None => keep_match(args),
    };
    code.unwrap_or_else(|error| fail(&error))
}

fn run_mirror(args: &MirrorArgs, games: Games) -> ExitCode {
    start_log(args.quiet, 0, true);
    try_mirror(args, games).unwrap_or_else(|error| fail(&error))
}

fn run_tournament(action: &TournamentAction, games: Games) -> ExitCode {
    match action {
        // Its runner speaks for it.
        TournamentAction::Play(_) => start_log_at(LevelFilter::Error, false),
        TournamentAction::Run(args) => start_log(args.playing.quiet, 0, false),
        TournamentAction::Plan(_) | TournamentAction::Status(_) | TournamentAction::Merge(_) => {
            start_log(false, 0, false);
        }
    }
    perform(action, games).map_or_else(|error| fail(&error), ExitCode::from)
}

fn run_compare(args: &CompareArgs, games: Games) -> ExitCode {
    // Each match in this process would say when it begins.
    start_log(args.quiet, 0, args.in_process);
    try_compare(args, games).unwrap_or_else(|error| fail(&error))
}

fn try_compare(args: &CompareArgs, games: Games) -> Result<ExitCode, Error> {
    // Before anything is started, so that no wish to stop is lost.
    let mut signals = Signals::install()?;
    let compare = args.compare(games)?;
    let mut display = Display::new(args.quiet);
    let findings = compare.play(&mut signals, &mut display)?;
    drop(display);
    if findings.interrupted {
        return Ok(refuse("interrupted; nothing was decided", INTERRUPTED));
    }
    let text = if args.json { format!("{:#}\n", findings.json()) } else { findings.render() };
    let _ = io::stdout().write_all(text.as_bytes());
    let misbehaved = args.strict && findings.count.misbehaved();
    let refused = misbehaved || args.require && findings.answer != Some(Answer::Yes);
    Ok(if refused { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS })
}

fn run_grade(args: &GradeArgs, games: Games) -> ExitCode {
    start_log(args.playing.quiet, 0, false);
    grade(args, games).map_or_else(|error| fail(&error), ExitCode::from)
}

fn try_mirror(args: &MirrorArgs, games: Games) -> Result<ExitCode, Error> {
    let mut signals = Signals::install()?;
    let mirror = args.mirror(games)?;
    let mut display = Display::new(args.quiet);
    let findings = mirror.play(&mut signals, &mut display)?;
    drop(display);
    if findings.interrupted {
        return Ok(refuse("interrupted; so few matches were not judged", INTERRUPTED));
    }
    let text = if args.json { format!("{:#}\n", findings.json()) } else { findings.render() };
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(if findings.is_fair() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn run_check(args: &CheckArgs) -> ExitCode {
    start_log(true, 0, true);
    let code = match args.kept_by {
        _ if args.list => Ok(list_situations()),
        Some(keeper) => try_check(args, keeper),
        // Another process starts the bot; what is left behind when that is killed, this one ends.
        None => args.check().and_then(|_| keep_action("check", Path::new(""))),
    };
    code.unwrap_or_else(|error| fail(&error))
}

fn list_situations() -> ExitCode {
    let line = |situation: &check::Situation| format!("{:<18}  {}\n", situation.name, situation.purpose);
    let text: String = check::ALL.iter().map(line).collect();
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn try_check(args: &CheckArgs, keeper: i32) -> Result<ExitCode, Error> {
    let mut signals = Signals::install()?;
    signal_at_death_of(keeper, Signal::TERM).map_err(|error| Error::System("can't be kept", error))?;
    let check = args.check()?;
    if !args.json {
        let _ = io::stdout().write_all(check.describe().as_bytes());
    }
    let report = check.run(&mut signals, |finding| {
        if !args.json {
            let _ = io::stdout().write_all(finding.render(args.verbose).as_bytes());
        }
    })?;
    if report.interrupted {
        return Ok(refuse("interrupted; not all situations were tried", INTERRUPTED));
    }
    let text = if args.json { format!("{:#}\n", report.json()) } else { report.summary() };
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}

fn try_in_process(args: &MatchArgs, games: Games) -> Result<ExitCode, Error> {
    let mut signals = Signals::install()?;
    let plan = args.plan(games)?;
    log::info!("{}", plan.describe());
    if args.seeds.is_none() {
        let folder = Folder::prepare(&args.out, args.force)?;
        let words = "interrupted; the match was not played to its end";
        let Some((result, stopped)) = play_one(&plan, &folder, &mut signals)? else {
            return Ok(refuse(words, INTERRUPTED));
        };
        let _ = io::stdout().write_all(table::render(&result, plan.world.spec.game).as_bytes());
        log::info!("record and result are in {}", args.out.display());
        return Ok(if stopped { refuse(words, INTERRUPTED) } else { ExitCode::SUCCESS });
    }
    let folder = Folder::prepare_many(&args.out, args.force)?;
    let mut display = Display::new(args.quiet);
    let summary = play_all(&plan, &folder, &mut signals, &mut display)?;
    drop(display);
    let _ = io::stdout().write_all(summary.render().as_bytes());
    log::info!("results.jsonl and records are in {}", args.out.display());
    let words = "interrupted; the matches that were over are in the folder";
    Ok(if summary.interrupted { refuse(words, INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Another process plays; this one stands by.
fn keep_match(args: &MatchArgs) -> Result<ExitCode, Error> {
    keep_action("match", &args.out)
}

fn keep_action(action: &str, out: &Path) -> Result<ExitCode, Error> {
    let program = std::env::current_exe().map_err(|error| Error::System("can't find this program", error))?;
    let mut arguments: Vec<OsString> =
        [action, "--kept-by", &std::process::id().to_string()].map(Into::into).into();
    // The program's name and the subcommand come first.
    arguments.extend(std::env::args_os().skip(2));
    let Some(code) = keep(&program, &arguments)?.code() else {
        folder::tidy(out);
        return Err(Error::Killed);
    };
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(FAILED)))
}

fn try_match(args: &MatchArgs, keeper: i32, games: Games) -> Result<ExitCode, Error> {
    // Before anything is started, so that no wish to stop is lost.
    let mut signals = Signals::install()?;
    signal_at_death_of(keeper, Signal::TERM).map_err(|error| Error::System("can't be kept", error))?;
    let setup = args.setup(games)?;
    let folder = Folder::prepare(&args.out, args.force)?;
    log::info!("{}", setup.describe());
    let mut display = Display::new(args.quiet);
    let played = play(&setup, &folder, &mut signals, &mut display)?;
    drop(display);
    // A pipe whose reader has ended is no failure.
    let _ = io::stdout().write_all(table::render(&played.result, setup.world.spec.game).as_bytes());
    log::info!("record, result and logs are in {}", args.out.display());
    drop(folder);
    if let Some(error) = &played.error {
        return Ok(fail(error));
    }
    if played.ending == Ending::Interrupted {
        return Ok(refuse("interrupted; the match was not played to its end", INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

fn start_log(quiet: bool, verbose: u8, in_process: bool) {
    let level = match (quiet, verbose) {
        (true, _) => LevelFilter::Warn,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    // Each match would say when it begins.
    start_log_at(level, in_process && verbose == 0);
}

fn start_log_at(level: LevelFilter, silence_server: bool) {
    let start = Instant::now();
    let clear = if io::stderr().is_terminal() { CLEAR } else { "" };
    let mut builder = env_logger::Builder::new();
    builder.filter_level(level);
    if silence_server {
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
