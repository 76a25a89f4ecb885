//! The arena's end of the server's door: says which program holds a connection, so that no program comes in
//! under another team's name or watches what its team may not see.
//!
//! The server waits for the answer. Meanwhile the process that opened the connection still holds its other
//! end, and the system tells which process that is: by the socket of these two addresses, and by the
//! descriptors of all processes.
//!
//! - A connection that is surely a team's comes in as that team alone.
//! - A connection of a program that belongs to no match comes in under any name, and is counted.
//! - A connection doesn't come in if no process holds it, if its process can't be told, or if a program of
//!   another match holds it.
//!
//! A team is blamed for nothing but what one of its own connections said, or what signal one of its own processes sent to the
//! server or the arena. Where there is no `/proc`, and outside of Linux, the server doesn't ask. Tested in `linux` and in `arena/cli/tests/tournament/names.rs`.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
use linux::Wire;
#[cfg(not(target_os = "linux"))]
use {
    crate::guard::{Guard, Started},
    crate::os::Source,
    crate::relay::Relays,
    crate::setup::Setup,
    std::io,
    std::net::SocketAddr,
    std::process::Stdio,
};

use zappy_protocol::Tick;

use crate::os::Pid;
use crate::relay::Voice;

/// The arena's end of the server's door.
#[derive(Debug)]
pub struct Door {
    /// By which the arena sends lines to the server.
    pub voice: Voice,
    pub teams: Vec<AtDoor>,
    /// The players, in the order of their admission.
    pub seated: Vec<Seated>,
    /// The players that were late since these were last taken, with the ticks at which they were.
    pub late: Vec<(u32, Tick)>,
    /// The tick at which the match stands until it is told to go on; taken when it is known.
    pub stands: Option<Tick>,
    pub tally: Tally,
    wire: Wire,
}

/// What a team did at the server's door.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtDoor {
    /// What it did wrong, in words.
    pub foul: Option<String>,
    /// Whether a connection of it was let in, as a player or not.
    pub came: bool,
    /// The first name that it said and no team has, in a form for people.
    pub misnamed: Option<String>,
    /// Whether a program of it was seen to run our own client.
    pub runs_client: bool,
}

/// A player, and the program that opened its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seated {
    /// Which connection of the match it was.
    pub arrival: u64,
    pub player: u32,
    /// The bot that plays it; `None` if no bot does, or that isn't known.
    pub bot: Option<Pid>,
}

/// Connections that are no team's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Connections of programs that belong to no match.
    pub outside: u64,
    /// Connections that were not let in, because no program that may come in was seen to hold them.
    pub unheld: u64,
}

#[cfg(not(target_os = "linux"))]
absent! { Wire {} }

#[cfg(not(target_os = "linux"))]
impl Door {
    pub fn pollable(&self) -> Option<Source<'_>> {
        match self.wire {}
    }

    pub fn answer(
        &mut self,
        _: &Setup,
        _: Option<SocketAddr>,
        _: Option<&Relays>,
        _: &mut Guard,
        _: &Started,
    ) -> Vec<usize> {
        match self.wire {}
    }

    pub fn meddled(
        &mut self,
        _: &Setup,
        _: &mut Guard,
        _: &Started,
        _: Option<Pid>,
        _: &str,
    ) -> Option<usize> {
        match self.wire {}
    }

    pub fn open(_: Vec<AtDoor>) -> io::Result<Option<(Door, Stdio)>> {
        log::warn!(
            "only Linux tells the arena whose a connection is: here a bot may come in under any name, no bot is \
             contained, and the match is not to be graded"
        );
        Ok(None)
    }
}
