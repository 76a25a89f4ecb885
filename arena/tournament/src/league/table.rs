//! The places of the field by all results, how they moved since the field last changed, and why.
//!
//! Made from rounds and results alone. Reads and writes no files. Tested in this module and in `arena/cli/tests/league/`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use zappy_play::text::round;
use zappy_protocol::text::many;

use super::history::History;
use super::pairing::{Cup, next_stage};
use super::round::{Duel, Meeting, Round, Version};
use super::settings::Settings;
use super::standings::{
    Career, CupStandings, DuelScore, MOST_MOMENTS, Moment, Refused, Row, Snapshot, Standings,
};
use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::rating::Rating;
use crate::report::place_among;
use crate::tally::{Ranked, Tally};

/// Wins, draws and losses of one version against another, in this order.
type WonDrawnLost = [u64; 3];

/// All results of a league.
pub(super) struct Table<'a> {
    history: &'a History,
    tally: &'a Tally<'a>,
    /// The versions that have matches, by their ids.
    ranked: HashMap<Id, &'a Ranked>,
    /// The matches that count, each twice: as either bot sees it. A forfeited match is lost by the bot that spoiled it.
    results: Vec<BotResult>,
}

/// A match that counts, as one of its two bots sees it.
struct BotResult {
    round: u32,
    seed: u32,
    own: Id,
    other: Id,
    /// 2 for a win, 1 for a draw.
    half_points: u64,
    /// What its programs did other than play, in words.
    fault: Option<&'static str>,
}

/// The standing of a version after that round, with rating and interval rounded to tenths.
fn moment(number: u32, place: Option<usize>, rating: Rating, matches: u64) -> Moment {
    let (low, high) = rating.interval();
    let interval = [round(low, 1), round(high, 1)];
    Moment { round: number, place, rating: round(rating.value, 1), interval, matches }
}

