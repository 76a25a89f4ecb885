//! The counted results: a match with its outcome, the score of a bot against another, the row of a bot in the ranking.
//!
//! Which matches count is decided in `sums`. Tested in `arena/cli/tests/merge/`.

use zappy_game::GameSpec;

use super::outcome::{BotEnd, Outcome};
use super::plan::Planned;
use super::rating::{Clusters, Rating};
use super::verdict::{PairResult, passes};

/// Two bots count as undecided if fewer than this share of their matches had a winner.
pub const LEAST_DECIDED: f64 = 0.25;

/// The results of one bot against another, or against all.
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

    /// Whether enough matches had a winner, at least a share of [`LEAST_DECIDED`]; otherwise a bot could earn points by
    /// draws alone.
    pub fn is_decided(self) -> bool {
        let won_by_one = self.wins + self.losses;
        won_by_one > 0 && won_by_one as f64 >= LEAST_DECIDED * self.count() as f64
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
    /// The options in which it differs from other matches of the plan, in words; empty if there are none.
    pub variant: String,
    pub(super) game: &'static GameSpec,
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

    /// Whether something that depends on time touched it, a late bot or a slow machine, so that it may go another way when it is
    /// played again.
    pub fn is_marked(&self) -> bool {
        self.played.is_disturbed() || (self.planned.clock == "lockstep" && !self.played.reproducible)
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
        let seat = self.bots.iter().position(|&one| one == bot);
        seat.is_some_and(|seat| self.played.cause.counts() && lost(seat))
    }

    /// The share of the opponents that a seat beat, a draw counting half.
    pub fn points(&self, seat: usize) -> f64 {
        let others = (0..self.bots.len()).filter(|&other| other != seat);
        let halves: u64 = others.map(|other| self.compare(seat, other).halves()).sum();
        halves as f64 / (2 * (self.bots.len() - 1)) as f64
    }
}

/// A bot in the ranking.
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
    pub refused: u64,
    /// Lines that were dropped without an answer.
    pub dropped: u64,
}

impl Ranked {
    /// Points per match; `None` if it played none.
    pub fn share(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.points / self.matches as f64)
    }

    /// Matches that ended for it in another way than [`BotEnd::Played`].
    pub fn bad_ends(&self) -> u64 {
        self.ends[1..].iter().sum()
    }

    /// The matches of [`Ranked::bad_ends`] by how they ended for the bot: each end, with the number of its matches.
    pub fn bad_ends_by_kind(&self) -> impl Iterator<Item = (BotEnd, u64)> {
        BotEnd::ALL.into_iter().zip(self.ends).skip(1).filter(|&(_, count)| count > 0)
    }
}
