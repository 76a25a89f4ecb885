//! Where a run's time went: into matches, into bots that would not leave, or into the runner itself.
//!
//! Each match that is played at the same time has a place. Counts the time of places; at the end of a run
//! there are fewer places than jobs. Judges nothing. Tested in this module.

use std::fmt;
use std::time::Duration;

use zappy_protocol::text::many;

/// The account of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    matches: usize,
    seconds: f64,
    /// Seconds of all places in which a match was there to be played.
    offered: f64,
    played: f64,
    leaving: f64,
}

impl Ledger {
    /// So much time passed while so many places could play.
    pub fn pass(&mut self, time: Duration, places: usize) {
        self.seconds += time.as_secs_f64();
        self.offered += time.as_secs_f64() * places as f64;
    }

    /// A match took so many seconds from its server's start to its end, and its bots so many more to leave.
    pub fn note(&mut self, played: f64, leaving: f64) {
        self.matches += 1;
        self.played += played;
        self.leaving += leaving;
    }

    /// The share of the places' time that was neither play nor waiting for bots to leave.
    pub fn own_share(&self) -> f64 {
        let used = self.played + self.leaving;
        if self.offered > 0.0 { (1.0 - used / self.offered).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ledger { matches, seconds, offered, played, leaving } = *self;
        let share = |part: f64| if offered > 0.0 { 100.0 * part / offered } else { 0.0 };
        let rate = if seconds > 0.0 { matches as f64 * 60.0 / seconds } else { 0.0 };
        let (played, leaving, own) = (share(played), share(leaving), 100.0 * self.own_share());
        write!(
            f,
            "played {} in {seconds:.1} s: {rate:.0} matches/min; {played:.1}% of the time was play, \
             {leaving:.1}% bots that had to leave, {own:.1}% the runner's own share",
            many(matches as u64, "match")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_play_nor_leaving_is_the_runners() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.own_share(), 0.0);
        ledger.pass(Duration::from_secs(10), 2);
        // The last match has one place.
        ledger.pass(Duration::from_secs(20), 1);
        (0..4).for_each(|_| ledger.note(8.0, 1.0));
        assert!((ledger.own_share() - 0.1).abs() < 1e-9);
        let text = ledger.to_string();
        assert!(
            text.starts_with("played 4 matches in 30.0 s: 8 matches/min; 80.0% of the time was play"),
            "{text}"
        );
        assert!(text.ends_with("10.0% bots that had to leave, 10.0% the runner's own share"), "{text}");
    }
}
