//! Zappy's entry in the arena's table of games: its options, the levels and players of our client, and how to follow a match.
//!
//! In the arena only this module, `arena/records` and `arena/check` know Zappy's rules. Tested in this module.

mod follow;

use zappy_game::config::MatchConfig;
use zappy_game_zappy::{SPEC, ZappyOptions};
use zappy_protocol::MapSize;

use self::follow::Teams;
use super::client;
use crate::Error;
use crate::world::{Guest, World};

/// Zappy's entry among the games that can be played in this process.
pub static GUEST: Guest = Guest {
    game: SPEC.name,
    options: &[
        ("clients", "Slots per team at the start"),
        ("rules", "Which rules are played: subject; official, as the official server 3.0.1 plays; strict"),
    ],
    program: client::PROGRAM,
    // `aggressor` is last, though `expert` beats it: it lives from disturbing others.
    levels: &["easy", "medium", "hard", "expert", "aggressor"],
    crew: |call| client::crew(SPEC.name, call),
    follow: |teams| Box::new(Teams::new(teams)),
};

/// What is played: Zappy with these options on a map of that size.
pub fn world(map: MapSize, options: ZappyOptions) -> Result<World, Error> {
    Ok(World::new(options.spec(MatchConfig::new(map, Vec::new()))?, Some(&GUEST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::bot::LocalBot;
    use crate::programs::command::split;
    use crate::programs::seed::bot_seed;
    use crate::world::Call;

    fn players(command: &str) -> Result<(usize, u64, String), String> {
        let world = world(MapSize::new(5, 5).unwrap(), ZappyOptions::default()).unwrap();
        let bot = LocalBot::parse(&format!("red={command}"), &world).map_err(|error| error.to_string())?;
        let words = split("", &bot.text).unwrap();
        let call = Call { team: &bot.team, words: &words, seed: bot_seed(42, 1), starts: 2 };
        let options = client::options(&call)?;
        let seed = options.seed.unwrap_or(call.seed);
        Ok((bot.crew(42, 1, 2).unwrap().len(), seed, options.level))
    }

    #[test]
    fn options_mean_what_they_mean_to_the_program() {
        let drawn = bot_seed(42, 1);
        for (command, (count, seed, level)) in [
            ("zappy_ai", (2, drawn, "expert")),
            ("/no/where/zappy_ai --players=3 -q", (6, drawn, "expert")),
            ("zappy_ai --level easy", (2, drawn, "easy")),
            ("./zappy_ai --seed 7", (2, 7, "expert")),
            ("zappy_ai -p {port} -n {team} --seed {seed}", (2, drawn, "expert")),
        ] {
            assert_eq!(players(command).unwrap(), (count, seed, level.to_owned()), "{command}");
        }
    }

    #[test]
    fn what_cannot_play_here_is_refused_with_a_reason() {
        for (command, words) in [
            ("python3 bot.py", "--bot red: \"python3\" can't play in this process, only zappy_ai can"),
            ("sh -c zappy_ai", "--bot red: \"sh\" can't play"),
            ("zappy_ai --players 0", "--bot red: zappy_ai: invalid value '0' for '--players <N>'"),
            ("zappy_ai --frob", "--bot red: zappy_ai: unexpected argument '--frob' found"),
            ("zappy_ai --game conquest", "--bot red: zappy_ai: it would play another game than zappy"),
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
