//! The real clock: which tick it is at which time.
//!
//! Time is a duration since the server's start and comes in as an argument, so that tests make their own. All
//! arithmetic is on integers. Tested in this module.

use std::num::NonZeroU32;
use std::time::Duration;

use zappy_game::Tick;

/// Nanoseconds in a second; a tick is counted in as many parts.
const SECOND: u128 = 1_000_000_000;

/// Ticks from time, at a rate that may change.
#[derive(Debug, Clone)]
pub struct RealClock {
    rate: Option<NonZeroU32>,
    /// When the rate was last set.
    since: Duration,
    /// The tick at that time.
    tick: Tick,
    /// How much of that tick had passed by then, in billionths.
    part: u128,
}

impl RealClock {
    /// A clock that stands still at tick 0.
    pub fn stopped() -> RealClock {
        RealClock { rate: None, since: Duration::ZERO, tick: 0, part: 0 }
    }

    /// Ticks per second; `None` while time stands still.
    pub fn rate(&self) -> Option<NonZeroU32> {
        self.rate
    }

    /// The tick at that time, and how much of it has passed, in billionths.
    fn position(&self, at: Duration) -> (Tick, u128) {
        let rate = self.rate.map_or(0, |rate| u128::from(rate.get()));
        let parts = self.part + at.saturating_sub(self.since).as_nanos() * rate;
        let ticks = Tick::try_from(parts / SECOND).unwrap_or(Tick::MAX);
        (self.tick.saturating_add(ticks), parts % SECOND)
    }

    /// The tick at that time.
    pub fn tick_at(&self, at: Duration) -> Tick {
        self.position(at).0
    }

    /// Goes on from the tick `reached` at another rate. If the game has kept up with the clock, the part of the tick
    /// that has passed stays passed; if the game is behind, it needn't catch up.
    pub fn set_rate(&mut self, at: Duration, reached: Tick, rate: Option<NonZeroU32>) {
        let (tick, part) = self.position(at);
        self.part = if tick == reached { part } else { 0 };
        self.tick = reached;
        self.since = at;
        self.rate = rate;
    }

    /// Makes that tick begin now.
    pub fn set_back(&mut self, at: Duration, tick: Tick) {
        (self.since, self.tick, self.part) = (at, tick, 0);
    }

    /// When a tick begins; for a tick that has begun, when the rate was last set. `None` if time stands still before
    /// it.
    pub fn time_of(&self, tick: Tick) -> Option<Duration> {
        let ticks = tick.saturating_sub(self.tick);
        if ticks == 0 {
            return Some(self.since);
        }
        let rate = u128::from(self.rate?.get());
        let nanos = (u128::from(ticks) * SECOND - self.part).div_ceil(rate);
        let wait = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        Some(self.since.saturating_add(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(f: u32) -> Option<NonZeroU32> {
        NonZeroU32::new(f)
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_tick_begins_exactly_at_its_time() {
        let mut clock = RealClock::stopped();
        clock.set_rate(ms(0), 0, rate(3));
        let begin = clock.time_of(1).unwrap();
        assert_eq!(begin, Duration::from_nanos(333_333_334));
        assert_eq!(clock.tick_at(begin), 1);
        assert_eq!(clock.tick_at(begin - Duration::from_nanos(1)), 0);
    }

    #[test]
    fn the_part_of_a_tick_that_passed_survives_a_change() {
        let mut clock = RealClock::stopped();
        clock.set_rate(ms(0), 0, rate(10));
        clock.set_rate(ms(250), 2, rate(100));
        assert_eq!(clock.time_of(3), Some(ms(255)));
    }

    #[test]
    fn a_pause_stops_time_and_catches_nothing_up() {
        let mut clock = RealClock::stopped();
        clock.set_rate(ms(0), 0, rate(10));
        clock.set_rate(ms(1000), 4, None);
        assert_eq!((clock.tick_at(ms(9000)), clock.time_of(5)), (4, None));
        assert_eq!(clock.time_of(4), Some(ms(1000)));
        clock.set_rate(ms(9000), 4, rate(10));
        assert_eq!(clock.time_of(5), Some(ms(9100)));
    }

    #[test]
    fn centuries_do_not_overflow() {
        let mut clock = RealClock::stopped();
        clock.set_rate(ms(0), 0, rate(u32::MAX));
        assert!(clock.tick_at(Duration::MAX) > 0);
        assert!(clock.time_of(Tick::MAX).is_some());
        clock.set_back(ms(0), Tick::MAX);
        assert_eq!(clock.tick_at(Duration::MAX), Tick::MAX);
    }

    proptest! {
        #[test]
        fn time_never_goes_back(steps in proptest::collection::vec((0u64..5_000_000, 0u32..50_000), 1..40)) {
            let (mut clock, mut at, mut last) = (RealClock::stopped(), Duration::ZERO, 0);
            for (micros, f) in steps {
                at += Duration::from_micros(micros);
                let tick = clock.tick_at(at);
                prop_assert!(tick >= last);
                last = tick;
                clock.set_rate(at, tick, rate(f));
                prop_assert_eq!(clock.tick_at(at), tick);
                if let Some(next) = clock.time_of(tick + 1) {
                    prop_assert_eq!(clock.tick_at(next), tick + 1);
                    prop_assert_eq!(clock.tick_at(next - Duration::from_nanos(1)), tick);
                }
            }
        }
    }
}
