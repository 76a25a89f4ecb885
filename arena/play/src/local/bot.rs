//! One team of a match in this process, and its command.
//!
//! Which commands can play, and what their words mean, is for the game's [`Guest`]. Never starts anything; the
//! program needn't be there. Tested in `zappy`.

use std::path::Path;

use zappy_ai::agent::Agent;
use zappy_protocol::TeamName;

use crate::Error;
use crate::programs::command::split;
use crate::programs::seed::bot_seed;
use crate::setup::split_bot;
use crate::world::{Call, Guest, World};

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
    /// The team can't be called so, or the command can't play in this process, or asks for what can't be had here.
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

    /// The game's own program as it is.
    pub fn plain(team: TeamName, guest: &'static Guest) -> LocalBot {
        let program = guest.program.to_owned();
        LocalBot { team, text: program.clone(), words: vec![program], guest }
    }

    /// Its players in a match of that seed, when the command is started so often.
    ///
    /// # Errors
    /// The command asks for what can't be had here.
    pub fn crew(&self, match_seed: u64, place: usize, starts: usize) -> Result<Vec<Box<dyn Agent>>, Error> {
        let call = Call { team: &self.team, words: &self.words, seed: bot_seed(match_seed, place), starts };
        (self.guest.crew)(&call)
            .map_err(|words| Error::BadOurs(self.team.to_string(), self.guest.program, words))
    }
}
