//! Our client as the players of any game that it plays, in this process.
//!
//! Its own command line reads the words of a command, so they mean what they mean to the program. Tested in `zappy` and
//! `conquest`.

use std::ffi::OsString;

use clap::ValueEnum as _;
use zappy_ai::agent::Agent;
use zappy_ai::cli::{self, Game, Options};

use crate::programs::command::{Values, fill};
use crate::world::Call;

pub const PROGRAM: &str = "zappy_ai";

/// Stands for the server's port: in this process no program connects to it.
const SOME_PORT: u16 = 1;

/// The players of one team in a match of that game.
///
/// # Errors
/// What of the command can't be had in this process, in words.
pub fn crew(game: &str, call: &Call<'_>) -> Result<Vec<Box<dyn Agent>>, String> {
    let known = Game::from_str(game, false)?;
    let options = options(call)?;
    if options.game.is_some_and(|asked| asked != known) {
        return Err(format!("it would play another game than {game}; leave --game to the arena"));
    }
    // All players of the team know the seed, so it seals what they say.
    options.agents(known, call.seed, true, call.starts)
}

/// What the words of a command mean to the program.
pub(super) fn options(call: &Call<'_>) -> Result<Options, String> {
    let values = Values { host: "localhost", port: SOME_PORT, team: Some(call.team), seed: call.seed };
    let arguments = std::iter::once(PROGRAM.to_owned()).chain(fill(call.words, values));
    let options = cli::parse(arguments.map(OsString::from)).map_err(|exit| match exit.code {
        0 => "it would only print a text and play nothing".to_owned(),
        _ => exit.text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned(),
    })?;
    if options.name != *call.team {
        return Err(format!("it would play for {}; leave -n to the arena", options.name));
    }
    if options.verbose > 0 {
        return Err("-v has nowhere to write to; leave it away, or leave --in-process away".into());
    }
    Ok(options)
}
