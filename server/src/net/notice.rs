//! Says once what happens a thousand times.
//!
//! Tested in this module.

use std::time::Duration;

/// When something was last said, and how often it has happened since.
#[derive(Debug, Default)]
pub struct Notice {
    last: Option<Duration>,
    unsaid: u64,
}

impl Notice {
    /// It happened at `at`. To be said if nothing was for the time `every`; then the answer is what to append:
    /// how often it happened unsaid.
    pub fn due(&mut self, at: Duration, every: Duration) -> Option<String> {
        if self.last.is_some_and(|last| at < last + every) {
            self.unsaid += 1;
            return None;
        }
        self.last = Some(at);
        Some(match std::mem::take(&mut self.unsaid) {
            0 => String::new(),
            more => format!(" (and {more} more since the last such line)"),
        })
    }

    /// How often it happened unsaid; forgets it.
    pub fn rest(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.unsaid)).filter(|&unsaid| unsaid > 0)
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
