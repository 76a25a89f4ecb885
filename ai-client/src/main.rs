//! `zappy_ai`: reads the command line, plays, and says how it ended.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::ValueEnum as _;
use log::{LevelFilter, info};
use zappy_ai::cli::{self, GAME_VARIABLE, Game, Options};
use zappy_ai::client::{Address, PlayerEnd, play};

/// The environment variable in which an arena leaves the seed of a team's players.
const SEED_VARIABLE: &str = "ZAPPY_SEED";

fn main() -> ExitCode {
    let options = match cli::parse(std::env::args_os()) {
        Ok(options) => options,
        Err(exit) => {
            // The reader of stdout or stderr may be gone; the exit code still tells.
            let _ = if exit.code == 0 {
                io::stdout().write_all(exit.text.as_bytes())
            } else {
                io::stderr().write_all(exit.text.as_bytes())
            };
            return ExitCode::from(exit.code);
        }
    };
    start_log(&options);
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "zappy_ai: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start_log(options: &Options) {
    let level = match (options.quiet, options.verbose) {
        (true, _) => LevelFilter::Warn,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
}

/// The seed in the environment, if there is one.
fn seed_given() -> anyhow::Result<Option<u64>> {
    let Some(text) = std::env::var_os(SEED_VARIABLE) else { return Ok(None) };
    let seed = text.to_str().and_then(|text| text.parse().ok());
    let words = || format!("{SEED_VARIABLE} is {text:?}; give a whole number, or unset it");
    seed.map(Some).with_context(words)
}

/// The game in the environment, or the one that is played if none is named.
fn game_given() -> anyhow::Result<Game> {
    let Some(text) = std::env::var_os(GAME_VARIABLE) else { return Ok(Game::Zappy) };
    let game = text.to_str().and_then(|text| Game::from_str(text, false).ok());
    game.with_context(|| format!("{GAME_VARIABLE} is {text:?}; the games are zappy and conquest"))
}

fn run(options: &Options) -> anyhow::Result<()> {
    let game = options.game.map_or_else(game_given, Ok)?;
    let given = match options.seed {
        Some(seed) => Some(seed),
        None => seed_given()?,
    };
    let sealed = given.is_some();
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(std::process::id()));
    info!("{} {}: seed {seed}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let address = Address { host: options.host.clone(), port: options.port };
    let team = options.name.as_str();
    let agents = options.agents(game, seed, sealed, 1).map_err(|words| anyhow!(words))?;
    match play(&address, team, agents).with_context(|| format!("team {team} can't play"))? {
        PlayerEnd::MatchOver => info!("the match is over"),
        PlayerEnd::Out => info!("the last player starved"),
    }
    Ok(())
}
