//! Which versions meet next.
//!
//! A function of the field, of how often each two versions have met and, in cups and with Swiss pairing, of the results
//! so far. Meetings that were planned before aren't planned again. Bots are named by their versions' ids. Reads and
//! writes no files. Tested in this module.

use std::collections::{BTreeMap, BTreeSet};

use super::round::{Duel, Meeting, Stage, pair};
use crate::identity::Id;
use crate::rating::{Rating, Z};

/// How many more seeds an even duel of a cup gets at most, one at a time, before a lot decides it.
pub const TIE_BREAKS: u32 = 3;

/// On how many seeds two versions have met, by their ids, the smaller one first.
pub type Met = BTreeMap<[Id; 2], u32>;

/// On how many seeds these two have met, which is also the number of their next seed.
fn seeds_met(met: &Met, one: Id, other: Id) -> u32 {
    met.get(&pair(one, other)).copied().unwrap_or_default()
}

/// For every two versions of the field that have met on fewer than `seeds` seeds, their next meeting; with `against`,
/// only if exactly one of the two is in `against`.
pub fn all_pairs(field: &[Id], against: Option<&[Id]>, met: &Met, seeds: u32) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for (i, &one) in field.iter().enumerate() {
        for &other in &field[i + 1..] {
            let among = |id: Id| against.is_some_and(|against| against.contains(&id));
            let seed = seeds_met(met, one, other);
            if seed < seeds && (against.is_none() || among(one) != among(other)) {
                meetings.push(Meeting { bots: pair(one, other), seed });
            }
        }
    }
    meetings
}

/// Finds opponents for the versions that have played fewer than `seeds` seeds in all, beginning with the least certain
/// rating: each meets the free opponent that tells most about its rating. No version is in two meetings.
pub fn swiss(field: &[(Id, Rating)], met: &Met, seeds: u32) -> Vec<Meeting> {
    let played =
        |id: Id| -> u32 { met.iter().filter(|(bots, _)| bots.contains(&id)).map(|(_, count)| count).sum() };
    let mut order: Vec<&(Id, Rating)> = field.iter().filter(|(id, _)| played(*id) < seeds).collect();
    order.sort_by(|a, b| b.1.margin.total_cmp(&a.1.margin).then(a.0.cmp(&b.0)));
    let (mut taken, mut meetings) = (BTreeSet::new(), Vec::new());
    for &&(one, rating) in &order {
        if taken.contains(&one) {
            continue;
        }
        let free = field.iter().filter(|(other, _)| *other != one && !taken.contains(other));
        let best = free.max_by(|(a, of_a), (b, of_b)| {
            let order = information(rating, *of_a).total_cmp(&information(rating, *of_b));
            // Of equally good opponents the one that was met less often, then the smaller id.
            order.then(seeds_met(met, one, *b).cmp(&seeds_met(met, one, *a))).then(b.cmp(a))
        });
        if let Some(&(other, _)) = best {
            taken.extend([one, other]);
            meetings.push(Meeting { bots: pair(one, other), seed: seeds_met(met, one, other) });
        }
    }
    meetings
}

/// By how much one more match against `other` lowers the variance of the rating of `one`, in units of 400 / ln 10
/// rating points, squared.
pub fn information(one: Rating, other: Rating) -> f64 {
    let unit = 400.0 / std::f64::consts::LN_10;
    let variance = |rating: Rating| (rating.margin / Z / unit).powi(2);
    let chance = 1.0 / (1.0 + ((other.value - one.value) / unit).exp());
    let spread = chance * (1.0 - chance);
    variance(one).powi(2) * spread / (1.0 + spread * (variance(one) + variance(other)))
}

/// What comes next in a cup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cup {
    /// The stage to play now: a new one, or the last one again with one more seed for each even duel.
    Next(Stage),
    Won(Id),
}

/// The first stage of a cup: the strongest meet the weakest. If the field is no power of two, the strongest have no
/// match in it.
pub fn first_stage(cup: u32, ranked: &[Id], seeds: u32) -> Stage {
    let size = ranked.len().next_power_of_two();
    // First against last, second against second to last; winners meet so that the two strongest can only meet in the
    // final.
    let mut order = vec![0];
    while order.len() < size {
        let count = 2 * order.len();
        order = order.iter().flat_map(|&place| [place, count - 1 - place]).collect();
    }
    let bot = |place: usize| ranked.get(place).copied();
    let duels = order.chunks(2).filter_map(|two| {
        Some(Duel { one: bot(two[0])?, other: two.get(1).and_then(|&place| bot(place)), seeds })
    });
    Stage { cup, stage: 1, duels: duels.collect() }
}

/// What follows a stage when its matches are played. `score(one, other, seeds)` gives by how many half points `one` is
/// ahead of `other` on their first `seeds` seeds.
pub fn next_stage(stage: &Stage, seeds: u32, score: impl Fn(Id, Id, u32) -> i64) -> Cup {
    let lead = |duel: &Duel| duel.other.map_or(1, |other| score(duel.one, other, duel.seeds));
    let is_open = |duel: &Duel| lead(duel) == 0 && duel.seeds < seeds + TIE_BREAKS;
    if stage.duels.iter().any(is_open) {
        let extended = |duel: &Duel| Duel { seeds: duel.seeds + u32::from(is_open(duel)), ..duel.clone() };
        return Cup::Next(Stage { duels: stage.duels.iter().map(extended).collect(), ..stage.clone() });
    }
    let winner = |duel: &Duel| match (lead(duel), duel.other) {
        (0, Some(other)) => {
            // A lot decides, which depends on the cup, the stage and the two versions alone.
            let ([low, high], [cup, number]) =
                (pair(duel.one, other), [stage.cup, stage.stage].map(u32::to_le_bytes));
            let lot = Id::of([cup.to_vec(), number.to_vec(), low.bytes(), high.bytes()]);
            // The lot is written in hexadecimal digits, of which half are below 8.
            if lot.bytes()[0] < b'8' { low } else { high }
        }
        (lead, Some(other)) if lead < 0 => other,
        _ => duel.one,
    };
    let winners: Vec<Id> = stage.duels.iter().map(winner).collect();
    match winners[..] {
        [winner] => Cup::Won(winner),
        _ => {
            let duel = |two: &[Id]| Duel { one: two[0], other: two.get(1).copied(), seeds };
            let duels = winners.chunks(2).map(duel).collect();
            Cup::Next(Stage { cup: stage.cup, stage: stage.stage + 1, duels })
        }
    }
}

