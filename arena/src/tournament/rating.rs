//! How strong each of many players is, from their results against each other.
//!
//! The model is Bradley and Terry's: a difference of 400 points makes one side win ten times as often. All
//! results are taken at once, so their order means nothing, which rules out ratings that move match by match, as
//! Elo's and Glicko's do. Knows no files and no bots. The linear algebra is a library's. Tested in this module
//! against a published table, and against matches drawn with known strengths.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Where the average of all lies.
pub const AVERAGE: f64 = 1_500.0;
/// How far strengths lie apart before anything was played, as in Glicko: without it, a player that always won would be
/// infinitely strong.
pub const SPREAD: f64 = 350.0;
/// Half of a 95 % interval, in standard errors.
pub const Z: f64 = 1.959_963_984_540_054;
/// Newton's method doubles the digits of each step; this is far beyond any that was seen.
const STEPS: usize = 100;
/// A step that small changes nothing that is shown.
const SMALL: f64 = 1e-9;

/// Some results between two players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The one.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// How much of the weight the one won; a draw is half.
    pub score: f64,
    /// How many results they are worth.
    pub weight: f64,
}

/// What is known of a player's strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The strength that explains the results best.
    pub value: f64,
    /// How far off it may well be: a 95 % interval is this much to both sides.
    pub margin: f64,
}

/// Rates `count` players; each is compared with the average of all.
///
/// A player that was in no duel gets the average, and a margin that says that nothing is known.
#[must_use]
pub fn rate(count: usize, duels: &[Duel]) -> Vec<Rating> {
    rate_within(count, duels, SPREAD)
}

fn rate_within(count: usize, duels: &[Duel], spread: f64) -> Vec<Rating> {
    let unit = 400.0 / std::f64::consts::LN_10;
    let precision = (unit / spread).powi(2);
    let mut at = DVector::zeros(count);
    let mut likely = likelihood(&at, duels, precision);
    for _ in 0..STEPS {
        let (slope, Some(curve)) = slopes(&at, duels, precision) else { break };
        let mut step = curve.solve(&slope);
        // The function has one top, but a whole step may lead beyond it.
        let mut there = likelihood(&(&at + &step), duels, precision);
        while there < likely && step.amax() > SMALL {
            step *= 0.5;
            there = likelihood(&(&at + &step), duels, precision);
        }
        at += &step;
        likely = there;
        if step.amax() <= SMALL {
            break;
        }
    }
    let errors = errors(&at, duels, precision);
    let rating = |i: usize| Rating { value: AVERAGE + unit * at[i], margin: Z * unit * errors[i] };
    (0..count).map(rating).collect()
}

/// How often the one wins.
fn chance(at: &DVector<f64>, duel: &Duel) -> f64 {
    1.0 / (1.0 + (at[duel.other] - at[duel.one]).exp())
}

fn likelihood(at: &DVector<f64>, duels: &[Duel], precision: f64) -> f64 {
    let of = |duel: &Duel| {
        let ahead = at[duel.one] - at[duel.other];
        // The logarithm of the chance, without a chance of nought.
        let log = |ahead: f64| -((-ahead.abs()).exp().ln_1p() + (-ahead).max(0.0));
        duel.score * log(ahead) + (duel.weight - duel.score) * log(-ahead)
    };
    duels.iter().map(of).sum::<f64>() - precision * at.norm_squared() / 2.0
}

/// First and second derivatives; the second ones taken apart, to be divided by.
fn slopes(at: &DVector<f64>, duels: &[Duel], precision: f64) -> (DVector<f64>, Option<Cholesky<f64, Dyn>>) {
    let count = at.len();
    let mut slope = at * -precision;
    let mut curve = DMatrix::from_diagonal_element(count, count, precision);
    for duel in duels {
        let p = chance(at, duel);
        let (first, second) = (duel.score - duel.weight * p, duel.weight * p * (1.0 - p));
        slope[duel.one] += first;
        slope[duel.other] -= first;
        for (row, column, sign) in
            [(duel.one, duel.one, 1.0), (duel.other, duel.other, 1.0), (duel.one, duel.other, -1.0)]
        {
            curve[(row, column)] += sign * second;
            if row != column {
                curve[(column, row)] += sign * second;
            }
        }
    }
    (slope, Cholesky::new(curve))
}

