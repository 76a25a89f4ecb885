//! A record that is "led in time" passes slowly where its match is decided and fast where little happens, instead of at
//! the even pace of true time.
//!
//! [`LedTime`] is a map between the spectator's seconds and ticks, linear in pieces and known as soon as the record was
//! read. Windows, pages and films share it, and it is used in both directions. Plain arithmetic. Tested in this module.

use zappy_protocol::Tick;

use crate::director::Cue;

/// The seconds at least and at most in which a match without turns is shown.
const MATCH_TIME: (f64, f64) = (90.0, 180.0);
/// The seconds in which a turn is shown.
const TURN_TIME: f64 = 0.4;
/// The seconds at least in which a match with turns is shown.
const MIN_TURNS_TIME: f64 = 45.0;
/// How many times slower than true time a short match is shown at the most.
const MAX_SLOWDOWN: f64 = 8.0;
/// Moments that decide a match, at most.
pub const HIGHLIGHTS: usize = 5;
/// How many times the usual time a tick takes at a decisive moment, and in a lull.
const WEIGHTS: (f64, f64) = (3.0, 1.0 / 3.0);
/// How long before and after its tick a moment reaches, as a share of the match.
const MOMENT_REACH: f64 = 1.0 / 40.0;
/// The most seconds of a highlight's shot (8 with its last frame), and how many of them come before its moment.
const SHOT_TIME: (f64, f64) = (7.95, 5.0);

/// A part of the match that passes at one pace.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    /// When it begins, in the spectator's seconds.
    seconds: f64,
    /// The tick at which it begins.
    tick: f64,
    /// Ticks in a second.
    pace: f64,
}

/// The pace of a record that is led in time.
#[derive(Debug, Clone, PartialEq)]
pub struct LedTime {
    pieces: Vec<Piece>,
    /// Ticks in a second of true time.
    rate: f64,
    /// Ticks in a second where something happens but nothing is decided.
    pub base: f64,
    /// The ticks that decide the match.
    decisive: Vec<Tick>,
}

impl LedTime {
    /// The pace of a match from the first tick of `span` to the second; a turn has `turn` ticks (0: there are no
    /// turns), a second of true time `rate` ticks; `decisive` are the ticks that decide the match.
    pub fn of(span: (Tick, Tick), turn: Tick, rate: f64, cues: &[Cue], decisive: Vec<Tick>) -> LedTime {
        let (first, end) = (span.0 as f64, span.1.max(span.0) as f64);
        let length = (end - first).max(1.0);
        let seconds = if turn > 0 {
            (length / turn as f64 * TURN_TIME).max(MIN_TURNS_TIME)
        } else {
            (length / rate).clamp(MATCH_TIME.0, MATCH_TIME.1)
        };
        let seconds = seconds.min(length / rate * MAX_SLOWDOWN);
        let reach = length * MOMENT_REACH;
        let slow: Vec<f64> = decisive.iter().map(|tick| *tick as f64).collect();
        // Cues below half the score of the least decisive moment don't interrupt a lull.
        let least = cues.iter().filter(|cue| decisive.contains(&cue.tick)).map(|cue| cue.score).min();
        let busy = cues.iter().filter(|cue| cue.score >= least.unwrap_or_default() / 2);
        let mut busy: Vec<f64> = busy.map(|cue| cue.tick as f64).collect();
        busy.sort_by(f64::total_cmp);
        let mut edges: Vec<f64> = slow.iter().chain(&busy).flat_map(|at| [at - reach, at + reach]).collect();
        edges.extend([first, end]);
        edges.retain(|edge| (first..=end).contains(edge));
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        let weight = |from: f64, to: f64| {
            let middle = (from + to) / 2.0;
            let next = busy.partition_point(|at| *at < middle - reach);
            let is_busy = busy.get(next).is_some_and(|at| *at <= middle + reach);
            if slow.iter().any(|at| (at - middle).abs() <= reach) {
                WEIGHTS.0
            } else if is_busy {
                1.0
            } else {
                WEIGHTS.1
            }
        };
        let weighed: Vec<(f64, f64, f64)> =
            edges.windows(2).map(|pair| (pair[0], pair[1], weight(pair[0], pair[1]))).collect();
        let total: f64 = weighed.iter().map(|(from, to, weight)| (to - from) * weight).sum();
        let base = if total > 0.0 { total / seconds } else { rate };
        let (mut pieces, mut spent): (Vec<Piece>, f64) = (Vec::new(), 0.0);
        for (from, to, weight) in weighed {
            let pace = base / weight;
            if pieces.last().is_none_or(|last| last.pace.to_bits() != pace.to_bits()) {
                pieces.push(Piece { seconds: spent, tick: from, pace });
            }
            spent += (to - from) / pace;
        }
        // What comes after the end is shown in true time.
        pieces.push(Piece { seconds: spent, tick: end, pace: rate });
        LedTime { pieces, rate, base, decisive }
    }

    /// The last piece for which `has_begun` holds.
    fn piece(&self, has_begun: impl Fn(&Piece) -> bool) -> Piece {
        self.pieces[self.pieces.partition_point(has_begun).saturating_sub(1)]
    }

    /// The tick that is shown after `seconds` of the spectator's time.
    pub fn tick(&self, seconds: f64) -> f64 {
        let piece = self.piece(|piece| piece.seconds <= seconds);
        piece.tick + (seconds - piece.seconds) * piece.pace
    }

    /// The seconds of the spectator's time after which this tick is shown.
    pub fn seconds(&self, tick: f64) -> f64 {
        let piece = self.piece(|piece| piece.tick <= tick);
        piece.seconds + (tick - piece.tick) / piece.pace
    }

