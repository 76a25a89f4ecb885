//! A server that plays snakes: `zappy_server` with another table of games.

use std::process::ExitCode;

static GAMES: &[zappy_game::GameSpec] = &[zappy_game_snakes::SPEC];

fn main() -> ExitCode {
    zappy_server::cli::run(GAMES)
}