/// Standard errors of each player's distance to the average; the average itself can't be known, and needn't
/// be.
fn errors(at: &DVector<f64>, duels: &[Duel], precision: f64) -> Vec<f64> {
    let (_, Some(curve)) = slopes(at, duels, precision) else { return vec![f64::INFINITY; at.len()] };
    let covariance = curve.inverse();
    let means: Vec<f64> = covariance.column_iter().map(|column| column.mean()).collect();
    let all = means.iter().sum::<f64>() / at.len() as f64;
    (0..at.len()).map(|i| (covariance[(i, i)] - 2.0 * means[i] + all).max(0.0).sqrt()).collect()
}

/// Wilson's 95 % interval for a share of `count` results.
#[must_use]
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

    use super::*;
    use crate::programs::seed::bot_seed;

    /// A number in 0..1, the same for the same arguments.
    fn draw(trial: u64, number: usize) -> f64 {
        bot_seed(trial, number) as f64 / 2f64.powi(53)
    }

    fn duel(one: usize, other: usize, score: f64, weight: f64) -> Duel {
        Duel { one, other, score, weight }
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
        let ratings = rate_within(7, &duels, 1e5);
        let unit = 400.0 / std::f64::consts::LN_10;
        for (rating, published) in ratings.iter().zip([1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]) {
            let strength = (rating.value - ratings[6].value) / unit;
            assert!((strength - published).abs() < 0.005, "{strength} {published}");
        }
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        // Ten players of known strengths, six matches a pair, three hundred times.
        let (players, matches, trials) = (10, 6, 300u64);
        let normal = Normal::new(0.0, SPREAD).unwrap();
        let mut held = 0;
        for trial in 0..trials {
            let mut draws = (0..).map(|number| draw(trial, number));
            let mut next = || draws.next().unwrap();
            let mut truth: Vec<f64> =
                (0..players).map(|_| normal.inverse_cdf(next().clamp(1e-9, 1.0 - 1e-9))).collect();
            let mean = truth.iter().sum::<f64>() / players as f64;
            truth.iter_mut().for_each(|strength| *strength -= mean);
            let mut duels = Vec::new();
            for one in 0..players {
                for other in one + 1..players {
                    let p = 1.0 / (1.0 + 10f64.powf((truth[other] - truth[one]) / 400.0));
                    let won = (0..matches).filter(|_| next() < p).count();
                    duels.push(duel(one, other, won as f64, f64::from(matches)));
                }
            }
            let ratings = rate(players, &duels);
            let within =
                |(rating, truth): (&Rating, &f64)| (rating.value - AVERAGE - truth).abs() <= rating.margin;
            held += ratings.iter().zip(&truth).filter(|&pair| within(pair)).count();
        }
        let share = held as f64 / (trials as f64 * players as f64);
        assert!((0.93..=0.97).contains(&share), "{share}");
    }

    #[test]
    fn more_matches_make_narrower_intervals_and_nobody_is_infinitely_strong() {
        let few = rate(2, &[duel(0, 1, 4.0, 4.0)]);
        let many = rate(2, &[duel(0, 1, 400.0, 400.0)]);
        assert!(few[0].value > few[1].value && many[0].value > few[0].value);
        assert!(many.iter().chain(&few).all(|rating| rating.value.is_finite()));
        let even =
            |weight: f64| rate(3, &[duel(0, 1, weight / 2.0, weight), duel(1, 2, weight / 2.0, weight)]);
        let (few, many) = (even(4.0), even(400.0));
        for (few, many) in few.iter().zip(&many) {
            assert!(
                (many.value - AVERAGE).abs() < 1e-6 && many.margin < few.margin / 5.0,
                "{few:?} {many:?}"
            );
        }
        // No match was played: all that is known is the spread.
        assert!(rate(2, &[]).iter().all(|rating| rating.value == AVERAGE && rating.margin > 450.0));
        assert!(rate(0, &[]).is_empty());
    }

    #[test]
    fn groups_that_never_met_are_told_apart_by_their_margins() {
        let joined = rate(4, &[duel(0, 1, 50.0, 100.0), duel(2, 3, 50.0, 100.0), duel(1, 2, 50.0, 100.0)]);
        let apart = rate(4, &[duel(0, 1, 50.0, 100.0), duel(2, 3, 50.0, 100.0)]);
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
