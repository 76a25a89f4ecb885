//! The ranking of a tournament: how strong each bot is, which bot beat which, and what went wrong.
//!
//! A function of bots, plan and results. Scored matches are added in the order of their ids, forfeits in the plan's
//! order. Reads and writes no files. Tested in `arena/cli/tests/merge/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use zappy_game::GameSpec;
use zappy_protocol::text::many;

use super::bots::Book;
use super::identity::Id;
use super::place::Failure;
use super::reading::Tournament;
pub use super::scores::{LEAST_DECIDED, Match, Ranked, Score};
use super::sums::Sums;
use super::variants::Variants;

/// All results of a tournament, summed up.
#[derive(Debug)]
pub struct Tally<'a> {
    pub game: &'static GameSpec,
    pub book: &'a Book,
    pub planned: usize,
    /// The matches with a result, in the order of their ids, also those that don't count.
    pub matches: Vec<Match<'a>>,
    /// The ranking, best bot first.
    pub standings: Vec<Ranked>,
    /// The scores of all pairs of the plan, by the bots' indices in the book; each pair stands here twice, once for
    /// each bot.
    pub pairs: BTreeMap<(usize, usize), Score>,
    /// The matches that were tried and have no result.
    pub failures: &'a [Failure],
    /// For each bot: how many matches something outside the arena ended while the bot stood behind, so that it may have
    /// done it.
    pub suspicious: BTreeMap<usize, u64>,
    /// For each pair, keyed like `pairs`: how many planned matches count for nothing for the first bot.
    pub missing: BTreeMap<(usize, usize), u64>,
    /// For each match without a score that is lost all the same: the bots that lose it.
    pub forfeits: BTreeMap<Id, Vec<usize>>,
}

impl<'a> Tally<'a> {
    pub fn new(tournament: &'a Tournament) -> Tally<'a> {
        let Tournament { game, ref book, ref plan, ref failures, .. } = *tournament;
        let indices: HashMap<Id, usize> = book.bots.iter().enumerate().map(|(i, bot)| (bot.id, i)).collect();
        let (matches, planned) = (matches(tournament, &indices), plan.len());
        let Sums { mut standings, pairs, missing, forfeits, .. } = Sums::new(tournament, &matches, &indices);
        rank(&mut standings);
        // A rank is outclassed if no bot at or below it took a point from a bot above it, though some of them met.
        let mut index_of = vec![0; standings.len()];
        standings.iter().enumerate().for_each(|(i, standing)| index_of[standing.bot] = i);
        // For the gap above each rank: how many pairs met across it, and in how many of them the lower bot took a point.
        // Each pair is added at its first gap and subtracted behind its last, so the running sum counts the pairs across a
        // gap.
        let mut across = vec![[0i64; 2]; standings.len() + 1];
        for (&(lower, upper), score) in &pairs {
            let (below, above) = (index_of[lower], index_of[upper]);
            if below > above && score.count() > 0 {
                let counts = [1, i64::from(score.wins + score.draws > 0)];
                for i in 0..2 {
                    across[above + 1][i] += counts[i];
                    across[below + 1][i] -= counts[i];
                }
            }
        }
        let mut sums = [0; 2];
        for (standing, counts) in standings.iter_mut().zip(across) {
            sums = [sums[0] + counts[0], sums[1] + counts[1]];
            standing.outclassed = sums[0] > 0 && sums[1] == 0;
        }
        let suspicious = suspicious(tournament, &indices);
        Tally { game, book, planned, matches, standings, pairs, failures, suspicious, missing, forfeits }
    }

    pub fn scored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| one.played.cause.counts())
    }

    /// Matches that were played but don't count.
    pub fn unscored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| !one.played.cause.counts())
    }

    /// Whether matches differ in their options, so that the report has a column for them.
    pub fn has_variants(&self) -> bool {
        self.matches.iter().any(|one| !one.variant.is_empty())
    }

    /// The names of the variants of the plan that were played; empty if all matches are played alike.
    pub fn variants(&self) -> BTreeSet<&str> {
        self.scored().map(|one| one.variant.as_str()).filter(|variant| !variant.is_empty()).collect()
    }

    /// The points per match that a bot got in a variant; `None` if it played none.
    pub fn share_in(&self, variant: &str, bot: usize) -> Option<f64> {
        let of = self.scored().filter(|one| one.variant == variant);
        let points = of.filter_map(|one| Some(one.points(one.bots.iter().position(|&seat| seat == bot)?)));
        let (count, sum) = points.fold((0_u64, 0.0), |(count, sum), points| (count + 1, sum + points));
        (count > 0).then(|| sum / count as f64)
    }

    pub fn name(&self, bot: usize) -> &str {
        &self.book.bots[bot].name
    }

    /// How much of the plan was played, in one line.
    pub fn progress(&self) -> String {
        let (scored, planned) = (self.scored().count(), self.planned);
        if scored == planned {
            return format!("all {} played", many(planned as u64, "match"));
        }
        let unscored = self.unscored().count() + self.failures.len();
        let unscored = if unscored == 0 { String::new() } else { format!(", {unscored} can't be scored") };
        format!("{scored} of {planned} played{unscored}; the ranking is provisional")
    }
}

