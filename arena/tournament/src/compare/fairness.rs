//! Whether wins are spread as chance would spread them.
//!
//! Knows only counts. The tail of the distribution comes from a library, which is tested better than our own code could
//! be. Tested in this module against published values and against counts that are not fair.

use serde_json::{Value, json};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use zappy_play::text::round;

use super::sprt::bisect;
use crate::rating::wilson;

/// Wins are spread unfairly if chance spreads them so unevenly with this probability or less.
pub const LEAST_P: f64 = 0.001;
/// The least expected count of wins for which the statistic has nearly the chi-square distribution.
const LEAST_EXPECTED: f64 = 5.0;
/// A normal number is above its mean less this many standard deviations in nine of ten cases.
const NINE_IN_TEN: f64 = 1.281_552;

/// How often each of several contestants that should be equal (seats, names or places) has won, and the probability
/// that chance spreads wins so unevenly.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// How often each contestant was among the winners.
    pub counts: Vec<u64>,
    /// How often each contestant is among the winners on average if all are equal.
    pub expected: f64,
    statistic: f64,
    freedom: usize,
    /// The chance of a statistic at least as large; `None` if there are too few matches to say.
    p: Option<f64>,
}

impl Spread {
    /// `counts` has the wins of each contestant; in each match `winners` of them win.
    ///
    /// A contestant wins a match at most once, so with several winners counts vary less than if each winner were drawn
    /// by itself. The statistic makes up for that; with one winner it is Pearson's.
    pub fn new(counts: &[u64], winners: u64) -> Spread {
        let (all, winners) = (counts.len() as f64, winners as f64);
        let matches = counts.iter().sum::<u64>() as f64 / winners;
        let share = winners / all;
        let expected = matches * share;
        let squares: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2)).sum();
        let freedom = counts.len().saturating_sub(1);
        let enough = freedom > 0 && share < 1.0 && expected.min(matches - expected) >= LEAST_EXPECTED;
        let statistic = if enough { (all - 1.0) / all * squares / (expected * (1.0 - share)) } else { 0.0 };
        let distribution = ChiSquared::new(freedom as f64).ok().filter(|_| enough);
        let p = distribution.map(|distribution| distribution.sf(statistic));
        Spread { counts: counts.to_vec(), expected, statistic, freedom, p }
    }

    /// Whether chance explains how wins are spread; `None` if there are too few matches to say.
    pub fn is_fair(&self) -> Option<bool> {
        self.p.map(|p| p > LEAST_P)
    }

    /// Half of the 95 % interval of a share of the wins, for the share that each has on average.
    pub fn margin(&self) -> f64 {
        let all = self.counts.iter().sum::<u64>() as f64;
        let (low, high) = wilson(1.0 / self.counts.len().max(1) as f64, all);
        (high - low) / 2.0
    }

    /// The share of the wins with which a single contestant that wins more than the others is found in nine of ten such
    /// runs; `None` if there are too few matches to say. For one winner in each match.
    pub fn visible_share(&self) -> Option<f64> {
        let (all, freedom) = (self.counts.len() as f64, self.freedom as f64);
        self.p?;
        let limit = ChiSquared::new(freedom).ok()?.inverse_cdf(1.0 - LEAST_P);
        // With the noncentrality `off` the statistic is about normal, with this mean and variance.
        let found = |off: f64| freedom + off - NINE_IN_TEN * (2.0 * (freedom + 2.0 * off)).sqrt() >= limit;
        let (off, _) = bisect(1e3, 0.0, found);
        let matches = self.counts.iter().sum::<u64>() as f64;
        let share = 1.0 / all + (off * (all - 1.0) / (matches * all * all)).sqrt();
        (share < 1.0).then_some(share)
    }

    pub fn json(&self) -> Value {
        json!({
            "wins": self.counts,
            "expected": round(self.expected, 4),
            "chi_square": round(self.statistic, 4),
            "degrees_of_freedom": self.freedom,
            "p": self.p.map(|p| round(p, 6)),
            "matters": self.is_fair().map(|fair| !fair),
        })
    }

    pub fn describe(&self) -> String {
        let Spread { statistic, freedom, .. } = self;
        match self.p {
            Some(p) => {
                let degrees = if *freedom == 1 { "degree" } else { "degrees" };
                format!("chi-square {statistic:.2}, {freedom} {degrees} of freedom, p = {p:.4}")
            }
            None => "too few matches to say".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails unless the chance is this one, to the digits that tables print.
    fn check(counts: &[u64], winners: u64, statistic: f64, p: f64) {
        let spread = Spread::new(counts, winners);
        assert!((spread.statistic - statistic).abs() < 1e-9, "{spread:?}");
        assert!((spread.p.unwrap() - p).abs() < 5e-4, "{spread:?}");
    }

    #[test]
    fn published_critical_values_give_their_chances() {
        // Squares of the normal distribution's 1.96 and 3.29, and the textbook example of 60 throws of a die.
        check(&[598, 500, 402], 1, 38.416, 0.0);
        check(&[5_098, 4_902], 1, 3.8416, 0.05);
        check(&[5_165, 4_835], 1, 10.89, 0.001);
        check(&[5, 8, 9, 8, 10, 20], 1, 13.4, 0.0199);
        check(&[250, 250, 250, 250], 1, 0.0, 1.0);
    }

    #[test]
    fn planted_unfairness_is_found_and_chance_is_not() {
        for (counts, fair) in [
            (&[510, 490][..], true),
            (&[560, 440], false),
            (&[240, 260, 255, 245], true),
            (&[240, 260, 200, 300], false),
            (&[30, 30, 30, 90], false),
        ] {
            assert_eq!(Spread::new(counts, 1).is_fair(), Some(fair), "{counts:?}");
        }
        assert_eq!(Spread::new(&[9, 0], 1).is_fair(), None, "nine matches tell nothing");
        assert_eq!(Spread::new(&[900], 1).is_fair(), None, "there is no other");
    }

    #[test]
    fn what_can_be_seen_is_found_in_nine_of_ten_runs() {
        // Two hundred matches: a seat that wins 60 % is found in a third of the runs only, one that wins 66 % in nine
        // of ten: 3.29 and 1.28 standard deviations of half a point in the root of 200.
        let spread = Spread::new(&[100, 100], 1);
        assert!((spread.margin() - 0.069).abs() < 0.001, "{}", spread.margin());
        let visible = spread.visible_share().unwrap();
        assert!((0.66..0.67).contains(&visible), "{visible}");
        for (winners, share) in [(1, visible), (2, Spread::new(&[100; 4], 1).visible_share().unwrap())] {
            let seats = 2 * winners as usize;
            let found = (0..500u64).filter(|&run| {
                let mut counts = vec![0; seats];
                for game in 0..100 * seats {
                    let chance = zappy_play::programs::environment::bot_seed(run << 20 | winners, game)
                        as f64
                        / 2f64.powi(53);
                    let other = (chance - share) / (1.0 - share) * (seats - 1) as f64;
                    counts[if chance < share { 0 } else { 1 + (other as usize).min(seats - 2) }] += 1;
                }
                Spread::new(&counts, 1).is_fair() == Some(false)
            });
            let found = found.count();
            assert!((420..=485).contains(&found), "{found} of 500 with {seats} seats and {share}");
        }
        assert_eq!(Spread::new(&[7, 7], 1).visible_share(), None, "nothing short of all would be seen");
    }

    #[test]
    fn winning_in_groups_is_no_unfairness() {
        // Two of four win, always the same two together, as often as the other two.
        let spread = Spread::new(&[50, 50, 50, 50], 2);
        assert_eq!((spread.statistic, spread.freedom, spread.expected), (0.0, 3, 50.0));
        // With two in all, one of them wins exactly when the other doesn't: Pearson's.
        assert_eq!(Spread::new(&[60, 40], 1).statistic, 4.0);
        // Drawing whole groups of 12 from 24 at random gives a statistic of 23 on average.
        let mut sum = 0.0;
        for trial in 0..200u64 {
            let mut counts = [0; 24];
            for game in 0..100u64 {
                let mut order: Vec<usize> = (0..24).collect();
                order.sort_by_key(|&place| {
                    zappy_play::programs::environment::bot_seed(trial << 32 | game, place)
                });
                order[..12].iter().for_each(|&place| counts[place] += 1);
            }
            sum += Spread::new(&counts, 12).statistic;
        }
        assert!((sum / 200.0 - 23.0).abs() < 1.5, "{}", sum / 200.0);
    }
}
