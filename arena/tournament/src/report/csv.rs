//! The tables for spreadsheets: `ranking.csv`, `head_to_head.csv`, `matches.csv`.
//!
//! A cell that a spreadsheet would take for a formula gets an apostrophe in front: names are other people's.
//! Tested in `arena/cli/tests/merge/`.

use csv::Writer;
use serde_json::Value;
use zappy_game::Column;

use crate::outcome::BotEnd;
use crate::tally::{Match, Ranked, Tally};

/// The ranking's columns; how programs ended comes behind them.
const RANKING: &str = "place tied place_from place_to id name rating rating_low rating_high matches won points \
    points_per_match points_low points_high wins draws losses marked not_scored forfeited late most_late refused \
    dropped";
/// The columns of each against each.
const HEAD_TO_HEAD: &str = "bot bot_id opponent opponent_id wins draws losses share share_low share_high";
/// The first columns of matches; the game's and a few more come behind them.
const MATCHES: &str = "match pair seed seat bot bot_id team rank points outcome scored ticks won by_lot marked disturbed \
    verified end end_detail";

/// Rows of cells; each is made safe.
pub struct Table(Writer<Vec<u8>>);

impl Table {
    #[must_use]
    pub fn new(head: &[&str]) -> Table {
        let mut table = Table(Writer::from_writer(Vec::new()));
        table.add(head.iter().map(|&cell| cell.to_owned()));
        table
    }

    /// Adds a row; all have as many cells.
    pub fn add(&mut self, cells: impl Iterator<Item = String>) {
        // A vector takes everything, and all rows of a table are made by one function.
        let _ = self.0.write_record(cells.map(safe));
    }

    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_default()
    }
}

fn safe(cell: String) -> String {
    let number = cell.parse::<f64>().is_ok_and(f64::is_finite);
    if !number && cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%']) {
        return format!("'{cell}");
    }
    cell
}

/// A row per bot, the best first.
#[must_use]
pub fn ranking(tally: &Tally<'_>) -> Vec<u8> {
    let mut head: Vec<&str> = RANKING.split(' ').collect();
    head.extend(BotEnd::ALL.iter().map(|end| end.word()));
    let mut table = Table::new(&head);
    for standing in &tally.standings {
        table.add(bot(tally, standing).into_iter());
    }
    table.finish()
}

fn bot(tally: &Tally<'_>, standing: &Ranked) -> Vec<String> {
    let book = &tally.book.bots[standing.bot];
    let ((lowest, highest), (low, high)) = (standing.rating.interval(), standing.interval());
    let share = standing.share();
    let of_share = |number: f64| share.map_or(String::new(), |_| format!("{number:.4}"));
    let mut cells = vec![
        standing.place.to_string(),
        standing.tied.to_string(),
        standing.places.0.to_string(),
        standing.places.1.to_string(),
        book.id.to_string(),
        book.name.clone(),
        format!("{:.1}", standing.rating.value),
        format!("{lowest:.1}"),
        format!("{highest:.1}"),
        standing.matches.to_string(),
        standing.won.to_string(),
        format!("{:.4}", standing.points),
        of_share(share.unwrap_or(0.0)),
        of_share(low),
        of_share(high),
    ];
    let score = standing.score;
    let counts = [
        score.wins,
        score.draws,
        score.losses,
        standing.marked,
        standing.unscored,
        standing.forfeited,
        standing.late,
        standing.most_late,
        standing.refused,
        standing.dropped,
    ];
    cells.extend(counts.iter().chain(&standing.ends).map(ToString::to_string));
    cells
}

/// A row per bot and opponent, in the order of the ranking.
#[must_use]
pub fn head_to_head(tally: &Tally<'_>) -> Vec<u8> {
    let mut table = Table::new(&HEAD_TO_HEAD.split(' ').collect::<Vec<_>>());
    for one in &tally.standings {
        for other in &tally.standings {
            let Some(&score) = tally.pairs.get(&(one.bot, other.bot)) else { continue };
            let (low, high) = score.interval();
            let [one, other] = [one.bot, other.bot].map(|bot| &tally.book.bots[bot]);
            let mut cells =
                vec![one.name.clone(), one.id.to_string(), other.name.clone(), other.id.to_string()];
            cells.extend([score.wins, score.draws, score.losses].map(|count| count.to_string()));
            let share = |number: f64| score.share().map_or(String::new(), |_| format!("{number:.4}"));
            cells.extend([score.share().unwrap_or(0.0), low, high].map(share));
            table.add(cells.into_iter());
        }
    }
    table.finish()
}

/// A row per seat of each match with a result, in the order of the matches' ids.
#[must_use]
pub fn matches(tally: &Tally<'_>) -> Vec<u8> {
    let mut head: Vec<String> = MATCHES.split(' ').map(str::to_owned).collect();
    head.extend(listed(tally).map(Column::name));
    head.extend(["late", "refused", "dropped", "score"].map(str::to_owned));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for one in &tally.matches {
        for seat in 0..one.seats.len() {
            table.add(seat_row(tally, one, seat).into_iter());
        }
    }
    table.finish()
}

fn listed(tally: &Tally<'_>) -> impl Iterator<Item = &'static Column> {
    tally.game.columns.iter().filter(|column| column.listed)
}

fn seat_row(tally: &Tally<'_>, one: &Match<'_>, place: usize) -> Vec<String> {
    let (planned, played, seat) = (one.planned, one.played, &one.played.seats[place]);
    let scored = played.cause.counts();
    let own = |column: &Column| match seat.details.get(&column.name()) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let mut cells = vec![
        planned.id.to_string(),
        planned.pair.to_string(),
        one.seed(),
        place.to_string(),
        tally.name(one.seats[place]).to_owned(),
        seat.bot.to_string(),
        seat.team.clone(),
        seat.rank.to_string(),
        if scored { format!("{:.4}", one.points(place)) } else { String::new() },
        played.cause.word().to_owned(),
        scored.to_string(),
        played.ticks.to_string(),
        played.has_won(place).to_string(),
        played.by_lot.to_string(),
        one.is_marked().to_string(),
        played.disturbed.join("; "),
        played.verified.map(|verified| verified.to_string()).unwrap_or_default(),
        seat.end.word().to_owned(),
        seat.end_detail.clone().unwrap_or_default(),
    ];
    cells.extend(listed(tally).map(own));
    cells.extend([seat.late, seat.refused, seat.dropped].map(|count| count.to_string()));
    cells.push(seat.score.to_string());
    cells
}
