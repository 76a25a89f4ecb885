//! The command line: flags to plain values, and what to say when they are wrong.
//!
//! Reads nothing but its arguments. An error is one line that names flag, value and range, then the usage.
//! Tested in this module.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::game_flags;
use super::lockstep::{LockstepFlags, STOP_LINE};
use super::values::{Number, Seed, seed, value};
use crate::games::GameTable;
use crate::net::{ConsoleUse, ENDLESS, Limits, ServerOptions, Setup};
use crate::record::BACKLOG_TICKS;
use clap::builder::TypedValueParser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};
use log::LevelFilter;
use zappy_game::config::{self, Clock, MatchConfig, Observers};
use zappy_game::{Game, GameSpec, MatchSpec, Stand};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};

const EXAMPLES: &str = "\
Examples:
  zappy_server -n red blue                     a match on port 4242, 10x10 tiles
  zappy_server -p 0 -x 20 -y 20 -n red blue -c 6 --seed 7
                                               on a free port; the same seed gives the same map
  zappy_server -n red blue --max-ticks 60000 --record match.zrec --result result.json
  zappy_server -n red --scenario position.txt --auto-start off
                                               a training position; /start lets clients in

The first line on stdout is `listening on ADDRESS:PORT`. Lines on stdin are console commands: /help
shows them. SIGINT, SIGTERM, SIGHUP and /quit end the match
in order.
Exit status: 0 the match came to its end, 84 the command line was wrong, 1 anything else.";

#[derive(Parser, Debug)]
#[command(
    name = "zappy_server",
    version,
    about = "Referees a match over TCP: Zappy, or another game of the house.",
    after_help = EXAMPLES,
    override_usage = "zappy_server -p PORT -x WIDTH -y HEIGHT -n TEAM... -c CLIENTS -f FREQ [OPTIONS]\n       \
                      zappy_server --game GAME -p PORT -x WIDTH -y HEIGHT -n TEAM... [OPTIONS]",
    args_override_self = true
)]
struct Flags {
    /// Port to listen on; 0 takes a free one
    #[arg(short, long, value_name = "PORT", default_value_t = 4242, allow_negative_numbers = true,
          value_parser = Number(0, 65_535).map(|n| n as u16))]
    port: u16,
    /// Address to listen on; 0.0.0.0 means every address of this machine, 127.0.0.1 local play only
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0",
          value_parser = value(|text| text.parse::<IpAddr>().ok(), "give an address of this machine, such as 127.0.0.1 or 0.0.0.0"))]
    bind: IpAddr,
    /// Tiles from west to east, 1 to 500 [default: 10, or what the map of --scenario has]
    #[arg(short = 'x', long, value_name = "TILES", allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_SIDE.into()).map(|n| n as u16))]
    width: Option<u16>,
    /// Tiles from north to south, 1 to 500 [default: 10, or what the map of --scenario has]
    #[arg(short = 'y', long, value_name = "TILES", allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_SIDE.into()).map(|n| n as u16))]
    height: Option<u16>,
    /// The game to be played
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// An option of the game; the game's own flags below set the same options
    #[arg(long = "option", value_name = "KEY=VALUE", action = ArgAction::Append, value_parser = value(pair, "write KEY=VALUE"))]
    options: Vec<(String, String)>,
    /// Names of the teams, one word each
    #[arg(short = 'n', long = "team", value_name = "TEAM", num_args = 1.., action = ArgAction::Append,
          value_parser = value(|text| TeamName::parse(text.as_bytes()), "a team's name is one word of 1 to 64 bytes"))]
    teams: Vec<TeamName>,
    /// Ticks per second, 1 to 100000 [default: 100; of a game in turns, what its rules say]
    #[arg(short, long, value_name = "FREQ", allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_FREQUENCY.into()).map(|n| n as u32))]
    freq: Option<u32>,
    /// The seed of all chance; without it one is drawn and logged; -: the first line on stdin says it, out of sight of
    /// other programs
    #[arg(long, value_name = "SEED", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<Seed>,
    /// Whether clients are let in without /start: on or off
    #[arg(short = 's', long, value_name = "SWITCH", default_value = "on", action = ArgAction::Set,
          alias = "auto_start", value_parser = value(switch, "the values are on and off"))]
    auto_start: bool,
    /// The tick at which the best team wins
    #[arg(long, value_name = "TICKS", allow_negative_numbers = true, value_parser = Number(1, config::MAX_TICKS))]
    max_ticks: Option<Tick>,
    /// The same in seconds at the starting frequency; the earlier of both counts
    #[arg(short = 't', long, aliases = ["game-duration", "match_duration"], value_name = "SECONDS",
          allow_negative_numbers = true, value_parser = Number(1, MAX_SECONDS))]
    match_duration: Option<u64>,
    /// Run on after the match, with the observers; connections that come then are never answered
    #[arg(long)]
    stay: bool,
    /// What makes time pass: real, the clock on the wall; lockstep, all players having acted
    #[arg(long, default_value = "real", value_parser = value(Clock::parse, "the clocks are real and lockstep"))]
    clock: Clock,
    #[command(flatten)]
    lockstep: LockstepFlags,
    /// What observers may do: off, they aren't let in; read-only, they watch; control, they may also set the frequency
    #[arg(long, value_name = "WHAT", default_value = "control",
          value_parser = value(Observers::parse, "the values are off, read-only and control"))]
    observers: Observers,
    /// Write a record of the match: its inputs while it is played, the full one when it has ended
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// What the record holds: inputs (enough to verify) or full (what observers saw too)
    #[arg(long, value_name = "LEVEL", default_value = "full",
          value_parser = value(|text| RecordLevel::parse(text.as_bytes()), "the levels are inputs and full"))]
    record_level: RecordLevel,
    /// Write the result of the match as JSON
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Play no match: run a record's inputs again and name the first difference
    #[arg(long, value_name = "FILE")]
    verify: Option<PathBuf>,
    /// Go on with the match of a record that was cut off: the record tells what is played, and goes on in the same file.
    /// The limits of the lockstep clock don't stand in it: give those that the match had, where they weren't the defaults
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Ticks after which the record holds what has happened, and a second at the latest; 0: each step at once
    #[arg(long, value_name = "TICKS", default_value_t = BACKLOG_TICKS, allow_negative_numbers = true,
          value_parser = Number(0, 100_000))]
    record_delay: Tick,
    /// Console lines to run before the first client is let in; `#` begins a comment
    #[arg(long, value_name = "FILE|MAP")]
    scenario: Option<PathBuf>,
    /// Don't read stdin, and write nothing but the address to stdout
    #[arg(long)]
    no_console: bool,
    /// For programs that start servers: end the match in order when stdin ends, and take no console lines there
    #[arg(long)]
    end_with_stdin: bool,
    /// For programs that start servers: stdin is a socket on which the server asks about each new connection
    #[arg(long)]
    door: bool,
    /// Seconds a client may take to say its team's name
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
          value_parser = Number(1, 86_400))]
    handshake_time: u64,
    /// Connections in all, including those that wait for /start
    #[arg(long, value_name = "COUNT", default_value_t = 4_096, allow_negative_numbers = true,
          value_parser = Number(1, 100_000))]
    max_connections: u64,
    /// Connections from one address; there is no such limit on loopback
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 512,
        allow_negative_numbers = true,
        value_parser = Number(1, 100_000)
    )]
    max_per_address: u64,
    /// Log more: refusals, and connections that come and go; twice: every line
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Log less: only warnings and errors; twice: only errors
    #[arg(short, long, action = ArgAction::Count)]
    quiet: u8,
}

