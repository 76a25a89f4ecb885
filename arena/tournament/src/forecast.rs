//! When a tournament will be over, judged by how quickly its last matches came to their ends.
//!
//! Says how far off that may be, and nothing at all before it knows enough. Tested in this module.

use std::collections::VecDeque;
use std::time::Duration;

/// Ends that are remembered: enough for an opinion, few enough to follow a change.
const REMEMBERED: usize = 100;
/// Ends without which nothing is said.
const ENOUGH: usize = 8;

/// When matches ended, since the beginning.
#[derive(Debug, Default)]
pub struct Forecast {
    ends: VecDeque<Duration>,
}

/// How long it will take, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remaining {
    pub likely: f64,
    /// The lower end of the interval in which the time lies in 95 of 100 cases, if what is left is like what
    /// was played.
    pub least: f64,
    /// The upper end of that interval.
    pub most: f64,
}

impl Forecast {
    /// A match ended, so long after the beginning.
    pub fn note(&mut self, now: Duration) {
        self.ends.push_back(now);
        if self.ends.len() > REMEMBERED {
            self.ends.pop_front();
        }
    }

    /// Matches per minute of late.
    pub fn per_minute(&self) -> Option<f64> {
        self.gaps().map(|(mean, _, _)| 60.0 / mean.max(f64::MIN_POSITIVE))
    }

    /// Mean and deviation of the seconds from one end to the next, and how many such there are.
    fn gaps(&self) -> Option<(f64, f64, f64)> {
        let count = self.ends.len().checked_sub(1).filter(|&count| count + 1 >= ENOUGH)? as f64;
        let pairs = self.ends.iter().zip(self.ends.iter().skip(1));
        let gaps: Vec<f64> = pairs.map(|(a, b)| (*b - *a).as_secs_f64()).collect();
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some((mean, variance.sqrt(), count))
    }

    /// How long so many more matches will take; none before enough have ended.
    pub fn remaining(&self, matches: usize) -> Option<Remaining> {
        let (mean, deviation, count) = self.gaps()?;
        let n = matches as f64;
        // Two things are uncertain: each gap differs by chance, and the mean itself may be off.
        let spread = 1.96 * deviation * (n + n * n / count).sqrt();
        let likely = n * mean;
        Some(Remaining { likely, least: (likely - spread).max(0.0), most: likely + spread })
    }
}

impl std::fmt::Display for Remaining {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [likely, least, most] = [self.likely, self.least, self.most].map(words);
        if least == most {
            write!(f, "{likely} left")
        } else {
            write!(f, "{likely} left ({least} to {most})")
        }
    }
}

fn words(seconds: f64) -> String {
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
    fn even_matches_leave_no_doubt_and_uneven_ones_some() {
        let mut forecast = Forecast::default();
        for second in 1..8 {
            forecast.note(Duration::from_secs(second));
            assert_eq!(forecast.remaining(10), None, "too early to say");
        }
        forecast.note(Duration::from_secs(8));
        let even = forecast.remaining(600).unwrap();
        assert_eq!((even.likely, even.least, even.most), (600.0, 600.0, 600.0));
        assert_eq!((even.to_string().as_str(), forecast.per_minute()), ("10 min left", Some(60.0)));
        forecast.note(Duration::from_secs(18));
        let uneven = forecast.remaining(600).unwrap();
        assert!(uneven.least < uneven.likely && uneven.likely < uneven.most && uneven.likely > 600.0);
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut forecast = Forecast::default();
        (0..50).for_each(|i| forecast.note(Duration::from_secs(100 * i)));
        (0..REMEMBERED as u64).for_each(|i| forecast.note(Duration::from_secs(10_000 + i)));
        assert_eq!(forecast.per_minute(), Some(60.0));
    }

    #[test]
    fn times_are_said_in_units_that_fit() {
        assert_eq!([5.0, 600.0, 20_000.0].map(words), ["5 s", "10 min", "5.6 h"]);
    }
}
