//! Ratings: how strong each of many players is, from their results against each other.
//!
//! The model is Bradley and Terry's: a difference of 400 points makes one side win ten times as often. All
//! results are used at once, so that their order changes nothing, as it would in Elo's and Glicko's ratings, which move match by
//! match. Knows no files and no bots. The linear algebra is a library's. Tested in this module
//! against a published table, and against matches drawn with known strengths.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The average rating of all players.
pub const AVERAGE: f64 = 1_500.0;
/// The standard deviation of strengths before anything was played: without it, a player that always won would be infinitely
/// strong. Wide enough that intervals hold the truth also where neighbours lie 800 points apart.
pub const SPREAD: f64 = 1_000.0;
/// Half of a 95 % interval, in standard errors.
pub const Z: f64 = 1.959_963_984_540_054;
/// The most steps of Newton's method; each doubles the right digits, so far fewer are needed.
const MOST_STEPS: usize = 100;
/// A step this small, in natural logarithms of odds, changes no digit that is shown.
const SMALL_STEP: f64 = 1e-9;
/// The weight of the assumption that results scatter like independent wins and losses, for each pair and for all pairs together:
/// a few results without any scatter prove nothing.
const PAIR_PRIOR: f64 = 1.0;
const POOL_PRIOR: f64 = 10.0;

/// Results counted seed by seed. The results of one seed have its map in common, so they may be more alike than chance would make
/// them, or less; the scatter of the seeds' sums shows how much the results are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Clusters {
    seeds: u32,
    results: f64,
    score: f64,
    /// Sums over seeds: the squared score, score times results, the squared results.
    squares: [f64; 3],
}

impl Clusters {
    /// Adds the results of a seed: their number, and how many were won, a draw being half.
    pub fn add(&mut self, score: f64, results: f64) {
        self.seeds += 1;
        self.results += results;
        self.score += score;
        let new = [score * score, score * results, results * results];
        self.squares.iter_mut().zip(new).for_each(|(sum, new)| *sum += new);
    }

    /// The sum of the squared distances of the seeds' scores from this share of their results.
    fn scatter(&self, share: f64) -> f64 {
        let [scores, both, results] = self.squares;
        (scores - 2.0 * share * both + share * share * results).max(0.0)
    }

    /// The 95 % interval of the share that is won: Wilson's interval for as many independent results as these are worth.
    pub fn interval(&self) -> (f64, f64) {
        let share = if self.results > 0.0 { self.score / self.results } else { 0.5 };
        let freedom = 1.0 - 1.0 / f64::from(self.seeds.max(1));
        let expected = self.results * share * (1.0 - share) * freedom;
        wilson(share, self.results * (expected + PAIR_PRIOR) / (self.scatter(share) + PAIR_PRIOR))
    }
}

/// The results between two players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The players, by their indices in what [`rate`] gives.
    pub one: usize,
    pub other: usize,
    /// The results of player `one`, seed by seed.
    pub results: Clusters,
    /// The weight of each result.
    pub weight: f64,
}

/// The estimate of a player's strength.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rating {
    /// The strength that explains the results best.
    pub value: f64,
    /// Half of the 95 % interval around it.
    pub margin: f64,
}

impl Rating {
    /// The estimate for a player that has played nothing.
    pub fn unknown() -> Rating {
        Rating { value: AVERAGE, margin: Z * SPREAD }
    }

    /// The ends of the interval.
    pub fn interval(self) -> (f64, f64) {
        (self.value - self.margin, self.value + self.margin)
    }

    /// The value rounded to tenths, as JSON has it. Ratings with the same tenths share a rank.
    pub fn tenths(self) -> i64 {
        (self.value * 10.0).round() as i64
    }
}

/// Rates `count` players; each is compared with the average of all. Between two players there is one duel at most.
/// `spread`: the standard deviation of strengths before anything was played, in points. A player in no duel gets the
/// average, and a margin that says that nothing is known.
pub fn rate(count: usize, duels: &[Duel], spread: f64) -> Vec<Rating> {
    let unit = 400.0 / std::f64::consts::LN_10;
    let precision = (unit / spread).powi(2);
    // The strengths, as natural logarithms of odds: `unit` points each.
    let mut at = DVector::zeros(count);
    let mut likelihood = log_likelihood(&at, duels, precision);
    for _ in 0..MOST_STEPS {
        let (slope, Some(curve)) = slopes(&at, duels, precision) else { break };
        let mut step = curve.solve(&slope);
        // The function has one top, but a whole step may lead beyond it.
        let mut next = log_likelihood(&(&at + &step), duels, precision);
        while next < likelihood && step.amax() > SMALL_STEP {
            step *= 0.5;
            next = log_likelihood(&(&at + &step), duels, precision);
        }
        at += &step;
        likelihood = next;
        if step.amax() <= SMALL_STEP {
            break;
        }
    }
    let errors = errors(&at, duels, precision);
    let rating = |i: usize| Rating { value: AVERAGE + unit * at[i], margin: Z * unit * errors[i] };
    (0..count).map(rating).collect()
}

