//! Matches between programs that play Zappy, run unattended.
//!
//! `setup` is what a match is played with, `world` what it is played on, `clock` what makes its time pass, `seed`
//! what its bots draw from, `command` how a bot's command is read. `play` runs one match: it starts what `server` and
//! `bot` describe, as `process`es whose output goes to a bounded `logfile` and whose descendants `contain` keeps
//! within reach. `guard` and `sandbox` bound what they use and see, and `door` under which names they come in, for which `diag` asks the kernel whose a connection is.
//! `keeper` ends all that when the arena itself is killed. `folder` is what a match leaves behind and `result` the
//! file in it that says how it went. `watch` follows the match as an observer, `display` tells people about it and
//! `table` sums it up. `records` is what people do with the records of many matches afterwards.
//!
//! `hall` plays a whole match between our own bots in this process, with the same record to the byte. `plan` is
//! what is played so, `many` spreads matches over all cores, `series` leaves their results, and `mirror` tests by
//! `fairness` whether all seats are alike. `compare` tells whether a version of a bot is stronger than another.
//!
//! `check` puts one bot into crafted situations and says what it does wrong.
//!
//! With processes one arena plays one match at a time: it is the parent of whatever the bots leave behind, and
//! could not tell two matches' orphans apart. Nothing here decides what happens in the game.

pub mod bot;
pub mod check;
pub mod cli;
pub mod clock;
pub mod command;
pub mod compare;
pub mod contain;
pub mod diag;
pub mod display;
pub mod door;
pub mod error;
pub mod fairness;
pub mod folder;
pub mod guard;
pub mod hall;
pub mod keeper;
pub mod limits;
pub mod logfile;
pub mod many;
pub mod mirror;
pub mod plan;
pub mod play;
pub mod process;
pub mod records;
pub mod result;
pub mod sandbox;
pub mod seed;
pub mod series;
pub mod server;
pub mod setup;
pub mod signals;
pub mod table;
pub mod tournament;
pub mod watch;
pub mod world;

pub use error::Error;
