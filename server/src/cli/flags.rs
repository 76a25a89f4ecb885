//! The command line: flags to plain values, and what to say when they are wrong.
//!
//! Reads nothing but its arguments. An error is one line that names flag, value and range, then the usage.
//! Tested in this module.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::game_flags;
use super::lockstep::{LockstepFlags, STOP_LINE};
use super::number::{Number, Seed, seed};
use super::values::{address, clock, level, observers, pair, switch, team};
use clap::builder::TypedValueParser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};
use log::LevelFilter;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::config::{self, Clock, MatchConfig, Observers};
use zappy_server::game::{GameSpec, MatchSpec};
use zappy_server::net::{ENDLESS, Limits, ServerOptions, Setup};

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
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0", value_parser = address)]
    bind: IpAddr,
    /// Tiles from west to east, 1 to 500
    #[arg(short = 'x', long, value_name = "TILES", default_value_t = 10, allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_SIDE.into()).map(|n| n as u16))]
    width: u16,
    /// Tiles from north to south, 1 to 500
    #[arg(short = 'y', long, value_name = "TILES", default_value_t = 10, allow_negative_numbers = true,
          value_parser = Number(1, config::MAX_SIDE.into()).map(|n| n as u16))]
    height: u16,
    /// The game to be played
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// An option of the game; the game's own flags below set the same options
    #[arg(long = "option", value_name = "KEY=VALUE", action = ArgAction::Append, value_parser = pair)]
    options: Vec<(String, String)>,
    /// Names of the teams, one word each
    #[arg(short = 'n', long = "team", value_name = "TEAM", num_args = 1.., action = ArgAction::Append,
          value_parser = team)]
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
          alias = "auto_start", value_parser = switch)]
    auto_start: bool,
    /// The tick at which the best team wins
    #[arg(long, value_name = "TICKS", allow_negative_numbers = true, value_parser = Number(1, config::MAX_TICKS))]
    max_ticks: Option<Tick>,
    /// The same in seconds at the starting frequency; the earlier of both counts
    #[arg(short = 't', long, aliases = ["game-duration", "match_duration"], value_name = "SECONDS", allow_negative_numbers = true,
          value_parser = Number(1, MAX_SECONDS))]
    match_duration: Option<u64>,
    /// Run on after the match, with the observers; connections that come then are never answered
    #[arg(long)]
    stay: bool,
    /// What makes time pass: real, the clock on the wall; lockstep, all players having acted
    #[arg(long, default_value = "real", value_parser = clock)]
    clock: Clock,
    #[command(flatten)]
    lockstep: LockstepFlags,
    /// What observers may do: off, they aren't let in; read-only, they watch; control, they may also set the frequency
    #[arg(long, value_name = "WHAT", default_value = "control", value_parser = observers)]
    observers: Observers,
    /// Write a record of the match: its inputs while it is played, the full one when it has ended
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// What the record holds: inputs (enough to verify) or full (what observers saw too)
    #[arg(long, value_name = "LEVEL", default_value = "full", value_parser = level)]
    record_level: RecordLevel,
    /// Write the result of the match as JSON
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Play no match: run a record's inputs again and name the first difference
    #[arg(long, value_name = "FILE")]
    verify: Option<PathBuf>,
    /// Console lines to run before the first client is let in; `#` begins a comment
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Don't read stdin, and write nothing but the address to stdout
    #[arg(long)]
    no_console: bool,
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

/// The longest match in seconds: ten years.
const MAX_SECONDS: u64 = 315_360_000;

/// What a match reads and leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub scenario: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub record_level: RecordLevel,
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

/// What the command line asks for.
#[derive(Debug)]
pub enum Action {
    Play(Box<Play>),
    Verify(PathBuf),
}

/// Why the program ends without doing anything.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// The help or the version, which was asked for.
    Told(String),
    /// What is wrong with the command line, and the usage.
    Usage(String),
}