/// The identifiers of the flags that go with `--resume`, beside those of the lockstep clock.
const RESUME_FLAGS: &str = "resume port bind stay observers record_level record_delay result no_console end_with_stdin door \
                       handshake_time max_connections max_per_address verbose quiet";

/// The sides of the map, in tiles, where nothing else is said.
const DEFAULT_SIDE: u16 = 10;
/// The longest match in seconds: ten years.
const MAX_SECONDS: u64 = 315_360_000;

/// The files that a match reads and leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub scenario: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub record_level: RecordLevel,
    /// Ticks after which the record holds what has happened.
    pub record_delay: Tick,
    pub result: Option<PathBuf>,
}

/// A match that is to be played.
#[derive(Debug)]
pub struct Play {
    /// The match; its seed isn't known yet if `seed_on_stdin`.
    pub spec: MatchSpec,
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Whether the first line on stdin is the seed.
    pub seed_on_stdin: bool,
    pub options: ServerOptions,
    pub files: Files,
}

/// A match that is to go on. What is played stands in its record.
#[derive(Debug)]
pub struct Resume {
    pub record: PathBuf,
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    pub observers: Observers,
    pub files: Files,
    flags: Flags,
}

impl Resume {
    /// How the server is to run, once it is known what is played, and where it stands.
    ///
    /// # Errors
    /// A flag doesn't go with the match's clock.
    pub fn options(
        &self,
        config: &MatchConfig,
        game: &dyn Game,
        stand: Stand,
    ) -> Result<ServerOptions, String> {
        server_options(&self.flags, config, game, Some(stand))
    }
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Action {
    Play(Box<Play>),
    Resume(Box<Resume>),
    Verify(PathBuf),
}

/// Why the program ends without doing anything.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// The help or the version, which was asked for.
    Help(String),
    /// What is wrong with the command line, and the usage.
    Usage(String),
}

