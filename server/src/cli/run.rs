//! One run of the server: reads the flags, begins the game, runs it behind the shell, and logs how it ended.
//!
//! Joins flags, game, sockets and files, which don't know each other, and decides nothing itself. Tested in
//! `tests/sockets.rs`.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::flags::{self, Action, Files, Play, Resume, Stop};
use super::record_file;
use super::stdin::next_byte;
use crate::files;
use crate::games::GameTable;
use crate::net::{
    self, Hosted, LatenessHistogram, Listener, LockstepReport, NetError, RunReport, Server, ServerOptions,
};
use crate::record::{self, BadMatch, RecordFile, Recorder};
use crate::result::{MatchResult, ResultFile};
use anyhow::{Context, Result, anyhow, bail};
use zappy_game::config::Observers;
use zappy_game::{Game, GameSpec, MatchSpec, Verdict};
use zappy_protocol::record::{CHECK_LINE_BYTES, RecordLevel};
use zappy_protocol::{TeamName, Tick};

/// The longest scenario, in bytes. A scenario sets up a position; a larger file is the wrong one.
const SCENARIO_LIMIT: u64 = 4 << 20;
/// How long a seed on stdin is waited for.
const SEED_WAIT: Duration = Duration::from_secs(10);
/// The digits of the greatest seed.
const SEED_DIGITS: usize = 20;
/// The exit status that scripts expect after a wrong command line.
const WRONG_USAGE: u8 = 84;

/// Does what the command line asks for, with one of these games.
pub fn run(games: GameTable) -> ExitCode {
    let (action, level) = match flags::parse(std::env::args_os(), games) {
        Ok(parsed) => parsed,
        Err(Stop::Help(text)) => {
            let _ = io::stdout().write_all(text.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(Stop::Usage(text)) => {
            let _ = writeln!(io::stderr(), "{text}");
            return ExitCode::from(WRONG_USAGE);
        }
    };
    env_logger::Builder::new().filter_level(level).format_target(false).init();
    let done = match action {
        Action::Play(match_to_play) => play(*match_to_play, games),
        Action::Resume(match_to_resume) => resume(&match_to_resume, games),
        Action::Verify(file) => verify(&file, games),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "zappy_server: {error:#}");
            ExitCode::from(if error.is::<Misuse>() { WRONG_USAGE } else { 1 })
        }
    }
}

/// A mistake that the caller can correct on the command line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Misuse(String);

fn play(play: Play, games: GameTable) -> Result<()> {
    let Play { mut spec, address, seed_on_stdin, mut options, files } = play;
    if seed_on_stdin {
        let seed = read_seed()?;
        (spec.config.seed, options.setup.seed) = (seed, seed);
    }
    if let Some(path) = &files.scenario {
        options.setup.opening = read_scenario(path, spec.game)?;
    }
    // Both files are opened first, so that a path that can't be written is an error before the match.
    let record =
        files.record.as_deref().map(|path| open_named("--record", path, record_file::open)).transpose()?;
    let result_file = open_result(&files, "--record")?;
    log_settings(&spec, &options);
    let (mut game, scenario) = (spec.begin()?, files.scenario.as_deref());
    let listener = net::bind(address).map_err(|error| with_flag(error, scenario))?;
    let Some((path, file)) = files.record.as_deref().zip(record) else {
        let report = serve(&mut game, listener, options, scenario)?;
        return write_result(result_file, result_of(&spec, &*game, &report), &report, None);
    };
    // This server has the port, so the match will be played: an older record may be replaced.
    let file = record_file::begin(path, file)?;
    let recorder = Recorder::new(game, file, &record::header(&spec, RecordLevel::Inputs));
    let mut recorder = recorder.with_delay(files.record_delay);
    let report = serve(&mut recorder, listener, options, scenario)?;
    let result = result_of(&spec, &**recorder.game(), &report);
    finish_record(recorder, &files, (result_file, result), &report, games)
}

