//! `ranking.json`: the ranking for programs, with everything that the other forms say of bots and pairs.
//!
//! Numbers are rounded to digits that mean something. Tested in `arena/cli/tests/merge/`.

use serde_json::{Map, Value, json};
use zappy_play::text::round;

use crate::identity::Id;
use crate::outcome::BotEnd;
use crate::tally::{Ranked, Score, Tally};

pub fn ranking(tally: &Tally<'_>) -> String {
    let scored = tally.scored().count();
    let with_opponents = |standing: &Ranked| {
        let mine = tally.pairs.range((standing.bot, 0)..(standing.bot + 1, 0));
        let mut told = bot(tally, standing);
        told["opponents"] = mine.map(|(&(_, other), &score)| opponent(tally, other, score)).collect();
        told
    };
    let ranking: Vec<Value> = tally.standings.iter().map(with_opponents).collect();
    let lost_by = |id: Id| -> Vec<Id> {
        let lost = tally.forfeits.get(&id).into_iter().flatten();
        lost.map(|&bot| tally.book.bots[bot].id).collect()
    };
    let unscored = tally.unscored();
    let unscored = unscored.map(
        |one| json!({ "match": one.planned.id, "outcome": one.played.cause, "why": one.end(), "seats": one.planned.seats, "lost_by": lost_by(one.planned.id) }),
    );
    let failed = tally.failures.iter();
    let failed = failed
        .map(|one| json!({ "match": one.id, "outcome": null, "why": one.why, "lost_by": lost_by(one.id) }));
    let unscored: Vec<Value> = unscored.chain(failed).collect();
    let mut all = json!({
        "version": 1,
        "planned": tally.planned,
        "scored": scored,
        "provisional": scored < tally.planned,
        "ranking": ranking,
        "not_scored": unscored,
    });
    to_digits(&mut all, "");
    format!("{all:#}\n")
}

/// How many digits a number of that name has behind the point.
pub fn digits(name: &str) -> usize {
    if name.contains("rating") { 1 } else { 4 }
}

/// Rounds the numbers in what has that name.
fn to_digits(value: &mut Value, name: &str) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = json!(round(number.as_f64().unwrap_or_default(), digits(name) as i32));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| to_digits(value, name)),
        Value::Object(all) => all.iter_mut().for_each(|(name, value)| to_digits(value, name)),
        _ => {}
    }
}

/// What is told of a bot, with all digits.
pub fn bot(tally: &Tally<'_>, standing: &Ranked) -> Value {
    let ends = BotEnd::ALL.iter().zip(standing.ends);
    let ends: Map<String, Value> = ends.map(|(end, count)| (end.word().to_owned(), count.into())).collect();
    let book = &tally.book.bots[standing.bot];
    json!({
        "place": standing.rank,
        "tied": standing.tied,
        "places": standing.rank_range,
        "id": book.id,
        "name": book.name,
        "rating": standing.rating.value,
        "rating_interval": standing.rating.interval(),
        "outclassed": standing.outclassed,
        "matches": standing.matches,
        "won": standing.won,
        "points": standing.points,
        "points_per_match": standing.share(),
        "points_interval": standing.share().map(|_| standing.by_seed.interval()),
        "wins": standing.score.wins,
        "draws": standing.score.draws,
        "losses": standing.score.losses,
        "marked": standing.marked,
        "suspicious": tally.suspicious.get(&standing.bot).copied().unwrap_or_default(),
        "not_scored": standing.unscored,
        "forfeited": standing.forfeited,
        "ends": ends,
        "late": standing.late,
        "most_late": standing.most_late,
        "refused": standing.refused,
        "dropped": standing.dropped,
    })
}

/// What is told of a bot's results against another one, with all digits.
pub fn opponent(tally: &Tally<'_>, other: usize, score: Score) -> Value {
    let book = &tally.book.bots[other];
    json!({
        "id": book.id,
        "name": book.name,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "share": score.share(),
        "interval": score.share().map(|_| score.by_seed.interval()),
    })
}
