//! Conquest in the arena: its players in this process, and what its messages to observers mean.
//!
//! Nothing else in the arena, but what tells of records and checks bots, knows its rules. Tested in this module.

mod follow;

use zappy_game_conquest::SPEC;

use self::follow::Factions;
use super::client;
use crate::world::Guest;

/// What the arena has for conquest.
pub static GUEST: Guest = Guest {
    game: SPEC.name,
    options: &[],
    program: client::PROGRAM,
    levels: &["easy", "medium", "hard", "raider", "expert"],
    crew: |call| client::crew(SPEC.name, call),
    follow: |names| Box::new(Factions::new(names)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::bot::LocalBot;
    use crate::world::Games;
    use zappy_server::games::GAMES;

    const ARENA: Games = Games { specs: GAMES, guests: &[&GUEST] };

    #[test]
    fn our_client_plays_a_faction_and_says_what_it_can_not_do() {
        let world = ARENA.world(Some("conquest"), [("turns", "9")], (12, 12)).unwrap();
        assert_eq!((world.slots, world.max_ticks(2)), (1, 20_020));
        for command in ["zappy_ai", "zappy_ai --level easy", "./zappy_ai --game conquest --seed 3"] {
            let bot = LocalBot::parse(&format!("red={command}"), &world).unwrap();
            assert_eq!(bot.crew(42, 1, 1).unwrap().len(), 1, "{command}");
        }
        for (command, words) in [
            ("zappy_ai --players 3", "zappy_ai: --players 3: in conquest a faction has one seat"),
            ("zappy_ai --level aggressor", "zappy_ai: --level aggressor: the levels of conquest are"),
            ("zappy_ai --game zappy", "zappy_ai: it would play another game than conquest"),
            ("python3 bot.py", "\"python3\" can't play in this process"),
        ] {
            let error = LocalBot::parse(&format!("red={command}"), &world).unwrap_err().to_string();
            assert!(error.contains(words), "{error}\nexpected {words}");
        }
    }
}
