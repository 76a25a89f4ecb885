//! Which matches of a grade are left out: those against an opponent when it is known whether it is beaten, or when its
//! matches have taken too long.
//!
//! A function of the files in the folder of a grade: the pairs of matches against each opponent are counted in the
//! plan's order. A pair counts if after the earlier pairs the point could still change and the budget of time wasn't
//! used up. Further pairs that were played because several matches are played at once don't count, so a grade is the
//! same however often it was stopped. Tested in this module and in `arena/cli/tests/tournament/pace.rs`.

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

/// What the matches of the graded bot have decided so far.
#[derive(Debug)]
pub struct Pace<'a> {
    place: &'a Place,
    game: &'static GameSpec,
    graded: Id,
    pass: &'a Pass,
    /// Seconds that the matches against an opponent may take.
    budget: f64,
    /// Whether matches are played that can't change a point any more.
    plays_all: bool,
    /// For how long matches are begun, from the first one on; `None`: until all are over.
    pub turn: Option<Duration>,
    /// The end of the turn, once it has begun.
    turn_end: Option<Instant>,
    /// The matches against each opponent, by its id.
    rows: BTreeMap<Id, Row>,
    /// The matches that don't count, played or not.
    pub left_out: HashSet<Id>,
}

/// The matches against an opponent.
#[derive(Debug, Default)]
struct Row {
    /// The pairs of matches on one seed, in the plan's order.
    pairs: Vec<Vec<Planned>>,
    /// How many of the first pairs are counted.
    counted: usize,
    sum: Sum,
    /// Why the pairs that aren't counted are left out; `None`: they are still to be played.
    end: Option<Unplayed>,
}

/// The sum of the counted matches.
#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    score: Score,
    /// Matches that can't be scored.
    missing: u64,
    /// Seconds that the matches took.
    seconds: f64,
    /// Seconds of these in which others waited for the graded bot.
    waited: f64,
}

impl Sum {
    /// Whether no results of the `left` matches to come can change whether the share `pass` is reached.
    fn is_settled(&self, left: u64, pass: f64) -> bool {
        let Sum { score: Score { wins, draws, losses, .. }, missing, .. } = *self;
        let all = wins + draws + losses + missing + left;
        let (least, most) = (2 * wins + draws, 2 * wins + draws + 2 * left);
        // A share counts only if enough of the scored matches were won by one of the two.
        let decided = (wins + losses) as f64 >= LEAST_DECIDED * (wins + draws + losses + left) as f64;
        !passes(most, all, pass) || wins + losses > 0 && decided && passes(least, all, pass)
    }

    /// Counts a match that has a result or is in `failed`; true if it isn't counted, since it is to be played again.
    fn add(
        &mut self,
        (place, game, graded): (&Place, &GameSpec, Id),
        planned: &Planned,
        failed: &HashSet<Id>,
    ) -> Result<bool, Error> {
        let has_failed = failed.contains(&planned.id);
        if has_failed && !place.result(planned.id).exists() {
            self.missing += 1;
            return Ok(false);
        }
        let outcome: Outcome = place.outcome(planned.id)?;
        if outcome.is_unproved() && !has_failed {
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
    /// Nothing counted yet of the matches of the graded bot in that plan. `budget` is for the matches against one
    /// opponent.
    pub fn new(
        place: &'a Place,
        (book, plan, game): (&Book, &[Planned], &'static GameSpec),
        (pass, budget, plays_all): (&'a Pass, Duration, bool),
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
        Pace { place, game, graded, pass, budget, plays_all, turn: None, turn_end: None, rows, left_out }
    }

    /// Counts the pairs that are over, and decides which pairs are left out; `failed` are matches that won't be played.
    ///
    /// # Errors
    /// A result can't be read.
    pub fn count_results(&mut self, failed: &HashSet<Id>) -> Result<(), Error> {
        let Pace { place, game, graded, pass, budget, plays_all, .. } = *self;
        for row in self.rows.values_mut() {
            while row.end.is_none() && row.counted < row.pairs.len() {
                let pair = &row.pairs[row.counted];
                let is_over = |one: &Planned| failed.contains(&one.id) || place.result(one.id).exists();
                if !pair.iter().all(is_over) {
                    break;
                }
                let mut sum = row.sum;
                let mut is_open = false;
                for planned in pair {
                    is_open |= sum.add((place, game, graded), planned, failed)?;
                }
                if is_open {
                    break;
                }
                row.sum = sum;
                row.counted += 1;
                let left: u64 = row.pairs[row.counted..].iter().map(|pair| pair.len() as u64).sum();
                if left > 0 && !plays_all && pass.shares().all(|share| sum.is_settled(left, share)) {
                    row.end = Some(Unplayed::Decided);
                } else if left > 0 && sum.seconds >= budget {
                    let is_own_fault = 2.0 * sum.waited > sum.seconds;
                    row.end = Some(if is_own_fault { Unplayed::LostByTime } else { Unplayed::OutOfTime });
                }
                if row.end.is_some() {
                    self.left_out.extend(row.pairs[row.counted..].iter().flatten().map(|one| one.id));
                }
            }
        }
        Ok(())
    }

    /// The matches against an opponent that are left out; `None` if none is.
    pub fn left_out_against(&self, opponent: Id) -> Option<LeftOut> {
        let row = self.rows.get(&opponent)?;
        let matches = row.pairs[row.counted..].iter().map(|pair| pair.len() as u64).sum();
        row.end.map(|why| LeftOut { matches, why })
    }

    /// Whether the turn is over with matches left to play.
    pub fn is_unfinished(&self) -> bool {
        let open = |row: &Row| row.end.is_none() && row.counted < row.pairs.len();
        self.is_turn_over() && self.rows.values().any(open)
    }

    fn is_turn_over(&self) -> bool {
        self.turn_end.is_some_and(|end| Instant::now() >= end)
    }
}

impl Watch for Pace<'_> {
    fn is_enough(&mut self, failed: &HashSet<Id>) -> Result<bool, Error> {
        if self.turn_end.is_none() {
            self.turn_end = self.turn.map(|turn| Instant::now() + turn);
        }
        self.count_results(failed)?;
        Ok(false)
    }

    fn is_left_out(&self, planned: &Planned) -> bool {
        self.is_turn_over() || self.left_out.contains(&planned.id)
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
    fn a_point_is_settled_when_no_results_of_the_matches_left_change_it() {
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
            // Draws alone bring no point, so further draws may still take it away.
            (sum(3, 7, 0, 0), 2, 0.4, true),
            (sum(2, 8, 0, 0), 2, 0.4, false),
            (sum(0, 0, 1, 0), 19, 1.0, true),
        ] {
            assert_eq!(sum.is_settled(left, pass), wanted, "{sum:?} {left} {pass}");
        }
    }
}
