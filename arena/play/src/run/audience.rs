//! The observer that people watch a match with: started before the bots, and waited for when the match is over.
//!
//! The match doesn't depend on it. Tested in `arena/cli/tests/audience.rs`.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use super::Match;
use super::turns::Woken;
use crate::Error;
use crate::programs::command::Values;
use crate::programs::logfile::{BOT_LOG_LIMIT, LogFile};
use crate::programs::process::{Means, Process};

/// How long the bots wait for an observer that is to watch from the start.
const AUDIENCE_LIMIT: Duration = Duration::from_secs(10);
/// How long a window may stay open after its match: a day.
const WINDOW_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl Match<'_> {
    /// Starts the observer, if one is wanted; it says something when it watches.
    pub(super) fn admit_audience(&mut self, address: SocketAddr) -> Result<Woken, Error> {
        let Some(command) = &self.setup.observer else { return Ok(Woken::Done) };
        let path = self.folder.log("observer");
        let log = LogFile::create(path.clone(), BOT_LOG_LIMIT).map_err(|e| Error::Folder(path, e))?;
        let host = address.ip().to_string();
        let values = Values { host: &host, port: address.port(), team: None, seed: self.setup.seed };
        let (program, arguments) = command.fill(values);
        let arguments: Vec<_> = arguments.into_iter().map(Into::into).collect();
        let means = Means { trusted: true, ..Means::default() };
        let launcher = &self.setup.launcher;
        let observer =
            Process::start("observer", launcher, &program, &arguments, &means, Stdio::null(), log)?;
        self.audience = Some(observer);
        let watches = |m: &mut Match<'_>| {
            m.audience.as_ref().is_none_or(|o| o.ended().is_some() || !o.stdout_head().is_empty())
        };
        let woken = self.wait(AUDIENCE_LIMIT, watches);
        if woken == Woken::TimedOut {
            log::warn!("the observer does not say that it watches; the match begins without it");
        }
        Ok(woken)
    }

    /// People may look at the end for as long as they like; an operator in a hurry interrupts.
    pub(super) fn wait_for_audience(&mut self) {
        let open = |m: &mut Match<'_>| m.audience.as_ref().is_some_and(|observer| observer.ended().is_none());
        if open(self) {
            log::info!("the match is over and its folder complete; close the observer's window to go on");
            self.wait(WINDOW_LIMIT, |m| !open(m));
        }
    }
}
