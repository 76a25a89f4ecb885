//! Numbers over time, for the charts: sampled ever more sparsely, so that any match fits.
//!
//! Holds a bounded number of samples: when full, every second one goes and the interval doubles. Tested in
//! this module.

use zappy_protocol::Tick;
use zappy_protocol::zappy::Resource;
use zappy_protocol::zappy::mirror::Mirror;
use zappy_protocol::zappy::story::{Roster, Strength, strengths};

use zappy_observer::timeline::thin;

/// Ticks between two samples at first: as many as between two refills of resources.
const FIRST_INTERVAL: Tick = 20;

/// The numbers of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    pub tick: Tick,
    /// Each team, in the roster's order; teams that were named later are missing.
    pub teams: Vec<Strength>,
    /// Units of food on the ground.
    pub food_on_ground: u64,
}

impl Sample {
    /// What the teams have and what lies on the map at that tick.
    pub fn of(tick: Tick, mirror: &Mirror, roster: &Roster) -> Sample {
        Sample { tick, teams: strengths(mirror, roster), food_on_ground: mirror.on_ground(Resource::Food) }
    }
}

/// Samples of a match, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    interval: Tick,
    /// The samples, the oldest first.
    pub samples: Vec<Sample>,
}

impl Default for Series {
    fn default() -> Series {
        Series { interval: FIRST_INTERVAL, samples: Vec::new() }
    }
}

impl Series {
    /// Takes a sample if one is due at that tick.
    pub fn note(&mut self, tick: Tick, mirror: &Mirror, roster: &Roster) {
        if self.samples.last().is_some_and(|last| tick < last.tick + self.interval) {
            return;
        }
        self.interval <<= u32::from(thin(&mut self.samples, true));
        self.samples.push(Sample::of(tick, mirror, roster));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_observer::timeline::SAMPLE_LIMIT;

    #[test]
    fn a_match_of_any_length_keeps_a_bounded_number_of_samples() {
        let (mirror, roster, mut series) = (Mirror::new(), Roster::new(), Series::default());
        for tick in (0..400_000).step_by(7) {
            series.note(tick, &mirror, &roster);
        }
        let samples = &series.samples;
        assert!((SAMPLE_LIMIT / 2..=SAMPLE_LIMIT).contains(&samples.len()), "{}", samples.len());
        assert!(samples.windows(2).all(|pair| pair[0].tick < pair[1].tick));
        assert_eq!(samples[0].tick, 0);
        assert!(samples.last().unwrap().tick > 398_000);
    }
}
