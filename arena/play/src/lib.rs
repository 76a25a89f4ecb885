//! One match between programs: its setup, its programs, and what it leaves behind.
//!
//! `setup` holds the settings of a match, `world` its game and map, `clock` the flags of the clock by which its time
//! passes. `run` plays it: it starts what `server` and `bot` describe. `guard` limits what a team uses, which `weight`
//! measures; `door` decides under which name a connection comes in, and `diag` asks the kernel which process opened it.
//! `code` recognises the arena's own client among the bots' programs. `relay` carries the connections of contained
//! teams. `folder` is the folder that a match leaves behind, `notes` what bots noted in it, `result` its `result.json`;
//! `signature` signs what the arena wrote there. `proof` plays the record again. `watch` follows the match as an
//! observer, `display` shows its progress to people, `table` its result; `twice` compares two records of one match.
//! `programs` runs other people's programs, `local` plays matches between our own bots in this process, `os` has what
//! is asked of the operating system. This crate decides nothing that happens in the game.
//!
//! One process plays one match at a time: it adopts the processes that bots leave behind, and could not tell from which
//! of two matches they are.

#![allow(missing_docs, reason = "it is no library for others, and plain names need no comment")]

/// A type that stands for what only Linux has, on systems without it: it has no value, so no method is ever called.
#[cfg(not(target_os = "linux"))]
macro_rules! absent {
    ($name:ident { $(fn $method:ident(&self $(, $argument:ty)*) $(-> $result:ty)?;)* }) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {}

        impl $name {
            $(pub fn $method(&self $(, _: $argument)*) $(-> $result)? {
                match *self {}
            })*
        }
    };
}

pub mod bot;
pub mod clock;
pub mod code;
pub mod diag;
pub mod display;
pub mod door;
pub mod error;
pub mod folder;
pub mod guard;
pub mod local;
pub mod notes;
pub mod os;
pub mod programs;
pub mod proof;
pub mod relay;
pub mod result;
mod run;
pub mod server;
pub mod setup;
pub mod signature;
pub mod table;
pub mod text;
pub mod twice;
pub mod watch;
pub mod weight;
pub mod world;

pub use error::Error;
pub use run::{Played, play};
