//! The server's door during a match: each connection is looked at, and a team that comes in under another name is ended.
//!
//! Tested in `arena/cli/tests/tournament/names.rs`.

use std::io::{self, PipeWriter, Write};
use std::net::SocketAddr;
use std::process::Stdio;

use super::Match;
use crate::Error;
use crate::bot;
use crate::door::{AtDoor, Door, Seated};
use crate::folder::Folder;
use crate::guard::Started;
use crate::notes::last_thought;
use crate::os::Signal;
use crate::programs::sandbox::Containment;
use crate::relay::{Carried, Relays};
use crate::server;
use crate::setup::Setup;

/// The most times that players were late of which it is kept what they had noted.
const MOST_THOUGHTS: usize = 4096;

/// The door, if there can be one, and what the server has for stdin, on which the seed comes first: no command line and
/// no environment tells it. A match that goes on from its record has it there. Without a door, the server ends when the
/// other end of its stdin is closed.
pub(super) fn open(setup: &Setup) -> Result<(Option<Door>, Stdio, Option<PipeWriter>), Error> {
    let failed = |error| Error::System("can't make a socket", error);
    let line = if setup.resume.is_some() { String::new() } else { format!("{}\n", setup.seed) };
    if let Some((door, other)) = Door::open(vec![AtDoor::default(); setup.entries.len()]).map_err(failed)? {
        door.voice.say(&line).map_err(failed)?;
        return Ok((Some(door), other.into(), None));
    }
    let (other, mut ours) = io::pipe().map_err(failed)?;
    ours.write_all(line.as_bytes()).map_err(failed)?;
    Ok((None, other.into(), Some(ours)))
}

/// The relays of those teams that see no network, if there are any.
pub(super) fn relays(
    setup: &Setup,
    folder: &Folder,
    server: SocketAddr,
    door: Option<&Door>,
) -> Result<Option<Relays>, Error> {
    let contained = setup.entries.iter().map(|entry| {
        let contained = entry.spawn.containment == Containment::Bubblewrap;
        contained.then(|| Carried { name: entry.team.to_string(), most: entry.spawn.limits.files })
    });
    let teams: Vec<Option<Carried>> = contained.collect();
    if teams.iter().all(Option::is_none) {
        return Ok(None);
    }
    let opened = Relays::open(&folder.socket_folder(), server, &teams, door.map(|door| door.voice.clone()));
    opened.map(Some).map_err(|error| Error::System("can't make a socket", error))
}

impl Match<'_> {
    pub(super) fn address(&self) -> Option<SocketAddr> {
        server::address(&self.server.stdout.head)
    }

    /// What was started, and for which team.
    pub(super) fn started(&self) -> Started {
        let of_arena = std::iter::once(&self.server).chain(&self.observer).map(|process| process.pid);
        let holds = self.setup.entries.iter().filter_map(|entry| entry.spawn.hold.as_ref());
        Started {
            roots: self.bots.iter().map(|bot| (bot.process.pid, bot.team)).collect(),
            of_arena: of_arena.chain(holds.flat_map(|hold| hold.processes())).collect(),
        }
    }

    /// Answers the server which connections may come in, and finds the teams that told the server or the arena to stop.
    pub(super) fn answer_door(&mut self) {
        let (started, address) = (self.started(), self.address());
        let Some(door) = &mut self.door else { return };
        let (setup, guard, relays) = (self.setup, &mut self.guard, self.relays.as_ref());
        let meddlers = self.signals.meddlers().into_iter();
        let what = "the arena a signal to stop";
        let meddled = meddlers.filter_map(|pid| door.meddled(setup, guard, &started, Some(pid), what));
        let mut guilty: Vec<usize> = meddled.collect();
        guilty.extend(door.answer(setup, address, relays, guard, &started));
        let late = std::mem::take(&mut door.late).into_iter().filter(|_| setup.notes);
        for (player, tick) in late.take(MOST_THOUGHTS.saturating_sub(self.thoughts.len())) {
            if let Some((program, place)) = bot::program_of(player, &self.bots, &door.seated) {
                self.thoughts.insert((player, tick), last_thought(self.folder, program, place));
            }
        }
        for team in guilty {
            self.guard.end(team, &started);
            self.kill_programs(team);
        }
    }

    pub(super) fn kill_programs(&mut self, team: usize) {
        for bot in self.bots.iter_mut().filter(|bot| bot.team == team) {
            bot.process.signal(Signal::KILL);
        }
    }

    /// Why the match was cut off by the clock on the wall.
    pub(super) fn cut_off(&self) -> Error {
        let seconds = self.setup.timeout.as_secs();
        match &self.door {
            Some(door) if door.seated.is_empty() && self.setup.resume.is_none() => Error::Unentered(seconds),
            _ => Error::TimedOut(seconds),
        }
    }

    /// The players of all programs.
    pub(super) fn seated(&self) -> &[Seated] {
        self.door.as_ref().map(|door| &door.seated[..]).unwrap_or_default()
    }

    /// What each team did at the door, if there is one. Of those that a relay carries the server doesn't ask.
    pub(super) fn at_door(&self) -> Vec<AtDoor> {
        let mut teams = self.door.as_ref().map(|door| door.teams.clone()).unwrap_or_default();
        for (team, at_door) in teams.iter_mut().enumerate() {
            at_door.came |= self.relays.as_ref().is_some_and(|relays| relays.opened(team) > 0);
            at_door.runs_client |= self.guard.lookout.as_ref().is_some_and(|lookout| lookout.found()[team]);
        }
        teams
    }
}
