//! What a match that is over is worth: whether its record proves it, and whether a signal that wasn't the arena's ended its
//! server.
//!
//! Tested in `tests/tournament/proof.rs` and `tests/tournament/runs.rs`.

use zappy_server::result::MatchResult;

use super::Match;
use crate::play::folder::remove;
use crate::play::proof::prove;
use crate::play::result::{Ending, FROM_OUTSIDE};
use crate::programs::sandbox::Containment;

/// What a server says that was told to stop.
const STOPPED: &str = "stopped";

impl Match<'_> {
    /// Which signal ended the server that wasn't the arena's, in words, if one did and it is to be known. The kernel doesn't
    /// tell who sent it; a program that isn't contained could.
    pub(super) fn killed(&self, result: Option<&MatchResult>) -> Option<String> {
        let ended = self.server.ended().filter(|ended| self.setup.proof.is_some() && !ended.told)?;
        let how = match ended.signal {
            Some(signal) if FROM_OUTSIDE.iter().any(|known| known.as_raw() == signal) => {
                format!("somebody, or the system for want of memory, ended it by signal {signal}")
            }
            None if result.is_some_and(|result| result.reason == STOPPED) => {
                "somebody told it to stop".to_owned()
            }
            _ => return None,
        };
        let open = self.setup.entries.iter().filter(|entry| entry.means.containment == Containment::None);
        let open: Vec<&str> = open.map(|entry| entry.team.as_str()).collect();
        let suspects =
            if open.is_empty() { String::new() } else { format!(", as {} could", open.join(" or ")) };
        Some(how + &suspects)
    }

    /// Removes a tournament's copies of the bots' folders, once it is known what they hold: what bots left there can't keep
    /// the result from being written.
    pub(super) fn clear_folders(&mut self) {
        if self.setup.proof.is_none() {
            return;
        }
        self.guard.weigh();
        for folder in self.setup.entries.iter().filter_map(|entry| entry.means.folder.as_deref()) {
            if let Err(error) = remove(folder) {
                log::warn!("{} can't be removed: {error}", folder.display());
            }
        }
    }

    /// Whether the record proves how it went, if that is to be known; why not, in words, and which team had used up what
    /// the record needed.
    pub(super) fn prove(&self, outcome: Ending, result: Option<&MatchResult>) -> Option<Result<(), String>> {
        let over = matches!(outcome, Ending::Ended | Ending::Deserted | Ending::TimedOut);
        let (games, result) = self.setup.proof.filter(|_| over).zip(result)?;
        Some(prove(&self.folder.record(), games, result).map_err(|why| why + &self.hog()))
    }

    /// The team that used most of the disk, if one did, in words.
    pub(super) fn hog(&self) -> String {
        let words =
            |(team, words): (usize, String)| format!("; {} used {words}", self.setup.entries[team].team);
        self.guard.hog().map(words).unwrap_or_default()
    }
}
