//! What all results of a tournament come to: how strong each bot is, which bot beat which, and what went wrong.
//!
//! A function of bots, plan and results in which no order but that of the matches' ids has a part. Reads and
//! writes no files. Tested in `tests/merge/`.

use std::collections::{BTreeMap, HashMap};

use zappy_server::game::GameSpec;

use super::bots::Book;
use super::identity::Id;
use super::outcome::{BotEnd, Outcome};
use super::plan::Planned;
use super::rating::{AVERAGE, Duel, Rating, rate, wilson};
use super::reading::Tournament;
use super::verdict::PairResult;

/// Results between two, or of one against all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Ranked before.
    pub wins: u64,
    /// As good as.
    pub draws: u64,
    /// Ranked behind.
    pub losses: u64,
}

impl Score {
    fn add(&mut self, result: PairResult) {
        match result {
            PairResult::Win => self.wins += 1,
            PairResult::Draw => self.draws += 1,
            PairResult::Loss => self.losses += 1,
        }
    }

    /// All of them.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The share that was won, where a draw counts half; `None` if nothing was played.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.count() > 0).then(|| (2 * self.wins + self.draws) as f64 / (2 * self.count()) as f64)
    }

    /// Where that share may well lie, given so few results: 95 %.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        wilson(self.share().unwrap_or(0.5), self.count() as f64)
    }
}

/// A match of the plan, and how it went.
#[derive(Debug)]
pub struct Match<'a> {
    /// What was planned.
    pub planned: &'a Planned,
    /// What came of it.
    pub played: &'a Outcome,
    /// The bots by their place in the book.
    pub seats: Vec<usize>,
    game: &'static GameSpec,
}

impl Match<'_> {
    /// Whether the machine touched it.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.played.is_marked(self.planned)
    }

    /// How one seat fared against another.
    #[must_use]
    pub fn compare(&self, one: usize, other: usize) -> PairResult {
        self.played.compare(one, other, self.game)
    }

    /// The share of its opponents that a seat left behind.
    #[must_use]
    pub fn points(&self, seat: usize) -> f64 {
        let others = (0..self.seats.len()).filter(|&other| other != seat);
        let halves: u64 = others.map(|other| self.compare(seat, other).halves()).sum();
        halves as f64 / (2 * (self.seats.len() - 1)) as f64
    }
}

/// How a bot fared.
#[derive(Debug)]
pub struct Ranked {
    /// The bot by its place in the book.
    pub bot: usize,
    /// Its place, from 1; the same for all that are equal.
    pub place: usize,
    /// Whether another bot has that place, too.
    pub tied: bool,
    /// The first and the last place that the intervals leave it.
    pub places: (usize, usize),
    /// How strong it is.
    pub rating: Rating,
    /// Matches that count.
    pub matches: u64,
    /// Matches it won alone, by the server's word.
    pub won: u64,
    /// The share of opponents left behind, summed over its matches.
    pub points: f64,
    /// Against each opponent of each match.
    pub score: Score,
    /// Its matches that the machine touched.
    pub marked: u64,
    /// Its matches that were never scored.
    pub unscored: u64,
    /// How its programs ended, in the order of [`BotEnd::ALL`].
    pub ends: [u64; BotEnd::ALL.len()],
    /// How often it was late.
    pub late: u64,
    /// The most in one match.
    pub most_late: u64,
    /// Commands refused.
    pub refused: u64,
    /// Commands dropped.
    pub dropped: u64,
}

impl Ranked {
    fn new(bot: usize) -> Ranked {
        Ranked {
            bot,
            place: 0,
            tied: false,
            places: (1, 1),
            rating: Rating { value: AVERAGE, margin: 0.0 },
            matches: 0,
            won: 0,
            points: 0.0,
            score: Score::default(),
            marked: 0,
            unscored: 0,
            ends: [0; BotEnd::ALL.len()],
            late: 0,
            most_late: 0,
            refused: 0,
            dropped: 0,
        }
    }

    /// Points per match; none if it played none.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.matches > 0).then(|| self.points / self.matches as f64)
    }

    /// The 95 % interval of that share.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        wilson(self.share().unwrap_or(0.5), self.matches as f64)
    }

    /// Matches in which it did something other than play.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.ends[1..].iter().sum()
    }

    /// The rating as it is compared: to as many digits as are shown.
    fn shown(&self) -> i64 {
        (self.rating.value * 10.0).round() as i64
    }
}

/// All that is known of a tournament.
#[derive(Debug)]
pub struct Tally<'a> {
    /// What is played.
    pub game: &'static GameSpec,
    /// The bots.
    pub book: &'a Book,
    /// Matches planned.
    pub planned: usize,
    /// Those with a result, by their ids; also those that don't count.
    pub matches: Vec<Match<'a>>,
    /// The best first.
    pub standings: Vec<Ranked>,
    /// The scores of all pairs of the plan, by the bots' places in the book, each pair both ways round.
    pub pairs: BTreeMap<(usize, usize), Score>,
}