/// Reads the arguments: what they ask for, and how much to log.
///
/// # Errors
/// Help was asked for, or something is wrong.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    games: GameTable,
) -> Result<(Action, LevelFilter), Stop> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let game = game_flags::game(asked_game(&arguments), games).or_else(|_| game_flags::game(None, games));
    let game = game.map_err(Stop::Usage)?;
    let command = game_flags::add(Flags::command(), game, games);
    let mut command = command.map_err(|line| usage(&line, game, games))?;
    let stop = |error: &clap::Error, command: &clap::Command| match explain(error, command) {
        Ok(help) => Stop::Help(help),
        Err(line) => usage(&line, game, games),
    };
    let found = command.try_get_matches_from_mut(arguments).map_err(|error| stop(&error, &command))?;
    let flags = Flags::from_arg_matches(&found).map_err(|error| stop(&error, &command))?;
    let level = match i16::from(flags.verbose) - i16::from(flags.quiet) {
        ..=-2 => LevelFilter::Error,
        -1 => LevelFilter::Warn,
        0 => LevelFilter::Info,
        1 => LevelFilter::Debug,
        2.. => LevelFilter::Trace,
    };
    let action = match flags.verify {
        Some(file) => Action::Verify(file),
        None if flags.resume.is_some() => {
            resume(flags, &found, &command).map_err(|line| usage(&line, game, games))?
        }
        None => play(flags, &found, games).map_err(|line| usage(&line, game, games))?,
    };
    Ok((action, level))
}

/// The name that follows `--game`, which has to be known before the flags are parsed, since a game's options are flags.
pub fn asked_game(arguments: &[OsString]) -> Option<&str> {
    arguments.iter().enumerate().rev().find_map(|(i, word)| match word.to_str()? {
        "--game" => arguments.get(i + 1)?.to_str(),
        word => word.strip_prefix("--game="),
    })
}

fn usage(line: &str, game: &GameSpec, games: &[GameSpec]) -> Stop {
    Stop::Usage(format!("zappy_server: {line}\n{}", game_flags::usage(game, games)))
}

/// What every game's match is played with, at so many ticks per second.
fn configuration(flags: &Flags, rate: u32) -> Result<MatchConfig, String> {
    let ticks = flags.match_duration.map(|seconds| (seconds * u64::from(rate)).min(config::MAX_TICKS));
    Ok(MatchConfig {
        map: map(flags, None)?,
        teams: flags.teams.clone(),
        frequency: NonZeroU32::new(rate).ok_or("-f is 0")?,
        seed: match flags.seed {
            Some(Seed::Given(seed)) => seed,
            Some(Seed::Handed) => 0,
            // The standard library seeds its hash tables from the system's chance; a hash of it is a seed.
            None => RandomState::new().hash_one("seed"),
        },
        clock: flags.clock,
        auto_start: flags.auto_start,
        max_ticks: flags.max_ticks.into_iter().chain(ticks).min(),
        observers: flags.observers,
        // Only inputs are recorded while the match is played.
        publish: false,
    })
}

/// The size of the map: as asked for, or the only one that goes with the game's options, or the default.
fn map(flags: &Flags, own: Option<MapSize>) -> Result<MapSize, String> {
    let width = flags.width.or(own.map(MapSize::width)).unwrap_or(DEFAULT_SIDE);
    let height = flags.height.or(own.map(MapSize::height)).unwrap_or(DEFAULT_SIDE);
    MapSize::new(width, height).ok_or_else(|| "-x, -y: no such map".to_owned())
}

/// How the server is to run; `stand`: where the match stands if it is resumed.
fn server_options(
    flags: &Flags,
    config: &MatchConfig,
    game: &dyn Game,
    stand: Option<Stand>,
) -> Result<ServerOptions, String> {
    let lockstep = flags.lockstep.settings(config, game, flags.door, stand.is_some())?;
    let patience = Some(flags.lockstep.lobby_time()).filter(|time| stand.is_some() && *time < ENDLESS);
    let endless = lockstep.as_ref().is_some_and(|lockstep| lockstep.think_time == ENDLESS);
    let limits = Limits {
        handshake: if endless { ENDLESS } else { Duration::from_secs(flags.handshake_time) },
        connections: flags.max_connections as usize,
        per_address: flags.max_per_address as usize,
        ..Limits::default()
    };
    let stay = flags.stay.then(|| STOP_LINE.to_vec());
    Ok(ServerOptions {
        setup: Setup { limits, seed: config.seed, opening: Vec::new(), lockstep, stay, stand, patience },
        console: match (flags.end_with_stdin, flags.no_console) {
            (true, _) => ConsoleUse::End,
            (false, true) => ConsoleUse::None,
            (false, false) => ConsoleUse::Lines,
        },
        door: flags.door,
        stop_line: STOP_LINE.to_vec(),
    })
}

