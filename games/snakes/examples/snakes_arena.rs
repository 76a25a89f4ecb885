//! An arena with servers that play snakes: `zappy_arena` with another table of games.

use std::process::ExitCode;

use zappy_play::world::Games;

static GAMES: &[zappy_game::GameSpec] = &[zappy_game_snakes::SPEC];

fn main() -> ExitCode {
    zappy_arena::run(Games { specs: GAMES, guests: &[] }, &[])
}