impl<'a> Table<'a> {
    pub(super) fn new(history: &'a History, tally: &'a Tally<'a>) -> Table<'a> {
        let id = |bot: usize| tally.book.bots[bot].id;
        let ranked = tally.standings.iter().map(|standing| (id(standing.bot), standing)).collect();
        let mut results = Vec::new();
        for one in tally.scored() {
            let Some(&(Meeting { seed, .. }, round)) = history.meetings.get(&one.planned.id) else {
                continue;
            };
            for seat in 0..2 {
                let [own, other] = [seat, 1 - seat].map(|seat| id(one.bots[seat]));
                let end = one.played.seats[seat].end;
                let fault = (end != BotEnd::Played).then(|| end.words());
                let half_points = one.compare(seat, 1 - seat).halves();
                results.push(BotResult { round, seed, own, other, half_points, fault });
            }
        }
        for (forfeited, losers) in &tally.forfeits {
            let (Some(&(Meeting { bots, seed }, round)), [loser]) =
                (history.meetings.get(forfeited), &losers[..])
            else {
                continue;
            };
            let own = id(*loser);
            let other = if bots[0] == own { bots[1] } else { bots[0] };
            let fault = Some("spoiled the match");
            results.push(BotResult { round, seed, own, other, half_points: 0, fault });
            results.push(BotResult { round, seed, own: other, other: own, half_points: 2, fault: None });
        }
        Table { history, tally, ranked, results }
    }

    /// The rating of a version; [`Rating::unknown`] without a match.
    pub(super) fn rating(&self, id: Id) -> Rating {
        let known = self.ranked.get(&id).map(|ranked| ranked.rating);
        known.unwrap_or_else(Rating::unknown)
    }

    fn matches(&self, id: Id) -> u64 {
        self.ranked.get(&id).map_or(0, |ranked| ranked.matches)
    }

    /// The field, the best first; versions without a match come last.
    pub(super) fn ranking(&self, field: &[Id]) -> Vec<Id> {
        let mut order = field.to_vec();
        let key = |id: &Id| (self.matches(*id) == 0, -self.rating(*id).tenths(), *id);
        order.sort_by_key(key);
        order
    }

    /// A version's place in the field, from 1, and whether another version has the same place; `None` without a match.
    fn place(&self, field: &[Id], id: Id) -> Option<(usize, bool)> {
        let played = field.iter().filter(|other| self.matches(**other) > 0);
        let played: Vec<i64> = played.map(|other| self.rating(*other).tenths()).collect();
        (self.matches(id) > 0).then(|| place_among(&played, self.rating(id).tenths()))
    }

    /// The snapshot that is kept of a round.
    pub(super) fn snapshot(&self, of: &Round) -> Snapshot {
        let kept = |id: Id| {
            let place = self.place(&of.field, id).map(|(place, _)| place);
            (id, moment(of.round, place, self.rating(id), self.matches(id)))
        };
        Snapshot { version: 1, table: self.ranking(&of.field).into_iter().map(kept).collect() }
    }

    /// The score of version `one` against `other` in the rounds after round `after`.
    fn score(&self, one: Id, other: Id, after: u32) -> WonDrawnLost {
        let mut score = WonDrawnLost::default();
        let met = |played: &&BotResult| (played.own, played.other) == (one, other) && played.round > after;
        self.results.iter().filter(met).for_each(|played| score[2 - played.half_points as usize] += 1);
        score
    }

    /// The half points of `one` and of `other` against each other on their first `seeds` seeds.
    fn half_points(&self, one: Id, other: Id, seeds: u32) -> [u64; 2] {
        [(one, other), (other, one)].map(|pair| {
            let met = self.results.iter().filter(|played| (played.own, played.other) == pair);
            met.filter(|played| played.seed < seeds).map(|played| played.half_points).sum()
        })
    }

    /// By how many half points `one` is ahead of `other` on their first `seeds` seeds; negative: behind.
    pub(super) fn lead(&self, one: Id, other: Id, seeds: u32) -> i64 {
        let [points, others] = self.half_points(one, other, seeds);
        points as i64 - others as i64
    }

    /// The standings as they are published. `kept` holds a snapshot of them for each round that is over.
    pub(super) fn standings(&self, settings: &Settings, kept: &[Snapshot], refused: &[Refused]) -> Standings {
        let last = self.history.rounds.last();
        let field = last.map(|last| last.field.clone()).unwrap_or_default();
        let changes = Changes::new(self, &field, kept);
        let scored = self.count_scored();
        // For each version, its places after its latest rounds.
        let mut histories: HashMap<Id, Vec<Moment>> = HashMap::new();
        let latest = &kept[kept.len().saturating_sub(MOST_MOMENTS)..];
        for (id, moment) in latest.iter().flat_map(|kept| &kept.table) {
            histories.entry(*id).or_default().push(moment.clone());
        }
        let rounds = self.history.rounds.iter();
        let entered = rounds.flat_map(|round| round.entered.iter().map(|version| (version, round.round)));
        let careers = entered.map(|(version, round)| {
            let now = moment(0, None, self.rating(version.id), 0);
            Career {
                name: version.name.clone(),
                number: version.number,
                id: version.id.to_string(),
                entered: round,
                in_field: field.contains(&version.id),
                rating: now.rating,
                interval: now.interval,
                history: histories.remove(&version.id).unwrap_or_default(),
            }
        });
        Standings {
            version: 1,
            game: self.tally.game.name.to_owned(),
            pairing: settings.pairing,
            round: last.map_or(0, |last| last.round),
            complete: scored == self.tally.planned,
            planned: self.tally.planned as u64,
            scored: scored as u64,
            table: self.ranking(&field).into_iter().filter_map(|id| self.row(id, &field, &changes)).collect(),
            versions: careers.collect(),
            cup: self.cup(settings),
            refused: refused.to_vec(),
        }
    }

    fn row(&self, id: Id, field: &[Id], changes: &Changes<'_>) -> Option<Row> {
        let version = self.history.version(id)?;
        let (place, tied) = self.place(field, id).unzip();
        let now = moment(0, place, self.rating(id), self.matches(id));
        let (nothing, before) = (Ranked::default(), changes.ratings.get(&id));
        let ranked = self.ranked.get(&id).copied().unwrap_or(&nothing);
        Some(Row {
            place,
            tied: tied.unwrap_or_default(),
            name: version.name.clone(),
            folder: version.folder.clone(),
            number: version.number,
            id: id.to_string(),
            rating: now.rating,
            interval: now.interval,
            matches: ranked.matches,
            points: ranked.share().map(|share| round(share, 4)),
            wins: ranked.score.wins,
            draws: ranked.score.draws,
            losses: ranked.score.losses,
            faults: ranked.bad_ends(),
            not_scored: ranked.unscored,
            place_before: changes.place_before(&version.name),
            rating_change: before.map(|before| round(self.rating(id).value - before - changes.drift, 1)),
            why: changes.why(version, place),
        })
    }

    /// How many matches count, forfeited ones too.
    fn count_scored(&self) -> usize {
        self.tally.scored().count() + self.tally.forfeits.len()
    }

    /// The latest cup; `None` if there was none.
    fn cup(&self, settings: &Settings) -> Option<CupStandings> {
        let stages = || self.history.rounds.iter().filter_map(|round| round.stage.as_ref());
        let last = stages().next_back()?;
        let label = |id: Id| self.history.version(id).map(Version::label).unwrap_or_default();
        let shown_duel = |duel: &Duel| DuelScore {
            one: label(duel.one),
            other: duel.other.map(label),
            half_points: duel.other.map_or([0; 2], |other| self.half_points(duel.one, other, duel.seeds)),
        };
        // A stage may be extended by more seeds; only its latest state is shown.
        let mut shown: Vec<Vec<DuelScore>> = Vec::new();
        for stage in stages().filter(|stage| stage.cup == last.cup) {
            shown.truncate(stage.stage as usize - 1);
            shown.push(stage.duels.iter().map(shown_duel).collect());
        }
        let winner = match next_stage(last, settings.seeds, |one, other, seeds| self.lead(one, other, seeds))
        {
            Cup::Won(winner) if self.count_scored() == self.tally.planned => Some(label(winner)),
            _ => None,
        };
        Some(CupStandings { cup: last.cup, stages: shown, winner })
    }
}

/// The words for a bot that lost half of its lost matches, or more, by its own faults; `lost` has the fault in each
/// lost match.
fn lost_by_faults(lost: &[Option<&str>]) -> Option<String> {
    let mut faults: BTreeMap<&str, usize> = BTreeMap::new();
    lost.iter().flatten().for_each(|words| *faults.entry(words).or_default() += 1);
    let (most, _) = faults.iter().max_by_key(|(words, count)| (**count, Reverse(**words)))?;
    let (count, all) = (faults.values().sum::<usize>(), lost.len());
    let all_lost = many(all as u64, "lost match");
    (2 * count >= all).then(|| format!("{count} of {all_lost} by its own faults (it {most})"))
}

/// The standings before the field last changed, to which the table is compared.
struct Changes<'a> {
    table: &'a Table<'a>,
    field: &'a [Id],
    /// The last round that had another field; 0: none had.
    since: u32,
    /// The places of the bots after that round, by their names.
    places: HashMap<&'a str, Option<usize>>,
    /// The ratings of the versions after that round.
    ratings: HashMap<Id, f64>,
    /// The average gain since then of all versions that were in the field.
    drift: f64,
}

