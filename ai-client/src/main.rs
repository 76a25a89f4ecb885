//! `zappy_ai`: reads the command line, plays, and says how it ended.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use clap::ValueEnum as _;
use log::{LevelFilter, info, warn};
use zappy_ai::agent::without_token;
use zappy_ai::cli::{self, GAME_VARIABLE, Game, Options};
use zappy_ai::client::{Address, PlayerEnd, play};

/// The environment variable that names the team if no flag does.
const TEAM_VARIABLE: &str = "ZAPPY_TEAM";
/// A ladder refuses a wrong token within this time: a connection that lasted longer is worth another attempt.
const REFUSAL_TIME: Duration = Duration::from_secs(3);
/// The pause before another attempt, when a match couldn't be played.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The environment variable in which an arena leaves the seed of a team's players.
const SEED_VARIABLE: &str = "ZAPPY_SEED";

fn main() -> ExitCode {
    let options = match cli::parse(cli::with_team(std::env::args_os(), std::env::var_os(TEAM_VARIABLE))) {
        Ok(options) => options,
        Err(exit) => {
            // The reader of stdout or stderr may be gone; the exit code still says whether it was an error.
            let _ = if exit.code == 0 {
                io::stdout().write_all(exit.text.as_bytes())
            } else {
                io::stderr().write_all(exit.text.as_bytes())
            };
            return ExitCode::from(exit.code);
        }
    };
    let level = match (options.quiet, options.verbose) {
        (true, _) => LevelFilter::Warn,
        (_, 0) => LevelFilter::Info,
        (_, 1) => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "zappy_ai: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The value of an environment variable as `read` parses it; `None` if it isn't set. The error quotes a text that
/// `read` refuses, and says with `remedy` what to give instead.
fn variable<T>(name: &str, read: impl Fn(&str) -> Option<T>, remedy: &str) -> anyhow::Result<Option<T>> {
    let Some(text) = std::env::var_os(name) else { return Ok(None) };
    let value = text.to_str().and_then(read);
    value.map(Some).with_context(|| format!("{name} is {text:?}; {remedy}, or unset it"))
}

fn run(options: &Options) -> anyhow::Result<()> {
    let game = match options.game {
        Some(game) => game,
        None => {
            let names: Vec<String> = Game::value_variants().iter().map(cli::name_of).collect();
            let read = |text: &str| Game::from_str(text, false).ok();
            variable(GAME_VARIABLE, read, &format!("give {}", names.join(" or ")))?.unwrap_or_default()
        }
    };
    let given_seed = match options.seed {
        Some(seed) => Some(seed),
        None => variable(SEED_VARIABLE, |text| text.parse().ok(), "give a whole number")?,
    };
    let sealed = given_seed.is_some();
    let seed = given_seed.unwrap_or_else(|| RandomState::new().hash_one(std::process::id()));
    info!("{} {}: seed {seed}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let address = Address { host: options.host.clone(), port: options.port };
    let team = options.name.as_str();
    let shown = without_token(team);
    let mut played = false;
    loop {
        let begun = Instant::now();
        let agents = options.agents(game, seed, sealed, 1).map_err(|words| anyhow!(words))?;
        match play(&address, shown, agents) {
            Ok(PlayerEnd::MatchOver) => info!("the match is over"),
            Ok(PlayerEnd::Out) => info!("the last player starved"),
            // The server may be started again; a ladder may have ended the connection since no opponent came.
            Err(error) if options.repeat && (played || begun.elapsed() > REFUSAL_TIME) => {
                warn!("{error}; it tries again");
                thread::sleep(RETRY_PAUSE);
                continue;
            }
            Err(error) => return Err(error).with_context(|| format!("team {shown} can't play")),
        }
        if !options.repeat {
            return Ok(());
        }
        played = true;
    }
}