/// Goes on with a match after its record was cut off. The complete lines are written into a new record first, which
/// then replaces the old one; if anything fails before that, the old record stays as it is. A match that had ended
/// starts no server.
fn resume(resume: &Resume, games: GameTable) -> Result<()> {
    let Resume { record: path, address, observers, files, .. } = resume;
    let named = || format!("--resume {}", path.display());
    let old_lock = open_named("--resume", path, files::hold)?;
    let bytes = open_named("--resume", path, record::read_file)?;
    let result_file = open_result(files, "--resume")?;
    let new_record = record_file::Part::beside(path).with_context(named)?;
    let file = new_record.record().with_context(named)?;
    let record::Resumed { spec, recorder, stand } = match record::resume(&bytes, games, *observers, file) {
        Err(BadMatch::Ended { .. }) if result_file.is_some() => {
            return write_missing_result(&bytes, result_file, games);
        }
        Err(error @ BadMatch::Write(_)) => {
            let refused = Err(error).context("the old record stays as it is; is its disk full?");
            return refused.with_context(named);
        }
        resumed => resumed.with_context(named)?,
    };
    drop(bytes);
    let (mut recorder, resumed) = (recorder.with_delay(files.record_delay), stand.resumed.clone());
    let report = if recorder.is_finished() {
        new_record.put(old_lock).with_context(named)?;
        log::info!("the match had ended before its server was killed; what its record lacked was written");
        report_of_ended(recorder.game().report().verdict, stand.tick)
    } else {
        let mut options = resume.options(&spec.config, recorder.game(), stand).map_err(Misuse)?;
        options.setup.seed = spec.config.seed;
        log_settings(&spec, &options);
        if options.setup.lockstep.is_some() {
            log::info!(
                "the limits of the lockstep clock and --observers come from the command line; the record has none"
            );
        }
        let listener = net::bind(*address).map_err(|error| with_flag(error, None))?;
        new_record.put(old_lock).with_context(named)?;
        serve(&mut recorder, listener, options, None)?
    };
    let result = result_of(&spec, &**recorder.game(), &report).resumed(resumed, &report.missing_clients);
    finish_record(recorder, files, (result_file, result), &report, games)
}

/// Writes the missing result of a match with a complete record: its server was killed between writing the two.
fn write_missing_result(bytes: &[u8], result_file: Option<ResultFile>, games: GameTable) -> Result<()> {
    let played = &bytes[..bytes.len().saturating_sub(CHECK_LINE_BYTES)];
    let record::Resumed { spec, recorder, stand } =
        record::resume(played, games, Observers::Off, io::sink())?;
    let report = report_of_ended(recorder.report().verdict, stand.tick);
    let result = result_of(&spec, &recorder, &report).resumed(stand.resumed, &report.missing_clients);
    write_result(result_file, result, &report, Some(true))?;
    log::info!("the record is whole, and stays as it is; its match's result was written");
    Ok(())
}

/// The report of a match that had ended before this server began.
fn report_of_ended(verdict: Verdict, ticks: Tick) -> RunReport {
    let (lateness, lockstep, missing_clients) = (LatenessHistogram::default(), None, Vec::new());
    RunReport { verdict, ticks, lateness, lockstep, missing_clients }
}

fn result_of(spec: &MatchSpec, game: &dyn Game, report: &RunReport) -> MatchResult {
    MatchResult::new(spec, game.report(), report.lockstep.as_ref(), (&report.lateness).into())
}

/// Ends a match's record, says how the match ended, writes its result into the file, and makes the record full if that
/// is asked for.
fn finish_record(
    recorder: Recorder<Box<dyn Game>, RecordFile>,
    files: &Files,
    (result_file, result): (Option<ResultFile>, MatchResult),
    report: &RunReport,
    games: GameTable,
) -> Result<()> {
    let (_, written) = recorder.finish();
    let inputs = match written.and_then(RecordFile::synced) {
        Ok(inputs) => Some(inputs),
        Err(error) => {
            log::error!("the record's last lines can't be written: {error}");
            None
        }
    };
    let done = write_result(result_file, result, report, Some(inputs.is_some()));
    if let (Some(path), Some(inputs)) = (files.record.as_deref(), inputs)
        && files.record_level == RecordLevel::Full
        && let Err(error) = record_file::make_full(path, inputs, games)
    {
        let path = path.display();
        log::error!(
            "{path} stays a record of inputs, since making it full failed: {error:#}; zappy_arena expand tries it again"
        );
    }
    done
}

