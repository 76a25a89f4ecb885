//! The sequential test: is a player better than another, by the pairs of matches that were played?
//!
//! A generalised sequential probability ratio test on the scores of pairs, as chess engines are tested: a pair is the
//! same match in both seats, so what the map gives to a seat cancels out, and the five scores of a pair carry less
//! noise than its two matches by themselves. The likelihood of a strength is that of the likeliest spread of the five
//! scores that has this strength as its mean. Knows counts only. Tested in this module against values that can be
//! computed by hand, and by simulation.

/// The share of its two points that a pair can give.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The count of a score that never came, so that it isn't taken for impossible.
const UNSEEN_COUNT: f64 = 1e-3;
/// Halvings of an interval: a trillionth of it.
const HALVINGS: u32 = 40;
/// Half of what chi-square with one degree of freedom exceeds once in twenty times.
const HALF_CHI_SQUARE: f64 = 1.920_729;
/// A share this near to 0 or 1 bounds no Elo.
const EDGE_SHARE: f64 = 1e-6;

/// The share of the points that a player gets that is `elo` Elo better.
pub fn share_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference that gives a share of the points; `None` if the share is too near to 0 or 1.
pub fn elo_of(share: f64) -> Option<f64> {
    (EDGE_SHARE..=1.0 - EDGE_SHARE).contains(&share).then(|| -400.0 * (1.0 / share - 1.0).log10())
}

/// Narrows an interval from `holds`, where the test is true, to `fails`, where it is false, to about the point where
/// that changes. Gives both ends, in the same order.
pub(super) fn bisect(mut holds: f64, mut fails: f64, test: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(holds, fails);
        *(if test(middle) { &mut holds } else { &mut fails }) = middle;
    }
    (holds, fails)
}

/// The pairs that were played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairTally {
    /// Pairs by the half points that the new version got of four.
    pub pentanomial: [u64; 5],
}

impl PairTally {
    /// Adds a pair, in which the new version got so many half points of four.
    pub fn add(&mut self, halves: u8) {
        self.pentanomial[usize::from(halves.min(4))] += 1;
    }

    pub fn count(&self) -> u64 {
        self.pentanomial.iter().sum()
    }

    /// The points the new version got.
    pub fn points(&self) -> f64 {
        self.pentanomial.iter().zip(SHARES).map(|(&pairs, share)| 2.0 * pairs as f64 * share).sum()
    }

    /// The new version's share of all points; `None` without pairs.
    pub fn share(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.points() / (2.0 * count as f64))
    }

    /// The 95 % interval of the true share, as if the number of pairs had been fixed before; `None` without pairs.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let (counts, share) = (self.counts(), self.share()?);
        let sum: f64 = counts.iter().zip(SHARES).map(|(count, share)| count * share).sum();
        let mean = sum / counts.iter().sum::<f64>();
        let is_inside = |share: f64| self.log_likelihood_ratio(share) < HALF_CHI_SQUARE;
        let [low, high] = [0.0, 1.0].map(|outside| bisect(mean, outside, is_inside).0);
        Some((low.min(share), high.max(share)))
    }

    /// The pairs by their scores, as the likelihood takes them.
    fn counts(&self) -> [f64; 5] {
        self.pentanomial.map(|pairs| if pairs == 0 { UNSEEN_COUNT } else { pairs as f64 })
    }

    /// The difference of the logarithms of two likelihoods: that of the likeliest mean, and that of `mean`.
    ///
    /// The likeliest spread with the mean `mean` gives each score its frequency divided by `1 + tilt * (score - mean)`,
    /// with the tilt by which the spread has this mean.
    fn log_likelihood_ratio(&self, mean: f64) -> f64 {
        let (counts, off) = (self.counts(), SHARES.map(|share| share - mean));
        let slope = |tilt: f64| -> f64 {
            counts.iter().zip(off).map(|(count, off)| count * off / (1.0 + tilt * off)).sum()
        };
        let (low, high) = bisect(-1.0 / (1.0 - mean), 1.0 / mean, |tilt| slope(tilt) > 0.0);
        let tilt = f64::midpoint(low, high);
        counts.iter().zip(off).map(|(count, off)| count * (tilt * off).ln_1p()).sum()
    }
}

/// The question of a comparison: is the new version better by more than `elo0`, or not better by `elo1`?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// If the new version is at most this much better, the answer is no.
    pub elo0: f64,
    /// If the new version is at least this much better, the answer is yes.
    pub elo1: f64,
    /// The chance of a yes where no is right.
    pub alpha: f64,
    /// The chance of a no where yes is right.
    pub beta: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Better by more than `elo0`.
    Yes,
    No,
}

