//! The subcommands of `zappy_arena tournament` with their exit codes, and functions that other commands use, too.
//!
//! Tested in `tests/tournament/`, `tests/merge/` and `tests/refusals.rs`.

use std::collections::HashSet;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::os::Signal;
use zappy_play::programs::contain::signal_at_death_of;
use zappy_play::programs::missing;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::{self, Kind};
use zappy_play::world::Games;
use zappy_protocol::text::many;
use zappy_records::Progress;
use zappy_tournament::Error as TournamentError;
use zappy_tournament::bots::{Book, Bot};
use zappy_tournament::copies::links_out;
use zappy_tournament::grading::result::left_out_words;
use zappy_tournament::merge::{MERGED, Merge};
use zappy_tournament::place::{BOTS, Failure, Place};
use zappy_tournament::plan::plan;
use zappy_tournament::run::{FULL, INTERRUPTED, NoStart, Run, Shard, Watch};
use zappy_tournament::single::{Tools, play_single};
use zappy_tournament::speed;
use zappy_tournament::status::Status;
use zappy_tournament::verify;

use super::Cli;
use super::tournament::{MergeArgs, PlayArgs, PlayingArgs, RunArgs, TournamentAction, VerifyTournamentArgs};

/// The exit code if the arena failed.
pub(super) const FAILED: u8 = 1;
/// The exit code if a bot misbehaved, or the answer isn't the one that was required.
pub(super) const REFUSED: u8 = 3;

/// Performs a subcommand of `tournament`; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn perform(action: &TournamentAction, games: Games) -> Result<u8, Error> {
    match action {
        TournamentAction::Plan(args) => {
            let (book, wish) = (Book::read(&args.bots)?, args.wish(games)?);
            let matches = plan(&book, &wish)?;
            warn_of_links(&book.bots);
            let (bots, seeds) = (many(book.bots.len() as u64, "bot"), many(wish.seeds.count(), "seed"));
            let what = format!("{} between {bots} on {seeds}", many(matches.len() as u64, "match"));
            let out = args.out.display();
            let is_new = Place::create(&args.out, &book, &matches, &wish.seeds)?;
            signature::sign(&args.out, Kind::Tournament, &[BOTS]);
            print(&if is_new {
                format!("planned {what} in {out}; play them with: zappy_arena tournament run {out}\n")
            } else {
                format!("{out} holds this very plan already: {what}; nothing was changed\n")
            });
            Ok(0)
        }
        TournamentAction::Run(args) => run(args, games),
        TournamentAction::Status(args) => {
            let status = Status::read(&Place::open(&args.dir)?, Shard::default(), games)?;
            print(&if args.json { format!("{:#}\n", status.json()) } else { status.render() });
            Ok(0)
        }
        TournamentAction::Verify(args) => verify(args, games),
        TournamentAction::Merge(args) => merge(args, games),
        TournamentAction::Play(args) => play(args, games),
    }
}

/// Writes to standard output. It is no failure if the reader at the other end of a pipe has ended.
pub(super) fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// Catches the operator's signals and, if another process keeps this one (`keeper`), the signal of its death. To be
/// called before anything is started, so that no signal is lost.
pub(super) fn catch_signals(keeper: Option<i32>) -> Result<Signals, Error> {
    let signals = Signals::install()?;
    if let Some(keeper) = keeper {
        signal_at_death_of(keeper, Signal::TERM).map_err(|error| Error::System("can't be kept", error))?;
    }
    Ok(signals)
}

/// Warns of the links in these bots' folders that are left out of the copies that play.
pub(super) fn warn_of_links(bots: &[Bot]) {
    for bot in bots {
        let links = bot.folder.as_deref().map(links_out).unwrap_or_default();
        left_out_words(&links).into_iter().for_each(|words| log::warn!("{}: {words}", bot.name));
    }
}

fn run(args: &RunArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(None)?;
    let run = args.playing.run(Place::open(&args.dir)?, args.shard.unwrap_or_default(), games)?;
    missing::tell(run.containment, run.place.path());
    let (code, no_start) = play_through(&run, &args.playing, &mut signals, None)?;
    let Some(NoStart { words, log, .. }) = no_start else { return Ok(code) };
    let (log, remedy) = (log.display(), "Mend it and plan again, or go on without it with --keep-going");
    Err(TournamentError::NoStart(format!("{words} ({log}). {remedy}")).into())
}

