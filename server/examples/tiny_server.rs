//! The server with the tests' own game in its table; otherwise the same program.
//!
//! The tests build it and play that game through everything.

#[path = "../src/cli/complaint.rs"]
mod complaint;
#[path = "../src/cli/flags.rs"]
mod flags;
#[path = "../src/cli/game_flags.rs"]
mod game_flags;
#[path = "../src/cli/lockstep.rs"]
mod lockstep;
#[path = "../src/cli/number.rs"]
mod number;
#[path = "../src/cli/record_file.rs"]
mod record_file;
#[path = "../src/cli/run.rs"]
mod run;
#[path = "../src/cli/stdin/mod.rs"]
mod stdin;
#[path = "../tests/tiny/game.rs"]
mod tiny;
#[path = "../src/cli/values.rs"]
mod values;

use std::process::ExitCode;

use zappy_game::GameSpec;

/// The server's own table, and the tests' game.
static GAMES: &[GameSpec] = &[zappy_game_zappy::SPEC, tiny::SPEC];

fn main() -> ExitCode {
    run::run(GAMES)
}
