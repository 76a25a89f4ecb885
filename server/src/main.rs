//! The binary: runs one match of a game in the table.
//!
//! Tested in `tests/sockets.rs`.

use std::process::ExitCode;

use zappy_server::games::GAMES;

fn main() -> ExitCode {
    zappy_server::cli::run(GAMES)
}
