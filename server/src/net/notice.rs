//! Log lines that might be written a thousand times: each is written once, and then its cause is only counted for a
//! while.
//!
//! Tested in this module.

use std::time::Duration;

/// When a log line was last written, and how often its cause has happened since.
#[derive(Debug, Default)]
pub struct Notice {
    last: Option<Duration>,
    unlogged: u64,
}

impl Notice {
    /// Counts that the cause happened at `at`. `Some` if the log line is to be written, because none was within
    /// `every`; the text, to be appended to the line, says how often the cause happened meanwhile.
    pub fn due(&mut self, at: Duration, every: Duration) -> Option<String> {
        if !self.is_past(at, every) {
            self.unlogged += 1;
            return None;
        }
        self.last = Some(at);
        Some(match std::mem::take(&mut self.unlogged) {
            0 => String::new(),
            more => format!(" (and {more} more since the last such line)"),
        })
    }

    /// Whether no log line was within `every` before `at`.
    pub fn is_past(&self, at: Duration, every: Duration) -> bool {
        self.last.is_none_or(|last| at >= last + every)
    }

    /// How often the cause happened without a log line, if it did; begins to count anew.
    pub fn take_unlogged(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.unlogged)).filter(|&unlogged| unlogged > 0)
    }
}

/// A notice for each kind of misbehaviour that the shell logs, described in [`Notices::log_remaining`].
#[derive(Debug, Default)]
pub struct Notices {
    pub refused: Notice,
    pub silent: Notice,
    pub slow: Notice,
    pub overlong: Notice,
    pub idle: Notice,
    pub lagging: Notice,
    pub clock_set_back: Notice,
    pub console: Notice,
    pub login: Notice,
    pub late_player: Notice,
}

impl Notices {
    /// Logs the misbehaviour that was counted and not yet logged.
    pub fn log_remaining(&mut self) {
        for (notice, what) in [
            (&mut self.refused, "connections not let in"),
            (&mut self.silent, "connections closed that did not log in"),
            (&mut self.slow, "connections closed that did not read"),
            (&mut self.overlong, "overlong lines"),
            (&mut self.idle, "times a player was heard later because its lines brought nothing"),
            (&mut self.lagging, "times an observer fell behind"),
            (&mut self.clock_set_back, "times the clock was set back"),
            (&mut self.login, "logins refused"),
            (&mut self.late_player, "times a player was late"),
            (&mut self.console, "answers dropped because stdout was not read"),
        ] {
            if let Some(count) = notice.take_unlogged() {
                log::warn!("{count} more {what}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_times_is_two_lines() {
        let (mut notice, every) = (Notice::default(), Duration::from_secs(10));
        let logged: Vec<String> =
            (0..1_100).filter_map(|i| notice.due(Duration::from_millis(i * 10), every)).collect();
        assert_eq!(logged, ["", " (and 999 more since the last such line)"]);
        assert_eq!((notice.take_unlogged(), notice.take_unlogged()), (Some(99), None));
    }
}
