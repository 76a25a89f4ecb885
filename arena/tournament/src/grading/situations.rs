//! The situations in which bots of a game are checked, and the check of a bot in some of them.
//!
//! Judges no bot. Tested in `arena/cli/tests/check.rs`.

use std::path::PathBuf;
use std::sync::Arc;

use zappy_check::{Check, FIRST_GAME, GAMES, Situation};
use zappy_play::programs::command::Template;
use zappy_play::programs::process::SpawnOptions;
use zappy_play::world::World;

/// The option of a game that is a flag of `check`.
pub const RULES: &str = "rules";

/// All situations for a game of that name; none if its bots aren't checked.
pub fn situations_of(game: &str) -> &'static [Situation] {
    GAMES.iter().find(|known| known.name == game).map(|known| known.situations).unwrap_or_default()
}

/// The check of a bot, which `launcher`, the arena's own program, starts as `spawn` says.
pub fn check_of(
    (bot, spawn): (Template, SpawnOptions),
    launcher: PathBuf,
    world: &World,
    situations: Vec<&'static Situation>,
) -> Check {
    let (options, game) = (world.spec.options.clone(), world.spec.game);
    let mut flags = String::new();
    if game.name != FIRST_GAME {
        flags += &format!(" --game {}", game.name);
    }
    if game.options.iter().any(|option| option.key == RULES && options.get(RULES) != option.default) {
        flags += &format!(" --{RULES} {}", options.get(RULES));
    }
    Check { bot, spawn, running: Arc::default(), launcher, game: game.name, flags, options, situations }
}
