//! Pairs of matches as they count for a comparison, and how the bots behaved in them.
//!
//! [`PairResult::of`] decides which matches are draws, for comparisons as for rankings. A version that never joins
//! loses the match, so that it gains nothing by staying away. A pair with a match that neither version joined, or that
//! took too long, says nothing about strength: it is void, reported and not counted. Tested in this module.

use std::collections::BTreeMap;

use zappy_game::GameSpec;
use zappy_play::Error;

use super::NAMES;
use super::sprt::{Answer, PairTally, Question};
use crate::Error as TournamentError;
use crate::outcome::{BotEnd, Outcome, Seat};
use crate::verdict::PairResult;

/// How many more void pairs than scored ones a comparison may have; with more it ends with an error.
const MOST_EXTRA_VOID: u64 = 10;

/// One match of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// The half points of the new version, 0, 1 or 2; `None` if the match isn't scored.
    pub points: Option<u8>,
    /// The versions that misbehaved: the place in [`NAMES`], how the bot ended, and more about that in words.
    pub ends: Vec<(usize, BotEnd, Option<String>)>,
    /// Whether the same bots would play the match again to the byte.
    pub reproducible: bool,
}

/// The pairs of a comparison.
#[derive(Debug, Clone)]
pub struct Count {
    pub question: Question,
    /// The number of pairs that may be played.
    most_pairs: u64,
    pub tally: PairTally,
    /// Matches that the new version won, drawn ones, and those that the old version won.
    pub matches: [u64; 3],
    /// Pairs that say nothing about strength, and aren't counted.
    pub void: u64,
    /// For each version, by its place in [`NAMES`], and each way to misbehave: the number of matches.
    pub ends: BTreeMap<(usize, BotEnd), u64>,
    /// Matches that may go otherwise when they are played again.
    pub disturbed: u64,
}

impl Half {
    /// A match with this result for the new version, in which both versions behaved.
    pub fn scored(result: PairResult) -> Half {
        Half { points: Some(result.halves() as u8), ends: Vec::new(), reproducible: true }
    }

    /// A match with this outcome; `new` is the seat of the new version.
    pub fn of(outcome: &Outcome, new: usize, game: &GameSpec) -> Half {
        let end =
            |(place, seat): (usize, &Seat)| (usize::from(place == new), seat.end, seat.end_detail.clone());
        let mut ends: Vec<_> = outcome.seats.iter().enumerate().map(end).collect();
        ends.retain(|(_, end, _)| *end != BotEnd::Played);
        let stayed_away =
            |which: usize| ends.iter().any(|(version, end, _)| *version == which && end.is_absent());
        let points = match [0, 1].map(stayed_away) {
            [true, true] => None,
            [true, false] => Some(2),
            [false, true] => Some(0),
            _ => outcome.cause.counts().then(|| outcome.compare(new, 1 - new, game).halves() as u8),
        };
        Half { points, ends, reproducible: outcome.reproducible }
    }
}

impl Count {
    pub fn new(question: Question, most_pairs: u64) -> Count {
        let (tally, ends) = (PairTally::default(), BTreeMap::new());
        Count { question, most_pairs, tally, matches: [0; 3], void: 0, ends, disturbed: 0 }
    }

    /// Adds a pair.
    ///
    /// # Errors
    /// Too many pairs are void.
    pub fn add(&mut self, pair: &[Half; 2]) -> Result<(), Error> {
        for half in pair {
            for &(version, end, _) in &half.ends {
                *self.ends.entry((version, end)).or_default() += 1;
            }
            self.disturbed += u64::from(!half.reproducible);
        }
        let [Some(one), Some(other)] = [pair[0].points, pair[1].points] else {
            self.void += 1;
            if self.void <= MOST_EXTRA_VOID + self.tally.count() {
                return Ok(());
            }
            let end = |(version, end, detail): &(usize, BotEnd, Option<String>)| {
                let detail = detail.as_ref().map_or_else(String::new, |detail| format!(" ({detail})"));
                format!("{} {}{detail}", NAMES[*version], end.word().replace('_', " "))
            };
            let last: Vec<String> = pair.iter().flat_map(|half| &half.ends).map(end).collect();
            let last = if last.is_empty() { "out of time".to_owned() } else { last.join(", ") };
            let (void, all) = (self.void, self.void + self.tally.count());
            return Err(TournamentError::Arena(format!(
                "in {void} of {all} pairs a match could not be scored, which says nothing about strength; the last one: {last}"
            ))
            .into());
        };
        self.tally.add(one + other);
        [one, other].iter().for_each(|&points| self.matches[usize::from(2 - points.min(2))] += 1);
        Ok(())
    }

    /// Whether a version didn't behave as it should.
    pub fn misbehaved(&self) -> bool {
        !self.ends.is_empty()
    }

    /// How the comparison stands, in one line.
    pub fn progress(&self) -> String {
        let ((low, high), ratio) = (self.question.bounds(), self.question.ratio(&self.tally));
        let ([won, drawn, lost], most) = (self.matches, self.most_pairs);
        format!(
            "{} of at most {most} pairs | new won {won}, lost {lost}, drawn {drawn} | LLR {ratio:.2} of [{low:.2}, {high:.2}]",
            self.tally.count() + self.void
        )
    }

    /// The answer, if it is known.
    pub fn answer(&self) -> Option<Answer> {
        self.question.answer(&self.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::PairResult::{Draw, Loss, Win};

    fn count() -> Count {
        Count::new(Question { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 }, 100)
    }

    fn absent() -> Half {
        let ends = vec![(1, BotEnd::FailedToStart, Some("exited with 3".to_owned()))];
        Half { points: None, ends, reproducible: true }
    }

    #[test]
    fn a_pair_counts_by_its_half_points() {
        let mut count = count();
        for pair in [[Win, Win], [Loss, Draw], [Draw, Draw]] {
            count.add(&pair.map(Half::scored)).unwrap();
        }
        assert_eq!(count.tally.pentanomial, [0, 1, 1, 0, 1]);
        assert_eq!((count.matches, count.misbehaved()), ([2, 3, 1], false));
    }

    #[test]
    fn a_pair_with_an_absent_version_is_void_and_too_many_of_them_are_an_error() {
        let mut count = count();
        for _ in 0..MOST_EXTRA_VOID {
            count.add(&[Half::scored(Loss), absent()]).unwrap();
        }
        assert_eq!((count.tally.count(), count.matches, count.void), (0, [0, 0, 0], MOST_EXTRA_VOID));
        let mut better = count.clone();
        better.add(&[Loss, Draw].map(Half::scored)).unwrap();
        better.add(&[absent(), absent()]).unwrap();
        let error = count.add(&[Half::scored(Draw), absent()]).unwrap_err();
        assert!(!error.is_usage());
        assert_eq!(
            error.to_string(),
            "in 11 of 11 pairs a match could not be scored, which says nothing about strength; \
             the last one: new failed to start (exited with 3)"
        );
    }
}
