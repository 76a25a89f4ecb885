//! Which commands can play in one process: ours, with the options that mean something there.
//!
//! The words are read by the client's own command line, so they mean what they mean to the program. Never starts
//! anything; the program needn't be there. Tested in this module.

use std::ffi::OsString;
use std::path::Path;

use zappy_ai::cli;
use zappy_protocol::TeamName;

use super::Crew;
use crate::Error;
use crate::command::{Values, fill, split};
use crate::seed::bot_seed;
use crate::setup::split_bot;

/// The program that plays in one process.
pub const OURS: &str = "zappy_ai";
/// Stands for the server's port, which nobody connects to.
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
    /// When the team can't be called so, or the command is no bot of ours, or asks for what can't be had here.
    pub fn parse(text: &str) -> Result<OurBot, Error> {
        let (team, command) = split_bot(text)?;
        let words = split(&format!("--bot {team}"), command)?;
        let name = Path::new(&words[0]).file_name().and_then(|name| name.to_str());
        if name != Some(OURS) {
            return Err(Error::NotOurs(team.to_string(), words[0].clone()));
        }
        let bot = OurBot { team, text: command.to_owned(), words };
        bot.crew(0, 0, 1)?;
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
    /// When the command asks for what can't be had here.
    pub fn crew(&self, match_seed: u64, place: usize, procs: usize) -> Result<Crew, Error> {
        let refuse = |words: String| Error::BadOurs(self.team.to_string(), words);
        let seed = bot_seed(match_seed, place);
        let values = Values { host: "localhost", port: SOME_PORT, team: Some(&self.team), seed };
        let arguments = std::iter::once(OURS.to_owned()).chain(fill(&self.words, values));
        let options = cli::parse(arguments.map(OsString::from)).map_err(|exit| match exit.code {
            0 => refuse("it would only print a text and play nothing".to_owned()),
            _ => refuse(first_line(&exit.text)),
        })?;
        if options.name != self.team {
            return Err(refuse(format!("it would play for {}; leave -n to the arena", options.name)));
        }
        if options.verbose > 0 {
            return Err(refuse(
                "-v has nowhere to write to; leave it away, or leave --in-process away".into(),
            ));
        }
        let players = procs * usize::from(options.players);
        Ok(Crew { players, seed: options.seed.unwrap_or(seed), style: options.level })
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_ai::level::Style;

    fn crew(command: &str) -> Result<Crew, String> {
        let bot = OurBot::parse(&format!("red={command}")).map_err(|error| error.to_string())?;
        bot.crew(42, 1, 2).map_err(|error| error.to_string())
    }

    #[test]
    fn options_mean_what_they_mean_to_the_program() {
        let drawn = bot_seed(42, 1);
        assert_eq!(crew("zappy_ai").unwrap(), Crew { players: 2, seed: drawn, style: Style::Expert });
        assert_eq!(
            crew("/no/where/zappy_ai --players=3 -q").unwrap(),
            Crew { players: 6, seed: drawn, style: Style::Expert }
        );
        let easy = Crew { players: 2, seed: drawn, style: Style::Easy };
        assert_eq!(crew("zappy_ai --level easy").unwrap(), easy);
        assert_eq!(crew("./zappy_ai --seed 7").unwrap(), Crew { players: 2, seed: 7, style: Style::Expert });
        assert_eq!(
            crew("zappy_ai -p {port} -n {team} --seed {seed}").unwrap(),
            Crew { players: 2, seed: drawn, style: Style::Expert }
        );
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
            let error = crew(command).unwrap_err();
            assert!(error.starts_with(words), "{error}\nexpected {words}");
        }
    }
}
