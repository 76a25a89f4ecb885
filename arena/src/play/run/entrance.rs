//! The server's door during a match: each connection is looked at, and a team that comes in under another name is ended.
//!
//! Tested in `tests/tournament/names.rs`.

use std::process::Stdio;

use rustix::process::Signal;

use super::Match;
use crate::Error;
use crate::play::door::Door;
use crate::play::guard::Known;
use crate::programs::process::Process;

/// The door, if there can be one, and what the server has for stdin.
pub(super) fn open(fouls: Vec<Option<String>>) -> Result<(Option<Door>, Stdio), Error> {
    let opened = Door::open(fouls).map_err(|error| Error::System("can't make a socket", error))?;
    Ok(opened.map_or_else(|| (None, Stdio::null()), |(door, other)| (Some(door), other.into())))
}

impl Match<'_> {
    /// What was started, and for which team.
    pub(super) fn started(&self) -> Known {
        Known {
            roots: self.bots.iter().map(|bot| (bot.process.pid(), bot.team)).collect(),
            apart: std::iter::once(&self.server).chain(&self.audience).map(Process::pid).collect(),
        }
    }

    /// Answers the server which connections may come in.
    pub(super) fn keep_door(&mut self) {
        let (known, address) = (self.started(), self.address());
        let Some(door) = &mut self.door else { return };
        for team in door.answer(self.setup, address, &mut self.guard, &known) {
            self.guard.end(team, &known);
            self.kill_programs(team);
        }
    }

    pub(super) fn kill_programs(&mut self, team: usize) {
        for bot in self.bots.iter_mut().filter(|bot| bot.team == team) {
            bot.process.signal(Signal::KILL);
        }
    }

    /// What each team did wrong at the door, in words.
    pub(super) fn fouls(&self) -> Vec<Option<String>> {
        self.door.as_ref().map(|door| door.fouls().to_vec()).unwrap_or_default()
    }
}