/// Plays the matches that have no result yet, and shows the status; gives the exit code, and the bot that can't be started.
pub(super) fn play_through(
    run: &Run,
    playing: &PlayingArgs,
    signals: &mut Signals,
    watch: Option<&mut dyn Watch>,
) -> Result<(u8, Option<NoStart>), Error> {
    let mut display = Display::new(playing.quiet);
    let report = run.play(signals, &mut display, watch)?;
    drop(display);
    if report.played > 0 {
        log::info!("{}", speed::summary(report.played, report.time));
    }
    if report.disturbed > 0 {
        let count = many(report.disturbed as u64, "match");
        log::warn!("disturbed again and again, with results that stay: {count}");
    }
    let status = Status::read(&run.place, run.shard, run.games)?;
    print(&status.render());
    if report.interrupted {
        log::warn!("interrupted; run it again and it goes on");
        return Ok((INTERRUPTED, None));
    }
    if report.unproved > 0 {
        let count = many(report.unproved as u64, "match");
        log::warn!("not scored, since nothing proves them: {count}; status tells why");
    }
    let code = match report.failed + report.unproved {
        0 if playing.strict && status.misbehaved() => REFUSED,
        0 => 0,
        _ => FAILED,
    };
    Ok((code, report.no_start))
}

fn verify(args: &VerifyTournamentArgs, games: Games) -> Result<u8, Error> {
    let mut progress = Progress::new(args.quiet);
    let proof = verify::verify(&args.dir, games, |done, all| progress.update(done, all))?;
    progress.clear();
    for (path, what) in &proof.misfits {
        let _ = writeln!(io::stderr(), "{}: {what}", path.display());
    }
    if !args.quiet {
        print(&format!("{}\n", proof.render()));
    }
    Ok(if proof.misfits.is_empty() && proof.missing() == 0 { 0 } else { FAILED })
}

fn merge(args: &MergeArgs, games: Games) -> Result<u8, Error> {
    let MergeArgs { folder, pass, replays, .. } = args;
    let (folder, left_out) = (folder.clone(), HashSet::new());
    let out = args.out.clone().unwrap_or_else(|| folder.join(MERGED));
    let shown = out.display().to_string();
    let table = Merge { games, folder, out, pass: *pass, front: None, replays: *replays, left_out }.run()?;
    if !args.quiet {
        print(&format!("{table}\nmore of it is in {shown}\n"));
    }
    Ok(0)
}

fn play(args: &PlayArgs, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(Some(args.kept_by))?;
    let place = Place::open(&args.dir)?;
    let (server, environment) = (args.server.clone(), args.added.values()?);
    let tools = Tools { games, server, containment: args.sandbox, environment, again: args.again };
    match play_single(&place, &args.planned, &tools, &mut signals) {
        Ok(end) => Ok(end as u8),
        Err(error) if error.is_full_disk() => Ok(FULL),
        Err(error) => {
            // The process that runs the tournament reports it.
            place.note_failure(Failure::new(args.planned.id, error.to_string(), Vec::new()))?;
            Ok(FAILED)
        }
    }
}

/// The remedy for a command that was taken for several words.
pub(super) const IN_QUOTES: &str =
    "put a command of several words between quotes, as in 'python3 bot.py -p {port} -n {team} -h {host}'";

/// An error of the command line with its remedy, in one line.
pub(super) fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    let command = Cli::command();
    let visible = |command: &&Command| !command.is_hide_set();
    let known: Vec<&str> = command.get_subcommands().filter(visible).map(Command::get_name).collect();
    let inner = command.get_subcommands().flat_map(Command::get_subcommands).filter(visible);
    let inner: Vec<&str> = inner.map(Command::get_name).collect();
    let is_known = |name: &&String| [&known, &inner].iter().any(|names| names.contains(&name.as_str()));
    let asked = std::env::args_os().nth(1).and_then(|asked| asked.into_string().ok());
    let asked = asked.filter(|asked| known.contains(&asked.as_str()));
    let asked = asked.map(|asked| format!("{asked} ")).unwrap_or_default();
    // The library's words for a number with a minus and for an empty value name no remedy.
    let text = text.replace("invalid digit found in string", "give a whole number without a sign");
    let text = text
        .replace("but none was supplied", "and what was given is empty; give one, or leave the flag away");
    let match_only =
        ["--debug", "--step"].iter().find(|flag| text.contains(&format!("unexpected argument '{flag}'")));
    let match_only =
        match_only.map(|flag| format!("; {flag} is for zappy_arena match alone: what is graded has limits"));
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand].map(|kind| match error.get(kind) {
            Some(ContextValue::String(name)) => Some(name.clone()),
            // The most similar name comes last. Hidden commands, which the arena itself calls, are among the names.
            Some(ContextValue::Strings(names)) => {
                names.iter().rfind(|name| name.starts_with('-') || is_known(name)).cloned()
            }
            _ => None,
        });
    let suggested = suggested.into_iter().flatten().next().map(|name| format!("; did you mean {name}?"));
    let lacks_quotes = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => {
            let in_command =
                ["-p", "-n"].contains(&word.as_str()) || asked == "check " && !word.starts_with("--");
            !word.starts_with('-') || in_command
        }
        _ => false,
    };
    let quotes = lacks_quotes.then(|| format!("; {IN_QUOTES}"));
    let remedy = match_only.or(suggested).or(quotes).unwrap_or_default();
    format!("{}{remedy}; see zappy_arena {asked}--help", text.trim_start_matches("error: "))
}
