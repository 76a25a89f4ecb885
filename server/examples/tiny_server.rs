//! The server with the tests' own game in its table; otherwise the same program.
//!
//! The tests build it and play that game through everything.

#[path = "../tests/tiny/game.rs"]
mod tiny;

use std::process::ExitCode;

use zappy_game::GameSpec;

/// The server's own table, and the tests' game.
static GAMES: &[GameSpec] = &[zappy_game_zappy::SPEC, tiny::SPEC];

fn main() -> ExitCode {
    zappy_server::cli::run(GAMES)
}
