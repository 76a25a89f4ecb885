//! Adds up the results of a tournament: by bot, by pair, and seed by seed, since those of a seed have its map in common.
//!
//! Plain sums in an order of their own, so that none depends on which match came first. Tested in `arena/cli/tests/merge/`, forfeits in `forfeits.rs` there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::identity::Id;
use super::outcome::BotEnd;
use super::plan::Planned;
use super::rating::{Clusters, Duel, SPREAD, rate};
use super::reading::Tournament;
use super::scores::{Match, Ranked, Score};
use super::verdict::PairResult;

/// What bots did on each seed: against all (twice the same bot), and against each other one.
type SeedSums = BTreeMap<(usize, usize, u64), Sum>;

/// The results of a bot on a seed.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// What was won; a draw is half.
    points: f64,
    results: f64,
    /// How much these weigh together.
    weight: f64,
}

impl Sum {
    /// Takes in one more result.
    fn add(&mut self, points: f64, weight: f64) {
        self.points += points;
        self.results += 1.0;
        self.weight += weight;
    }
}

/// The seats by which each match without a score is lost. Nothing proves how such a match would have ended, so it counts for no
/// bot: it is lost by those that spoiled it, by what they used or did, or by standing behind when something ended it. Where that
/// isn't known, or is so of all teams, it counts for nothing and is left out.
fn forfeits(tournament: &Tournament) -> HashMap<Id, BTreeSet<usize>> {
    let unscored = tournament.results.values().filter(|played| !played.cause.counts());
    let unscored = unscored.map(|played| (played.id, &played.spoiled_by, &played.gained));
    let failed = tournament.failures.iter().map(|failure| (failure.id, &failure.spoiled_by, &failure.gained));
    let seats: HashMap<Id, usize> = tournament.plan.iter().map(|one| (one.id, one.seats.len())).collect();
    let known = unscored.chain(failed).filter_map(|(id, spoilers, gained)| {
        let count = *seats.get(&id)?;
        let lost: BTreeSet<usize> =
            spoilers.iter().chain(gained).copied().filter(|&seat| seat < count).collect();
        (!lost.is_empty() && lost.len() < count).then_some((id, lost))
    });
    known.collect()
}

/// Tells seeds apart, also those that no result has told yet.
fn seed_of(planned: &Planned) -> u64 {
    let hash = || u64::from_str_radix(planned.seed_sha256.as_deref()?.get(..16)?, 16).ok();
    planned.seed.or_else(hash).unwrap_or_default()
}

