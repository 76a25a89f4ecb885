//! Turns at a pace that people can follow: each turn is shown for the same time, however long it took the programs.
//!
//! Maps ticks as they passed to ticks at which things are shown. Little is shown of the time in which programs think,
//! but all that happened in it, before the next part of the turn begins. A game without turns is shown as it passed.
//! Plain arithmetic on a stream of messages, so that a live match and its record are shown alike. Tested in this module
//! and with games in turns.

use zappy_protocol::Tick;

/// The most stretches into which a match's time is cut; from the last one on time is shown as it passes.
const MAX_STRETCHES: usize = 1 << 21;

/// A message that matters for the pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// A part of a turn begins: its number, from 0, and how many parts the turn has.
    Part(u32, u32),
    End,
}

/// A stretch of time that is shown as it passes up to a moment, at which the view then waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    /// The tick at which it begins, as time passed.
    tick: Tick,
    /// The tick at which its beginning is shown.
    shown: Tick,
    /// The last tick that is shown of it; `Tick::MAX`: the view never waits.
    until: Tick,
}

impl Stretch {
    /// The tick at which `tick` is shown.
    fn at(self, tick: Tick) -> Tick {
        self.until.min(self.shown + tick.saturating_sub(self.tick))
    }
}

/// How the ticks of a stream are shown.
#[derive(Debug, Clone)]
pub struct Tempo {
    /// The ticks for which a turn is shown; 0: time is shown as it passed.
    turn: Tick,
    now: Stretch,
    /// How many stretches there were before.
    stretches: usize,
    /// The ticks for which a part of the running turn is shown.
    part: Tick,
    /// The tick at which the next part is shown, if what happens in this one doesn't take longer.
    next: Tick,
    /// The tick at which the beginning of the running turn is shown; `None` before the first turn.
    start: Option<Tick>,
    /// The tick at which the running part began, as time passed.
    pub began: Tick,
}

impl Tempo {
    /// A pace at which each turn is shown for `turn` ticks; 0: time is shown as it passed.
    pub fn new(turn: Tick) -> Tempo {
        let now = Stretch { tick: 0, shown: 0, until: if turn == 0 { Tick::MAX } else { 0 } };
        Tempo { turn, now, stretches: 0, part: turn, next: 0, start: None, began: 0 }
    }

    /// The tick at which `tick` is shown, if nothing happens before it.
    pub fn at(&self, tick: Tick) -> Tick {
        self.now.at(tick)
    }

    /// The last tick that is shown of what happened up to `tick`.
    pub fn until(&self, tick: Tick) -> Tick {
        if self.now.until == Tick::MAX { self.now.at(tick) } else { self.now.until }
    }

    /// Takes in a message that came at `tick`; returns the tick at which it is shown.
    pub fn take(&mut self, tick: Tick, beat: Option<Beat>) -> Tick {
        if self.now.until == Tick::MAX {
            return self.now.at(tick);
        }
        // The ticks of a part of a turn for which the view waits at first, while programs think.
        let thinking = |part: Tick| part / 5;
        let shown = match beat {
            None => {
                let shown = self.now.at(tick);
                let until = shown + self.part - thinking(self.part);
                // Messages of the tick at which a part begins are shown together with what happens in it.
                if tick > self.began && until > self.now.until {
                    self.begin_stretch(Stretch { tick, shown, until });
                }
                return shown;
            }
            Some(Beat::End) => self.next.max(self.now.until),
            Some(Beat::Part(number, of)) => {
                let (number, of) = (Tick::from(number), Tick::from(of.max(1)));
                let due = match self.start {
                    Some(start) if number > 0 => start + self.turn * number.min(of) / of,
                    Some(start) => start + self.turn,
                    None => self.now.at(tick),
                };
                let shown = due.max(self.now.until);
                (self.part, self.next, self.began) = (self.turn / of, shown + self.turn / of, tick);
                if number == 0 || self.start.is_none() {
                    self.start = Some(shown);
                }
                shown
            }
        };
        let until = if beat == Some(Beat::End) { shown } else { shown + thinking(self.part) };
        self.begin_stretch(Stretch { tick, shown, until });
        shown
    }

    fn begin_stretch(&mut self, next: Stretch) {
        self.stretches += 1;
        self.now = if self.stretches < MAX_STRETCHES { next } else { Stretch { until: Tick::MAX, ..next } };
    }
}

/// At which ticks the lines of a record are shown, as far as it was read.
#[derive(Debug, Clone, Default)]
pub struct TurnPace {
    /// The stretches, each with the place in bytes at which it begins.
    stretches: Vec<(u64, Stretch)>,
    /// The place up to which the record was read, in bytes.
    read: u64,
    /// The last tick that is shown of what was read.
    pub last: Tick,
}