/// The meetings of a stage that weren't planned before.
pub fn stage_meetings(stage: &Stage, met: &Met) -> Vec<Meeting> {
    let duels = stage.duels.iter().filter_map(|duel| Some((duel.one, duel.other?, duel.seeds)));
    duels
        .flat_map(|(one, other, seeds)| {
            (seeds_met(met, one, other)..seeds).map(move |seed| Meeting { bots: pair(one, other), seed })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id::parse(&format!("{number:016x}")).unwrap()
    }

    fn ids(count: u64) -> Vec<Id> {
        (1..=count).map(id).collect()
    }

    fn note(met: &mut Met, meetings: &[Meeting]) {
        for meeting in meetings {
            assert_eq!(met.insert(meeting.bots, meeting.seed + 1).unwrap_or(0), meeting.seed);
        }
    }

    #[test]
    fn round_robin_plays_what_is_missing_and_nothing_else() {
        let (mut met, field) = (Met::new(), ids(10));
        for _ in 0..3 {
            let meetings = all_pairs(&field, None, &met, 3);
            assert_eq!(meetings.len(), 45);
            note(&mut met, &meetings);
        }
        assert!(all_pairs(&field, None, &met, 3).is_empty());
        let newcomer = all_pairs(&ids(11), None, &met, 3);
        assert_eq!(newcomer.len(), 10);
        assert!(newcomer.iter().all(|meeting| meeting.bots[1] == id(11) && meeting.seed == 0));
    }

    #[test]
    fn in_a_gauntlet_the_named_bots_dont_meet_each_other() {
        let meetings = all_pairs(&ids(6), Some(&[id(2), id(5)]), &Met::new(), 1);
        assert_eq!(meetings.len(), 8);
        assert!(
            meetings.iter().all(|meeting| {
                meeting.bots.iter().filter(|bot| [id(2), id(5)].contains(bot)).count() == 1
            })
        );
    }

    #[test]
    fn the_least_certain_plays_next_against_an_equal_that_is_well_known() {
        let rating = |value, margin| Rating { value, margin };
        let field = [
            (id(1), rating(1_900.0, 50.0)),
            (id(2), rating(1_510.0, 50.0)),
            (id(3), rating(1_500.0, 900.0)),
            (id(4), rating(1_490.0, 400.0)),
        ];
        let mut met = Met::new();
        note(&mut met, &all_pairs(&[id(1), id(2)], None, &Met::new(), 1));
        // Four seeds each: the first two have played one of them.
        let meetings = swiss(&field, &met, 4);
        assert_eq!(meetings[0], Meeting { bots: [id(2), id(3)], seed: 0 });
        assert_eq!(meetings[1], Meeting { bots: [id(1), id(4)], seed: 0 });
        // Each plays four seeds and no more, unless another version needs an opponent; and the rounds come to an end.
        let mut rounds = 0;
        loop {
            let meetings = swiss(&field, &met, 4);
            if meetings.is_empty() {
                break;
            }
            rounds += 1;
            note(&mut met, &meetings);
        }
        assert!((3..=8).contains(&rounds), "{rounds}");
    }

    #[test]
    fn the_strongest_win_cups_of_every_size() {
        for count in 2..=17 {
            let field = ids(count);
            let (mut stage, mut met, mut stages) = (first_stage(1, &field, 2), Met::new(), 1);
            let winner = loop {
                let meetings = stage_meetings(&stage, &met);
                let has_match = |duel: &Duel| duel.other.is_some();
                assert_eq!(meetings.len(), 2 * stage.duels.iter().filter(|duel| has_match(duel)).count());
                note(&mut met, &meetings);
                match next_stage(&stage, 2, |one, other, _| if one < other { 4 } else { -4 }) {
                    Cup::Won(winner) => break winner,
                    Cup::Next(next) => stage = next,
                }
                stages += 1;
            };
            assert_eq!((winner, stages), (id(1), field.len().next_power_of_two().ilog2()));
        }
    }

    #[test]
    fn an_even_duel_goes_on_and_ends_by_lot() {
        let mut stage = first_stage(1, &ids(2), 1);
        for more in 1..=TIE_BREAKS {
            let Cup::Next(next) = next_stage(&stage, 1, |_, _, _| 0) else { panic!("it is over") };
            assert_eq!((next.stage, next.duels[0].seeds), (1, 1 + more));
            stage = next;
        }
        let won = next_stage(&stage, 1, |_, _, _| 0);
        assert_eq!(won, next_stage(&stage, 1, |_, _, _| 0));
        assert!(
            matches!(won, Cup::Won(winner) if stage.duels[0].one == winner || stage.duels[0].other == Some(winner))
        );
        // In another cup the lot can fall to the other bot.
        let by_lot = |cup| next_stage(&Stage { cup, ..stage.clone() }, 1, |_, _, _| 0);
        assert!((1..64).map(by_lot).any(|other| other != won));
    }
}