/// Reads the arguments: what they ask for, and how much to log.
///
/// # Errors
/// Help was asked for, or something is wrong.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    games: &'static [GameSpec],
) -> Result<(Action, LevelFilter), Stop> {
    let mut command = game_flags::add(Flags::command(), games);
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let asked = arguments.windows(2).rfind(|pair| pair[0] == "--game").and_then(|pair| pair[1].to_str());
    let game = game_flags::game(asked, games).or_else(|_| game_flags::game(None, games));
    let game = game.map_err(Stop::Usage)?;
    let stop = |error: &clap::Error, command: &clap::Command| match said(error, command) {
        Ok(told) => Stop::Told(told),
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
        None => play(flags, &found, games).map_err(|line| usage(&line, game, games))?,
    };
    Ok((action, level))
}

fn usage(line: &str, game: &GameSpec, games: &[GameSpec]) -> Stop {
    Stop::Usage(format!("zappy_server: {line}\n{}", game_flags::usage(game, games)))
}

/// What every game's match is played with, at so many ticks per second.
fn configuration(flags: &Flags, rate: u32) -> Result<MatchConfig, String> {
    let ticks = flags.match_duration.map(|seconds| (seconds * u64::from(rate)).min(config::MAX_TICKS));
    Ok(MatchConfig {
        map: MapSize::new(flags.width, flags.height).ok_or("-x, -y: no such map")?,
        teams: flags.teams.clone(),
        frequency: NonZeroU32::new(rate).ok_or("-f is 0")?,
        // The standard library seeds its hash tables from the system's chance; a hash of it is a seed.
        seed: flags.seed.map_or_else(|| RandomState::new().hash_one("seed"), Seed::given),
        clock: flags.clock,
        auto_start: flags.auto_start,
        max_ticks: flags.max_ticks.into_iter().chain(ticks).min(),
        observers: flags.observers,
        // Only inputs are recorded while the match is played.
        publish: false,
    })
}

/// What is to be played, or what is wrong.
fn play(flags: Flags, found: &ArgMatches, games: &'static [GameSpec]) -> Result<Action, String> {
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
    // Some values are in their ranges but don't go together.
    let begun = spec.begin().map_err(|error| error.to_string())?;
    let config = &spec.config;
    let lockstep = flags.lockstep.settings(config, &*begun, flags.door)?;
    let endless = lockstep.as_ref().is_some_and(|lockstep| lockstep.think_time == ENDLESS);
    let limits = Limits {
        handshake: if endless { ENDLESS } else { Duration::from_secs(flags.handshake_time) },
        connections: flags.max_connections as usize,
        per_address: flags.max_per_address as usize,
        ..Limits::default()
    };
    let stay = flags.stay.then(|| STOP_LINE.to_vec());
    let address = SocketAddr::new(flags.bind, flags.port);
    let options = ServerOptions {
        setup: Setup { limits, seed: config.seed, opening: Vec::new(), lockstep, stay },
        console: !flags.no_console,
        door: flags.door,
        stop_line: STOP_LINE.to_vec(),
    };
    let (record, result, scenario) = (flags.record, flags.result, flags.scenario);
    for (one, other, names) in [
        (&record, &result, "--record and --result"),
        (&record, &scenario, "--record and --scenario"),
        (&result, &scenario, "--result and --scenario"),
    ] {
        if one.is_some() && one == other {
            return Err(format!("{names} name the same file; give each a file of its own"));
        }
    }
    let files = Files { scenario, record, record_level: flags.record_level, result };
    let seed_on_stdin = flags.seed == Some(Seed::Handed);
    Ok(Action::Play(Box::new(Play { spec, address, seed_on_stdin, options, files })))
}

/// The flag as people type it, from the way the library prints it.
fn flag(printed: &str, command: &clap::Command) -> String {
    let argument = command.get_arguments().find(|argument| argument.to_string() == printed);
    match argument.map(|argument| (argument.get_short(), argument.get_long())) {
        Some((Some(short), Some(_))) => format!("-{short}"),
        Some((None, Some(long))) => format!("--{long}"),
        _ => printed.to_owned(),
    }
}