impl<'a> Changes<'a> {
    fn new(table: &'a Table<'a>, field: &'a [Id], kept: &'a [Snapshot]) -> Changes<'a> {
        let now: HashSet<&Id> = field.iter().collect();
        let rounds = table.history.rounds.iter().zip(kept).rev();
        let mut others = rounds.filter(|(round, _)| round.field.iter().collect::<HashSet<_>>() != now);
        let (since, kept) = others.next().map_or((0, None), |(round, kept)| (round.round, Some(kept)));
        let (mut places, mut ratings) = (HashMap::new(), HashMap::new());
        for (id, moment) in kept.into_iter().flat_map(|kept| &kept.table) {
            if let Some(version) = table.history.version(*id) {
                places.insert(&version.name[..], moment.place);
                ratings.insert(version.id, moment.rating);
            }
        }
        let gain = |(id, before): (&Id, &f64)| table.rating(*id).value - before;
        let mut gains: Vec<f64> = ratings.iter().map(gain).collect();
        // Sorted, since the last digit of a floating-point sum depends on the order of its terms.
        gains.sort_by(f64::total_cmp);
        let drift = if gains.is_empty() { 0.0 } else { gains.iter().sum::<f64>() / gains.len() as f64 };
        Changes { table, field, since, places, ratings, drift }
    }

    fn place_before(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied().flatten()
    }

    /// The label of a version, preceded by `newcomer` or `new version` where that applies.
    fn label(&self, version: &Version) -> String {
        let label = version.label();
        match (self.places.contains_key(&version.name[..]), self.ratings.contains_key(&version.id)) {
            (false, _) => format!("newcomer {label}"),
            (true, false) => format!("new version {label}"),
            (true, true) => label,
        }
    }

    /// Why a bot has its place `now`: that at least half of its defeats were its own fault; which rival decided, if its
    /// place has changed, or how it compares with its previous version. `None` if nothing of this applies.
    fn why(&self, version: &Version, now: Option<usize>) -> Option<String> {
        let is_lost = |played: &&BotResult| {
            played.own == version.id && played.half_points == 0 && played.round > self.since
        };
        let lost: Vec<_> = self.table.results.iter().filter(is_lost).map(|played| played.fault).collect();
        let faults = lost_by_faults(&lost);
        let Some((moved, reason)) = now.and_then(|now| self.moved(version, now)) else { return faults };
        let reasons: Vec<String> = faults.into_iter().chain(reason).collect();
        Some(if reasons.is_empty() { moved } else { format!("{moved}: {}", reasons.join("; ")) })
    }

    /// How its place changed, and the reason if there is one, in words; `None`: there is nothing to say.
    fn moved(&self, version: &Version, now: usize) -> Option<(String, Option<String>)> {
        let before = self.place_before(&version.name)?;
        let renewed = if self.ratings.contains_key(&version.id) { "" } else { "a new version, " };
        if now == before {
            let is_previous =
                |other: &&Version| other.name == version.name && other.number + 1 == version.number;
            let previous = self.table.history.versions.iter().find(is_previous);
            let comparison =
                previous.filter(|previous| self.table.matches(previous.id) > 0).map(|previous| {
                    let more = self.table.rating(version.id).value - self.table.rating(previous.id).value;
                    let label = previous.label();
                    match more.round() as i64 {
                        0 => format!("rated as {label} is"),
                        more if more > 0 => format!("rated {more} above {label}"),
                        more => format!("rated {} below {label}", -more),
                    }
                });
            return match renewed {
                "" => comparison.map(|comparison| (comparison, None)),
                _ => Some((format!("{renewed}at the same place"), comparison)),
            };
        }
        let fell = now > before;
        let verb = if fell { "fell" } else { "rose" };
        let moved = format!("{renewed}{verb} from {before} to {now}");
        // The rival against which it did worst of those that passed it (if it fell), or best of those that it passed.
        let crossed = |other: &&Version| {
            let place = self.table.place(self.field, other.id).map(|(place, _)| place);
            let then = self.place_before(&other.name);
            if fell {
                place.is_some_and(|place| place < now) && then.is_none_or(|then| then > before)
            } else {
                place.is_some_and(|place| place > now) && then.is_some_and(|then| then < before)
            }
        };
        let field = self.field.iter().filter(|id| **id != version.id);
        let others: Vec<&Version> =
            field.filter_map(|id| self.table.history.version(*id)).filter(crossed).collect();
        let score = |other: &Version| self.table.score(version.id, other.id, self.since);
        let ahead = |score: WonDrawnLost| if fell { (score[2], score[0]) } else { (score[0], score[2]) };
        let lead = |other: &&&Version| {
            let (more, less) = ahead(score(other));
            (more as i64 - less as i64, Reverse(other.id))
        };
        let Some(other) = others.iter().max_by_key(lead) else {
            let words =
                if fell { "others passed it by their results elsewhere" } else { "bots above it have left" };
            return Some((moved, Some(words.to_owned())));
        };
        let (all, (more, less)) = (score(other).iter().sum::<u64>(), ahead(score(other)));
        let name = self.label(other);
        let words = match (fell, more > less) {
            (true, true) => format!("lost {more} of {all} to {name}"),
            (false, true) => format!("won {more} of {all} against {name}"),
            (true, false) => format!("{name} came in above it"),
            (false, false) => format!("{name} fell behind it"),
        };
        Some((moved, Some(words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named_where_they_lost_half_or_more() {
        let words = |matches, faults: &[(&'static str, usize)]| {
            let all_faults =
                faults.iter().flat_map(|&(words, count)| std::iter::repeat_n(Some(words), count));
            let mut lost: Vec<Option<&str>> = all_faults.collect();
            lost.resize(matches, None);
            lost_by_faults(&lost)
        };
        let expected = "4 of 6 lost matches by its own faults (it broke off during the match)";
        let faults = [("broke off during the match", 3), ("was late too often", 1)];
        assert_eq!(words(6, &faults).as_deref(), Some(expected));
        assert!(words(8, &faults).is_some());
        assert_eq!([words(9, &faults), words(3, &[]), words(0, &[])], [None, None, None]);
    }
}
