//! Zappy in the arena: its worlds, our client as its player in this process, and what its messages to observers mean.
//!
//! The client's own command line reads the words of a command, so they mean what they mean to the program. Nothing
//! else in the arena, but what tells of records and checks bots, knows Zappy's rules. Tested in this module.

mod follow;

use std::ffi::OsString;

use zappy_ai::agent::Agent;
use zappy_ai::cli;
use zappy_ai::zappy::agent::{Player, Setup};
use zappy_protocol::MapSize;
use zappy_server::config::MatchConfig;
use zappy_server::zappy::{SPEC, ZappyOptions};

use self::follow::Teams;
use crate::Error;
use crate::play::world::{Call, Guest, World};
use crate::programs::command::{Values, fill};

/// What the arena has for Zappy.
pub static GUEST: Guest = Guest {
    game: SPEC.name,
    options: &[
        ("clients", "Slots per team at the start"),
        ("rules", "Which rules are played: subject; official, as the official server 3.0.1 plays; strict"),
    ],
    program: "zappy_ai",
    crew,
    follow: |teams| Box::new(Teams::new(teams)),
};

/// Stands for the server's port: in this process no program connects to it.
const SOME_PORT: u16 = 1;

/// A world of Zappy on that map.
///
/// # Errors
/// It can't be played so.
pub fn world(map: MapSize, options: ZappyOptions) -> Result<World, Error> {
    World::new(options.spec(MatchConfig::new(map, Vec::new()))?, Some(&GUEST))
}

fn crew(call: &Call<'_>) -> Result<Vec<Box<dyn Agent>>, String> {
    let (count, setup) = players(call)?;
    Ok((0..count).map(|_| Box::new(Player::new(setup.clone())) as Box<dyn Agent>).collect())
}

/// How many players they are, and what each of them is made from.
fn players(call: &Call<'_>) -> Result<(usize, Setup), String> {
    let values = Values { host: "localhost", port: SOME_PORT, team: Some(call.team), seed: call.seed };
    let arguments = std::iter::once(GUEST.program.to_owned()).chain(fill(call.words, values));
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
    let seed = options.seed.unwrap_or(call.seed);
    // All players of the team know the seed, so it seals what they say.
    let setup = Setup { team: options.name, seed, sealed: true, style: options.level, birth: None };
    Ok((call.starts * usize::from(options.players), setup))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::bot::LocalBot;
    use crate::programs::command::split;
    use crate::programs::seed::bot_seed;
    use zappy_ai::zappy::level::Style;

    fn players(command: &str) -> Result<(usize, u64, Style), String> {
        let world = world(MapSize::new(5, 5).unwrap(), ZappyOptions::default()).unwrap();
        let bot = LocalBot::parse(&format!("red={command}"), &world).map_err(|error| error.to_string())?;
        let words = split("", &bot.text).unwrap();
        let call = Call { team: &bot.team, words: &words, seed: bot_seed(42, 1), starts: 2 };
        let (count, setup) = super::players(&call)?;
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
