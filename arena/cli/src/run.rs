//! The program, with the games and their rooms that it is given: reads the command line, plays, says how it went.
//!
//! The arena's binary and that of the tests begin here. Tested in `tests/`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use zappy_check::FindingsText;
use zappy_play::Error;
use zappy_play::display::{CLEAR, Display};
use zappy_play::folder::{self, Folder, RECORDS};
use zappy_play::local::series::{play_all, play_one};
use zappy_play::os::CONTAINS;
use zappy_play::play;
use zappy_play::programs::contain::{become_program, launch};
use zappy_play::programs::inside::relay;
use zappy_play::programs::keeper::keep;
use zappy_play::programs::signals::Signals;
use zappy_play::result::Ending;
use zappy_play::setup::Setup;
use zappy_play::table;
use zappy_play::twice::first_difference;
use zappy_play::world::Games;
use zappy_records::RecordRooms;
use zappy_server::cli::asked;
use zappy_tournament::compare::sprt::Answer;
use zappy_tournament::run::INTERRUPTED;

use super::commands::{FAILED, REFUSED, perform, print, signals};
use super::complaint::{IN_QUOTES, one_line};
use super::games::with_options;
use super::grading::grade;
use super::ladder::ladder;
use super::league::league;
use super::{Action, CheckArgs, Cli, CompareArgs, MatchArgs, MirrorArgs, TournamentAction, TournamentArgs};
use super::{grade_class, grade_student};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use log::{Level, LevelFilter};

const USAGE: u8 = 2;
/// What shells report for a program that could not be run.
const NOT_RUN: u8 = 127;

