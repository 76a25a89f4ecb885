//! One run of the server: reads the flags, begins the game, runs it behind the shell, and logs how it ended.
//!
//! Joins the parts that don't know each other, and decides nothing itself. Tested in `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use super::flags::{self, Action, Play, Stop};
use super::record_file::RecordFile;
use anyhow::{Context, Result, anyhow, bail};
use zappy_protocol::TeamName;
use zappy_server::game::{Game, GameSpec, MatchSpec};
use zappy_server::net::{LockstepReport, NetError, RunReport, Server, ServerOptions};
use zappy_server::record::{self, MAX_RECORD_BYTES, Recorder};
use zappy_server::result::{Lateness, MatchResult, ResultFile};

/// The longest scenario, in bytes. A scenario sets up a position; a larger file is the wrong one.
const SCENARIO_LIMIT: u64 = 4 << 20;
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
        Action::Play(match_to_play) => play(*match_to_play),
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

fn play(Play { spec, mut options, files }: Play) -> Result<()> {
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
    let (game, report, record_complete) = match record {
        Some(file) => {
            let mut recorder = Recorder::new(game, file, &record::header(&spec, files.record_level));
            let report = serve(&mut recorder, options, scenario)?;
            let (game, written) = recorder.finish();
            (game, report, Some(written.is_ok()))
        }
        None => {
            let report = serve(&mut game, options, scenario)?;
            (game, report, None)
        }
    };
    say(&report);
    if let Some(file) = result {
        let (lockstep, late) = (report.lockstep.as_ref(), lateness(&report));
        let result = MatchResult::new(&spec, game.report(), lockstep, late, record_complete);
        file.write(&result).context("the result can't be written")?;
    }
    Ok(())
}

fn writable<T>(flag: &str, path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    let words = |error| Misuse(format!("{flag} {}: {}", path.display(), plain(&error)));
    Ok(open(path).map_err(words)?)
}

fn lateness(report: &RunReport) -> Lateness {
    let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let lateness = &report.lateness;
    Lateness {
        ticks: lateness.total(),
        p50_us: micros(lateness.percentile(50.0)),
        p99_us: micros(lateness.percentile(99.0)),
        max_us: micros(lateness.worst()),
    }
}

/// Runs a game to its end behind sockets.
fn serve<G: Game>(game: &mut G, options: ServerOptions, scenario: Option<&Path>) -> Result<RunReport> {
    let server = Server::new(game, options).map_err(|error| explain(error, scenario))?;
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
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| misuse(plain(&error)))?;
    file.take(MAX_RECORD_BYTES + 1).read_to_end(&mut bytes).map_err(|error| misuse(plain(&error)))?;
    if bytes.len() as u64 > MAX_RECORD_BYTES {
        bail!(misuse(format!("no record is longer than {MAX_RECORD_BYTES} bytes")));
    }
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

fn read_scenario(path: &Path) -> Result<Vec<Vec<u8>>> {
    let misuse = |what: String| Misuse(format!("--scenario {}: {what}", path.display()));
    let file = File::open(path).map_err(|error| misuse(plain(&error)))?;
    let mut text = Vec::new();
    file.take(SCENARIO_LIMIT + 1).read_to_end(&mut text).map_err(|error| misuse(plain(&error)))?;
    if text.len() as u64 > SCENARIO_LIMIT {
        bail!(misuse(format!("has more than {SCENARIO_LIMIT} bytes; give a file of console lines")));
    }
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