/// The chance that player `one` of a duel wins.
fn chance(at: &DVector<f64>, duel: &Duel) -> f64 {
    1.0 / (1.0 + (at[duel.other] - at[duel.one]).exp())
}

/// The logarithm of the likelihood of the results with the strengths `at`, plus that of these strengths before any
/// match.
fn log_likelihood(at: &DVector<f64>, duels: &[Duel], precision: f64) -> f64 {
    let of = |duel: &Duel| {
        let ahead = at[duel.one] - at[duel.other];
        // The logarithm of the chance, without a chance of nought.
        let log = |ahead: f64| -((-ahead.abs()).exp().ln_1p() + (-ahead).max(0.0));
        let Clusters { score, results, .. } = duel.results;
        duel.weight * (score * log(ahead) + (results - score) * log(-ahead))
    };
    duels.iter().map(of).sum::<f64>() - precision * at.norm_squared() / 2.0
}

/// The first derivatives of [`log_likelihood`], and the negated second ones, decomposed for solving; `None` if they
/// can't be.
fn slopes(at: &DVector<f64>, duels: &[Duel], precision: f64) -> (DVector<f64>, Option<Cholesky<f64, Dyn>>) {
    let mut slope = at * -precision;
    for duel in duels {
        let first = duel.weight * (duel.results.score - duel.results.results * chance(at, duel));
        slope[duel.one] += first;
        slope[duel.other] -= first;
    }
    // The information on the distance of each duel's players, and the information that the spread gives before any
    // match.
    let mut information = DMatrix::from_diagonal_element(at.len(), at.len(), precision);
    for duel in duels {
        let (one, other, value) = (duel.one, duel.other, duel.weight * expected(at, duel));
        for (row, column, sign) in
            [(one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)]
        {
            information[(row, column)] += sign * value;
        }
    }
    (slope, Cholesky::new(information))
}

/// The variance that a duel's score would have if its results were independent and without draws.
fn expected(at: &DVector<f64>, duel: &Duel) -> f64 {
    let p = chance(at, duel);
    duel.results.results * p * (1.0 - p)
}

/// Standard errors of each player's distance to the average; the average itself can't be known, and needn't be.
///
/// A duel weighs as much as its seeds scatter about what the strengths explain. The scatter of one duel is a poor guide
/// where one side wins nearly always, so it is pooled with the scatter of all duels, and that with independent results.
fn errors(at: &DVector<f64>, duels: &[Duel], precision: f64) -> Vec<f64> {
    let (count, (_, curve)) = (at.len(), slopes(at, duels, precision));
    let Some(curve) = curve else { return vec![f64::INFINITY; count] };
    let seeds: u32 = duels.iter().map(|duel| duel.results.seeds).sum();
    let freedom = (1.0 - count.saturating_sub(1) as f64 / f64::from(seeds.max(1))).max(0.0);
    let scatter = |duel: &Duel| duel.results.scatter(chance(at, duel));
    let scattered: f64 = duels.iter().map(scatter).sum();
    let chance_alone: f64 = duels.iter().map(|duel| expected(at, duel) * freedom).sum();
    let pooled = (scattered + POOL_PRIOR) / (chance_alone + POOL_PRIOR);
    let seen_variance = |duel: &Duel| {
        let expected = expected(at, duel);
        let excess = (scatter(duel) + PAIR_PRIOR * pooled) / (expected * freedom + PAIR_PRIOR);
        duel.weight * expected * excess
    };
    // The covariance is `inverse * M * inverse`, M being the information with `seen` as each duel's value. Only its diagonal and the
    // means of its columns are needed, and the matrix is a sum of few terms.
    let inverse = curve.inverse();
    let seen: Vec<(usize, usize, f64)> =
        duels.iter().map(|duel| (duel.one, duel.other, seen_variance(duel))).collect();
    let sums = inverse.column_sum();
    let mut weighed = &sums * precision;
    for &(one, other, value) in &seen {
        let apart = value * (sums[one] - sums[other]);
        weighed[one] += apart;
        weighed[other] -= apart;
    }
    let means = &inverse * weighed / count as f64;
    let variance = |i: usize| {
        let column = inverse.column(i);
        let apart = seen.iter().map(|&(one, other, value)| value * (column[one] - column[other]).powi(2));
        precision * column.norm_squared() + apart.sum::<f64>()
    };
    let mean = means.mean();
    (0..count).map(|i| (variance(i) - 2.0 * means[i] + mean).max(0.0).sqrt()).collect()
}

