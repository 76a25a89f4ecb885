//! Log lines that might be written a thousand times: each is written once, and then its cause is only counted for a while.
//!
//! Tested in this module.

use std::time::Duration;

/// When a log line was last written, and how often its cause has happened since.
#[derive(Debug, Default)]
pub struct Notice {
    last: Option<Duration>,
    unsaid: u64,
}

impl Notice {
    /// Counts that it happened at `at`. `Some` if the log line is to be written, because none was within `every`;
    /// the text is to be appended and says how often it happened meanwhile.
    pub fn due(&mut self, at: Duration, every: Duration) -> Option<String> {
        if !self.is_past(at, every) {
            self.unsaid += 1;
            return None;
        }
        self.last = Some(at);
        Some(match std::mem::take(&mut self.unsaid) {
            0 => String::new(),
            more => format!(" (and {more} more since the last such line)"),
        })
    }

    /// Whether no log line was within `every` before `at`.
    pub fn is_past(&self, at: Duration, every: Duration) -> bool {
        self.last.is_none_or(|last| at >= last + every)
    }

    /// How often it happened without a log line; begins to count anew.
    pub fn rest(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.unsaid)).filter(|&unsaid| unsaid > 0)
    }
}

/// The misbehaviour that the shell logs, described where it is noticed.
#[derive(Debug, Default)]
pub struct Notices {
    pub refused: Notice,
    pub silent: Notice,
    pub slow: Notice,
    pub overlong: Notice,
    pub idle: Notice,
    pub lagging: Notice,
    pub late: Notice,
    pub console: Notice,
    pub login: Notice,
    pub tardy: Notice,
}

impl Notices {
    /// Logs the misbehaviour that was counted and not yet logged.
    pub fn say_the_rest(&mut self) {
        for (notice, what) in [
            (&mut self.refused, "connections not let in"),
            (&mut self.silent, "connections closed that did not log in"),
            (&mut self.slow, "connections closed that did not read"),
            (&mut self.overlong, "overlong lines"),
            (&mut self.idle, "times a player was heard later because its lines brought nothing"),
            (&mut self.lagging, "times an observer fell behind"),
            (&mut self.late, "times the clock was set back"),
            (&mut self.login, "logins refused"),
            (&mut self.tardy, "times a player was late"),
            (&mut self.console, "answers dropped because stdout was not read"),
        ] {
            if let Some(count) = notice.rest() {
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
        let said: Vec<String> =
            (0..1_100).filter_map(|i| notice.due(Duration::from_millis(i * 10), every)).collect();
        assert_eq!(said, ["", " (and 999 more since the last such line)"]);
        assert_eq!((notice.rest(), notice.rest()), (Some(99), None));
    }
}
