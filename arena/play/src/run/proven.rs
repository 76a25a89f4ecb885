//! What can be said of a match that is over: whether its record proves it, and whether something else than the arena ended
//! the server, or told the arena to stop.
//!
//! Tested in `arena/cli/tests/endings.rs`, `arena/cli/tests/tournament/proof.rs` and `arena/cli/tests/tournament/signals.rs`.

use zappy_server::result::MatchResult;

use super::Match;
use crate::folder::remove;
use crate::programs::sandbox::Containment;
use crate::proof::{Suspicion, prove};
use crate::result::{Ending, FROM_OUTSIDE};

/// The reason in the result of a server that was told to stop.
const STOPPED: &str = "stopped";

impl Match<'_> {
    /// The suspicion that a program other than the arena ended the server, or told the arena to stop and couldn't be
    /// found. The kernel doesn't tell which process sent a `SIGKILL`; a program that isn't contained can send one.
    pub(super) fn suspicion(&self, outcome: Ending, result: Option<&MatchResult>) -> Option<Suspicion> {
        let how = if outcome == Ending::Interrupted {
            let words = "a program that had ended when it was looked for told the arena to stop";
            self.signals.doubtful.then(|| words.to_owned())?
        } else {
            let ended = self.server.ended.filter(|ended| !ended.told)?;
            match ended.signal {
                Some(signal) if FROM_OUTSIDE.iter().any(|known| known.as_raw() == signal) => {
                    format!("somebody, or the system for want of memory, ended it by signal {signal}")
                }
                None if result.is_some_and(|result| result.reason == STOPPED) => {
                    "somebody told it to stop".to_owned()
                }
                _ => return None,
            }
        };
        let open = self.setup.entries.iter().any(|entry| entry.spawn.containment == Containment::None);
        Some(Suspicion::new(&how, open, &self.folder.record(), self.setup.games))
    }

    /// Removes a tournament's copies of the bots' folders, once it is known what they hold: what bots left there can't keep
    /// the result from being written.
    pub(super) fn clear_folders(&mut self) {
        if !self.setup.copied {
            return;
        }
        self.guard.weigh();
        for folder in self.setup.entries.iter().filter_map(|entry| entry.spawn.folder.as_deref()) {
            if let Err(error) = remove(folder) {
                log::warn!("{} can't be removed: {error}", folder.display());
            }
        }
    }

    /// Whether the record proves how it went, if that can be; why not, in words, and which team had used up what the
    /// record needed.
    pub(super) fn prove(&self, outcome: Ending, result: Option<&MatchResult>) -> Option<Result<(), String>> {
        let over = matches!(outcome, Ending::Ended | Ending::Deserted | Ending::TimedOut);
        let result = result.filter(|_| over)?;
        Some(
            prove(&self.folder.record(), self.setup.games, result)
                .map_err(|why| why + &self.largest_disk_user()),
        )
    }

    /// The team that used most of the disk, if one did, in words.
    pub(super) fn largest_disk_user(&self) -> String {
        let words =
            |(team, words): (usize, String)| format!("; {} used {words}", self.setup.entries[team].team);
        self.guard.largest_disk_user().map(words).unwrap_or_default()
    }
}