/// The matches with a result, in the order of their ids: sums of fractions depend on the order in their last digit.
fn matches<'a>(tournament: &'a Tournament, indices: &HashMap<Id, usize>) -> Vec<Match<'a>> {
    let variants = Variants::of(&tournament.plan);
    let played = tournament.plan.iter().filter_map(|planned| {
        let played = tournament.results.get(&planned.id)?;
        let bots = planned.seats.iter().map(|id| indices[id]).collect();
        let variant = variants.name(planned);
        Some(Match { planned, played, bots, replay: false, variant, game: tournament.game })
    });
    let mut matches: Vec<Match<'_>> = played.collect();
    matches.sort_by_key(|one| one.planned.id);
    matches
}

/// For each bot: how many matches it may have ended from outside the arena, since it stood behind.
fn suspicious(tournament: &Tournament, indices: &HashMap<Id, usize>) -> BTreeMap<usize, u64> {
    let Tournament { plan, results, failures, .. } = tournament;
    let failed = failures.iter().map(|failure| (failure.id, &failure.gained));
    let gained: HashMap<Id, &Vec<usize>> =
        results.values().map(|played| (played.id, &played.gained)).chain(failed).collect();
    let mut suspicious = BTreeMap::new();
    for planned in plan {
        let has_gained = |seat| gained.get(&planned.id).is_some_and(|seats| seats.contains(&seat));
        for (_, id) in planned.seats.iter().enumerate().filter(|(seat, _)| has_gained(*seat)) {
            *suspicious.entry(indices[id]).or_default() += 1;
        }
    }
    suspicious
}

/// Sorts by rating, the best first, and fills in rank and range. Ratings that are equal to a tenth share a rank, in the order
/// of the book.
fn rank(standings: &mut [Ranked]) {
    standings.sort_by_key(|standing| (std::cmp::Reverse(standing.rating.tenths()), standing.bot));
    let ratings: Vec<i64> = standings.iter().map(|standing| standing.rating.tenths()).collect();
    let bounds: Vec<(f64, f64)> = standings.iter().map(|standing| standing.rating.interval()).collect();
    let mut lows: Vec<f64> = bounds.iter().map(|bounds| bounds.0).collect();
    let mut highs: Vec<f64> = bounds.iter().map(|bounds| bounds.1).collect();
    lows.sort_by(f64::total_cmp);
    highs.sort_by(f64::total_cmp);
    for (standing, (low, high)) in standings.iter_mut().zip(bounds) {
        let value = standing.rating.tenths();
        standing.rank = 1 + ratings.partition_point(|&other| other > value);
        standing.tied = ratings.iter().filter(|&&other| other == value).count() > 1;
        let above = lows.len() - lows.partition_point(|&other| other <= high);
        let below = highs.partition_point(|&other| other < low);
        standing.rank_range = (1 + above, ratings.len() - below);
    }
}