/// Does what the process's arguments ask for.
pub fn run(games: Games, rooms: RecordRooms) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Whether the flags of a bot's command stand there without quotes around it.
    let in_command = || {
        let typed: Vec<String> = std::env::args().skip(2).collect();
        let is =
            |three: &[String]| !three[0].starts_with("--") && three[1] == "-h" && !three[2].starts_with('-');
        typed.windows(3).any(is)
    };
    let found = with_options(Cli::command(), games, asked(&words)).try_get_matches_from(&words);
    let code = match found.and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => {
            start_log(&cli.action);
            let failed = |error: Error| {
                let code = if error.is_usage() { USAGE } else { FAILED };
                refuse(&error.to_string(), code)
            };
            act(&cli.action, games, rooms).unwrap_or_else(failed)
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelp && in_command() => {
            let words = format!("-h with a host behind it is a part of the bot's command; {IN_QUOTES}");
            refuse(&words, USAGE)
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
    let of_linux = match action {
        Action::Match(args) if args.step => Some("match --step"),
        Action::Compare(args) if !args.in_process => Some("compare"),
        Action::Tournament(TournamentArgs { action: Part::Plan(_) | Part::Run(_) | Part::Play(_) }) => {
            Some("tournament")
        }
        Action::Grade(_) => Some("grade"),
        Action::League(_) => Some("league"),
        _ => None,
    };
    if let Some(what) = of_linux.filter(|_| !CONTAINS) {
        return Err(Error::NeedsLinux(what));
    }
    match action {
        // No program is started, so no process has to stand by to end it.
        Action::Match(args) if args.in_process => play_in_process(args, games),
        Action::Match(args) => match args.kept_by {
            Some(keeper) => play_match(args, keeper, games, rooms),
            None => keep_action("match", &args.out, args.step),
        },
        Action::Mirror(args) => play_mirror(args, games),
        Action::Compare(args) => compare(args, games),
        Action::Tournament(args) => perform(&args.action, games),
        Action::Grade(args) => match (&args.class, &args.submission) {
            (Some(class), _) => grade_class::grade(args, class, games),
            (None, Some(submission)) => grade_student::grade(args, submission, games),
            (None, None) => grade(args, games),
        },
        Action::League(args) => league(args, games),
        Action::Ladder(args) => ladder(args, games),
        Action::Check(args) => match args.kept_by {
            _ if args.list => {
                let all = args.situations()?.situations;
                all.iter().for_each(|one| print(&format!("{:<18}  {}\n", one.name, one.purpose)));
                Ok(0)
            }
            Some(keeper) => check_bot(args, keeper, games),
            // Another process starts the bot. If that is killed, this one ends what it leaves behind.
            None => args.check(games).and_then(|_| keep_action("check", Path::new(""), false)),
        },
        Action::Verify(args) => Ok(zappy_records::verify(args, games.specs)),
        Action::Show(args) => Ok(zappy_records::show(args, games.specs, rooms)),
        Action::Expand(args) => Ok(zappy_records::expand(args, games.specs)),
        Action::Launch(args) => {
            let program = args.words.first().cloned().unwrap_or_default();
            let error = launch(args.parent, &args.context, args.limits, args.team, &args.words);
            Ok(refuse(&format!("can't run {}: {error}", program.display()), NOT_RUN))
        }
        Action::Relay(args) => {
            let code = relay(args.port, &args.socket, &args.context, args.limits, &args.words);
            code.map_or_else(
                |error| Ok(refuse(&format!("can't relay: {error}"), NOT_RUN)),
                |code| Ok(u8::try_from(code).unwrap_or(FAILED)),
            )
        }
        Action::Fence(args) => {
            let error =
                args.fence.impose().map_or_else(|why| why, |()| become_program(&args.words).to_string());
            let program = args.words.first().cloned().unwrap_or_default();
            Ok(refuse(&format!("can't run {}: {error}", program.display()), NOT_RUN))
        }
    }
}

fn refuse(text: &str, code: u8) -> u8 {
    let _ = writeln!(io::stderr(), "zappy_arena: {text}");
    code
}

fn compare(args: &CompareArgs, games: Games) -> Result<u8, Error> {
    let mut signals = signals(None)?;
    let findings = args.compare(games)?.play(&mut signals, &mut Display::new(args.quiet))?;
    if findings.interrupted {
        return Ok(refuse("interrupted; nothing was decided", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", findings.json()) } else { findings.render() });
    let misbehaved = args.strict && findings.count.misbehaved();
    let refused = misbehaved || args.require && findings.answer != Some(Answer::Yes);
    Ok(if refused { REFUSED } else { 0 })
}

fn play_mirror(args: &MirrorArgs, games: Games) -> Result<u8, Error> {
    let mut signals = signals(None)?;
    let findings = args.mirror(games)?.play(&mut signals, &mut Display::new(args.quiet))?;
    if findings.interrupted {
        return Ok(refuse("interrupted; so few matches were not judged", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", findings.json()) } else { findings.render() });
    Ok(if findings.is_clean() { 0 } else { FAILED })
}

fn check_bot(args: &CheckArgs, keeper: i32, games: Games) -> Result<u8, Error> {
    let mut signals = signals(Some(keeper))?;
    let check = args.check(games)?;
    let tell = |text: String| {
        if !args.json {
            print(&text);
        }
    };
    tell(check.describe());
    let mut findings_text = FindingsText::default();
    let report = check.run(&mut signals, |finding| tell(findings_text.take(finding, args.verbose)))?;
    tell(findings_text.rest());
    if report.interrupted {
        return Ok(refuse("interrupted; not all situations were tried", INTERRUPTED));
    }
    print(&if args.json { format!("{:#}\n", report.json()) } else { report.summary() });
    Ok(if report.is_good() { 0 } else { REFUSED })
}

fn play_in_process(args: &MatchArgs, games: Games) -> Result<u8, Error> {
    let mut signals = signals(None)?;
    let plan = args.plan(games)?;
    log::info!("{}", plan.describe());
    if args.seeds.is_none() {
        let folder = Folder::prepare(&args.out, args.force)?;
        let words = "interrupted; the match was not played to its end";
        let Some((result, ending)) = play_one(&plan, &folder, &mut signals, games.specs)? else {
            return Ok(refuse(words, INTERRUPTED));
        };
        print(&table::render(&result, plan.world.spec.game));
        log::info!("record and result are in {}", args.out.display());
        return Ok(match (ending, result.arena.and_then(|arena| arena.error)) {
            (Ending::Interrupted, _) => refuse(words, INTERRUPTED),
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

/// Lets another process perform the action, and stands by. `typed`: what is typed here is handed on to it.
fn keep_action(action: &str, out: &Path, typed: bool) -> Result<u8, Error> {
    let program = zappy_tournament::worker::own_program()?;
    let own = std::process::id().to_string();
    let mut arguments: Vec<OsString> = [action, "--kept-by", &own].map(Into::into).into();
    // The program's name and the subcommand come first.
    arguments.extend(std::env::args_os().skip(2));
    let Some(code) = keep(&program, &arguments, typed)?.code() else {
        folder::tidy(out);
        return Err(Error::Killed);
    };
    Ok(u8::try_from(code).unwrap_or(FAILED))
}

fn play_match(args: &MatchArgs, keeper: i32, games: Games, rooms: RecordRooms) -> Result<u8, Error> {
    let mut signals = signals(Some(keeper))?;
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
    match played.error {
        Some(error) => Err(error),
        None if played.ending == Ending::Interrupted => {
            Ok(refuse("interrupted; the match was not played to its end", INTERRUPTED))
        }
        None if args.twice => play_again(args, &setup, &folder, &mut signals),
        None => {
            if played.result.played().is_some_and(|result| result.reproducible) {
                print(&proof(args, setup.seed));
            }
            Ok(0)
        }
    }
}

/// The commands that prove that the match is reproducible.
fn proof(args: &MatchArgs, seed: u64) -> String {
    let out = args.out.display().to_string();
    let again = format!("{}-again", out.trim_end_matches('/'));
    let mut words: Vec<String> = std::env::args().filter(|word| *word != "--force").collect();
    if let Some(place) = words.iter().position(|word| word == "--kept-by") {
        words.drain(place..words.len().min(place + 2));
    }
    for word in &mut words {
        let named = [out.clone(), format!("--out={out}")];
        if named.contains(word) {
            *word = word.replace(&out, &again);
        }
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

/// Plays the same match once more and compares the records.
fn play_again(args: &MatchArgs, setup: &Setup, folder: &Folder, signals: &mut Signals) -> Result<u8, Error> {
    log::info!("once more, with the same seed");
    let second = Folder::prepare(&folder.second(), false)?;
    let played = play(setup, &second, signals, &mut Display::new(args.quiet))?;
    match played.error {
        Some(error) => return Err(error),
        None if played.ending == Ending::Interrupted => {
            return Ok(refuse("interrupted; the match was not played twice to its end", INTERRUPTED));
        }
        None => {}
    }
    let Some(difference) = first_difference(&folder.record(), &second.record())? else {
        print("played twice: the records are equal, to the byte\n");
        return Ok(0);
    };
    let again = folder.again();
    fs::rename(second.record(), &again).map_err(|error| Error::File(again, error))?;
    print(&difference.render(&args.out));
    Ok(refuse("played twice, the records differ", REFUSED))
}

fn start_log(action: &Action) {
    use TournamentAction as Part;
    let (quiet, verbose, in_process) = match action {
        Action::Match(args) => (args.quiet, args.verbose, args.in_process),
        Action::Mirror(args) => (args.quiet, 0, true),
        Action::Compare(args) => (args.quiet, 0, args.in_process),
        Action::Tournament(TournamentArgs { action: Part::Run(args) }) => (args.playing.quiet, 0, false),
        Action::Tournament(_) => (false, 0, false),
        Action::Grade(args) => (args.playing.quiet, 0, false),
        Action::League(args) => (args.playing.quiet, 0, false),
        Action::Ladder(args) => (args.quiet, args.verbose, true),
        Action::Check(_) => (true, 0, true),
        Action::Verify(_)
        | Action::Show(_)
        | Action::Expand(_)
        | Action::Launch(_)
        | Action::Relay(_)
        | Action::Fence(_) => return,
    };
    // The tournament's runner tells people about it.
    let spoken_for = matches!(action, Action::Tournament(TournamentArgs { action: Part::Play(_) }));
    let level = match (quiet, verbose) {
        _ if spoken_for => LevelFilter::Error,
        (true, _) => LevelFilter::Warn,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let start = Instant::now();
    let clear = if io::stderr().is_terminal() { CLEAR } else { "" };
    let mut builder = env_logger::Builder::new();
    builder.filter_level(level);
    if spoken_for {
        // What is missing around a bot is known here alone.
        builder.filter_module("zappy_tournament::team_sandbox", LevelFilter::Warn);
    }
    // Many matches would each log their beginning.
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