/// Says how a match ended, and writes its result.
fn write_result(
    result_file: Option<ResultFile>,
    result: MatchResult,
    report: &RunReport,
    record_complete: Option<bool>,
) -> Result<()> {
    let RunReport { verdict, ticks, lateness, lockstep, .. } = report;
    let winners: Vec<&str> = verdict.winners().collect();
    let names = winners.join(" ");
    let winner = if winners.is_empty() {
        "winner: no team".to_owned()
    } else if verdict.by_lot {
        format!("a draw, {names} first by lot")
    } else {
        format!("winner: {names}")
    };
    log::info!("the match ended at tick {ticks}: {}, {winner}", verdict.reason);
    match lockstep.as_ref().map(LockstepReport::causes) {
        Some(causes) if causes.is_empty() => log::info!("in lockstep, and reproducible"),
        Some(causes) => log::warn!("in lockstep, but not reproducible: {}", causes.join("; ")),
        None => {}
    }
    if lateness.total() > 0 {
        log::info!(
            "lateness of {} due ticks: {:?} (median), {:?} (99 of 100), {:?} (at most)",
            lateness.total(),
            lateness.percentile(50.0),
            lateness.percentile(99.0),
            lateness.worst(),
        );
    }
    let result = MatchResult { record_complete, ..result };
    result_file.map_or(Ok(()), |file| file.write(&result)).context("the result can't be written")
}

/// Opens the file of the result, unless another flag names the same file. `record_flag` is the flag that named the
/// record, which exists by now, so links to it are recognised.
fn open_result(files: &Files, record_flag: &'static str) -> Result<Option<ResultFile>> {
    let partial = files.result.as_deref().map(ResultFile::partial);
    let named = [
        (record_flag, files.record.as_deref()),
        ("--scenario", files.scenario.as_deref()),
        ("--result", files.result.as_deref()),
        ("--result", partial.as_deref()),
    ];
    for (i, (flag, path)) in named.iter().enumerate() {
        for (other, other_path) in &named[..i] {
            if let (Some(path), Some(other_path)) = (path, other_path)
                && other != flag
                && files::are_same(path, other_path)
            {
                let words = format!("{other} and {flag} name the same file; give each a file of its own");
                return Err(Misuse(words).into());
            }
        }
    }
    files.result.as_deref().map(|path| open_named("--result", path, ResultFile::create)).transpose()
}

/// Opens a file that a flag names.
fn open_named<T>(flag: &str, path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    let misuse = |error| Misuse(format!("{flag} {}: {}", path.display(), io_words(&error)));
    Ok(open(path).map_err(misuse)?)
}

/// Runs a game to its end behind sockets.
fn serve<G: Hosted>(
    game: &mut G,
    listener: Listener,
    options: ServerOptions,
    scenario: Option<&Path>,
) -> Result<RunReport> {
    let server = Server::new(game, listener, options).map_err(|error| with_flag(error, scenario))?;
    log::info!("listening on {}", server.address());
    // A closed stdout is no error: the address is in the log, too.
    let _ = writeln!(io::stdout(), "listening on {}", server.address()).and_then(|()| io::stdout().flush());
    Ok(server.run()?)
}

fn log_settings(spec: &MatchSpec, options: &ServerOptions) {
    let config = &spec.config;
    let (width, height) = (config.map.width(), config.map.height());
    let options_of_game =
        spec.options.iter().map(|(key, value)| format!(", {key} {value}")).collect::<String>();
    let teams: Vec<&str> = config.teams.iter().map(TeamName::as_str).collect();
    log::info!(
        "zappy_server {}, game {}, seed {}, {width}x{height}, teams {}, {} ticks per second{options_of_game}",
        env!("CARGO_PKG_VERSION"),
        spec.game.name,
        config.seed,
        teams.join(" "),
        config.frequency,
    );
    if let Some(lockstep) = &options.setup.lockstep {
        log::info!(
            "in lockstep: begins with {} players; each has {:?} to think and is ended when late more than {} times",
            lockstep.wait_players,
            lockstep.think_time,
            lockstep.max_late,
        );
    }
    let limits = &options.setup.limits;
    log::info!(
        "limits: lines of {} bytes, {} connections, {} per address, {:?} to log in, {} KiB waiting for a player, {} KiB \
         for an observer",
        limits.line,
        limits.connections,
        limits.per_address,
        limits.handshake,
        limits.player_outbox >> 10,
        limits.observer_outbox >> 10,
    );
}

