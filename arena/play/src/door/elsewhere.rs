//! Where the system doesn't tell which process opened a connection, connections aren't authenticated.

use std::io;
use std::net::SocketAddr;
use std::process::Stdio;

use zappy_protocol::Tick;

use super::seated::{AtDoor, Seated, Tally};
use crate::guard::{Guard, Known};
use crate::os::{Pid, Source};
use crate::relay::{Relays, Voice};
use crate::setup::Setup;

/// Has no value: this system lacks what it needs.
#[derive(Debug)]
pub enum Door {}

impl Door {
    /// Opens none.
    pub fn open(_teams: Vec<AtDoor>) -> io::Result<Option<(Door, Stdio)>> {
        log::warn!(
            "only Linux tells the arena whose a connection is: here a bot may come in under any name, no bot is \
             contained, and the match is not to be graded"
        );
        Ok(None)
    }

    /// Says the server something before it asks.
    pub fn say(&mut self, _line: &str) -> io::Result<()> {
        match *self {}
    }

    /// What others speak to the server with.
    #[must_use]
    pub fn voice(&self) -> Voice {
        match *self {}
    }

    #[must_use]
    pub fn pollable(&self) -> Option<Source<'_>> {
        match *self {}
    }

    #[must_use]
    pub fn teams(&self) -> &[AtDoor] {
        match *self {}
    }

    /// The players, in the order of their admission.
    #[must_use]
    pub fn seated(&self) -> &[Seated] {
        match *self {}
    }

    /// The players that were late since the last call, with the ticks at which they were.
    pub fn late(&mut self) -> Vec<(u32, Tick)> {
        match *self {}
    }

    /// The tick at which the match stands.
    pub fn stands(&mut self) -> Option<Tick> {
        match *self {}
    }

    /// Connections that are no team's.
    #[must_use]
    pub fn tally(&self) -> Tally {
        match *self {}
    }

    /// Answers whatever the server asks.
    pub fn answer(
        &mut self,
        _setup: &Setup,
        _server: Option<SocketAddr>,
        _relays: Option<&Relays>,
        _guard: &mut Guard,
        _known: &Known,
    ) -> Vec<usize> {
        match *self {}
    }

    /// Notes that a process sent something that would have ended the match.
    pub fn meddled(
        &mut self,
        _setup: &Setup,
        _guard: &mut Guard,
        _known: &Known,
        _pid: Option<Pid>,
        _what: &str,
    ) -> Option<usize> {
        match *self {}
    }
}
