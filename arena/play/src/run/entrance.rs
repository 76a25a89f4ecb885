//! The server's door during a match: each connection is looked at, and a team that comes in under another name is
//! ended.
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

/// The most moments at which players were late for which their last note is kept.
const MOST_THOUGHTS: usize = 4096;

/// The door, if there can be one; the server's stdin; and without a door the arena's end of that stdin: when it is
/// closed, the server ends. The seed is the first line on stdin, since other programs may read command lines and
/// environments; a resumed match has it in its record.
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
    let opened = Relays::open(folder.scratch(), server, &teams, door.map(|door| door.voice.clone()));
    opened.map(Some).map_err(|error| Error::System("can't make a socket", error))
}

impl Match<'_> {
    pub(super) fn address(&self) -> Option<SocketAddr> {
        server::address(&self.server.stdout.head)
    }

    /// The processes that the arena has started.
    pub(super) fn started(&self) -> Started {
        let of_arena = std::iter::once(&self.server).chain(&self.observer).map(|process| process.pid);
        let holds = self.setup.entries.iter().filter_map(|entry| entry.spawn.hold.as_ref());
        Started {
            roots: self.bots.iter().map(|bot| (bot.process.pid, bot.team)).collect(),
            of_arena: of_arena.chain(holds.flat_map(|hold| hold.processes())).collect(),
        }
    }

    /// Answers the server which connections may come in, keeps what late players had noted, and ends the teams that
    /// came in under a wrong name or sent the server or the arena a signal to stop.
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

    /// The error of a match that took longer than its timeout.
    pub(super) fn cut_off(&self) -> Error {
        let seconds = self.setup.timeout.as_secs();
        match &self.door {
            Some(door) if door.seated.is_empty() && self.setup.resume.is_none() => Error::Unentered(seconds),
            _ => Error::TimedOut(seconds),
        }
    }

    /// All players that were admitted, with the bots that play them; empty without a door.
    pub(super) fn seated(&self) -> &[Seated] {
        self.door.as_ref().map(|door| &door.seated[..]).unwrap_or_default()
    }

    /// What each team did at the door; empty without one. Adds what the server doesn't ask about: connections through
    /// relays, and whether a team runs the arena's own client.
    pub(super) fn at_door(&self) -> Vec<AtDoor> {
        let mut teams = self.door.as_ref().map(|door| door.teams.clone()).unwrap_or_default();
        for (team, at_door) in teams.iter_mut().enumerate() {
            at_door.came |= self.relays.as_ref().is_some_and(|relays| relays.opened(team) > 0);
            at_door.runs_client |= self.guard.lookout.as_ref().is_some_and(|lookout| lookout.found()[team]);
        }
        teams
    }
}