/// What was done between each two bots, once.
fn duels(sums: &SeedSums) -> Vec<Duel> {
    let mut duels: BTreeMap<(usize, usize), (Clusters, Sum)> = BTreeMap::new();
    for (&(one, other, _), &Sum { points, results, weight }) in
        sums.iter().filter(|((one, other, _), _)| one < other)
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

/// What the matches of a plan add up to.
#[derive(Debug, Default)]
pub struct Sums {
    /// For each bot of the book, in that order.
    pub standings: Vec<Ranked>,
    /// The scores of all pairs of the plan, each twice, once for each bot.
    pub pairs: BTreeMap<(usize, usize), Score>,
    /// For each pair: how many planned matches count for nothing for the first bot.
    pub missing: BTreeMap<(usize, usize), u64>,
    /// For each match that can't be scored: the bots that lose it all the same.
    pub forfeits: BTreeMap<Id, Vec<usize>>,
    by_seed: SeedSums,
}

impl Sums {
    pub fn new(bots: usize) -> Sums {
        let standings = (0..bots).map(|bot| Ranked { bot, ..Ranked::default() }).collect();
        Sums { standings, ..Sums::default() }
    }

    /// Takes in a match that counts.
    pub fn add(&mut self, one: &Match<'_>) {
        // n teams make n(n-1)/2 pairs but only n-1 independent comparisons, so each pair weighs 2/n.
        let weight = 2.0 / one.bots.len() as f64;
        let seed = seed_of(one.planned);
        for (seat, &bot) in one.bots.iter().enumerate() {
            let (points, conduct) = (one.points(seat), &one.played.seats[seat]);
            let won_alone = one.played.winner == Some(seat) && one.played.winners.is_empty();
            let end = BotEnd::ALL.iter().position(|&end| end == conduct.end).unwrap_or(0);
            let standing = &mut self.standings[bot];
            standing.points += points;
            standing.matches += 1;
            standing.marked += u64::from(one.is_marked());
            standing.won += u64::from(won_alone && !one.played.by_lot);
            standing.ends[end] += 1;
            standing.late += conduct.late;
            standing.most_late = standing.most_late.max(conduct.late);
            standing.refused += conduct.refused;
            standing.dropped += conduct.dropped;
            self.by_seed.entry((bot, bot, seed)).or_default().add(points, 1.0);
            for (other_seat, &other) in one.bots.iter().enumerate().filter(|&(other, _)| other != seat) {
                let result = one.compare(seat, other_seat);
                self.standings[bot].score.add(result);
                self.pairs.entry((bot, other)).or_default().add(result);
                self.by_seed.entry((bot, other, seed)).or_default().add(result.halves() as f64 / 2.0, weight);
            }
        }
    }

    /// Rates the bots by what was taken in until now.
    pub fn rate(&mut self) {
        let ratings = rate(self.standings.len(), &duels(&self.by_seed), SPREAD);
        self.standings.iter_mut().zip(ratings).for_each(|(standing, rating)| standing.rating = rating);
    }

    /// Takes in the planned matches that don't count, which are lost by the bots that spoiled them, and ends the sums.
    pub fn forfeit(&mut self, tournament: &Tournament, indices: &HashMap<Id, usize>) {
        let Tournament { plan, results, failures, .. } = tournament;
        let (losers, mut with_wins) = (forfeits(tournament), self.by_seed.clone());
        let failed = failures.iter().map(|failure| &failure.id);
        let tried: BTreeSet<Id> = results.keys().chain(failed).copied().collect();
        for planned in plan {
            let bots: Vec<usize> = planned.seats.iter().map(|id| indices[id]).collect();
            let counts = results.get(&planned.id).is_some_and(|played| played.cause.counts());
            let lost = losers.get(&planned.id).into_iter().flatten();
            let lost: Vec<usize> = lost.map(|&seat| bots[seat]).collect();
            for &one in &bots {
                let counts_for_nothing = !counts && !lost.contains(&one);
                self.standings[one].unscored += u64::from(counts_for_nothing && tried.contains(&planned.id));
                for &other in bots.iter().filter(|&&other| other != one) {
                    // Each pair of the plan stands there, whether it was played or not.
                    self.pairs.entry((one, other)).or_default();
                    *self.missing.entry((one, other)).or_default() += u64::from(counts_for_nothing);
                }
            }
            if !lost.is_empty() {
                self.lose(seed_of(planned), &bots, &lost, &mut with_wins);
                self.forfeits.insert(planned.id, lost);
            }
        }
        for (&(bot, other, _), sum) in &self.by_seed {
            // The sums of a bot against all others stand under itself.
            let by_seed = if bot == other {
                &mut self.standings[bot].by_seed
            } else {
                &mut self.pairs.entry((bot, other)).or_default().by_seed
            };
            by_seed.add(sum.points, sum.results);
        }
        if self.forfeits.is_empty() {
            return;
        }
        // A forfeited match lowers the rating of the bot that forfeits it, and no other.
        let ratings = rate(self.standings.len(), &duels(&with_wins), SPREAD);
        for (standing, rating) in self.standings.iter_mut().zip(ratings) {
            if standing.forfeited > 0 && rating.value < standing.rating.value {
                standing.rating = rating;
            }
        }
    }

    /// Counts a match as lost by the bots in `lost`. The wins of the other bots stand in `with_wins` alone.
    fn lose(&mut self, seed: u64, bots: &[usize], lost: &[usize], with_wins: &mut SeedSums) {
        let weight = 2.0 / bots.len() as f64;
        for &bot in lost {
            self.standings[bot].matches += 1;
            self.standings[bot].forfeited += 1;
            self.by_seed.entry((bot, bot, seed)).or_default().add(0.0, 1.0);
            for &other in bots.iter().filter(|other| !lost.contains(other)) {
                self.standings[bot].score.add(PairResult::Loss);
                self.pairs.entry((bot, other)).or_default().add(PairResult::Loss);
                self.by_seed.entry((bot, other, seed)).or_default().add(0.0, weight);
                with_wins.entry((bot, other, seed)).or_default().add(0.0, weight);
                with_wins.entry((other, bot, seed)).or_default().add(1.0, weight);
            }
        }
    }
}
