//! One team of a match in this process, with its command; and the players that our client brings to a game.
//!
//! Which commands can play, and what their words mean, is for the game's [`Guest`]. The client's own command line reads
//! the words of a command, so they mean what they mean to the program. Never starts anything; the program needn't be
//! there. Tested in `zappy` and `conquest`.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueEnum as _;
use zappy_ai::agent::Agent;
use zappy_ai::cli::{self, Game, Options};
use zappy_protocol::TeamName;

use crate::Error;
use crate::programs::command::{Values, fill, split};
use crate::programs::environment::bot_seed;
use crate::setup::split_bot;
use crate::world::{Call, Guest, World};

/// The name of the program of our client.
pub const PROGRAM: &str = "zappy_ai";

/// Stands for the server's port: in this process no program connects to it.
const SOME_PORT: u16 = 1;

/// One team and its command.
#[derive(Debug, Clone)]
pub struct LocalBot {
    pub team: TeamName,
    /// The command as it was written.
    pub text: String,
    words: Vec<String>,
    guest: &'static Guest,
}

impl LocalBot {
    /// Reads `TEAM=COMMAND` for a match in that world.
    ///
    /// # Errors
    /// No team can have this name, or the command can't play in this process, or asks for what can't be had in it.
    pub fn parse(text: &str, world: &World) -> Result<LocalBot, Error> {
        let guest = world.guest.ok_or(Error::NoBots(world.spec.game.name))?;
        let (team, command) = split_bot(text)?;
        let words = split(&format!("--bot {team}"), command)?;
        let name = Path::new(&words[0]).file_name().and_then(|name| name.to_str());
        if name != Some(guest.program) {
            return Err(Error::NotOurs(team.to_string(), words[0].clone(), guest.program));
        }
        let bot = LocalBot { team, text: command.to_owned(), words, guest };
        bot.crew(0, 0, 1)?;
        Ok(bot)
    }

    /// A team that plays with our client, without any option.
    pub fn plain(team: TeamName, guest: &'static Guest) -> LocalBot {
        let program = guest.program.to_owned();
        LocalBot { team, text: program.clone(), words: vec![program], guest }
    }

    /// Its players in a match of that seed, if the command is started so often. `place`: the team's index in the match.
    ///
    /// # Errors
    /// The command asks for what can't be had in this process.
    pub fn crew(&self, match_seed: u64, place: usize, starts: usize) -> Result<Vec<Box<dyn Agent>>, Error> {
        let call = Call { team: &self.team, words: &self.words, seed: bot_seed(match_seed, place), starts };
        (self.guest.crew)(&call)
            .map_err(|words| Error::BadOurs(self.team.to_string(), self.guest.program, words))
    }
}

/// The players of one team of our client in a match of that game.
///
/// # Errors
/// What of the command can't be had in this process, in words.
pub fn crew(game: &str, call: &Call<'_>) -> Result<Vec<Box<dyn Agent>>, String> {
    let known = Game::from_str(game, false)?;
    let options = options(call)?;
    if options.game.is_some_and(|asked| asked != known) {
        return Err(format!("it would play another game than {game}; leave --game to the arena"));
    }
    // All players of the team know the seed, so they can seal their messages with it.
    options.agents(known, call.seed, true, call.starts)
}

/// The client's options in the words of a command.
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
        return Err("-v has nowhere to write to; leave it out, or play without --in-process".into());
    }
    Ok(options)
}
