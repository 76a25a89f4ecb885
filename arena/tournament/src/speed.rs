//! How fast a run plays, and how long the rest will take at that speed, in words.
//!
//! Forecasts nothing before enough matches have ended. Tested in this module.

use std::time::Duration;

use zappy_protocol::text::many;

/// The least number of ended matches for a forecast.
const LEAST_MATCHES: usize = 8;

/// Says how many matches were played in what time, and at what rate.
pub fn summary(played: usize, time: Duration) -> String {
    let (matches, rate) = (many(played as u64, "match"), per_minute(played, time));
    format!("played {matches} in {:.1} s, {rate:.0} a minute", time.as_secs_f64())
}

/// The rate of the matches that were `played` in that time, and how long the matches that are `left` will take at that rate. `None`
/// before enough matches have ended.
pub(super) fn forecast(played: usize, time: Duration, left: usize) -> Option<String> {
    let rate = per_minute(played, time);
    let left = match 60.0 * left as f64 / rate {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 90.0 * 60.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    };
    (played >= LEAST_MATCHES).then(|| format!("{rate:.0} a minute, about {left} left"))
}

fn per_minute(played: usize, time: Duration) -> f64 {
    played as f64 * 60.0 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_was_played() {
        let time = Duration::from_secs(30);
        assert_eq!(summary(4, time), "played 4 matches in 30.0 s, 8 a minute");
        assert_eq!(forecast(7, time, 600), None, "too early to say");
        for (left, words) in [(20, "60 s"), (300, "15 min"), (6_000, "5.0 h")] {
            assert_eq!(forecast(10, time, left), Some(format!("20 a minute, about {words} left")));
        }
    }
}
