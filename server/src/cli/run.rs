//! One run of the server: reads the flags, begins the game, runs it behind the shell, and logs how it ended.
//!
//! Joins the parts that don't know each other, and decides nothing itself. Tested in `tests/sockets.rs`.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::flags::{self, Action, Files, Play, Resume, Stop};
use super::record_file::{self, RecordFile};
use super::stdin::next_byte;
use anyhow::{Context, Result, anyhow, bail};
use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;
use zappy_server::files;
use zappy_server::game::{Game, GameSpec, MatchSpec};
use zappy_server::net::{self, Listener, LockstepReport, NetError, RunReport, Server, ServerOptions};
use zappy_server::record::{self, Recorder};
use zappy_server::result::{Lateness, MatchResult, ResultFile};

/// The longest scenario, in bytes. A scenario sets up a position; a larger file is the wrong one.
const SCENARIO_LIMIT: u64 = 4 << 20;
/// How long a seed on stdin is waited for, and its digits.
const SEED_LIMIT: Duration = Duration::from_secs(10);
const SEED_DIGITS: usize = 20;
/// The exit status that scripts expect after a wrong command line.
const WRONG_USAGE: u8 = 84;

/// Does what the command line asks for, with one of these games.
pub fn run(games: &'static [GameSpec]) -> ExitCode {
    let (action, level) = match flags::parse(std::env::args_os(), games) {
        Ok(parsed) => parsed,
        Err(Stop::Told(text)) => {
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

fn play(play: Play, games: &'static [GameSpec]) -> Result<()> {
    let Play { mut spec, address, seed_on_stdin, mut options, files } = play;
    if seed_on_stdin {
        let seed = read_seed()?;
        (spec.config.seed, options.setup.seed) = (seed, seed);
    }
    if let Some(path) = &files.scenario {
        options.setup.opening = read_scenario(path)?;
    }
    // Both files are opened first, so that a path that can't be written is an error before the match.
    let record =
        files.record.as_deref().map(|path| writable("--record", path, RecordFile::open)).transpose()?;
    let result =
        files.result.as_deref().map(|path| writable("--result", path, ResultFile::create)).transpose()?;
    introduce(&spec, &options);
    let (mut game, scenario) = (spec.begin()?, files.scenario.as_deref());
    let listener = net::bind(address).map_err(|error| explain(error, scenario))?;
    let (game, report, record_complete) = match record {
        Some(file) => {
            // The port is ours, so the match begins.
            file.empty().context("the record can't be emptied")?;
            let recorder = Recorder::new(game, file, &record::header(&spec, RecordLevel::Inputs));
            let mut recorder = recorder.with_delay(files.record_delay);
            let report = serve(&mut recorder, listener, options, scenario)?;
            let (game, written) = recorder.finish();
            (game, report, Some(written.is_ok()))
        }
        None => {
            let report = serve(&mut game, listener, options, scenario)?;
            (game, report, None)
        }
    };
    leave(&spec, &*game, &report, record_complete, result)?;
    keep(&files, record_complete, games);
    Ok(())
}

/// Goes on with a match whose record was cut off. Its whole lines are written into a new record first, which then replaces
/// the old one; if anything fails before that, the old record stays as it is.
fn resume(resume: &Resume, games: &'static [GameSpec]) -> Result<()> {
    let Resume { record: path, address, observers, files, .. } = resume;
    let named = || format!("--resume {}", path.display());
    let misuse = |words: String| Misuse(format!("{}: {words}", named()));
    let bytes = record::read_file(path).map_err(|error| misuse(plain(&error)))?;
    let result =
        files.result.as_deref().map(|path| writable("--result", path, ResultFile::create)).transpose()?;
    let part = record_file::Part::beside(path).map_err(|error| misuse(plain(&error)))?;
    let resumed = record::resume(&bytes, games, *observers, part.file()?).with_context(named)?;
    drop(bytes);
    let record::Resumed { spec, game, stand } = resumed;
    let mut recorder = game.with_delay(files.record_delay);
    let mut options = resume.options(&spec.config, recorder.game()).map_err(Misuse)?;
    (options.setup.seed, options.setup.stand) = (spec.config.seed, Some(stand));
    introduce(&spec, &options);
    let listener = net::bind(*address).map_err(|error| explain(error, None))?;
    recorder.write_out();
    part.put().with_context(named)?;
    let report = serve(&mut recorder, listener, options, None)?;
    let (game, written) = recorder.finish();
    let record_complete = Some(written.is_ok());
    leave(&spec, &*game, &report, record_complete, result)?;
    keep(files, record_complete, games);
    Ok(())
}

/// Says how a match ended, and writes its result.
fn leave(
    spec: &MatchSpec,
    game: &dyn Game,
    report: &RunReport,
    record_complete: Option<bool>,
    result: Option<ResultFile>,
) -> Result<()> {
    say(report);
    if let Some(file) = result {
        let (lockstep, late) = (report.lockstep.as_ref(), lateness(report));
        let result = MatchResult::new(spec, game.report(), lockstep, late, record_complete);
        file.write(&result).context("the result can't be written")?;
    }
    Ok(())
}

/// Puts the full record in the place of its inputs, if that is asked for.
fn keep(files: &Files, record_complete: Option<bool>, games: &'static [GameSpec]) {
    if let Some(path) = files.record.as_deref().filter(|_| files.record_level == RecordLevel::Full)
        && record_complete == Some(true)
        && let Err(error) = record_file::make_full(path, games)
    {
        let path = path.display();
        log::error!("{path} holds inputs alone, no full record could be made of them: {error:#}");
    }
}

fn writable<T>(flag: &str, path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    let words = |error| Misuse(format!("{flag} {}: {}", path.display(), plain(&error)));
    Ok(open(path).map_err(words)?)
}

fn lateness(report: &RunReport) -> Lateness {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let lateness = &report.lateness;
    Lateness {
        ticks: lateness.total(),
        p50_us: micros(lateness.percentile(50.0)),
        p99_us: micros(lateness.percentile(99.0)),
        max_us: micros(lateness.worst()),
    }
}

/// Runs a game to its end behind sockets.
fn serve<G: Game>(
    game: &mut G,
    listener: Listener,
    options: ServerOptions,
    scenario: Option<&Path>,
) -> Result<RunReport> {
    let server = Server::new(game, listener, options).map_err(|error| explain(error, scenario))?;
    log::info!("listening on {}", server.address());
    // A closed stdout is no error: the address is in the log, too.
    let _ = writeln!(io::stdout(), "listening on {}", server.address()).and_then(|()| io::stdout().flush());
    Ok(server.run()?)
}

fn introduce(spec: &MatchSpec, options: &ServerOptions) {
    let config = &spec.config;
    let (width, height) = (config.map.width(), config.map.height());
    let own: Vec<String> = spec.options.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let teams: Vec<&str> = config.teams.iter().map(TeamName::as_str).collect();
    log::info!(
        "zappy_server {}, game {}, seed {}, {width}x{height}, teams {}, {} ticks per second, {}",
        env!("CARGO_PKG_VERSION"),
        spec.game.name,
        config.seed,
        teams.join(" "),
        config.frequency,
        own.join(", "),
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

/// Plays a record again. The error names the first line that is wrong.
fn verify(path: &Path, games: &'static [GameSpec]) -> Result<()> {
    let named = || format!("--verify {}", path.display());
    let misuse = |words: String| Misuse(format!("{}: {words}", named()));
    let bytes = record::read_file(path).map_err(|error| misuse(plain(&error)))?;
    let verified = record::verify(&bytes, games).with_context(named)?;
    let record::Verified { ticks, inputs, lines, complete } = verified;
    if !complete {
        bail!("{}: cut off after tick {ticks}; its {lines} whole lines are as the rules say", named());
    }
    let words = format!("{}: verified, {ticks} ticks, {inputs} inputs, {lines} lines", path.display());
    let _ = writeln!(io::stdout(), "{words}");
    Ok(())
}

fn say(report: &RunReport) {
    let RunReport { verdict, ticks, lateness, lockstep } = report;
    let winners: Vec<&str> = verdict.winners().collect();
    let winner = if winners.is_empty() { "no team".to_owned() } else { winners.join(" ") };
    log::info!("the match ended at tick {ticks}: {}, winner: {winner}", verdict.reason);
    match lockstep.as_ref().map(LockstepReport::causes) {
        Some(causes) if causes.is_empty() => log::info!("in lockstep, and reproducible"),
        Some(causes) => log::warn!("in lockstep, but not reproducible: {}", causes.join("; ")),
        None => {}
    }
    if lateness.total() == 0 {
        return;
    }
    log::info!(
        "{} due ticks ran late by {:?} (median), {:?} (99 of 100), {:?} (at most)",
        lateness.total(),
        lateness.percentile(50.0),
        lateness.percentile(99.0),
        lateness.worst(),
    );
}

/// The number in the first line, of which no byte too many is read: what follows is for the door or the console.
fn read_seed() -> Result<u64> {
    let misuse = |what: &str| Misuse(format!("--seed -: {what}; write a number and a line feed to stdin"));
    let mut digits = String::new();
    loop {
        let byte = match next_byte(SEED_LIMIT) {
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

fn read_scenario(path: &Path) -> Result<Vec<Vec<u8>>> {
    let misuse = |what: String| Misuse(format!("--scenario {}: {what}", path.display()));
    let text = files::read(path, SCENARIO_LIMIT).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            misuse(format!("has more than {SCENARIO_LIMIT} bytes; give a file of console lines"))
        }
        _ => misuse(plain(&error)),
    })?;
    Ok(text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii().to_vec()).collect())
}

/// The system's error, as a lower-case phrase.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string().to_lowercase(),
    }
}

fn explain(error: NetError, scenario: Option<&Path>) -> anyhow::Error {
    match error {
        NetError::Bind { address, source } => {
            let (ip, port) = (address.ip(), address.port());
            let words = match source.kind() {
                ErrorKind::AddrInUse => {
                    format!("-p {port}: in use on {ip}; choose another port, or 0 for a free one")
                }
                ErrorKind::PermissionDenied => {
                    format!(
                        "-p {port}: ports below 1024 are the system's; choose one from 1024 to 65535, or 0"
                    )
                }
                ErrorKind::AddrNotAvailable => {
                    format!("--bind {ip}: not an address of this machine; 0.0.0.0 stands for all of them")
                }
                _ => format!("--bind {ip} -p {port}: {}", plain(&source)),
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