    /// Ticks in a second of the spectator's time at this tick.
    pub fn pace(&self, tick: f64) -> f64 {
        self.piece(|piece| piece.tick <= tick).pace
    }

    /// How many times as fast as true time the record passes at this tick.
    pub fn speed(&self, tick: f64) -> f64 {
        self.pace(tick) / self.rate
    }

    /// The spectator's time at this tick, as ticks of `rate` a second: in this time a plan in seconds holds at every
    /// pace.
    pub fn spent(&self, tick: f64) -> f64 {
        self.seconds(tick) * self.rate
    }

    /// The parts of a match that are shown slowly because it is decided in them: first and last tick.
    pub fn slow(&self) -> impl Iterator<Item = (Tick, Tick)> + '_ {
        let pairs = self.pieces.windows(2).filter(|pair| pair[0].pace < self.base * 0.9);
        pairs.map(|pair| (pair[0].tick as Tick, pair[1].tick as Tick))
    }

    /// The shots of the highlights, each around a moment that decides the match: begin and end, in seconds of the
    /// spectator's time. Where two overlap the later is shortened. `last` is the last tick that can be shown.
    pub fn shots(&self, last: Tick) -> Vec<(f64, f64)> {
        let mut shots: Vec<(f64, f64)> = Vec::new();
        for tick in &self.decisive {
            let at = self.seconds(*tick as f64);
            let from = (at - SHOT_TIME.1).max(shots.last().map_or(0.0, |shot| shot.1));
            let to = (from + SHOT_TIME.0).min(at + SHOT_TIME.0 - SHOT_TIME.1).min(self.seconds(last as f64));
            if to > from {
                shots.push((from, to));
            }
        }
        shots
    }
}

/// The moments that decided a match, at most [`HIGHLIGHTS`], in the order in which they happened: those of the highest
/// score, and of moments that are `one_story` only that of the highest score. `score` gives score and tick; if two
/// scores are equal the later moment counts more.
pub fn decisive<'m, M>(
    moments: impl IntoIterator<Item = &'m M>,
    score: impl Fn(&M) -> (u32, Tick),
    one_story: impl Fn(&M, &M) -> bool,
) -> Vec<&'m M> {
    let mut best: Vec<&M> = moments.into_iter().filter(|moment| score(moment).0 > 0).collect();
    best.sort_by_key(|moment| std::cmp::Reverse(score(moment)));
    let mut found: Vec<&M> = Vec::new();
    for moment in best {
        if found.len() < HIGHLIGHTS && found.iter().all(|known| !one_story(known, moment)) {
            found.push(moment);
        }
    }
    found.sort_by_key(|moment| score(moment).1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cues(ticks: &[Tick]) -> Vec<Cue> {
        let cue = |tick| Cue { tick, until: tick + 9, at: None, score: 50, always: false, number: 0 };
        ticks.iter().copied().map(cue).collect()
    }

    fn seconds_in_all(led: &LedTime, end: Tick) -> f64 {
        led.seconds(end as f64)
    }

    #[test]
    fn a_match_lasts_as_long_as_people_watch_and_turns_can_be_followed() {
        for (end, seconds) in [(3_000, 90.0), (12_000, 120.0), (90_000, 180.0), (400, 32.0)] {
            let led = LedTime::of((0, end), 0, 100.0, &cues(&[end / 2, end]), vec![end / 2, end]);
            let shown = seconds_in_all(&led, end);
            assert!((shown - seconds).abs() < 1e-6, "{end}: {shown}");
        }
        for (turns, seconds) in [(40, 45.0), (400, 160.0)] {
            let led = LedTime::of((0, turns * 1_000), 1_000, 1_000.0, &[], Vec::new());
            assert!((seconds_in_all(&led, turns * 1_000) - seconds).abs() < 1e-6, "{turns}");
        }
    }

    #[test]
    fn what_decides_passes_slowly_and_lulls_fast() {
        let led = LedTime::of((0, 4_000), 0, 100.0, &cues(&[1_000, 2_000]), vec![2_000]);
        let [busy, decides, lull] = [1_000.0, 2_000.0, 3_000.0].map(|tick| led.pace(tick) / led.base);
        assert!((0.25..=0.5).contains(&decides) && (2.0..=4.0).contains(&lull), "{decides}, {lull}");
        assert!((busy - 1.0).abs() < 1e-9);
        assert_eq!(led.slow().collect::<Vec<_>>(), [(1_900, 2_100)]);
        assert!((led.pace(4_100.0) - 100.0).abs() < 1e-9, "after the end time is true");
    }

    proptest! {
        #[test]
        fn each_second_has_its_tick_and_each_tick_its_second(
            end in 2u64..500_000, at in proptest::collection::vec(0u64..500_000, 0..40), asked in 0.0..1.0f64,
        ) {
            let mut at: Vec<Tick> = at.into_iter().map(|tick| tick % (end + 1)).collect();
            at.sort_unstable();
            let decisive: Vec<Tick> = at.iter().copied().step_by(9).collect();
            let led = LedTime::of((0, end), 0, 100.0, &cues(&at), decisive);
            let tick = asked * end as f64;
            prop_assert!((led.tick(led.seconds(tick)) - tick).abs() < 1e-6 * end as f64);
            prop_assert!(seconds_in_all(&led, end) <= MATCH_TIME.1 + 1e-6);
            let shots = led.shots(end);
            prop_assert!(shots.len() <= 5 && shots.iter().all(|(from, to)| to - from <= SHOT_TIME.0 + 1e-6));
            prop_assert!(shots.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        }
    }
}
