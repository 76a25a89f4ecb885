//! The binary: runs one match of a game in the table.

mod complaint;
mod flags;
mod game_flags;
mod lockstep;
mod number;
mod record_file;
mod run;
mod stdin;
mod values;

use std::process::ExitCode;

use zappy_server::games::GAMES;

fn main() -> ExitCode {
    run::run(GAMES)
}
