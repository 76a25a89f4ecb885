//! A league: bots lie in a folder, a new version of one is seen, checked and played against the field, for as long as it goes on.
//!
//! A league's folder is a tournament's, to which bots and matches come by and by: `run` has its missing matches played by
//! `tournament`, and sums them up by the same ratings. Beside it `settings` say what is played, `intake` takes in what
//! authors hand in, `authors` know its author, `trial` checks it, and `field` is what comes of both. A `round` says which
//! meetings are played next, as `pairing` finds them; it is on disk before any of them is. `history` is all rounds with their
//! matches, `table` how the field stands and why a bot fell, `standings` that as plain values, and `page` the same for people.
//! Decides nothing about a match. Tested in the modules and in `arena/cli/tests/league/`.

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