/// The match that is to be resumed, or what is wrong.
fn resume(flags: Flags, found: &ArgMatches, command: &clap::Command) -> Result<Action, String> {
    let given = |id: &str| found.value_source(id) == Some(ValueSource::CommandLine);
    let out_of_place = command.get_arguments().find(|argument| {
        let id = argument.get_id().as_str();
        given(id) && !RESUME_FLAGS.split(' ').any(|flag| flag == id) && !LockstepFlags::has(id)
    });
    if let Some(argument) = out_of_place {
        let name = flag(&argument.to_string(), command);
        return Err(format!("{name} can't be given with --resume: the record tells what is played"));
    }
    let record = flags.resume.clone().unwrap_or_default();
    let (record_level, record_delay) = (flags.record_level, flags.record_delay);
    let result = flags.result.clone();
    let files = Files { scenario: None, record: Some(record.clone()), record_level, record_delay, result };
    let address = SocketAddr::new(flags.bind, flags.port);
    Ok(Action::Resume(Box::new(Resume { record, address, observers: flags.observers, files, flags })))
}

/// The match that is to be played, or what is wrong.
fn play(flags: Flags, found: &ArgMatches, games: GameTable) -> Result<Action, String> {
    if flags.teams.is_empty() {
        return Err("-n: no team is given; name 1 to 100 of them, as in -n red blue".to_owned());
    }
    let game = game_flags::game(flags.game.as_deref(), games)?;
    let rate = match (game.rate.map(NonZeroU32::get), flags.freq) {
        (Some(own), Some(asked)) if own != asked => {
            let name = game.name;
            return Err(format!(
                "-f is {asked}, but in the game {name} a second has {own} ticks by its rules; leave -f away"
            ));
        }
        (own, asked) => own.or(asked).unwrap_or(config::DEFAULT_FREQUENCY.get()),
    };
    let config = configuration(&flags, rate)?;
    config.validate().map_err(|error| format!("-n: {error}"))?;
    let spec = MatchSpec::new(game, config);
    let spec = game_flags::options(spec, found, &flags.options, games)?;
    // A map of the game comes before a file of the same name.
    let named = flags.scenario.as_deref().and_then(Path::to_str).and_then(|name| spec.on_map(name));
    let scenario = flags.scenario.clone().filter(|_| named.is_none());
    let mut spec = named.unwrap_or(spec);
    spec.config.map = map(&flags, (game.map)(&spec.options))?;
    // Some values are in their ranges but don't go together.
    let begun = spec.begin().map_err(|error| error.to_string())?;
    let options = server_options(&flags, &spec.config, &*begun, None)?;
    let address = SocketAddr::new(flags.bind, flags.port);
    let (record, result) = (flags.record, flags.result);
    let (record_level, record_delay) = (flags.record_level, flags.record_delay);
    let files = Files { scenario, record, record_level, record_delay, result };
    let seed_on_stdin = flags.seed == Some(Seed::Handed);
    Ok(Action::Play(Box::new(Play { spec, address, seed_on_stdin, options, files })))
}

/// The flag as people type it, from the text that the library prints for it.
fn flag(printed: &str, command: &clap::Command) -> String {
    let argument = command.get_arguments().find(|argument| argument.to_string() == printed);
    match argument.map(|argument| (argument.get_short(), argument.get_long())) {
        Some((Some(short), Some(_))) => format!("-{short}"),
        Some((None, Some(long))) => format!("--{long}"),
        _ => printed.to_owned(),
    }
}

/// The help that was asked for; or, as an error, what is wrong with the command line in the words of this program.
fn explain(error: &clap::Error, command: &clap::Command) -> Result<String, String> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Ok(error.to_string());
    }
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let name = context(ContextKind::InvalidArg).map(|printed| flag(printed, command));
    let value = context(ContextKind::InvalidValue).unwrap_or("");
    let cause = std::error::Error::source(error).map(ToString::to_string);
    Err(match (error.kind(), name, cause) {
        (ErrorKind::ValueValidation, Some(name), Some(cause)) => format!("{name} is {value:?}, {cause}"),
        (ErrorKind::InvalidValue, Some(name), _) if value.is_empty() => format!("{name} needs a value"),
        (ErrorKind::UnknownArgument, Some(name), _) => match context(ContextKind::SuggestedArg) {
            Some(near) => format!("{name} is no flag of this program; did you mean {near}?"),
            None => format!("{name} is no flag of this program"),
        },
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or("the command line is wrong");
            first.trim_start_matches("error: ").to_owned()
        }
    })
}

/// The key and the value of `KEY=VALUE`.
fn pair(text: &str) -> Option<(String, String)> {
    text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
