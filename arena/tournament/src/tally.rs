//! Sums up all results of a tournament: how strong each bot is, which bot beat which, and what went wrong.
//!
//! A function of bots, plan and results. Scored matches are taken in the order of their ids, forfeits in the plan's
//! order. Reads and writes no files. Tested in `arena/cli/tests/merge/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use zappy_game::GameSpec;
use zappy_protocol::text::many;

use super::bots::Book;
use super::identity::Id;
use super::outcome::{BotEnd, Outcome};
use super::place::Failure;
use super::plan::Planned;
use super::rating::{Clusters, Rating};
use super::reading::Tournament;
use super::sums::Sums;
use super::variants::Variants;
use super::verdict::{PairResult, passes};

/// If fewer than this share of the matches between two bots had a winner, they count as undecided.
pub const LEAST_DECIDED: f64 = 0.25;

/// Results of one bot against another, or against all.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// How often it ranked before the other.
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// The results seed by seed.
    pub by_seed: Clusters,
}

impl Score {
    pub(super) fn add(&mut self, result: PairResult) {
        match result {
            PairResult::Win => self.wins += 1,
            PairResult::Draw => self.draws += 1,
            PairResult::Loss => self.losses += 1,
        }
    }

    pub const fn count(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Whether the share won reaches the mark `pass`, with `lost` more matches counted as lost.
    pub fn passes(self, lost: u64, pass: f64) -> bool {
        passes(2 * self.wins + self.draws, self.count() + lost, pass)
    }

    /// The share that was won, where a draw counts half; `None` if nothing was played.
    pub fn share(self) -> Option<f64> {
        (self.count() > 0).then(|| (2 * self.wins + self.draws) as f64 / (2 * self.count()) as f64)
    }

    /// Whether enough matches had a winner, at least [`LEAST_DECIDED`] of them; else a bot could earn points by draws
    /// alone.
    pub fn is_decided(self) -> bool {
        let won_by_one = self.wins + self.losses;
        won_by_one > 0 && won_by_one as f64 >= LEAST_DECIDED * self.count() as f64
    }

    /// The 95 % confidence interval of the share, from the scatter between seeds.
    pub fn interval(self) -> (f64, f64) {
        self.by_seed.interval()
    }
}

/// A match of the plan with its outcome.
#[derive(Debug)]
pub struct Match<'a> {
    pub planned: &'a Planned,
    pub played: &'a Outcome,
    /// For each seat its bot, by its index in the book.
    pub bots: Vec<usize>,
    /// Whether the report has a page that replays it in a browser.
    pub replay: bool,
    /// What tells its options apart from those of other matches of the plan, in words; empty if nothing does.
    pub variant: String,
    game: &'static GameSpec,
}

impl Match<'_> {
    /// Its seed as text, empty if it isn't known.
    pub fn seed(&self) -> String {
        self.planned.seed.or(self.played.seed).map(|seed| seed.to_string()).unwrap_or_default()
    }

    /// How it ended or, if its record couldn't be proved, why not; in words for people.
    pub fn end(&self) -> &str {
        self.played.unproved.as_deref().unwrap_or_else(|| self.played.end(self.game))
    }

    /// Whether a disturbance touched it, so that it may go another way when it is played again.
    pub fn is_marked(&self) -> bool {
        self.played.is_marked(self.planned)
    }

    /// The result of seat `one` against seat `other`.
    pub fn compare(&self, one: usize, other: usize) -> PairResult {
        self.played.compare(one, other, self.game)
    }

    /// Whether the match counts and the bot lost to at least one other bot in it.
    pub fn is_lost_by(&self, bot: usize) -> bool {
        let lost = |seat| {
            (0..self.bots.len()).any(|other| other != seat && self.compare(seat, other) == PairResult::Loss)
        };
        self.bots
            .iter()
            .position(|&one| one == bot)
            .is_some_and(|seat| self.played.cause.counts() && lost(seat))
    }

    /// The share of the opponents that a seat beat, a draw counting half.
    pub fn points(&self, seat: usize) -> f64 {
        let others = (0..self.bots.len()).filter(|&other| other != seat);
        let halves: u64 = others.map(|other| self.compare(seat, other).halves()).sum();
        halves as f64 / (2 * (self.bots.len() - 1)) as f64
    }
}

#[derive(Debug, Default)]
pub struct Ranked {
    /// The bot by its index in the book.
    pub bot: usize,
    /// Its rank, from 1; equal bots share one.
    pub rank: usize,
    /// Whether another bot shares the rank.
    pub tied: bool,
    /// The best and the worst rank that the confidence intervals allow.
    pub rank_range: (usize, usize),
    pub rating: Rating,
    /// Whether bots from this rank down met bots above it and never took a point, so that the results can't tell how far
    /// apart the two groups are.
    pub outclassed: bool,
    /// Matches that count, the forfeited ones too.
    pub matches: u64,
    /// Matches without a score that count as lost: this bot spoiled them, or stood behind when something else ended them.
    pub forfeited: u64,
    /// Matches that it won alone and not by lot.
    pub won: u64,
    /// The share of opponents that it beat, summed over its matches.
    pub points: f64,
    /// Its points per match, seed by seed.
    pub by_seed: Clusters,
    /// Its results against each opponent of each match.
    pub score: Score,
    /// Its matches that may go another way when they are played again.
    pub marked: u64,
    /// Its matches that were tried but can't be scored and count for nothing.
    pub unscored: u64,
    /// How its programs ended, in the order of [`BotEnd::ALL`].
    pub ends: [u64; BotEnd::ALL.len()],
    /// How often it was late.
    pub late: u64,
    /// How often it was late in its worst match.
    pub most_late: u64,
    /// Lines that were refused.
    pub refused: u64,
    /// Lines that were dropped without an answer.
    pub dropped: u64,
}