/// Wilson's 95 % interval for a share of `count` results.
pub fn wilson(share: f64, count: f64) -> (f64, f64) {
    if count <= 0.0 {
        return (0.0, 1.0);
    }
    let squared = Z * Z / count;
    let middle = (share + squared / 2.0) / (1.0 + squared);
    let margin = Z / (1.0 + squared) * (share * (1.0 - share) / count + squared / (4.0 * count)).sqrt();
    ((middle - margin).clamp(0.0, share), (middle + margin).clamp(share, 1.0))
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, Normal};

    use Matches::{Alike, Drawn, Plain};

    use super::*;
    use zappy_play::programs::environment::bot_seed;

    /// A number in 0..1, the same for the same arguments.
    fn draw(trial: u64, number: usize) -> f64 {
        bot_seed(trial, number) as f64 / 2f64.powi(53)
    }

    fn duel(one: usize, other: usize, score: f64, weight: f64) -> Duel {
        let mut results = Clusters::default();
        results.add(score, weight);
        Duel { one, other, results, weight: 1.0 }
    }

    #[test]
    fn the_published_table_comes_out() {
        // Baseball, American League East, 1987: wins of row over column (Agresti, Categorical Data Analysis),
        // and the strengths of its table, the last team's being nought.
        let wins = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let mut duels = Vec::new();
        for (one, row) in wins.iter().enumerate() {
            for (other, &won) in row.iter().enumerate().skip(one + 1) {
                duels.push(duel(one, other, f64::from(won), f64::from(won + wins[other][one])));
            }
        }
        // So wide a spread beforehand means that nothing was known.
        let ratings = rate(7, &duels, 1e5);
        let unit = 400.0 / std::f64::consts::LN_10;
        for (rating, published) in ratings.iter().zip([1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]) {
            let strength = (rating.value - ratings[6].value) / unit;
            assert!((strength - published).abs() < 0.005, "{strength} {published}");
        }
    }

    /// What the two matches of a seed have to do with each other.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Matches {
        /// Nothing, and none is drawn.
        Plain,
        /// Nothing, and as many are drawn as can be.
        Drawn,
        /// Every other seed gives both to the same player.
        Alike,
    }

    /// The results of a player that wins this share of the points on average, with two matches on each of `seeds`
    /// seeds.
    fn play(share: f64, matches: Matches, seeds: usize, next: &mut impl FnMut() -> f64) -> Clusters {
        let drawn = if matches == Drawn { 2.0 * share * (1.0 - share) } else { 0.0 };
        let mut results = Clusters::default();
        for _ in 0..seeds {
            let mut one = || {
                let chance = next();
                if chance < share - drawn / 2.0 { 2.0 } else { f64::from(chance < share + drawn / 2.0) }
            };
            let first = one();
            let again = one();
            let alike = matches == Alike && next() < 0.5;
            results.add((first + if alike { first } else { again }) / 2.0, 2.0);
        }
        results
    }

    /// Rates five simulated players, each `distance` points stronger than the next one, with `seeds` seeds for each
    /// pair. Gives the share of intervals that hold the truth, and the mean of their margins.
    fn covered(distance: f64, matches: Matches, spread: f64, seeds: usize) -> (f64, f64) {
        const TRIALS: u64 = 600;
        let (mut held, mut margins) = (0, 0.0);
        for trial in 0..TRIALS {
            let mut draws = (0..).map(|number| draw(trial << 10 | distance as u64, number));
            let mut next = || draws.next().unwrap();
            let truth = [2.0, 1.0, 0.0, -1.0, -2.0].map(|place| place * distance);
            let mut duels = Vec::new();
            for (one, other) in (0..5).flat_map(|one| (one + 1..5).map(move |other| (one, other))) {
                let share = 1.0 / (1.0 + 10f64.powf((truth[other] - truth[one]) / 400.0));
                let results = play(share, matches, seeds, &mut next);
                duels.push(Duel { one, other, results, weight: 1.0 });
            }
            for (rating, truth) in rate(5, &duels, spread).iter().zip(truth) {
                held += u64::from((rating.value - AVERAGE - truth).abs() <= rating.margin);
                margins += rating.margin;
            }
        }
        let all = (TRIALS * 5) as f64;
        (held as f64 / all, margins / all)
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says_however_far_bots_lie_apart() {
        for distance in [0.0, 50.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0] {
            for matches in [Plain, Drawn, Alike] {
                let (share, margin) = covered(distance, matches, SPREAD, 10);
                // 94.5 to 98.5 of 100, and what chance may add in three thousand intervals.
                assert!((0.933..=0.991).contains(&share), "{distance} {matches:?}: {share} ±{margin}");
            }
        }
        // What was known before must neither hide a distance nor widen the intervals of bots that are close.
        assert!(covered(800.0, Plain, 350.0, 10).0 < 0.5);
        assert!(covered(50.0, Plain, SPREAD, 10).1 < 1.03 * covered(50.0, Plain, 350.0, 10).1);
    }

    #[test]
    fn few_seeds_hold_the_truth_less_often_where_bots_lie_far_apart() {
        for matches in [Plain, Drawn, Alike] {
            for (seeds, distance) in [(3, 0.0), (3, 400.0), (3, 600.0), (5, 600.0)] {
                let share = covered(distance, matches, SPREAD, seeds).0;
                assert!(share >= 0.945, "{seeds} {distance} {matches:?}: {share}");
            }
            let share = covered(800.0, matches, SPREAD, 5).0;
            assert!((0.9..0.94).contains(&share), "{matches:?}: {share}");
        }
    }

    #[test]
    fn the_interval_of_a_share_goes_by_how_seeds_scatter() {
        let covered = |share: f64, matches, plain: bool| {
            let held = (0..2_000).filter(|&trial| {
                let mut draws = (0..).map(|number| draw(1 << 40 | trial, number));
                let results = play(share, matches, 20, &mut || draws.next().unwrap());
                let (low, high) = if plain { wilson(results.score / 40.0, 40.0) } else { results.interval() };
                (low..=high).contains(&share)
            });
            held.count() as f64 / 2_000.0
        };
        for share in [0.5, 0.6, 0.75, 0.9] {
            for matches in [Plain, Drawn, Alike] {
                let held = covered(share, matches, false);
                assert!((0.92..=0.985).contains(&held), "{share} {matches:?}: {held}");
            }
        }
        // Each match for itself: too narrow where seeds decide, too wide where many are drawn.
        assert!(covered(0.6, Alike, true) < 0.92 && covered(0.6, Drawn, true) > 0.985);
    }

    #[test]
    fn more_matches_make_narrower_intervals_and_no_player_is_infinitely_strong() {
        let few = rate(2, &[duel(0, 1, 4.0, 4.0)], SPREAD);
        let many = rate(2, &[duel(0, 1, 400.0, 400.0)], SPREAD);
        assert!(few[0].value > few[1].value && many[0].value > few[0].value);
        assert!(many.iter().chain(&few).all(|rating| rating.value.is_finite()));
        let even = |weight: f64| {
            rate(3, &[duel(0, 1, weight / 2.0, weight), duel(1, 2, weight / 2.0, weight)], SPREAD)
        };
        let (few, many) = (even(4.0), even(400.0));
        for (few, many) in few.iter().zip(&many) {
            assert!(
                (many.value - AVERAGE).abs() < 1e-6 && many.margin < few.margin / 5.0,
                "{few:?} {many:?}"
            );
        }
        // No match was played: all that is known is the spread.
        assert!(rate(2, &[], SPREAD).iter().all(|rating| rating.value == AVERAGE && rating.margin > 450.0));
        assert!(rate(0, &[], SPREAD).is_empty());
    }

    #[test]
    fn groups_that_never_met_are_told_apart_by_their_margins() {
        let joined =
            rate(4, &[duel(0, 1, 50.0, 100.0), duel(2, 3, 50.0, 100.0), duel(1, 2, 50.0, 100.0)], SPREAD);
        let apart = rate(4, &[duel(0, 1, 50.0, 100.0), duel(2, 3, 50.0, 100.0)], SPREAD);
        assert!(apart[0].margin > 4.0 * joined[0].margin, "{apart:?} {joined:?}");
    }

    #[test]
    fn wilson_gives_the_textbooks_interval_and_the_normal_quantile_is_right() {
        let z = Normal::standard().inverse_cdf(0.975);
        assert!((z - Z).abs() < 1e-9, "{z}");
        // 81 of 263, from Newcombe (1998): 0.2553 to 0.3662. None of 20: 0 to 0.1611.
        for (share, count, low, high) in [(81.0 / 263.0, 263.0, 0.2553, 0.3662), (0.0, 20.0, 0.0, 0.1611)] {
            let (from, to) = wilson(share, count);
            assert!((from - low).abs() < 5e-5 && (to - high).abs() < 5e-5, "{from} {to}");
        }
        assert_eq!(wilson(0.5, 0.0), (0.0, 1.0));
    }
}
