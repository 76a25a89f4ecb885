//! When it is known whether an opponent is beaten, and when its matches have taken too long: which matches are left out.
//!
//! A function of what lies in the folder of a grade: the pairs of matches against each opponent are taken in the plan's order.
//! A pair counts if, when the ones before it are counted, the point could still change and the budget of time wasn't used
//! up. What was played beyond that because several matches are played at once doesn't count, so a grade is the same however
//! often it was stopped. Tested in this module and in `arena/cli/tests/tournament/pace.rs`.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use zappy_game::GameSpec;
use zappy_play::Error;
use zappy_protocol::text::many;

use super::grade::GRADED;
use super::points::Pass;
use super::result::{LeftOut, Unplayed};
use crate::bots::Book;
use crate::identity::Id;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::plan::Planned;
use crate::run::Watch;
use crate::tally::{LEAST_DECIDED, Score};
use crate::verdict::passes;

/// The matches of the graded bot, as they come.
#[derive(Debug)]
pub struct Pace<'a> {
    place: &'a Place,
    game: &'static GameSpec,
    graded: Id,
    pass: &'a Pass,
    /// Seconds that the matches against an opponent may take.
    budget: f64,
    /// Whether matches are played that can't change a point any more.
    every: bool,
    /// How long matches are begun, from the first one on; `None`: until all are over.
    pub turn: Option<Duration>,
    /// The end of the turn, once it has begun.
    until: Option<Instant>,
    rows: BTreeMap<Id, Row>,
    /// The matches that don't count, played or not.
    pub left_out: HashSet<Id>,
}

/// The matches against an opponent.
#[derive(Debug, Default)]
struct Row {
    pairs: Vec<Vec<Planned>>,
    /// How many pairs, the first ones, are counted.
    counted: usize,
    sum: Sum,
    end: Option<Unplayed>,
}

/// The sum of the counted matches.
#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    score: Score,
    /// Matches that can't be scored.
    missing: u64,
    seconds: f64,
    /// Seconds for which the others waited for the graded bot.
    waited: f64,
}

impl Sum {
    /// Whether `left` more matches can't change any more whether the share `pass` is reached.
    fn is_settled(&self, left: u64, pass: f64) -> bool {
        let Sum { score: Score { wins, draws, losses, .. }, missing, .. } = *self;
        let all = wins + draws + losses + missing + left;
        let (least, most) = (2 * wins + draws, 2 * wins + draws + 2 * left);
        // Draws alone decide nothing; matches that aren't scored count for neither.
        let decided = (wins + losses) as f64 >= LEAST_DECIDED * (wins + draws + losses + left) as f64;
        !passes(most, all, pass) || wins + losses > 0 && decided && passes(least, all, pass)
    }

    /// Counts a match; true if it is to be played again.
    fn add(
        &mut self,
        (place, game, graded): (&Place, &GameSpec, Id),
        planned: &Planned,
        failed: &HashSet<Id>,
    ) -> Result<bool, Error> {
        let gone = failed.contains(&planned.id);
        if gone && !place.result(planned.id).exists() {
            self.missing += 1;
            return Ok(false);
        }
        let outcome: Outcome = place.outcome(planned.id)?;
        if outcome.is_unproved() && !gone {
            return Ok(true);
        }
        let seat = usize::from(planned.seats.first() != Some(&graded));
        if outcome.cause.counts() {
            self.score.add(outcome.compare(seat, 1 - seat, game));
        } else {
            self.missing += 1;
        }
        let Some(report) = place.arena_result(planned.id) else { return Ok(false) };
        let waits = report.played().and_then(|played| played.lockstep.as_ref());
        let waits = waits.into_iter().flat_map(|lockstep| &lockstep.think_times);
        let own = waits.filter(|waits| waits.team == outcome.seats[seat].team);
        self.waited += own.map(|waits| waits.all.waited_ms as f64 / 1000.0).sum::<f64>();
        self.seconds += report.arena.and_then(|arena| arena.seconds).unwrap_or_default();
        Ok(false)
    }
}

