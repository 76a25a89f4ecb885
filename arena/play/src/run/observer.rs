//! The observer that people watch a match with: started before the bots, and waited for when the match is over.
//!
//! The match doesn't depend on it. Tested in `arena/cli/tests/audience.rs`.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use super::Match;
use super::turns::WaitResult;
use crate::Error;
use crate::programs::command::Values;
use crate::programs::logfile::BOT_LOG_LIMIT;
use crate::programs::process::{Process, SpawnOptions};

/// How long the bots wait until the observer is ready, so that it sees the match from the start.
const READY_LIMIT: Duration = Duration::from_secs(10);
/// How long a window may stay open after its match: a day.
const WINDOW_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl Match<'_> {
    /// Starts the observer, if one is wanted, and waits until it is ready: until its standard output has any byte.
    pub(super) fn start_observer(&mut self, address: SocketAddr) -> Result<WaitResult, Error> {
        let Some(command) = &self.setup.observer else { return Ok(WaitResult::Done) };
        let log = self.folder.log("observer", BOT_LOG_LIMIT)?;
        let host = address.ip().to_string();
        let values = Values { host: &host, port: address.port(), team: None, seed: self.setup.seed };
        let (program, arguments) = command.fill(values);
        let spawn = SpawnOptions { trusted: true, ..SpawnOptions::default() };
        let launcher = &self.setup.launcher;
        let observer =
            Process::start("observer", launcher, &program, &arguments, &spawn, Stdio::null(), log)?;
        self.observer = Some(observer);
        let ready_or_gone = |m: &mut Match<'_>| {
            m.observer.as_ref().is_none_or(|o| o.ended.is_some() || !o.stdout.head.is_empty())
        };
        let woken = self.wait(READY_LIMIT, ready_or_gone);
        if woken == WaitResult::TimedOut {
            log::warn!("the observer does not say that it watches; the match begins without it");
        }
        Ok(woken)
    }

    /// Waits until the observer's window is closed, for a day at most. An operator may end the wait by interrupting.
    pub(super) fn wait_for_observer(&mut self) {
        let open = |m: &mut Match<'_>| m.observer.as_ref().is_some_and(|observer| observer.ended.is_none());
        if open(self) {
            log::info!("the match is over and its folder complete; close the observer's window to go on");
            self.wait(WINDOW_LIMIT, |m| !open(m));
        }
    }
}