impl Question {
    /// The logarithms of the likelihood ratio at which the test ends: with no, and with yes.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The logarithm of how much likelier the pairs are with `elo1` than with `elo0`.
    pub fn ratio(&self, tally: &PairTally) -> f64 {
        let [ratio0, ratio1] = [self.elo0, self.elo1].map(|elo| tally.log_likelihood_ratio(share_of(elo)));
        if tally.count() == 0 { 0.0 } else { ratio0 - ratio1 }
    }

    /// The answer; `None` as long as more pairs are needed.
    pub fn answer(&self, tally: &PairTally) -> Option<Answer> {
        let ((no, yes), ratio) = (self.bounds(), self.ratio(tally));
        if ratio >= yes { Some(Answer::Yes) } else { (ratio <= no).then_some(Answer::No) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_play::programs::environment::bot_seed;

    const QUESTION: Question = Question { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
    /// Simulated comparisons: as many as tell an error of 5 % from one of 9 %.
    const RUNS: u64 = 500;

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() <= within, "{value}, expected {expected}");
    }

    fn tally(pentanomial: [u64; 5]) -> PairTally {
        PairTally { pentanomial }
    }

    #[test]
    fn elo_and_shares_are_those_of_the_tables() {
        for (elo, share) in [(0.0, 0.5), (100.0, 0.640_065), (200.0, 0.759_747), (400.0, 10.0 / 11.0)] {
            near(share_of(elo), share, 1e-6);
            near(elo_of(share).unwrap(), elo, 1e-3);
            near(share_of(-elo), 1.0 - share, 1e-6);
        }
        assert_eq!((elo_of(0.0), elo_of(1.0)), (None, None));
        let (low, high) = QUESTION.bounds();
        near(low, -2.944_439, 1e-6);
        near(high, 2.944_439, 1e-6);
        near(Question { alpha: 0.01, beta: 0.1, ..QUESTION }.bounds().1, 90f64.ln(), 1e-9);
    }

    #[test]
    fn where_the_ratio_can_be_reckoned_by_hand_it_is_that() {
        let [s0, s1] = [QUESTION.elo0, QUESTION.elo1].map(share_of);
        // All or nothing: Wald's own test of a coin.
        let coin = 60.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        near(QUESTION.ratio(&tally([40, 0, 0, 0, 60])), coin, 0.01);
        // Every pair won: the likeliest spread of a mean has just the two ends.
        near(QUESTION.ratio(&tally([0, 0, 0, 0, 10])), 10.0 * (s1 / s0).ln(), 0.02);
        // Every pair split: an even strength explains it all, any other needs pairs that were never seen.
        near(QUESTION.ratio(&tally([0, 0, 10, 0, 0])), 10.0 * (2.0 * (1.0 - s1)).ln(), 0.02);
        // Many pairs: the normal distribution's ratio.
        let many = tally([900, 2_000, 4_100, 2_000, 1_000]);
        let (mean, count) = (many.share().unwrap(), 10_000.0);
        let square = |(pairs, share): (u64, f64)| pairs as f64 / count * (share - mean).powi(2);
        let variance: f64 = many.pentanomial.into_iter().zip(SHARES).map(square).sum();
        let narrow = Question { elo1: 4.0, ..QUESTION };
        let s1 = share_of(4.0);
        let normal = count * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        near(narrow.ratio(&many), normal, 0.01);
        let half = 1.959_964 * (variance / count).sqrt();
        let (low, high) = many.interval().unwrap();
        near(low, mean - half, 1e-4);
        near(high, mean + half, 1e-4);
    }

    #[test]
    fn mirrored_pairs_give_the_mirrored_answer() {
        let pairs = tally([3, 8, 20, 17, 9]);
        let mirrored = tally([9, 17, 20, 8, 3]);
        let back = Question { elo0: -50.0, elo1: 0.0, ..QUESTION };
        near(QUESTION.ratio(&pairs), -back.ratio(&mirrored), 1e-6);
        let ((low, high), (other_low, other_high)) =
            (pairs.interval().unwrap(), mirrored.interval().unwrap());
        near(low, 1.0 - other_high, 1e-9);
        near(high, 1.0 - other_low, 1e-9);
    }

    #[test]
    fn few_pairs_of_one_kind_say_little() {
        assert_eq!(QUESTION.answer(&PairTally::default()), None);
        assert_eq!((PairTally::default().share(), PairTally::default().interval()), (None, None));
        for one in 0..5 {
            let mut pairs = PairTally::default();
            (0..5).for_each(|_| pairs.add(one));
            assert_eq!(QUESTION.answer(&pairs), None, "{pairs:?}");
            let (low, high) = pairs.interval().unwrap();
            assert!(high - low > 0.2, "{low} {high}");
        }
        let (low, high) = tally([0, 0, 0, 0, 20]).interval().unwrap();
        assert!((0.85..0.95).contains(&low) && elo_of(high).is_none(), "{low} {high}");
    }

    /// Ways in which pairs of a given mean may be spread: matches without draws; with them; mostly the seat's.
    fn spreads(mean: f64) -> [[f64; 5]; 3] {
        let independent = |draw: f64| {
            let (win, loss) = (mean - draw / 2.0, 1.0 - mean - draw / 2.0);
            [loss * loss, 2.0 * loss * draw, 2.0 * loss * win + draw * draw, 2.0 * win * draw, win * win]
        };
        // Three pairs in ten are not split.
        let (open, tilt) = (0.3, (mean - 0.5) / 0.3);
        let seat = [open * (0.5 - tilt), 0.0, 1.0 - open, 0.0, open * (0.5 + tilt)];
        [independent(0.0), independent(0.3), seat]
    }

    /// The half points of a pair drawn by chance.
    fn draw(spread: &[f64; 5], run: u64, pair: u64) -> u8 {
        let mut chance = bot_seed(run, pair as usize) as f64 / (1u64 << 53) as f64;
        let drawn = spread.iter().position(|&share| {
            chance -= share;
            chance < 0.0
        });
        drawn.unwrap_or(2) as u8
    }

    /// Simulates one comparison of at most `most` pairs.
    fn compare(question: &Question, spread: &[f64; 5], run: u64, most: u64) -> (Option<Answer>, PairTally) {
        let mut tally = PairTally::default();
        let answer = (0..most).find_map(|pair| {
            tally.add(draw(spread, run, pair));
            question.answer(&tally)
        });
        (answer, tally)
    }

    /// Of simulated comparisons between bots `elo` Elo apart: the number of yes, the number of no, and the pairs that
    /// they took on average, each the greatest of all spreads.
    fn answers(elo: f64, question: &Question) -> (u64, u64, f64) {
        let count = |(index, spread): (usize, &[f64; 5])| {
            let (mut yes, mut no, mut pairs) = (0, 0, 0);
            for run in 0..RUNS {
                let (answer, tally) = compare(question, spread, (index as u64) << 40 | run, 2_000);
                yes += u64::from(answer == Some(Answer::Yes));
                no += u64::from(answer == Some(Answer::No));
                pairs += tally.count();
            }
            (yes, no, pairs as f64 / RUNS as f64)
        };
        let all = spreads(share_of(elo));
        let all: Vec<_> = all.iter().enumerate().map(count).collect();
        let worst = |of: fn(&(u64, u64, f64)) -> u64| all.iter().map(of).max().unwrap_or(0);
        (worst(|all| all.0), worst(|all| all.1), all.iter().map(|all| all.2).fold(0.0, f64::max))
    }

    /// The number of wrong answers that chance exceeds once in a thousand times, if each of [`RUNS`] is wrong with the
    /// chance `error`.
    fn at_most(error: f64) -> u64 {
        let runs = RUNS as f64;
        (runs * error + 3.1 * (runs * error * (1.0 - error)).sqrt()) as u64
    }

    #[test]
    fn equal_and_weaker_bots_are_called_stronger_as_rarely_as_promised() {
        let (yes, no, pairs) = answers(0.0, &QUESTION);
        assert!(yes <= at_most(QUESTION.alpha), "{yes} of {RUNS} called stronger");
        assert!(no > RUNS * 9 / 10 && pairs < 250.0, "{no} {pairs}");
        assert!(answers(-30.0, &QUESTION).0 <= at_most(QUESTION.alpha / 5.0));
        let strict = Question { alpha: 0.01, ..QUESTION };
        assert!(answers(0.0, &strict).0 <= at_most(0.01));
    }

    #[test]
    fn stronger_bots_are_missed_as_rarely_as_promised() {
        let (yes, no, pairs) = answers(50.0, &QUESTION);
        assert!(no <= at_most(QUESTION.beta), "{no} of {RUNS} missed");
        assert!(yes > RUNS * 9 / 10 && pairs < 250.0, "{yes} {pairs}");
        let lenient = Question { beta: 0.2, ..QUESTION };
        assert!(answers(50.0, &lenient).1 <= at_most(0.2));
    }

    #[test]
    fn in_between_both_answers_come_and_both_are_true() {
        let (yes, no, _) = answers(25.0, &QUESTION);
        assert!(yes > RUNS / 4 && no > RUNS / 4, "{yes} {no}");
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says_when_nothing_stops_it() {
        for spread in spreads(share_of(35.0)) {
            let held = (0..RUNS).filter(|&run| {
                let mut tally = PairTally::default();
                (0..60).for_each(|pair| tally.add(draw(&spread, run, pair)));
                let (low, high) = tally.interval().unwrap();
                (low..=high).contains(&share_of(35.0))
            });
            let missed = RUNS - held.count() as u64;
            assert!((RUNS / 50..=at_most(0.05)).contains(&missed), "{missed} of {RUNS}");
        }
    }
}