impl Ranked {
    /// Points per match; none if it played none.
    pub fn share(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.points / self.matches as f64)
    }

    /// The 95 % confidence interval of that share, from the scatter between seeds.
    pub fn interval(&self) -> (f64, f64) {
        self.by_seed.interval()
    }

    /// Matches that ended for it in another way than [`BotEnd::Played`].
    pub fn bad_ends(&self) -> u64 {
        self.ends[1..].iter().sum()
    }

    /// The same by how they ended, with the number of matches of each.
    pub fn bad_ends_by_kind(&self) -> impl Iterator<Item = (BotEnd, u64)> {
        BotEnd::ALL.into_iter().zip(self.ends).skip(1).filter(|&(_, count)| count > 0)
    }

    /// The rating in tenths, as JSON has it. Ratings that are equal by then share a rank.
    fn tenths(&self) -> i64 {
        (self.rating.value * 10.0).round() as i64
    }
}

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
    /// For each match that can't be scored: the bots that lose it all the same.
    pub forfeits: BTreeMap<Id, Vec<usize>>,
}

impl<'a> Tally<'a> {
    pub fn new(tournament: &'a Tournament) -> Tally<'a> {
        let Tournament { game, ref book, ref plan, ref failures, .. } = *tournament;
        let indices: HashMap<Id, usize> = book.bots.iter().enumerate().map(|(i, bot)| (bot.id, i)).collect();
        let matches = matches(tournament, &indices);
        let mut sums = Sums::new(book.bots.len());
        matches.iter().filter(|one| one.played.cause.counts()).for_each(|one| sums.add(one));
        sums.rate();
        sums.forfeit(tournament, &indices);
        let Sums { mut standings, pairs, missing, forfeits, .. } = sums;
        rank(&mut standings);
        mark_outclassed(&mut standings, &pairs);
        let suspicious = suspicious(tournament, &indices);
        Tally {
            game,
            book,
            planned: plan.len(),
            matches,
            standings,
            pairs,
            failures,
            suspicious,
            missing,
            forfeits,
        }
    }

    pub fn scored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| one.played.cause.counts())
    }

    /// Matches that were played but don't count.
    pub fn unscored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| !one.played.cause.counts())
    }

    /// Whether matches differ in their options: only then is there a column for it.
    pub fn has_variants(&self) -> bool {
        self.matches.iter().any(|one| !one.variant.is_empty())
    }

    /// The words for the variants of the plan that were played; none if all matches are played alike.
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

/// How many matches each bot may have ended from outside the arena, since it stood behind.
fn suspicious(tournament: &Tournament, indices: &HashMap<Id, usize>) -> BTreeMap<usize, u64> {
    let Tournament { plan, results, failures, .. } = tournament;
    let failed = failures.iter().map(|failure| (failure.id, &failure.gained));
    let gained: HashMap<Id, &Vec<usize>> =
        results.values().map(|played| (played.id, &played.gained)).chain(failed).collect();
    let mut suspicious = BTreeMap::new();
    for planned in plan {
        let seats: BTreeSet<usize> =
            gained.get(&planned.id).into_iter().copied().flatten().copied().collect();
        for id in seats.into_iter().filter_map(|seat| planned.seats.get(seat)) {
            *suspicious.entry(indices[id]).or_default() += 1;
        }
    }
    suspicious
}

/// Finds the ranks at which all results between bots above and bots below went one way.
fn mark_outclassed(standings: &mut [Ranked], pairs: &BTreeMap<(usize, usize), Score>) {
    let mut index_of = vec![0; standings.len()];
    standings.iter().enumerate().for_each(|(i, standing)| index_of[standing.bot] = i);
    // For the gap above each rank: how many pairs met across it, and in how many the lower bot took a point. Each pair adds at
    // its first gap and subtracts behind its last; the running sum counts the pairs over a gap.
    let mut across = vec![[0i64; 2]; standings.len() + 1];
    for (&(lower, upper), score) in pairs {
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
}

/// Sorts by rating, the best first, and fills in rank and range. Ratings that are equal to a tenth share a rank, in the order
/// of the book.
fn rank(standings: &mut [Ranked]) {
    standings.sort_by_key(|standing| (std::cmp::Reverse(standing.tenths()), standing.bot));
    let ratings: Vec<i64> = standings.iter().map(Ranked::tenths).collect();
    let bounds: Vec<(f64, f64)> = standings.iter().map(|standing| standing.rating.interval()).collect();
    let mut lows: Vec<f64> = bounds.iter().map(|bounds| bounds.0).collect();
    let mut highs: Vec<f64> = bounds.iter().map(|bounds| bounds.1).collect();
    lows.sort_by(f64::total_cmp);
    highs.sort_by(f64::total_cmp);
    for (standing, (low, high)) in standings.iter_mut().zip(bounds) {
        let value = standing.tenths();
        standing.rank = 1 + ratings.partition_point(|&other| other > value);
        standing.tied = ratings.iter().filter(|&&other| other == value).count() > 1;
        let above = lows.len() - lows.partition_point(|&other| other <= high);
        let below = highs.partition_point(|&other| other < low);
        standing.rank_range = (1 + above, ratings.len() - below);
    }
}
