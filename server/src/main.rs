//! The binary: parses, builds the game, runs it behind the shell, says how it ended.
//!
//! Joins the parts that don't know each other, and decides nothing itself. Tested in `tests/sockets.rs`.

mod cli;
mod record_file;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use cli::{Action, Files, Play, Stop};
use record_file::RecordFile;
use zappy_protocol::TeamName;
use zappy_server::config::GameConfig;
use zappy_server::game::Game;
use zappy_server::net::{NetError, Options, Outcome, Report, Server};
use zappy_server::record::{self, MAX_RECORD_BYTES, Recorder};
use zappy_server::result::{Lateness, MatchResult, ResultFile};
use zappy_server::zappy::Zappy;

/// Bytes of a scenario. It sets up a position; a larger one is the wrong file.
const SCENARIO_LIMIT: u64 = 4 << 20;
/// What people's scripts expect of a wrong command line.
const WRONG_USAGE: u8 = 84;

fn main() -> ExitCode {
    let (action, level) = match cli::parse(std::env::args_os()) {
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
        Action::Verify(file) => verify(&file),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "zappy_server: {error:#}");
            ExitCode::from(if error.is::<Misuse>() { WRONG_USAGE } else { 1 })
        }
    }
}

/// What the caller can put right on the command line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Misuse(String);

fn play(Play { config, mut options, files }: Play) -> Result<()> {
    if let Some(path) = &files.scenario {
        options.setup.opening = read_scenario(path)?;
    }
    // A path that can't be written costs nobody a match, so both are tried before it.
    let record =
        files.record.as_deref().map(|path| writable("--record", path, RecordFile::open)).transpose()?;
    let result =
        files.result.as_deref().map(|path| writable("--result", path, ResultFile::create)).transpose()?;
    introduce(&config, &options);
    let (game, outcome, record_complete) = match record {
        Some(file) => run_recorded(&config, file, options, &files)?,
        None => {
            let mut game = Zappy::new(&config);
            let outcome = run(&mut game, options, files.scenario.as_deref())?;
            (game, outcome, None)
        }
    };
    say(&outcome);
    if let Some(file) = result {
        let (lockstep, late) = (outcome.lockstep.as_ref(), lateness(&outcome));
        let result = MatchResult::new(&config, game.report(), lockstep, late, record_complete);
        file.write(&result).context("the result can't be written")?;
    }
    Ok(())
}

fn writable<T>(flag: &str, path: &Path, open: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    let words = |error| Misuse(format!("{flag} {}: {}", path.display(), plain(&error)));
    Ok(open(path).map_err(words)?)
}

/// The game after its match, how it went, and whether the record is whole.
fn run_recorded(
    config: &GameConfig,
    file: RecordFile,
    options: Options,
    files: &Files,
) -> Result<(Zappy, Outcome, Option<bool>)> {
    let header = record::header(config, files.record_level);
    let mut recorder = Recorder::new(Zappy::new(config), file, &header);
    let outcome = run(&mut recorder, options, files.scenario.as_deref())?;
    let (game, written) = recorder.finish();
    Ok((game, outcome, Some(written.is_ok())))
}

fn lateness(outcome: &Outcome) -> Lateness {
    let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let lateness = &outcome.lateness;
    Lateness {
        ticks: lateness.total(),
        p50_us: micros(lateness.percentile(50.0)),
        p99_us: micros(lateness.percentile(99.0)),
        max_us: micros(lateness.worst()),
    }
}

/// Runs a game to its end behind sockets.
fn run<G: Game>(game: &mut G, options: Options, scenario: Option<&Path>) -> Result<Outcome> {
    let server = Server::new(game, options).map_err(|error| explain(error, scenario))?;
    log::info!("listening on {}", server.address());
    // Nobody may be reading this, and that is fine.
    let _ = writeln!(io::stdout(), "listening on {}", server.address()).and_then(|()| io::stdout().flush());
    Ok(server.run()?)
}

fn introduce(config: &GameConfig, options: &Options) {
    let (width, height) = (config.size.width(), config.size.height());
    let teams: Vec<&str> = config.teams.iter().map(TeamName::as_str).collect();
    log::info!(
        "zappy_server {}, seed {}, {width}x{height}, teams {}, {} slots each, {} ticks per second, {} rules",
        env!("CARGO_PKG_VERSION"),
        config.seed,
        teams.join(" "),
        config.slots,
        config.frequency,
        config.rules.name(),
    );
    if let Some(lockstep) = &options.setup.lockstep {
        log::info!(
            "in lockstep: waits for {} players, {:?} to think, ended when late more than {} times",
            lockstep.wait_players,
            lockstep.think_time,
            lockstep.max_late,
        );
    }
    let limits = &options.setup.limits;
    log::info!(
        "limits: lines of {} bytes, {} connections, {} per address, {:?} to log in, {} and {} KiB waiting for a player \
         and an observer",
        limits.line,
        limits.connections,
        limits.per_address,
        limits.handshake,
        limits.player_outbox >> 10,
        limits.observer_outbox >> 10,
    );
}

/// Plays a record again. Whatever is wrong with it is one line that names the first place.
fn verify(path: &Path) -> Result<()> {
    let named = || format!("--verify {}", path.display());
    let misuse = |words: String| Misuse(format!("{}: {words}", named()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| misuse(plain(&error)))?;
    file.take(MAX_RECORD_BYTES + 1).read_to_end(&mut bytes).map_err(|error| misuse(plain(&error)))?;
    if bytes.len() as u64 > MAX_RECORD_BYTES {
        bail!(misuse(format!("no record is longer than {MAX_RECORD_BYTES} bytes")));
    }
    let verified = record::verify(&bytes).with_context(named)?;
    let record::Verified { ticks, inputs, lines, complete } = verified;
    if !complete {
        bail!("{}: cut off after tick {ticks}; its {lines} whole lines are what the rules say", named());
    }
    let words = format!("{}: verified, {ticks} ticks, {inputs} inputs, {lines} lines", path.display());
    let _ = writeln!(io::stdout(), "{words}");
    Ok(())
}

fn say(outcome: &Outcome) {
    let Outcome { verdict, ticks, lateness, lockstep } = outcome;
    let winner = verdict.winner.as_deref().unwrap_or("nobody");
    log::info!("the match ended at tick {ticks}: {}, winner {winner}", verdict.reason);
    match lockstep.as_ref().map(Report::causes) {
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

/// The system's words in our style.
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