impl<'a> Tally<'a> {
    /// Sums it up.
    #[must_use]
    pub fn new(tournament: &'a Tournament) -> Tally<'a> {
        let Tournament { game, ref book, ref plan, ref results } = *tournament;
        let places: HashMap<Id, usize> = book.bots.iter().enumerate().map(|(i, bot)| (bot.id, i)).collect();
        let mut matches: Vec<Match<'_>> = plan
            .iter()
            .filter_map(|planned| {
                let played = results.get(&planned.id)?;
                let seats = planned.seats.iter().map(|id| places[id]).collect();
                Some(Match { planned, played, seats, game })
            })
            .collect();
        // Sums of fractions depend on the order in the last digit.
        matches.sort_by_key(|one| one.planned.id);
        let mut standings: Vec<Ranked> = (0..book.bots.len()).map(Ranked::new).collect();
        let mut pairs: BTreeMap<(usize, usize), Score> = BTreeMap::new();
        let mut duels: BTreeMap<(usize, usize), Duel> = BTreeMap::new();
        for planned in plan {
            let seats: Vec<usize> = planned.seats.iter().map(|id| places[id]).collect();
            for &one in &seats {
                let others = seats.iter().filter(|&&other| other != one);
                others.for_each(|&other| {
                    pairs.entry((one, other)).or_default();
                });
            }
        }
        for one in &matches {
            note(one, &mut standings);
            if one.played.cause.counts() {
                compare(one, &mut standings, &mut pairs, &mut duels);
            }
        }
        let duels: Vec<Duel> = duels.into_values().collect();
        let ratings = rate(standings.len(), &duels);
        standings.iter_mut().zip(ratings).for_each(|(standing, rating)| standing.rating = rating);
        rank(&mut standings);
        Tally { game, book, planned: plan.len(), matches, standings, pairs }
    }

    /// Matches that count.
    pub fn scored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| one.played.cause.counts())
    }

    /// Matches that were played and don't count.
    pub fn unscored(&self) -> impl Iterator<Item = &Match<'a>> {
        self.matches.iter().filter(|one| !one.played.cause.counts())
    }

    /// A bot's name.
    #[must_use]
    pub fn name(&self, bot: usize) -> &str {
        &self.book.bots[bot].name
    }

    /// Whether the plan was played, in one line.
    #[must_use]
    pub fn progress(&self) -> String {
        let (scored, planned) = (self.scored().count(), self.planned);
        if scored == planned {
            return format!("all {planned} matches played");
        }
        let unscored = self.unscored().count();
        let unscored = if unscored == 0 { String::new() } else { format!(", {unscored} can't be scored") };
        format!("{scored} of {planned} played{unscored}; the ranking is provisional")
    }
}

/// What doesn't depend on the winner.
fn note(one: &Match<'_>, standings: &mut [Ranked]) {
    for (seat, &bot) in one.played.seats.iter().zip(&one.seats) {
        let standing = &mut standings[bot];
        if !one.played.cause.counts() {
            standing.unscored += 1;
            continue;
        }
        standing.matches += 1;
        standing.marked += u64::from(one.is_marked());
        let place = BotEnd::ALL.iter().position(|&end| end == seat.end).unwrap_or(0);
        standing.ends[place] += 1;
        standing.late += seat.late;
        standing.most_late = standing.most_late.max(seat.late);
        standing.refused += seat.refused;
        standing.dropped += seat.dropped;
    }
}

fn compare(
    one: &Match<'_>,
    standings: &mut [Ranked],
    pairs: &mut BTreeMap<(usize, usize), Score>,
    duels: &mut BTreeMap<(usize, usize), Duel>,
) {
    // Of n teams each pair is compared, but n - 1 comparisons tell the whole order.
    let weight = 2.0 / one.seats.len() as f64;
    for (seat, &bot) in one.seats.iter().enumerate() {
        standings[bot].points += one.points(seat);
        let alone = one.played.winner == Some(seat) && one.played.winners.is_empty();
        let won = alone && !one.played.by_lot;
        standings[bot].won += u64::from(won);
        for (other_seat, &other) in one.seats.iter().enumerate().filter(|&(other_seat, _)| other_seat != seat)
        {
            let result = one.compare(seat, other_seat);
            standings[bot].score.add(result);
            pairs.entry((bot, other)).or_default().add(result);
            if bot < other {
                let duel = duels.entry((bot, other));
                let duel = duel.or_insert(Duel { one: bot, other, score: 0.0, weight: 0.0 });
                duel.score += weight * result.halves() as f64 / 2.0;
                duel.weight += weight;
            }
        }
    }
}

/// The best first; bots that are equal in what is shown share a place, in the order of the book.
fn rank(standings: &mut [Ranked]) {
    standings.sort_by_key(|standing| (std::cmp::Reverse(standing.shown()), standing.bot));
    let shown: Vec<i64> = standings.iter().map(Ranked::shown).collect();
    let bounds: Vec<(f64, f64)> = standings
        .iter()
        .map(|Ranked { rating, .. }| (rating.value - rating.margin, rating.value + rating.margin))
        .collect();
    let mut lows: Vec<f64> = bounds.iter().map(|bounds| bounds.0).collect();
    let mut highs: Vec<f64> = bounds.iter().map(|bounds| bounds.1).collect();
    lows.sort_by(f64::total_cmp);
    highs.sort_by(f64::total_cmp);
    for (standing, (low, high)) in standings.iter_mut().zip(bounds) {
        let value = standing.shown();
        standing.place = 1 + shown.partition_point(|&other| other > value);
        standing.tied = shown.iter().filter(|&&other| other == value).count() > 1;
        let above = lows.len() - lows.partition_point(|&other| other <= high);
        let below = highs.partition_point(|&other| other < low);
        standing.places = (1 + above, shown.len() - below);
    }
}
