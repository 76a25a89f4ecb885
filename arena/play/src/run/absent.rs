//! A match in lockstep that can't begin, since all programs of a team have ended: it begins again without that team
//! instead of waiting until the lobby's time is over.
//!
//! Whether a match has begun is what the observer's messages say. Tested in `arena/cli/tests/lockstep.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use super::{FirstTry, Match};
use crate::Error;
use crate::bot::{self, Bot};

/// How long a match may still begin when all programs of a team have ended: what they said may be on its way.
const ABSENT_LIMIT: Duration = Duration::from_secs(3);

/// Teams of which no program is left.
pub(super) struct Absent {
    /// Those that had none left before the match could begin, so that it began again without them.
    teams: BTreeSet<usize>,
    /// Since when another one has kept the match from beginning.
    since: Option<Instant>,
}

impl Absent {
    /// The teams of programs that aren't started again.
    pub(super) fn new(ended: &[Bot]) -> Absent {
        Absent { teams: ended.iter().map(|bot| bot.team).collect(), since: None }
    }

    pub(super) fn teams(&self) -> &BTreeSet<usize> {
        &self.teams
    }
}

impl Match<'_> {
    /// Whether the server waits in vain: in lockstep all programs of a team have ended, and other teams wait for it.
    pub(super) fn lacks_a_team(&mut self) -> bool {
        let setup = self.setup;
        // If the game's messages don't tell, the time limit of the lobby has to do.
        if self.watch.game.has_begun() != Some(false)
            || !setup.clock.waits_for_all()
            // It has begun long ago, and its record is all that there is of it.
            || setup.resume.is_some()
            || setup.observer.is_some()
            || setup.has_attached()
        {
            return false;
        }
        let here = |team: usize| self.bots.iter().any(|bot| bot.team == team && bot.process.ended.is_none());
        let missing =
            (0..setup.entries.len()).filter(|team| !self.absent.teams.contains(team) && !here(*team)).count();
        if missing == 0 || missing + self.absent.teams.len() == setup.entries.len() {
            self.absent.since = None;
            return false;
        }
        let since = *self.absent.since.get_or_insert_with(Instant::now);
        since.elapsed() >= ABSENT_LIMIT && !self.orphans.any(&self.known())
    }

    /// Ends it all before it has begun; gives the programs that shall not be started again.
    pub(super) fn give_up(mut self) -> Result<FirstTry, Error> {
        let living: BTreeSet<usize> =
            self.bots.iter().filter(|bot| bot.process.ended.is_none()).map(|bot| bot.team).collect();
        let teams = self.setup.entries.iter().enumerate().filter(|(team, _)| !living.contains(team));
        let names: Vec<&str> = teams.map(|(_, entry)| entry.team.as_str()).collect();
        log::warn!("all programs of {} have ended; the match begins again without", names.join(" and "));
        // Bots that are told to end first don't complain of a server that goes away.
        bot::ask_to_end(&mut self.bots);
        self.end_bots();
        self.end_server();
        for path in [self.folder.record(), self.folder.server_result()] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::Folder(path, error)),
                _ => {}
            }
        }
        // What was noted was about a match that never began.
        self.folder.clear_notes().map_err(|error| Error::Folder(self.folder.path().into(), error))?;
        self.bots.retain(|bot| !living.contains(&bot.team));
        self.guard.settle();
        let breach = |team| self.guard.breach(team).map(str::to_owned);
        let breaches = (0..self.setup.entries.len()).map(breach).collect();
        Ok(FirstTry { at_door: self.at_door(), breaches, ended: self.bots })
    }
}
