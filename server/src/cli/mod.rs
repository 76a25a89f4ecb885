//! The command line of a server, for the table of games that it is given: of `zappy_server`, or of a server built in
//! another repository with a game of its own.
//!
//! Tested in `flags`, and with the built program in `tests/`.

mod flags;
mod game_flags;
mod lockstep;
mod record_file;
mod run;
mod stdin;
mod values;

pub use flags::asked_game;
pub use run::{read_scenario, run};
