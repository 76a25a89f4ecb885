//! Results summed up seed by seed, since those of a seed have its map in common.
//!
//! Plain sums in an order of their own, so that none depends on which match came first. Tested in `arena/cli/tests/merge/`.

use std::collections::BTreeMap;

use super::plan::Planned;
use super::rating::{Clusters, Duel};

/// What bots did on each seed: against all (twice the same bot), and against each other one.
pub type Seeds = BTreeMap<(usize, usize, u64), Sum>;

/// The results of a bot on a seed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    /// What was won; a draw is half.
    pub points: f64,
    pub results: f64,
    /// How much these weigh together.
    pub weight: f64,
}

impl Sum {
    /// Takes in one more result.
    pub fn add(&mut self, points: f64, weight: f64) {
        self.points += points;
        self.results += 1.0;
        self.weight += weight;
    }
}

/// Tells seeds apart, also those that no result has told yet.
pub fn seed_of(planned: &Planned) -> u64 {
    let hash = || u64::from_str_radix(planned.seed_sha256.as_deref()?.get(..16)?, 16).ok();
    planned.seed.or_else(hash).unwrap_or_default()
}

/// What was done between each two bots, once.
pub fn duels(seeds: &Seeds) -> Vec<Duel> {
    let mut duels: BTreeMap<(usize, usize), (Clusters, Sum)> = BTreeMap::new();
    for (&(one, other, _), &Sum { points, results, weight }) in
        seeds.iter().filter(|((one, other, _), _)| one < other)
    {
        let (clusters, sum) = duels.entry((one, other)).or_default();
        clusters.add(points, results);
        sum.results += results;
        sum.weight += weight;
    }
    let duels = duels.into_iter();
    duels
        .map(|((one, other), (results, sum))| Duel { one, other, results, weight: sum.weight / sum.results })
        .collect()
}
