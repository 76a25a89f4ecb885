//! How late due ticks ran, and how long players think: a histogram of fixed size with four steps per doubling, from a
//! microsecond to hours.
//!
//! Counts delays, and keeps only the longest one itself. Tested in this module.

use std::time::Duration;

/// Buckets for each doubling of the delay.
const STEPS: u32 = 4;
/// Buckets for 36 doublings: 2^37 microseconds are 38 hours, and longer delays count as these.
const BUCKETS: usize = 36 * STEPS as usize;

/// How many delays there were of about each length, and the longest one.
#[derive(Debug, Clone)]
pub struct LatenessHistogram {
    counts: [u64; BUCKETS],
    total: u64,
    worst: Duration,
}

impl Default for LatenessHistogram {
    fn default() -> LatenessHistogram {
        LatenessHistogram { counts: [0; BUCKETS], total: 0, worst: Duration::ZERO }
    }
}

/// The index of the bucket that counts a delay.
fn bucket(late: Duration) -> usize {
    let micros = u64::try_from(late.as_micros()).unwrap_or(u64::MAX);
    if micros < u64::from(STEPS) {
        return micros as usize;
    }
    let doubling = micros.ilog2();
    let step = (micros >> (doubling - STEPS.ilog2())) as u32 % STEPS;
    (((doubling - 1) * STEPS + step) as usize).min(BUCKETS - 1)
}

/// The least delay that is longer than all in the bucket.
fn upper_edge(bucket: usize) -> Duration {
    let next = bucket as u64 + 1;
    let steps = u64::from(STEPS);
    if next < 2 * steps {
        return Duration::from_micros(next);
    }
    let (doubling, step) = (next / steps + 1, next % steps);
    Duration::from_micros((steps + step) << (doubling - u64::from(STEPS.ilog2())))
}

impl LatenessHistogram {
    pub fn add(&mut self, late: Duration) {
        self.counts[bucket(late)] += 1;
        self.total += 1;
        self.worst = self.worst.max(late);
    }

    /// Counts all that another one has counted.
    pub fn merge(&mut self, other: &LatenessHistogram) {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        self.total += other.total;
        self.worst = self.worst.max(other.worst);
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn worst(&self) -> Duration {
        self.worst
    }

    /// The delay that `percent` of a hundred delays don't exceed, rounded up to a step of the histogram.
    pub fn percentile(&self, percent: f64) -> Duration {
        let wanted = (self.total as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return upper_edge(bucket).min(self.worst);
            }
        }
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_delay_lies_below_the_edge_of_its_bucket_and_not_below_the_one_before() {
        for micros in (0..5_000).chain((0..40).map(|power| 1 << power)) {
            let late = Duration::from_micros(micros);
            let place = bucket(late);
            if place + 1 < BUCKETS {
                assert!(late < upper_edge(place), "{late:?}");
            }
            assert!(place == 0 || late >= upper_edge(place - 1), "{late:?}");
        }
    }

    #[test]
    fn percentiles_are_close() {
        let mut lateness = LatenessHistogram::default();
        (1..=1000).for_each(|millis| lateness.add(Duration::from_millis(millis)));
        let median = lateness.percentile(50.0);
        assert!(median >= Duration::from_millis(500) && median <= Duration::from_millis(630), "{median:?}");
        assert_eq!(lateness.percentile(100.0), Duration::from_millis(1000));
        let mut both = LatenessHistogram::default();
        (1..=1000).rev().for_each(|millis| both.add(Duration::from_millis(2 * millis)));
        both.merge(&lateness);
        assert_eq!((both.total(), both.worst()), (2000, Duration::from_secs(2)));
        let median = both.percentile(50.0);
        assert!(median >= Duration::from_millis(667) && median <= Duration::from_millis(840), "{median:?}");
        assert_eq!(LatenessHistogram::default().percentile(99.0), Duration::ZERO);
    }
}
