//! `ranking.json`: the ranking for programs, with everything that the tables and the page say of bots and pairs.
//!
//! Numbers are rounded to digits that mean something. Tested in `arena/cli/tests/merge/`.

use serde_json::{Map, Value, json};
use zappy_play::text::round;

use super::{not_scored, opponents};
use crate::outcome::BotEnd;
use crate::tally::{Ranked, Score, Tally};

pub fn ranking(tally: &Tally<'_>) -> String {
    let scored = tally.scored().count();
    let with_opponents = |standing: &Ranked| {
        let mut row = bot(tally, standing);
        let opponents = opponents(tally, standing.bot);
        row["opponents"] = opponents.map(|(other, score)| opponent(tally, other, score)).collect();
        row
    };
    let ranking: Vec<Value> = tally.standings.iter().map(with_opponents).collect();
    let unscored = not_scored(tally).map(|(id, one, why)| {
        let mut row = json!({ "match": id, "outcome": one.map(|one| &one.played.cause), "why": why });
        if let Some(one) = one {
            row["seats"] = json!(one.planned.seats);
        }
        let lost = tally.forfeits.get(&id).into_iter().flatten();
        row["lost_by"] = lost.map(|&bot| json!(tally.book.bots[bot].id)).collect();
        row
    });
    let unscored: Vec<Value> = unscored.collect();
    let mut all = json!({
        "version": 1,
        "planned": tally.planned,
        "scored": scored,
        "provisional": scored < tally.planned,
        "ranking": ranking,
        "not_scored": unscored,
    });
    round_numbers(&mut all, "");
    format!("{all:#}\n")
}

/// How many decimals a number of that name has.
pub fn digits(name: &str) -> usize {
    if name.contains("rating") { 1 } else { 4 }
}

/// Rounds the numbers in a value to the decimals of its name or, in objects, of their own names.
fn round_numbers(value: &mut Value, name: &str) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = json!(round(number.as_f64().unwrap_or_default(), digits(name) as i32));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| round_numbers(value, name)),
        Value::Object(all) => all.iter_mut().for_each(|(name, value)| round_numbers(value, name)),
        _ => {}
    }
}

/// A bot of the ranking, its numbers not yet rounded.
pub fn bot(tally: &Tally<'_>, standing: &Ranked) -> Value {
    let ends = BotEnd::ALL.iter().zip(standing.ends);
    let ends: Map<String, Value> = ends.map(|(end, count)| (end.word().to_owned(), count.into())).collect();
    let bot = &tally.book.bots[standing.bot];
    json!({
        "place": standing.rank,
        "tied": standing.tied,
        "places": standing.rank_range,
        "id": bot.id,
        "name": bot.name,
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

/// A bot's results against another one, its numbers not yet rounded.
pub fn opponent(tally: &Tally<'_>, other: usize, score: Score) -> Value {
    let bot = &tally.book.bots[other];
    json!({
        "id": bot.id,
        "name": bot.name,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "share": score.share(),
        "interval": score.share().map(|_| score.by_seed.interval()),
    })
}
