//! One match between programs: its setup, its programs, and what it leaves behind.
//!
//! `setup` is what a match is played with, `world` what it is played on, `clock` what makes its time pass. `run` plays
//! it: it starts what `server` and `bot` describe. `guard` bounds what a team uses, which `weight` finds out, and `door`
//! under which names its connections come in, for which `diag` asks the kernel which process opened a connection; `code`
//! recognises what its programs are; `proof` plays its record again. `relay` carries the connections of contained teams.
//! `folder` is what a match leaves behind, `notes` what its bots noted, and `result` the file in it that says how it went; `signature` tells what the arena made
//! from what others left. `watch` follows the match as an observer, `display` shows it to people, and `table`
//! sums it up; `twice` compares two of them. `programs` runs other people's programs,
//! `local` plays matches between our own bots in this process, `os` is the operating system beneath all of it. Nothing
//! here decides what happens in the game.
//!
//! One arena plays one match at a time: it is the parent of whatever the bots leave behind, and could not tell
//! two matches' orphans apart.

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