/// The help that was asked for, or what is wrong.
fn said(error: &clap::Error, command: &clap::Command) -> Result<String, String> {
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
        (ErrorKind::UnknownArgument, Some(name), _) => format!("{name} is no flag of this program"),
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or("the command line is wrong");
            first.trim_start_matches("error: ").to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_server::games::GAMES;

    fn run(line: &str) -> Result<(Action, LevelFilter), Stop> {
        parse(std::iter::once("zappy_server").chain(line.split_whitespace()).map(OsString::from), GAMES)
    }

    fn play(line: &str) -> Play {
        match run(line).unwrap().0 {
            Action::Play(play) => *play,
            Action::Verify(_) => panic!("{line}"),
        }
    }

    fn config(line: &str) -> MatchConfig {
        play(line).spec.config
    }

    fn error(line: &str) -> String {
        match run(line).unwrap_err() {
            Stop::Usage(text) => text.lines().next().unwrap().to_owned(),
            Stop::Told(text) => panic!("{text}"),
        }
    }

    #[test]
    fn the_subjects_command_line_is_understood() {
        let spec = play("-p 4242 -x 20 -y 30 -n red blue -c 4 -f 10 -n green").spec;
        let (config, options) = (spec.config, spec.options);
        let teams: Vec<&str> = config.teams.iter().map(TeamName::as_str).collect();
        assert_eq!(teams, ["red", "blue", "green"]);
        assert_eq!((config.map.width(), config.map.height(), options.get("clients")), (20, 30, "4"));
        assert_eq!((config.frequency.get(), options.get("rules"), config.auto_start), (10, "subject", true));
        assert_eq!(play("-n red --option clients=4 --game zappy").spec.options.get("clients"), "4");
    }

    #[test]
    fn the_official_servers_command_line_is_understood() {
        let options = |line: &str| play(line).spec.options;
        let line = "-n red -c 3 -f 10 --match_duration 60 -s on -e true";
        assert_eq!((config(line).max_ticks, config(line).auto_start), (Some(600), true));
        assert_eq!(options(line).get("display-eggs"), "on");
        assert!(!config("-n red -s off").auto_start && !config("-n red --auto_start false").auto_start);
        assert_eq!(options("-n red --display_eggs on").get("display-eggs"), "on");
        assert_eq!(options("-n red --rules reference").get("rules"), "subject");
        assert_eq!(play("-n red --stay").options.setup.stay.as_deref(), Some(STOP_LINE));
        assert_eq!(play("-n red").options.setup.stay, None);
    }

    #[test]
    fn errors_name_flag_value_and_range() {
        for (line, expected) in [
            ("-n a -p 70000", "-p is \"70000\", the range is 0 to 65535"),
            ("-n a -x 0", "-x is \"0\", the range is 1 to 500"),
            ("-n a -y -3", "-y is \"-3\", the range is 1 to 500"),
            ("-n a -c many", "-c is \"many\", the range is 1 to 1000"),
            ("-n a -f 1.5", "-f is \"1.5\", the range is 1 to 100000"),
            ("-n a --rules loose", "--rules is \"loose\", the rule sets are subject, official and strict"),
            ("-n a --auto-start maybe", "-s is \"maybe\", the values are on and off"),
            ("-n a --observers some", "--observers is \"some\", the values are off, read-only and control"),
            ("-n a --record-level all", "--record-level is \"all\", the levels are inputs and full"),
            (
                "-n a --bind here",
                "--bind is \"here\", give an address of this machine, such as 127.0.0.1 or 0.0.0.0",
            ),
            ("-n a -p", "-p needs a value"),
            ("-n a -z", "-z is no flag of this program"),
            ("-p 4242", "-n: no team is given; name 1 to 100 of them, as in -n red blue"),
            ("-n a a", "-n: the team a is named twice; give each team a name of its own"),
            (
                "-n a --record x --result x",
                "--record and --result name the same file; give each a file of its own",
            ),
            ("-n a --game chess", "--game: there is no game chess; the games are zappy, conquest"),
            ("-n a --option clients", "--option is \"clients\", write KEY=VALUE"),
            ("-n a --option clients=0", "-c is \"0\", the range is 1 to 1000"),
            (
                "-n a --option cities=on",
                "--cities: the game zappy has no option cities; its options are rules, clients, display-eggs",
            ),
            (
                "-n a b --game conquest -x 20 -y 20 -f 200",
                "-f is 200, but in the game conquest a second has 1000 ticks by its rules; leave -f away",
            ),
            (
                "-n red blue --game conquest -x 20 -y 20 --alliance red,pink",
                "--alliance names \"pink\", but there is no faction pink; the factions are red, blue",
            ),
            ("-n a --clock sun", "--clock is \"sun\", the clocks are real and lockstep"),
            ("-n a --pace 50", "--pace belongs to the lockstep clock; add --clock lockstep"),
            ("-n a --clock lockstep --think-time 0", "--think-time is \"0\", the range is 1 to 3600000"),
            ("-n GRAPHIC", "-n: no team can be called GRAPHIC: that is how observers log in"),
        ] {
            assert_eq!(error(line), format!("zappy_server: {expected}"), "{line}");
        }
    }

    #[test]
    fn the_usage_is_that_of_the_game() {
        let usage = |line: &str| match run(line).unwrap_err() {
            Stop::Usage(text) => text.lines().nth(1).unwrap().to_owned(),
            Stop::Told(text) => panic!("{text}"),
        };
        let sides = "-p PORT -x WIDTH -y HEIGHT -n TEAM...";
        let conquest = format!("usage: zappy_server --game conquest {sides} [OPTIONS]");
        assert_eq!(usage("-n a -c 0"), format!("usage: zappy_server {sides} -c CLIENTS -f FREQ [OPTIONS]"));
        assert_eq!(usage("-n a --game conquest -c 3"), conquest);
        assert_eq!(usage("--game conquest -n a -x many"), conquest);
        assert_eq!(config("-n a b --game conquest -x 20 -y 20 -f 1000").frequency.get(), 1_000);
    }

    #[test]
    fn observers_of_a_server_by_hand_have_control() {
        assert_eq!(config("-n a").observers, Observers::Control);
        assert_eq!(config("-n a --observers read-only").observers, Observers::ReadOnly);
    }

    #[test]
    fn the_last_of_a_repeated_flag_counts() {
        assert_eq!(config("-n a -f 5 -f 7").frequency.get(), 7);
    }

    #[test]
    fn the_earlier_end_counts() {
        assert_eq!(config("-n a").max_ticks, None);
        assert_eq!(config("-n a -f 10 -t 60").max_ticks, Some(600));
        assert_eq!(config("-n a -f 10 --game-duration 60 --max-ticks 500").max_ticks, Some(500));
        assert_eq!(config("-n a -f 10 --match-duration 6 --max-ticks 500").max_ticks, Some(60));
    }

    #[test]
    fn seeds_are_drawn_unless_given() {
        assert_eq!(config("-n a --seed 9").seed, 9);
        assert_ne!(config("-n a").seed, config("-n a").seed);
        assert!(play("-n a --seed -").seed_on_stdin && !play("-n a --seed 9").seed_on_stdin);
    }

    #[test]
    fn the_lockstep_clock_waits_for_every_slot_unless_told_otherwise() {
        let lockstep = |line: &str| play(line).options.setup.lockstep;
        assert_eq!(lockstep("-n a b -c 4"), None);
        let settings = lockstep("-n a b -c 4 --clock lockstep").unwrap();
        assert_eq!((settings.wait_players, settings.max_late, settings.pace), (8, 10, None));
        assert_eq!(settings.think_time, Duration::from_secs(1));
        let settings = lockstep("-n a --clock lockstep --wait-players 3 --max-late 0 --pace 50").unwrap();
        assert_eq!((settings.wait_players, settings.max_late), (3, 0));
        assert_eq!(settings.pace, NonZeroU32::new(50));
    }

    #[test]
    fn help_is_no_error_and_verify_needs_no_team() {
        assert!(matches!(run("-h"), Err(Stop::Told(_))));
        assert!(matches!(run("--help"), Err(Stop::Told(text)) if text.contains("Examples")));
        assert!(matches!(run("--verify a.zrec"), Ok((Action::Verify(_), LevelFilter::Info))));
        assert_eq!(run("-n a -vv").unwrap().1, LevelFilter::Trace);
        assert_eq!(run("-n a -q").unwrap().1, LevelFilter::Warn);
    }
}
