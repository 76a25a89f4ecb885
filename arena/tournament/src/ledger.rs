//! Where a run's time went (into matches, into bots that had to be waited for, or into the runner itself), and how long the rest
//! will take.
//!
//! Judges nothing, and forecasts nothing before enough matches have ended. Tested in this module.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use zappy_play::result::ArenaPart;
use zappy_protocol::text::many;

/// How many ends of matches a forecast looks at: enough to be steady, few enough to follow a change.
const REMEMBERED: usize = 100;
/// The least number of ended matches for a forecast.
const ENOUGH: usize = 8;

/// The sums of a run. A place is room for one match at a time; at the end of a run fewer places than jobs are needed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    matches: usize,
    seconds: f64,
    /// Seconds, summed over all places, in which there was a match to be played.
    offered: f64,
    /// Seconds from the start of a match's server to its end, summed over all matches.
    played: f64,
    /// Seconds that bots took to leave, summed over all matches.
    leaving: f64,
}

impl Ledger {
    /// Adds a span of time in which `places` matches could be played at once.
    pub fn pass(&mut self, time: Duration, places: usize) {
        self.seconds += time.as_secs_f64();
        self.offered += time.as_secs_f64() * places as f64;
    }

    /// Adds a match with the times that its `result.json` tells, if it has one.
    pub fn note(&mut self, arena: Option<&ArenaPart>) {
        self.matches += 1;
        self.played += arena.and_then(|arena| arena.seconds).unwrap_or(0.0);
        self.leaving += arena.map_or(0.0, |arena| arena.leaving_seconds);
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ledger { matches, seconds, offered, played, leaving } = *self;
        let share = |part: f64| if offered > 0.0 { 100.0 * part / offered } else { 0.0 };
        let rate = if seconds > 0.0 { matches as f64 * 60.0 / seconds } else { 0.0 };
        let own = share((offered - played - leaving).max(0.0));
        let (matches, played, leaving) = (many(matches as u64, "match"), share(played), share(leaving));
        write!(
            f,
            "played {matches} in {seconds:.1} s: {rate:.0} matches/min; {played:.1}% of the time was play, \
             {leaving:.1}% bots that had to leave, {own:.1}% the runner's own share"
        )
    }
}

/// When the last matches of a run ended, counted from its beginning.
#[derive(Debug, Default)]
pub struct Forecast(VecDeque<Duration>);

impl Forecast {
    /// Notes that a match has ended now.
    pub fn note(&mut self, now: Duration) {
        self.0.push_back(now);
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    /// The present rate, and the time that `matches` more will take: the likely one and the interval in which it lies in 95 of 100
    /// cases. `None` before enough matches have ended.
    pub fn words(&self, matches: usize) -> Option<String> {
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        let gaps: Vec<f64> = pairs.map(|(a, b)| (*b - *a).as_secs_f64()).collect();
        if self.0.len() < ENOUGH {
            return None;
        }
        let (count, n) = (gaps.len() as f64, matches as f64);
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (count - 1.0);
        // Two things are uncertain: each gap differs by chance, and the mean itself may be off.
        let spread = 1.96 * variance.sqrt() * (n + n * n / count).sqrt();
        let (rate, likely) = (60.0 / mean.max(f64::MIN_POSITIVE), n * mean);
        let [likely, least, most] = [likely, (likely - spread).max(0.0), likely + spread].map(in_words);
        let interval = if least == most { String::new() } else { format!(" ({least} to {most})") };
        Some(format!("{rate:.0} a minute, {likely} left{interval}"))
    }
}

fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_play_nor_leaving_is_the_runners() {
        let mut ledger = Ledger::default();
        assert!(ledger.to_string().ends_with(" 0.0% the runner's own share"), "{ledger}");
        ledger.pass(Duration::from_secs(10), 2);
        // The last match has one place.
        ledger.pass(Duration::from_secs(20), 1);
        let arena = serde_json::json!({
            "version": "0", "outcome": "timed_out", "in_process": false, "error": null, "seconds": 8.0,
            "leaving_seconds": 1.0, "server": null, "teams": [], "connections_from_outside": 0,
            "connections_not_let_in": 0, "orphans_ended": 0, "orphans_left": 0,
        });
        let arena: ArenaPart = serde_json::from_value(arena).unwrap();
        (0..4).for_each(|_| ledger.note(Some(&arena)));
        let text = ledger.to_string();
        assert!(
            text.starts_with("played 4 matches in 30.0 s: 8 matches/min; 80.0% of the time was play"),
            "{text}"
        );
        assert!(text.ends_with("10.0% bots that had to leave, 10.0% the runner's own share"), "{text}");
    }

    #[test]
    fn even_matches_leave_no_doubt_and_uneven_ones_some() {
        let mut forecast = Forecast::default();
        for second in 1..8 {
            forecast.note(Duration::from_secs(second));
            assert_eq!(forecast.words(10), None, "too early to say");
        }
        forecast.note(Duration::from_secs(8));
        assert_eq!(forecast.words(600).unwrap(), "60 a minute, 10 min left");
        forecast.note(Duration::from_secs(18));
        assert_eq!(forecast.words(600).unwrap(), "28 a minute, 21 min left (0 s to 43 min)");
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut forecast = Forecast::default();
        (0..50).for_each(|i| forecast.note(Duration::from_secs(100 * i)));
        (0..REMEMBERED as u64).for_each(|i| forecast.note(Duration::from_secs(10_000 + i)));
        assert_eq!(forecast.words(5).unwrap(), "60 a minute, 5 s left");
    }

    #[test]
    fn times_are_told_in_units_that_fit() {
        assert_eq!([5.0, 600.0, 20_000.0].map(in_words), ["5 s", "10 min", "5.6 h"]);
    }
}