impl<'a> Pace<'a> {
    /// Of the matches of that plan in which the first bot of the book plays.
    pub fn new(
        place: &'a Place,
        (book, plan, game): (&Book, &[Planned], &'static GameSpec),
        (pass, budget, every): (&'a Pass, Duration, bool),
    ) -> Pace<'a> {
        let graded = book.bots[GRADED].id;
        let mut rows: BTreeMap<Id, Row> = BTreeMap::new();
        for planned in plan {
            let Some(other) = planned.seats.iter().find(|seat| **seat != graded) else { continue };
            let pairs = &mut rows.entry(*other).or_default().pairs;
            match pairs.last_mut() {
                Some(pair) if pair[0].pair == planned.pair => pair.push(planned.clone()),
                _ => pairs.push(vec![planned.clone()]),
            }
        }
        let (budget, left_out) = (budget.as_secs_f64(), HashSet::new());
        Pace { place, game, graded, pass, budget, every, turn: None, until: None, rows, left_out }
    }

    /// Counts what there is; `failed` are matches that won't be played.
    ///
    /// # Errors
    /// A result can't be read.
    pub fn take_in(&mut self, failed: &HashSet<Id>) -> Result<(), Error> {
        let Pace { place, game, graded, pass, budget, every, .. } = *self;
        for row in self.rows.values_mut() {
            while row.end.is_none() && row.counted < row.pairs.len() {
                let pair = &row.pairs[row.counted];
                let there = |one: &Planned| failed.contains(&one.id) || place.result(one.id).exists();
                if !pair.iter().all(there) {
                    break;
                }
                let mut sum = row.sum;
                let mut open = false;
                for planned in pair {
                    open |= sum.add((place, game, graded), planned, failed)?;
                }
                if open {
                    break;
                }
                row.sum = sum;
                row.counted += 1;
                let left: u64 = row.pairs[row.counted..].iter().map(|pair| pair.len() as u64).sum();
                if left > 0 && !every && pass.shares().all(|share| sum.is_settled(left, share)) {
                    row.end = Some(Unplayed::Decided);
                } else if left > 0 && sum.seconds >= budget {
                    let own = 2.0 * sum.waited > sum.seconds;
                    row.end = Some(if own { Unplayed::LostByTime } else { Unplayed::OutOfTime });
                }
                if row.end.is_some() {
                    self.left_out.extend(row.pairs[row.counted..].iter().flatten().map(|one| one.id));
                }
            }
        }
        Ok(())
    }

    /// The matches that are left out against an opponent.
    pub fn of(&self, opponent: Id) -> Option<LeftOut> {
        let row = self.rows.get(&opponent)?;
        let matches = row.pairs[row.counted..].iter().map(|pair| pair.len() as u64).sum();
        row.end.map(|why| LeftOut { matches, why })
    }

    /// Whether matches wait for another turn.
    pub fn is_unfinished(&self) -> bool {
        let open = |row: &Row| row.end.is_none() && row.counted < row.pairs.len();
        self.is_over() && self.rows.values().any(open)
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl Watch for Pace<'_> {
    fn is_enough(&mut self, failed: &HashSet<Id>) -> Result<bool, Error> {
        if self.until.is_none() {
            self.until = self.turn.map(|turn| Instant::now() + turn);
        }
        self.take_in(failed)?;
        Ok(false)
    }

    fn is_left_out(&self, planned: &Planned) -> bool {
        self.is_over() || self.left_out.contains(&planned.id)
    }

    fn progress(&self) -> String {
        let matches = |row: &Row| row.pairs.iter().map(Vec::len).sum::<usize>();
        let counted: usize = self.rows.values().flat_map(|row| &row.pairs[..row.counted]).map(Vec::len).sum();
        let all: usize = self.rows.values().map(matches).sum();
        format!("{counted} of at most {}", many((all - self.left_out.len()) as u64, "match"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_settled_when_no_end_of_the_rest_changes_it() {
        let sum = |wins, draws, losses, missing| {
            let score = Score { wins, draws, losses, ..Score::default() };
            Sum { score, missing, ..Sum::default() }
        };
        for (sum, left, pass, wanted) in [
            (sum(11, 0, 0, 0), 9, 0.5, true),
            (sum(10, 0, 0, 0), 10, 0.5, false),
            (sum(0, 0, 9, 0), 11, 0.5, false),
            (sum(0, 0, 10, 0), 10, 0.5, true),
            (sum(0, 0, 0, 10), 10, 0.5, true),
            (sum(0, 0, 2, 0), 2, 0.5, true),
            (sum(2, 0, 0, 0), 2, 0.5, false),
            (sum(2, 0, 1, 0), 1, 0.5, false),
            // Draws alone bring no point, so the rest may still take it away.
            (sum(3, 7, 0, 0), 2, 0.4, true),
            (sum(2, 8, 0, 0), 2, 0.4, false),
            (sum(0, 0, 1, 0), 19, 1.0, true),
        ] {
            assert_eq!(sum.is_settled(left, pass), wanted, "{sum:?} {left} {pass}");
        }
    }
}
