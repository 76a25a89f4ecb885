//! Estimates the tick of a live match: published lines carry the rate, in ticks per second, but no ticks.
//!
//! Plain arithmetic on the moments handed in; reads no clock itself. Its ticks never go back. Tested in this module.

use std::collections::VecDeque;
use std::time::Duration;

use crate::instant::Instant;
use crate::timeline::push_bounded;
use zappy_protocol::Tick;

/// How far the view stays behind the lines that came, so that motion is even though lines come unevenly.
pub const DELAY: Duration = Duration::from_millis(100);
/// The most changes of the rate that are kept: more than are made within the delay.
const MAX_ANCHORS: usize = 16;

/// From the moment `at`, which is the tick `tick`, time passes at `rate` ticks per second.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    at: Instant,
    tick: f64,
    rate: f64,
}

impl Anchor {
    fn tick_at(&self, at: Instant) -> f64 {
        self.tick + at.saturating_duration_since(self.at).as_secs_f64() * self.rate
    }
}

/// Estimates ticks of a live match. Stands still until a rate is set.
#[derive(Debug, Clone)]
pub struct TickClock {
    /// In the order of their moments; never empty.
    anchors: VecDeque<Anchor>,
    /// The rate that was set last, in ticks per second; 0 before.
    pub rate: u32,
    /// Whether the match is paused.
    pub held: bool,
    /// The latest tick that was stamped or reached.
    stamped: Tick,
    /// The latest tick that [`TickClock::live_head`] gave.
    shown: f64,
}

impl TickClock {
    /// A clock that shows tick 0 at that moment.
    pub fn new(now: Instant) -> TickClock {
        let anchors = VecDeque::from([Anchor { at: now, tick: 0.0, rate: 0.0 }]);
        TickClock { anchors, rate: 0, held: false, stamped: 0, shown: 0.0 }
    }

    /// Sets the server's rate from a moment on, in ticks per second.
    pub fn set_rate(&mut self, rate: u32, at: Instant) {
        if rate != self.rate {
            self.rate = rate;
            self.anchor(at);
        }
    }

    /// Stops the clock from a moment on, because a dump is under way, the match is over or the connection is lost.
    pub fn hold(&mut self, at: Instant) {
        if !std::mem::replace(&mut self.held, true) {
            self.anchor(at);
        }
    }

    /// Lets a clock that was held go on from a moment on.
    pub fn release(&mut self, at: Instant) {
        if std::mem::take(&mut self.held) {
            self.anchor(at);
        }
    }

    /// Sets the clock forward: at the moment `at` the match had reached at least this tick.
    pub fn reach(&mut self, tick: Tick, at: Instant) {
        self.stamped = self.stamped.max(tick);
        self.anchor(at);
    }

    /// Begins a new stretch of time at a moment, at the rate that holds now.
    fn anchor(&mut self, at: Instant) {
        let at = self.anchors.back().map_or(at, |last| at.max(last.at));
        let tick = self.tick_at(at).max(self.stamped as f64);
        let rate = if self.held { 0.0 } else { f64::from(self.rate) };
        push_bounded(&mut self.anchors, MAX_ANCHORS, Anchor { at, tick, rate });
    }

    /// The tick at a moment, with its fraction.
    pub fn tick_at(&self, at: Instant) -> f64 {
        let anchor = self.anchors.iter().rev().find(|anchor| anchor.at <= at).or(self.anchors.front());
        anchor.map_or(0.0, |anchor| anchor.tick_at(at))
    }

    /// The tick of a line that came at this moment; never earlier than the tick of a line that came before.
    pub fn stamp(&mut self, at: Instant) -> Tick {
        // The cast saturates.
        self.stamped = self.stamped.max(self.tick_at(at) as Tick);
        self.stamped
    }

    /// The tick, with its fraction, that the view shows at this moment while it follows the match: that of [`DELAY`]
    /// earlier. Never goes back.
    pub fn live_head(&mut self, now: Instant) -> f64 {
        let then = now.checked_sub(DELAY).unwrap_or(now);
        self.shown = self.shown.max(self.tick_at(then));
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn what_was_reached_before_counts() {
        let start = Instant::now();
        let mut clock = TickClock::new(start);
        clock.reach(18_000, start);
        clock.set_rate(100, start);
        assert_eq!(clock.stamp(start + ms(1_000)), 18_100);
        clock.reach(18_050, start + ms(1_000));
        assert_eq!(clock.stamp(start + ms(1_000)), 18_100, "time never runs back");
        clock.reach(18_300, start + ms(2_000));
        assert_eq!(clock.stamp(start + ms(3_000)), 18_400);
    }

    #[test]
    fn ticks_pass_at_the_rate_that_was_set() {
        let start = Instant::now();
        let mut clock = TickClock::new(start);
        assert_eq!(clock.stamp(start + ms(500)), 0, "no rate was set yet");
        clock.set_rate(100, start + ms(1_000));
        assert_eq!(clock.stamp(start + ms(1_995)), 99);
        clock.set_rate(10, start + ms(2_000));
        assert_eq!(clock.stamp(start + ms(2_000)), 100);
        assert_eq!(clock.stamp(start + ms(3_000)), 110);
        assert_eq!(clock.stamp(start + ms(2_500)), 110, "it never runs back");
        assert_eq!((clock.rate, clock.tick_at(start + ms(2_500))), (10, 105.0));
    }

    #[test]
    fn the_view_stays_a_little_behind_also_across_a_change() {
        let start = Instant::now();
        let mut clock = TickClock::new(start);
        clock.set_rate(1_000, start);
        assert_eq!(clock.live_head(start + ms(50)), 0.0);
        assert!((clock.live_head(start + ms(1_100)) - 1_000.0).abs() < 1e-6);
        clock.set_rate(1, start + ms(1_100));
        // No jump: what came in the last tenth of a second is still shown at its own pace.
        assert!((clock.live_head(start + ms(1_150)) - 1_050.0).abs() < 1e-6);
        assert!((clock.live_head(start + ms(2_200)) - 1_101.0).abs() < 1e-6);
    }

    #[test]
    fn time_stands_still_while_it_is_held() {
        let start = Instant::now();
        let mut clock = TickClock::new(start);
        clock.hold(start);
        clock.set_rate(100, start + ms(10));
        assert_eq!(clock.stamp(start + ms(900)), 0);
        clock.release(start + ms(1_000));
        clock.release(start + ms(1_500));
        assert_eq!(clock.stamp(start + ms(2_000)), 100);
    }

    proptest! {
        #[test]
        fn whatever_happens_it_never_runs_back(
            steps in proptest::collection::vec((0u64..400, 0u32..5, 0u8..5), 1..60),
        ) {
            let start = Instant::now();
            let (mut clock, mut now) = (TickClock::new(start), start);
            let (mut stamp, mut head) = (0, 0.0);
            for (pause, rate, what) in steps {
                now += ms(pause);
                // A line may have come a little earlier than it is taken in.
                let at = now.checked_sub(ms(u64::from(rate) * 30)).unwrap_or(now);
                match what {
                    0 => clock.set_rate(10u32.pow(rate), at),
                    1 => clock.hold(at),
                    2 => clock.release(at),
                    _ => {}
                }
                let (next_stamp, next_head) = (clock.stamp(at), clock.live_head(now));
                prop_assert!(next_stamp >= stamp && next_head >= head);
                (stamp, head) = (next_stamp, next_head);
            }
        }
    }
}
