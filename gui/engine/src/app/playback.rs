//! Which moment is shown, and how it moves: the view's own time, apart from the server's.
//!
//! Plain arithmetic; reads no clock. Tested in `gui/zappy/tests/app.rs`.

use zappy_protocol::Tick;

/// Factors of the view's speed. At 1 a record passes at the rate that its game sets
/// ([`RECORD_RATE`](crate::timeline::fold::Fold::RECORD_RATE)), a live match at the server's frequency.
pub const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
/// The index of 1 in [`SPEEDS`].
pub const NORMAL_SPEED: usize = 2;

/// The moments of a match that can be shown, and how time passes between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The first and the last tick; after a match has ended also the time in which its end is seen.
    pub range: (Tick, Tick),
    /// When the match ended, in ticks; `None` until that is known.
    pub end: Option<Tick>,
    /// The moment that counts as now, in ticks.
    pub now: f64,
    /// Whether the match goes on elsewhere.
    pub live: bool,
    /// Ticks per second at speed 1.
    pub rate: f64,
    /// Whether now is followed turn by turn, so that turns too short to be seen are seen all the same.
    pub turns: bool,
}

/// While the view follows short turns it is at least so fast that it would reach now in this many seconds: so it
/// doesn't fall back further and further.
const CATCH_UP_SECONDS: f64 = 10.0;

/// Which moment is shown, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playback {
    pub playing: bool,
    /// Live: whether now is shown rather than the past.
    pub at_now: bool,
    /// The index of the speed in [`SPEEDS`].
    pub speed: usize,
    /// The moment that is shown, in ticks.
    pub tick: f64,
    /// How fast the moment moved in the last frame, in ticks per second.
    pub pace: f64,
    /// Whether a record passes slowly where the match is decided ([`crate::led`]), once that is known, not at an even
    /// pace.
    pub led: bool,
    /// Whether the next frame is saved as a picture, which shows no sign of a pause and no hints of keys.
    pub still: bool,
}

impl Default for Playback {
    fn default() -> Playback {
        Playback {
            playing: true,
            at_now: true,
            speed: NORMAL_SPEED,
            tick: 0.0,
            pace: 0.0,
            led: true,
            still: false,
        }
    }
}

impl Playback {
    /// The whole tick of the moment that is shown.
    pub fn whole_tick(&self) -> Tick {
        self.tick.max(0.0) as Tick
    }

    /// Shows the moment `tick`, or the nearest one in `range`.
    pub fn seek(&mut self, range: (Tick, Tick), tick: f64) {
        self.tick = nearest(range, tick);
        self.at_now = false;
    }

    /// Stops, or goes on; a record that is at its end begins anew.
    pub fn toggle(&mut self, reach: Reach) {
        self.playing = !(self.playing && (self.at_now || self.pace > 0.0));
        self.at_now = false;
        if self.playing && self.tick >= reach.range.1 as f64 && !reach.live {
            self.seek(reach.range, reach.range.0 as f64);
        }
    }

    /// Shows now, or the end of a record.
    pub fn seek_end(&mut self, reach: Reach) {
        if reach.live {
            (self.at_now, self.playing, self.speed, self.tick) = (true, true, NORMAL_SPEED, reach.now);
        } else {
            self.playing = false;
            self.seek(reach.range, reach.range.1 as f64);
        }
    }