impl TurnPace {
    /// Takes in that the line at `place`, of the tick `tick`, was read; the next line begins at `next`.
    pub fn note(&mut self, (place, next): (u64, u64), tick: Tick, tempo: &Tempo) {
        (self.read, self.last) = (next, tempo.until(tick));
        if self.stretches.last().is_none_or(|(_, last)| *last != tempo.now) {
            self.stretches.push((place, tempo.now));
        }
    }

    /// The tick at which a line at `place`, of the tick `tick`, is shown; `Tick::MAX` if the place wasn't read yet.
    pub fn shown(&self, place: u64, tick: Tick) -> Tick {
        if place >= self.read {
            return Tick::MAX;
        }
        let after = self.stretches.partition_point(|(at, _)| *at <= place);
        after.checked_sub(1).map_or(0, |number| self.stretches[number].1.at(tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TURN: Tick = 1_000;

    /// Plays a turn of `of` parts that begin at one tick and have a message at another; gives the ticks at which both
    /// are shown.
    fn turn(tempo: &mut Tempo, began: Tick, carried: Tick, of: u32) -> Vec<(Tick, Tick)> {
        (0..of)
            .map(|part| (tempo.take(began, Some(Beat::Part(part, of))), tempo.take(carried, None)))
            .collect()
    }

    #[test]
    fn a_turn_is_shown_for_the_same_time_however_long_it_took() {
        let mut tempo = Tempo::new(TURN);
        assert_eq!(tempo.take(18, None), 0, "time stands still before the first turn");
        let mut tempo = Tempo::new(TURN);
        // Two turns within a tick, one of half a minute, one of 50 ticks.
        assert_eq!(turn(&mut tempo, 18, 18, 1), [(0, 0)]);
        assert_eq!(turn(&mut tempo, 18, 18, 1), [(1_000, 1_000)]);
        assert_eq!(turn(&mut tempo, 18, 30_018, 1), [(2_000, 2_200)]);
        assert_eq!(turn(&mut tempo, 30_018, 30_068, 1), [(3_000, 3_050)]);
        assert_eq!(turn(&mut tempo, 30_068, 30_068, 1), [(4_000, 4_000)]);
        assert_eq!(tempo.take(30_068, Some(Beat::End)), 5_000, "what happened last is seen");
        assert_eq!((tempo.until(40_000), tempo.at(40_000)), (5_000, 5_000));
    }

    #[test]
    fn parts_share_the_time_of_a_turn() {
        let mut tempo = Tempo::new(TURN);
        assert_eq!(turn(&mut tempo, 0, 0, 3), [(0, 0), (333, 333), (666, 666)]);
        assert_eq!(turn(&mut tempo, 0, 0, 3), [(1_000, 1_000), (1_333, 1_333), (1_666, 1_666)]);
    }

    #[test]
    fn what_happens_while_programs_think_is_seen_before_time_goes_on() {
        let mut tempo = Tempo::new(TURN);
        tempo.take(0, Some(Beat::Part(0, 1)));
        assert_eq!(tempo.at(5_000), 200);
        assert_eq!(tempo.take(5_000, None), 200);
        assert_eq!(tempo.at(5_300), 500, "an operator changed something");
        assert_eq!(tempo.take(9_000, None), 1_000);
        assert_eq!(tempo.take(9_000, Some(Beat::Part(0, 1))), 1_800);
    }

    #[test]
    fn a_game_without_turns_is_shown_as_it_passes() {
        let mut tempo = Tempo::new(0);
        assert_eq!((tempo.take(7, None), tempo.at(900), tempo.until(1_000)), (7, 900, 1_000));
    }

    proptest! {
        #[test]
        fn whatever_comes_it_never_runs_back_and_a_record_shows_the_same(
            steps in proptest::collection::vec((0u64..3_000, 0u32..6, 0u32..5), 1..80),
        ) {
            let (mut tempo, mut pace, mut tick, mut shown) = (Tempo::new(TURN), TurnPace::default(), 0, Vec::new());
            for (place, (pause, number, of)) in (0u64..).zip(steps) {
                tick += pause;
                let beat = (of > 0).then_some(Beat::Part(number, of));
                shown.push((place, tick, tempo.take(tick, beat)));
                pace.note((place, place + 1), tick, &tempo);
            }
            prop_assert!(shown.windows(2).all(|pair| pair[0].2 <= pair[1].2), "{shown:?}");
            for (place, tick, moment) in &shown {
                prop_assert_eq!(pace.shown(*place, *tick), *moment);
            }
            prop_assert!(shown.last().is_some_and(|last| last.2 <= pace.last));
            prop_assert_eq!(pace.shown(shown.len() as u64, tick), Tick::MAX);
        }
    }
}
