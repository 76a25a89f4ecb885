//! Adds up the results of a tournament: by bot, by pair, and seed by seed, since the matches of a seed have its map in common.
//!
//! The order in which matches were played changes no sum. Tested in `arena/cli/tests/merge/`, forfeits in its
//! `forfeits.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::identity::Id;
use super::outcome::BotEnd;
use super::plan::Planned;
use super::rating::{Clusters, Duel, Rating, SPREAD, rate};
use super::reading::Tournament;
use super::scores::{Match, Ranked, Score};
use super::verdict::PairResult;

/// The results by bot, opponent and seed. Under (bot, bot, seed) stand the bot's points against all opponents of each
/// match.
type SeedSums = BTreeMap<(usize, usize, u64), Sum>;

/// The results of a bot on a seed.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// A win is one, a draw half.
    points: f64,
    results: f64,
    /// The sum of the results' weights.
    weight: f64,
}

impl Sum {
    fn add(&mut self, points: f64, weight: f64) {
        self.points += points;
        self.results += 1.0;
        self.weight += weight;
    }
}

/// For each match without a score that is lost all the same: the seats that lose it. Nothing proves how such a match would have
/// ended, so no bot wins it. The bots lose it that spoiled it by what they did or used, or that stood behind when something
/// ended it. A match for which these bots aren't known, or are all, counts for nothing and isn't among these.
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

/// A number for the seed of a match, also for a sealed seed that no result tells yet.
fn seed_of(planned: &Planned) -> u64 {
    let hash = || u64::from_str_radix(planned.seed_sha256.as_deref()?.get(..16)?, 16).ok();
    planned.seed.or_else(hash).unwrap_or_default()
}

/// The ratings of `bots` bots by the results between each two of them.
fn ratings(bots: usize, sums: &SeedSums) -> Vec<Rating> {
    let mut pairs: BTreeMap<(usize, usize), (Clusters, Sum)> = BTreeMap::new();
    for (&(one, other, _), sum) in sums.iter().filter(|((one, other, _), _)| one < other) {
        let (clusters, all) = pairs.entry((one, other)).or_default();
        clusters.add(sum.points, sum.results);
        all.results += sum.results;
        all.weight += sum.weight;
    }
    let duel = |((one, other), (results, all)): ((usize, usize), (Clusters, Sum))| Duel {
        one,
        other,
        results,
        weight: all.weight / all.results,
    };
    rate(bots, &pairs.into_iter().map(duel).collect::<Vec<_>>(), SPREAD)
}

/// The sums over the matches of a plan.
#[derive(Debug, Default)]
pub struct Sums {
    /// For each bot of the book, in that order.
    pub standings: Vec<Ranked>,
    /// The scores of all pairs of the plan, each twice, once for each bot.
    pub pairs: BTreeMap<(usize, usize), Score>,
    /// For each pair: how many planned matches count for nothing for the first bot.
    pub missing: BTreeMap<(usize, usize), u64>,
    /// For each match without a score that is lost all the same: the bots that lose it.
    pub forfeits: BTreeMap<Id, Vec<usize>>,
    by_seed: SeedSums,
}

impl Sums {
    /// Adds up these matches, and the planned ones that have no score.
    pub fn new(tournament: &Tournament, matches: &[Match<'_>], indices: &HashMap<Id, usize>) -> Sums {
        let count = tournament.book.bots.len();
        let standings = (0..count).map(|bot| Ranked { bot, ..Ranked::default() }).collect();
        let mut sums = Sums { standings, ..Sums::default() };
        matches.iter().filter(|one| one.played.cause.counts()).for_each(|one| sums.add(one));
        let ratings = ratings(count, &sums.by_seed);
        sums.standings.iter_mut().zip(ratings).for_each(|(standing, rating)| standing.rating = rating);
        sums.forfeit(tournament, indices);
        sums
    }

    /// Adds a match that counts.
    fn add(&mut self, one: &Match<'_>) {
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

    /// Adds the planned matches without a score. A match that some bots spoiled is lost by these.
    fn forfeit(&mut self, tournament: &Tournament, indices: &HashMap<Id, usize>) {
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
                    // Each pair of the plan has a score, whether it was played or not.
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
            let by_seed = match bot == other {
                true => &mut self.standings[bot].by_seed,
                false => &mut self.pairs.entry((bot, other)).or_default().by_seed,
            };
            by_seed.add(sum.points, sum.results);
        }
        if self.forfeits.is_empty() {
            return;
        }
        // A forfeited match lowers the rating of the bot that forfeits it, and no other.
        let ratings = ratings(self.standings.len(), &with_wins);
        for (standing, rating) in self.standings.iter_mut().zip(ratings) {
            if standing.forfeited > 0 && rating.value < standing.rating.value {
                standing.rating = rating;
            }
        }
    }

    /// Counts a match as lost by the bots in `lost`. The wins of the other bots are added to `with_wins` alone.
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