    /// Lets `seconds` of wall time pass; returns whether another moment is shown then.
    pub fn pass(&mut self, reach: Reach, seconds: f64) -> bool {
        let before = self.tick;
        // After the end time passes at speed 1 at most, and in a live match by wall time.
        let ended = |tick: f64| reach.end.is_some_and(|end| tick >= end as f64);
        if reach.live && self.at_now && (reach.turns || reach.end.is_some()) {
            self.pace = (SPEEDS[self.speed] * reach.rate).max((reach.now - self.tick) / CATCH_UP_SECONDS);
            self.tick = (self.tick + seconds * self.pace).min(reach.now);
        } else if reach.live && self.at_now {
            self.tick = reach.now;
            self.pace = reach.rate;
        } else if self.playing {
            self.pace = SPEEDS[self.speed] * reach.rate;
            if ended(self.tick) {
                self.pace = self.pace.min(reach.rate);
            }
            self.tick += seconds * self.pace;
            if let Some(end) = reach.end.filter(|_| !ended(before) && ended(self.tick)) {
                self.tick = end as f64;
            }
            if self.tick >= reach.now {
                (self.tick, self.at_now, self.playing) = (reach.now, reach.live, reach.live);
            }
        } else {
            self.pace = 0.0;
        }
        self.tick = nearest(reach.range, self.tick);
        self.tick.to_bits() != before.to_bits()
    }
}

/// The moment between the first tick and the last one that is nearest to `tick`.
fn nearest((first, last): (Tick, Tick), tick: f64) -> f64 {
    tick.clamp(first as f64, (last as f64).max(first as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows a live match of that many ticks per second for some seconds, sixty frames a second; gives how far behind
    /// it is each second, in seconds at speed 1.
    fn behind(arriving: f64, seconds: u32) -> Vec<f64> {
        let (mut time, mut found) = (Playback::default(), Vec::new());
        for frame in 1..=seconds * 60 {
            let now = arriving * f64::from(frame) / 60.0;
            let reach =
                Reach { range: (0, now as Tick), end: None, now, live: true, rate: 1_000.0, turns: true };
            time.pass(reach, 1.0 / 60.0);
            assert!(time.at_now);
            if frame % 60 == 0 {
                found.push((now - time.tick) / 1_000.0);
            }
        }
        found
    }

    #[test]
    fn turns_that_can_be_followed_are_and_short_ones_are_seen_without_staying_behind_for_ever() {
        assert!(behind(1_000.0, 5).iter().all(|far| *far < 0.1));
        assert!(behind(200.0, 5).iter().all(|far| *far < 0.1), "it waits for slow turns");
        // Twenty turns a second: never more than ten seconds' worth of them behind.
        let far = behind(20_000.0, 60);
        assert!(far[0] > 10.0 && far.iter().all(|far| *far <= 200.0), "{far:?}");
        assert!(far[59] - far[50] < 2.0, "{far:?}");
    }

    #[test]
    fn the_end_is_seen_at_the_usual_speed_however_it_was_reached() {
        for (live, at_now) in [(false, false), (true, false), (true, true)] {
            let reach =
                Reach { range: (0, 1_300), end: Some(1_000), now: 1_300.0, live, rate: 100.0, turns: false };
            let (mut time, mut frames) = (Playback { tick: 1_000.0, at_now, ..Playback::default() }, 0);
            if !at_now {
                time = Playback { tick: 700.0, speed: SPEEDS.len() - 1, at_now, ..time };
                time.pass(reach, 0.1);
                assert!(time.tick == 1_000.0, "it stops at the end for the eye: {time:?}");
            }
            while time.tick < 1_300.0 {
                time.pass(reach, 0.1);
                frames += 1;
            }
            assert!((29..=31).contains(&frames), "{frames}");
            time.pass(reach, 0.1);
            assert!(time.tick == 1_300.0);
        }
    }

    #[test]
    fn moments_become_ticks() {
        let whole = |tick| Playback { tick, ..Playback::default() }.whole_tick();
        assert_eq!((whole(f64::NAN), whole(-3.0), whole(7.9)), (0, 0, 7));
    }

    #[test]
    fn the_end_key_leads_to_the_newest_turn_at_once() {
        let reach =
            Reach { range: (0, 400_000), end: None, now: 400_000.0, live: true, rate: 1_000.0, turns: true };
        let mut time = Playback::default();
        time.pass(reach, 0.1);
        assert!(time.tick < 10_000.0);
        time.seek_end(reach);
        assert!(time.tick == 400_000.0 && time.at_now);
    }
}
