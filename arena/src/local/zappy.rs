//! Which commands can play Zappy in this process: our client, with the options that mean something here.
//!
//! The client's own command line reads the words, so they mean what they mean to the program. Never starts anything;
//! the program needn't be there. Tested in this module.

use std::ffi::OsString;
use std::path::Path;

use zappy_ai::agent::Agent;
use zappy_ai::cli;
use zappy_ai::zappy::agent::{Player, Setup};
use zappy_protocol::TeamName;

use super::error::Error as LocalError;
use crate::Error;
use crate::play::setup::split_bot;
use crate::programs::command::{Values, fill, split};
use crate::programs::seed::bot_seed;

/// The program that plays in one process.
pub const OURS: &str = "zappy_ai";
/// Stands for the server's port: in this process no program connects to it.
const SOME_PORT: u16 = 1;

/// One team and its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OurBot {
    /// The team.
    pub team: TeamName,
    /// The command as it was written.
    pub text: String,
    words: Vec<String>,
}

impl OurBot {
    /// Reads `TEAM=COMMAND`.
    ///
    /// # Errors
    /// The team can't be called so, or the command is no bot of ours, or asks for what can't be had here.
    pub fn parse(text: &str) -> Result<OurBot, Error> {
        let (team, command) = split_bot(text)?;
        let words = split(&format!("--bot {team}"), command)?;
        let name = Path::new(&words[0]).file_name().and_then(|name| name.to_str());
        if name != Some(OURS) {
            return Err(LocalError::NotOurs(team.to_string(), words[0].clone()).into());
        }
        let bot = OurBot { team, text: command.to_owned(), words };
        bot.players(0, 0, 1)?;
        Ok(bot)
    }

    /// Our client as it is.
    #[must_use]
    pub fn plain(team: TeamName) -> OurBot {
        OurBot { team, text: OURS.to_owned(), words: vec![OURS.to_owned()] }
    }

    /// Its players in a match of that seed, when the command is started so often.
    ///
    /// # Errors
    /// The command asks for what can't be had here.
    pub fn crew(
        &self,
        match_seed: u64,
        place: usize,
        procs: usize,
    ) -> Result<Vec<Box<dyn Agent>>, LocalError> {
        let (count, setup) = self.players(match_seed, place, procs)?;
        Ok((0..count).map(|_| Box::new(Player::new(setup.clone())) as Box<dyn Agent>).collect())
    }

    /// How many they are, and what each of them is made from.
    fn players(&self, match_seed: u64, place: usize, procs: usize) -> Result<(usize, Setup), LocalError> {
        let refuse = |words: String| LocalError::BadOurs(self.team.to_string(), words);
        let seed = bot_seed(match_seed, place);
        let values = Values { host: "localhost", port: SOME_PORT, team: Some(&self.team), seed };
        let arguments = std::iter::once(OURS.to_owned()).chain(fill(&self.words, values));
        let options = cli::parse(arguments.map(OsString::from)).map_err(|exit| match exit.code {
            0 => refuse("it would only print a text and play nothing".to_owned()),
            _ => refuse(exit.text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned()),
        })?;
        if options.name != self.team {
            return Err(refuse(format!("it would play for {}; leave -n to the arena", options.name)));
        }
        if options.verbose > 0 {
            return Err(refuse(
                "-v has nowhere to write to; leave it away, or leave --in-process away".into(),
            ));
        }
        let seed = options.seed.unwrap_or(seed);
        // All players of the team know the seed, so it seals what they say.
        let setup = Setup { team: options.name, seed, sealed: true, style: options.level, birth: None };
        Ok((procs * usize::from(options.players), setup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_ai::zappy::level::Style;

    fn players(command: &str) -> Result<(usize, u64, Style), String> {
        let bot = OurBot::parse(&format!("red={command}")).map_err(|error| error.to_string())?;
        let (count, setup) = bot.players(42, 1, 2).map_err(|error| error.to_string())?;
        assert_eq!((setup.team.as_str(), setup.sealed), ("red", true));
        assert_eq!(bot.crew(42, 1, 2).unwrap().len(), count);
        Ok((count, setup.seed, setup.style))
    }

    #[test]
    fn options_mean_what_they_mean_to_the_program() {
        let drawn = bot_seed(42, 1);
        for (command, expected) in [
            ("zappy_ai", (2, drawn, Style::Expert)),
            ("/no/where/zappy_ai --players=3 -q", (6, drawn, Style::Expert)),
            ("zappy_ai --level easy", (2, drawn, Style::Easy)),
            ("./zappy_ai --seed 7", (2, 7, Style::Expert)),
            ("zappy_ai -p {port} -n {team} --seed {seed}", (2, drawn, Style::Expert)),
        ] {
            assert_eq!(players(command).unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn what_cannot_play_here_is_refused_with_a_reason() {
        for (command, words) in [
            ("python3 bot.py", "--bot red: \"python3\" can't play in this process, only zappy_ai can"),
            ("sh -c zappy_ai", "--bot red: \"sh\" can't play"),
            ("zappy_ai --players 0", "--bot red: zappy_ai: invalid value '0' for '--players <N>'"),
            ("zappy_ai --frob", "--bot red: zappy_ai: unexpected argument '--frob' found"),
            ("zappy_ai -p {port} -n blue", "--bot red: zappy_ai: it would play for blue"),
            ("zappy_ai -v", "--bot red: zappy_ai: -v has nowhere to write to"),
            ("zappy_ai --help", "--bot red: zappy_ai: it would only print a text"),
            ("zappy_ai 'x", "--bot red: a quote"),
        ] {
            let error = players(command).unwrap_err();
            assert!(error.starts_with(words), "{error}\nexpected {words}");
        }
    }
}
