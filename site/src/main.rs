//! The binary: the site with the games of the server's table.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    zappy_site::cli::run(zappy_server::games::GAMES)
}

/// What a usage error gives.
#[cfg(not(unix))]
const USAGE: u8 = 2;

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("zappy_site: it needs Linux or macOS; here zappy_arena show --html makes a page of a record");
    ExitCode::from(USAGE)
}
