//! A league: bots lie in a folder; each new version of one is seen, checked and played against the field.
//!
//! A league's folder is a tournament's folder to which bots and matches are added over time: `run` has its missing
//! matches played by `tournament`, and sums them up by the same ratings. `settings` say what is played, `intake` takes
//! in the bots that authors hand in, `authors` knows the first author of a bot's files and the owner of its name,
//! `trial` builds and checks each bot, and `field` decides from these which versions are in the field. A `round` says
//! which meetings are played next, as `pairing` chooses them; its file is written before any of its meetings is played.
//! `history` is all rounds with their matches, `table` makes the places of the field and says why a bot fell,
//! `standings` are the same as plain values for programs, and `page` shows them to people. Nothing in this folder
//! changes a match's result. Tested in the modules and in `arena/cli/tests/league/`.

mod authors;
mod field;
mod history;
pub mod intake;
pub mod page;
pub mod pairing;
pub mod round;
pub mod run;
pub mod settings;
pub mod standings;
mod table;
pub mod trial;

pub use run::League;