/// Plays a record again and prints what was verified. The error names the first line that is wrong.
fn verify(path: &Path, games: GameTable) -> Result<()> {
    let named = || format!("--verify {}", path.display());
    let bytes = open_named("--verify", path, record::read_file)?;
    let verified = record::verify(&bytes, games).with_context(named)?;
    let record::Verified { ticks, inputs, lines, complete, resumed, touched } = verified;
    let mut history = if resumed > 0 {
        format!(", resumed {}", zappy_protocol::text::many(resumed, "time"))
    } else {
        String::new()
    };
    if let Some(touched) = touched {
        history += &format!(", {touched}");
    }
    if !complete {
        bail!("{}: cut off after tick {ticks}; {lines} whole lines verified{history}", named());
    }
    let words =
        format!("{}: verified, {ticks} ticks, {inputs} inputs, {lines} lines{history}", path.display());
    let _ = writeln!(io::stdout(), "{words}");
    Ok(())
}

/// Reads the number in the first line on stdin, and no byte beyond: the others are for `--door` or the console.
fn read_seed() -> Result<u64> {
    let misuse = |what: &str| Misuse(format!("--seed -: {what}; write a number and a line feed to stdin"));
    let mut digits = String::new();
    loop {
        let byte = match next_byte(SEED_WAIT) {
            Err(error) if error.kind() == ErrorKind::TimedOut => bail!(misuse("nothing came")),
            read => read.context("stdin")?,
        };
        match byte {
            Some(b'\n') => return Ok(digits.parse().map_err(|_| misuse("that is no seed"))?),
            Some(digit @ b'0'..=b'9') if digits.len() < SEED_DIGITS => digits.push(digit.into()),
            _ => bail!(misuse("that is no seed")),
        }
    }
}

/// The console lines of a scenario, without a byte order mark. If there is no such file, the error lists the maps that
/// `game` has.
///
/// # Errors
/// The file can't be read, is too long, or is encoded in UTF-16. The error names the flag and the file.
pub fn read_scenario(path: &Path, game: &GameSpec) -> Result<Vec<Vec<u8>>> {
    let misuse = |what: String| Misuse(format!("--scenario {}: {what}", path.display()));
    let text = files::read(path, SCENARIO_LIMIT).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            misuse(format!("has more than {SCENARIO_LIMIT} bytes; give a file of console lines"))
        }
        ErrorKind::NotFound => {
            let maps = game.scenario().and_then(|option| (option.read)(&path.to_string_lossy()).err());
            let maps = maps.map(|maps| format!("; {maps}")).unwrap_or_default();
            misuse(io_words(&error) + &maps)
        }
        _ => misuse(io_words(&error)),
    })?;
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        bail!(misuse("is encoded in UTF-16; save it as UTF-8".to_owned()));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    Ok(text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii().to_vec()).collect())
}

/// The system's error as a phrase in lower case, for the end of a sentence.
fn io_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::ResourceBusy => {
            "another server is writing it; let that end first, or give another file".to_owned()
        }
        _ => error.to_string().to_lowercase(),
    }
}

/// The error, with the flag that caused it and the remedy where there is one.
fn with_flag(error: NetError, scenario: Option<&Path>) -> anyhow::Error {
    match error {
        NetError::Bind { address, source } => {
            let (ip, port) = (address.ip(), address.port());
            let words = match source.kind() {
                ErrorKind::AddrInUse => {
                    format!("-p {port}: in use on {ip}; choose another port, or 0 for a free one")
                }
                ErrorKind::PermissionDenied => {
                    format!(
                        "-p {port}: ports below 1024 are the system's; choose one from 1024 to 65535, or 0 for a free one"
                    )
                }
                ErrorKind::AddrNotAvailable => {
                    format!("--bind {ip}: not an address of this machine; 0.0.0.0 stands for all of them")
                }
                _ => format!("--bind {ip} -p {port}: {}", io_words(&source)),
            };
            Misuse(words).into()
        }
        NetError::Opening(refused) => {
            let path = scenario.unwrap_or(Path::new("")).display();
            Misuse(format!("--scenario {path}: {refused}")).into()
        }
        error => anyhow!(error),
    }
}
