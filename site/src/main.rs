//! The binary: the site with the games of the server's table.

use std::process::ExitCode;

fn main() -> ExitCode {
    zappy_site::cli::run(zappy_server::games::GAMES)
}
