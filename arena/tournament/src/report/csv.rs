//! The tables for spreadsheets: `ranking.csv`, `head_to_head.csv`, `matches.csv`.
//!
//! A cell that a spreadsheet would take for a formula gets an apostrophe in front, since other people choose names.
//! Tested in `arena/cli/tests/merge/`.

use csv::Writer;
use serde_json::{Value, json};
use zappy_game::Column;

use super::json;
use crate::outcome::BotEnd;
use crate::tally::Tally;

/// The ranking's columns, each with the pointer to its value in a bot of `ranking.json`; behind them come the ways in which
/// programs ended.
const RANKING: &str = "place=/place tied=/tied place_from=/places/0 place_to=/places/1 id=/id name=/name rating=/rating \
    rating_low=/rating_interval/0 rating_high=/rating_interval/1 matches=/matches won=/won points=/points \
    points_per_match=/points_per_match points_low=/points_interval/0 points_high=/points_interval/1 wins=/wins \
    draws=/draws losses=/losses marked=/marked not_scored=/not_scored forfeited=/forfeited late=/late \
    most_late=/most_late refused=/refused dropped=/dropped";
/// The columns of the results of one bot against another, each with the pointer to its value.
const HEAD_TO_HEAD: &str = "bot=/bot bot_id=/bot_id opponent=/name opponent_id=/id wins=/wins draws=/draws \
    losses=/losses share=/share share_low=/interval/0 share_high=/interval/1";
/// The first columns of matches; the game's columns and a few more come behind them.
const MATCHES: &str = "match pair seed seat bot bot_id team rank points outcome scored ticks won by_lot marked disturbed \
    verified end end_detail";

/// A table of these rows, each with as many cells as the head. No cell is a formula.
pub fn table(head: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = Writer::from_writer(Vec::new());
    for row in [head].into_iter().chain(rows) {
        // Writing to a vector cannot fail.
        let _ = writer.write_record(row.into_iter().map(|cell| {
            let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
            let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%']);
            if is_formula && !is_number { format!("'{cell}") } else { cell }
        }));
    }
    writer.into_inner().unwrap_or_default()
}

/// A row per bot, the best first.
pub fn ranking(tally: &Tally<'_>) -> Vec<u8> {
    let ends: String = BotEnd::ALL.iter().map(|end| format!(" {0}=/ends/{0}", end.word())).collect();
    from_json(
        &(RANKING.to_owned() + &ends),
        tally.standings.iter().map(|standing| json::bot(tally, standing)),
    )
}

/// A row per bot and opponent, in the order of the ranking.
pub fn head_to_head(tally: &Tally<'_>) -> Vec<u8> {
    let met =
        tally.standings.iter().flat_map(|one| tally.standings.iter().map(move |other| (one.bot, other.bot)));
    let rows = met.filter_map(|(one, other)| {
        let mut row = json::opponent(tally, other, *tally.pairs.get(&(one, other))?);
        let bot = &tally.book.bots[one];
        (row["bot"], row["bot_id"]) = (json!(bot.name), json!(bot.id));
        Some(row)
    });
    from_json(HEAD_TO_HEAD, rows)
}

/// A table of JSON values; `columns` has the title of each column and the pointer to its value.
fn from_json(columns: &str, rows: impl Iterator<Item = Value>) -> Vec<u8> {
    let columns: Vec<(&str, &str)> = columns.split(' ').filter_map(|column| column.split_once('=')).collect();
    let value = |row: &Value, pointer: &str| match row.pointer(pointer) {
        Some(Value::Number(number)) if number.is_f64() => {
            format!("{:.*}", json::digits(pointer), number.as_f64().unwrap_or_default())
        }
        value => cell(value),
    };
    let head = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    table(head, rows.map(|row| columns.iter().map(|(_, pointer)| value(&row, pointer)).collect()))
}

/// A value as it stands in a cell.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// A row per seat of each match with a result, in the order of the matches' ids.
pub fn matches(tally: &Tally<'_>) -> Vec<u8> {
    let has_variants = tally.has_variants();
    let last = ["late", "refused", "dropped", "score"].into_iter().chain(has_variants.then_some("variant"));
    let head = MATCHES.split(' ').map(str::to_owned).chain(listed_columns(tally).map(Column::name));
    let seats = tally.matches.iter().flat_map(|one| (0..one.bots.len()).map(move |seat| (one, seat)));
    let rows = seats.map(|(one, index)| {
        let (planned, played, seat) = (one.planned, one.played, &one.played.seats[index]);
        let scored = played.cause.counts();
        let mut cells = vec![
            planned.id.to_string(),
            planned.pair.to_string(),
            one.seed(),
            index.to_string(),
            tally.name(one.bots[index]).to_owned(),
            seat.bot.to_string(),
            seat.team.clone(),
            seat.rank.to_string(),
            if scored { format!("{:.4}", one.points(index)) } else { String::new() },
            played.cause.word().to_owned(),
            scored.to_string(),
            played.ticks.to_string(),
            played.has_won(index).to_string(),
            played.by_lot.to_string(),
            one.is_marked().to_string(),
            played.disturbed.join("; "),
            played.verified.map(|verified| verified.to_string()).unwrap_or_default(),
            seat.end.word().to_owned(),
            seat.end_detail.clone().unwrap_or_default(),
        ];
        cells.extend(listed_columns(tally).map(|column| cell(seat.details.get(&column.name()))));
        cells.extend([seat.late, seat.refused, seat.dropped].map(|count| count.to_string()));
        cells.push(seat.score.to_string());
        cells.extend(has_variants.then(|| one.variant.clone()));
        cells
    });
    table(head.chain(last.map(str::to_owned)).collect(), rows)
}

/// The game's columns that tables list.
fn listed_columns(tally: &Tally<'_>) -> impl Iterator<Item = &'static Column> {
    tally.game.columns.iter().filter(|column| column.listed)
}
