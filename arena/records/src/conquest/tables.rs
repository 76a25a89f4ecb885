//! The tables below a story: how the factions stood from time to time, and where they stood in the end.
//!
//! Of a match of any length no more turns are kept than the table has rows. Tested in this module.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use zappy_play::text::align;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::{FactionId, Holdings};
use zappy_protocol::text::{short_name, thousands};
use zappy_protocol::{TeamName, Tick};

use super::sides::{name, ranks};

/// The most rows of the table by turns.
const MOST_ROWS: usize = 20;
/// The most factions that have columns in the table by turns.
const MOST_FACTIONS: usize = 4;
/// The most characters of a faction's name above its columns.
const NAME_CHARACTERS: usize = 16;
/// Turns between two rows of a short match; in a longer one they are doubled until the rows suffice.
const FIRST_STEP: u32 = 5;

/// What no message sums up: the turn in which each faction was beaten, how often it was late, and how often it couldn't
/// pay.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) beaten: BTreeMap<FactionId, u32>,
    pub(super) late: BTreeMap<TeamName, u64>,
    pub(super) unpaid: BTreeMap<TeamName, u64>,
}

impl Counts {
    /// How often a faction couldn't pay, and how often it was late.
    fn unpaid_and_late(&self, mirror: &Mirror, faction: FactionId) -> (u64, u64) {
        let name = &mirror.factions[faction.index()].name;
        (self.unpaid.get(name).copied().unwrap_or(0), self.late.get(name).copied().unwrap_or(0))
    }
}

/// What all factions had at the end of a turn.
#[derive(Debug, Clone)]
struct Row {
    turn: u32,
    tick: Tick,
    /// How many turns had ended by then: the operator may change their numbers.
    ended: u32,
    has: Vec<Holdings>,
}

/// What the factions had at the end of every `step`th turn.
#[derive(Debug)]
pub(super) struct Rows {
    /// What they had at the beginning.
    first: Option<Row>,
    rows: Vec<Row>,
    step: u32,
    /// How many turns have ended.
    ended: u32,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows { first: None, rows: Vec::new(), step: FIRST_STEP, ended: 0 }
    }
}

impl Rows {
    fn row(&self, tick: Tick, mirror: &Mirror) -> Row {
        let has = mirror.factions.iter().map(|known| known.holdings).collect();
        Row { turn: mirror.turn, tick, ended: self.ended, has }
    }

    pub(super) fn begin(&mut self, tick: Tick, mirror: &Mirror) {
        if self.first.is_none() {
            self.first = Some(self.row(tick, mirror));
        }
    }

    pub(super) fn end_turn(&mut self, tick: Tick, mirror: &Mirror) {
        self.ended += 1;
        if mirror.turn.is_multiple_of(self.step) {
            self.rows.push(self.row(tick, mirror));
            self.thin();
        }
    }

    /// Adds a row for the last turn, when the match is over.
    pub(super) fn finish(&mut self, tick: Tick, mirror: &Mirror) {
        self.rows.pop_if(|row| row.ended == self.ended);
        self.rows.push(self.row(tick, mirror));
        self.thin();
    }

    /// Keeps every second one of too many rows, and always the last.
    fn thin(&mut self) {
        while self.rows.len() > MOST_ROWS {
            self.step *= 2;
            let (step, last) = (self.step, self.rows.pop());
            self.rows.retain(|row| row.turn.is_multiple_of(step));
            // If the operator set the turns back, too many may be left: the oldest rows go.
            let surplus = (self.rows.len() + 1).saturating_sub(MOST_ROWS);
            self.rows.drain(..surplus);
            self.rows.extend(last);
        }
    }

    /// Each row with each faction's balance: the gold that it gained per turn since the row before, on average.
    fn with_balance(&self) -> impl Iterator<Item = (&Row, Vec<i64>)> {
        let before = self.first.iter().chain(&self.rows);
        self.rows.iter().zip(before).map(|(row, before)| {
            let turns = i64::from(row.ended.saturating_sub(before.ended)).max(1);
            let gold = |has: &Holdings| i64::try_from(has.gold).unwrap_or(i64::MAX);
            let balance = row.has.iter().enumerate().map(|(index, has)| {
                let had = before.has.get(index).map_or(0, gold);
                gold(has).saturating_sub(had) / turns
            });
            (row, balance.collect())
        })
    }

    pub(super) fn json(&self, mirror: &Mirror) -> Vec<Value> {
        let one = |(row, balance): (&Row, Vec<i64>)| {
            let teams = row.has.iter().zip(balance).zip(&mirror.factions).map(|((has, balance), known)| {
                json!({ "team": known.name.as_str(), "score": has.score, "land": has.land, "units": has.population,
                        "gold": has.gold, "upkeep": has.upkeep, "balance": balance })
            });
            let teams: Vec<Value> = teams.collect();
            json!({ "type": "turn", "tick": row.tick, "turn": row.turn, "teams": teams })
        };
        self.with_balance().map(one).collect()
    }

    /// The table of the turns that are wanted, with columns for the factions of the best ranks.
    pub(super) fn table(
        &self,
        mirror: &Mirror,
        ranked: &[(usize, FactionId)],
        wanted: impl Fn(u32) -> bool,
    ) -> String {
        let shown: Vec<FactionId> = ranked.iter().take(MOST_FACTIONS).map(|(_, one)| *one).collect();
        let rows: Vec<_> = self.with_balance().filter(|(row, _)| wanted(row.turn)).collect();
        if rows.is_empty() {
            return String::new();
        }
        let names = shown.iter().flat_map(|one| {
            [short_name(&name(mirror, *one), NAME_CHARACTERS), "".into(), "".into(), "".into()]
        });
        let titles = shown.iter().flat_map(|_| ["land", "units", "gold", "balance"].map(str::to_owned));
        let row = |(row, balance): &(&Row, Vec<i64>)| {
            let of = |one: &FactionId| match (row.has.get(one.index()), balance.get(one.index())) {
                (Some(has), Some(balance)) => [
                    has.land.to_string(),
                    has.population.to_string(),
                    thousands(has.gold),
                    format!("{balance:+}"),
                ],
                _ => Default::default(),
            };
            std::iter::once(row.turn.to_string()).chain(shown.iter().flat_map(of)).collect()
        };
        let mut lines: Vec<Vec<String>> = vec![
            std::iter::once(String::new()).chain(names).collect(),
            std::iter::once("turn".to_owned()).chain(titles).collect(),
        ];
        lines.extend(rows.iter().map(row));
        let mut text = "\n".to_owned();
        align(&lines, usize::MAX, &mut text);
        text += "balance: gold that came in, less upkeep and what was bought, in a turn on average since the row above\n";
        text
    }
}

/// A table of all factions in the order of their ranks.
pub(super) fn faction_table(mirror: &Mirror, counts: &Counts) -> String {
    let head =
        ["rank", "faction", "score", "land", "units", "kills", "gold", "unpaid", "late"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for (rank, one) in ranks(mirror, &counts.beaten) {
        let Holdings { score, land, population, kills, gold, .. } = mirror.factions[one.index()].holdings;
        let (unpaid, late) = counts.unpaid_and_late(mirror, one);
        let numbers = [score.to_string(), land.to_string(), population.to_string(), kills.to_string()];
        let mut row = vec![rank.to_string(), name(mirror, one)];
        row.extend(numbers.into_iter().chain([thousands(gold), unpaid.to_string(), late.to_string()]));
        rows.push(row);
    }
    let mut text = "\n".to_owned();
    align(&rows, 1, &mut text);
    text
}

/// An object for each faction in the order of their ranks.
pub(super) fn ranked_json(mirror: &Mirror, counts: &Counts) -> Vec<Value> {
    let one = |(rank, one): (usize, FactionId)| {
        let known = &mirror.factions[one.index()];
        let (has, (unpaid, late)) = (known.holdings, counts.unpaid_and_late(mirror, one));
        json!({
            "team": known.name.as_str(), "rank": rank, "alive": known.alive, "score": has.score, "land": has.land,
            "units": has.population, "kills": has.kills, "gold": has.gold, "unpaid": unpaid, "late": late,
        })
    };
    ranks(mirror, &counts.beaten).into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zappy_protocol::conquest::observer::Message;

    fn mirror(lines: &[&str]) -> Mirror {
        let mut mirror = Mirror::new();
        for line in ["msz 10 10", "tna red", "tna blue", "tna green"].iter().chain(lines) {
            mirror.apply(&Message::parse(line.as_bytes()).unwrap()).unwrap();
        }
        mirror
    }

    fn fac(name: &str, land: u32, score: i64, gold: u32) -> String {
        format!(
            "fac {name} gold {gold} food 0 wood 0 bombs 0 land {land} pop 1 cap 5 kills 0 score {score} upkeep 0 base - - slot - 0"
        )
    }

    #[test]
    fn ranks_are_those_of_the_rules() {
        let [red, blue, green] = [fac("red 0", 5, 9, 0), fac("blue 1", 5, 9, 0), fac("green 2", 4, 99, 0)];
        let (mut mirror, mut beaten) = (mirror(&[&red, &blue, &green, "fde green"]), BTreeMap::new());
        let numbers = |mirror: &Mirror, beaten: &BTreeMap<FactionId, u32>| -> Vec<(usize, u8)> {
            ranks(mirror, beaten).into_iter().map(|(rank, one)| (rank, one.0)).collect()
        };
        assert_eq!(numbers(&mirror, &beaten), [(1, 0), (1, 1), (3, 2)], "a tie; survivors first");
        mirror.winners = vec![FactionId(2), FactionId(1)];
        assert_eq!(numbers(&mirror, &beaten), [(1, 1), (1, 2), (3, 0)], "all members of a side that has won");
        mirror.winners.clear();
        mirror.factions.iter_mut().for_each(|known| (known.alive, known.holdings.score) = (false, 0));
        mirror.factions.iter_mut().for_each(|known| known.holdings.land = 0);
        beaten.extend([(FactionId(0), 7), (FactionId(1), 9), (FactionId(2), 7)]);
        assert_eq!(numbers(&mirror, &beaten), [(1, 1), (2, 0), (2, 2)], "the later defeat");
    }

    #[test]
    fn twenty_rows_tell_a_match_of_any_length() {
        let mut mirror = mirror(&[&fac("red 0", 1, 0, 500)]);
        let mut rows = Rows::default();
        rows.begin(0, &mirror);
        for turn in 1..=1_003_u32 {
            mirror.turn = turn;
            mirror.factions[0].holdings.gold = 500 + u64::from(turn) * 3;
            rows.end_turn(turn.into(), &mirror);
        }
        rows.finish(1_003, &mirror);
        let text = rows.table(&mirror, &[(1, FactionId(0))], |_| true);
        let lines: Vec<&str> = text.trim().lines().collect();
        assert_eq!(lines[1], "turn  land  units   gold  balance");
        assert_eq!(
            (lines[2], lines[3]),
            ("  80     1      1    740       +3", " 160     1      1    980       +3")
        );
        assert_eq!(lines[lines.len() - 2], "1003     1      1  3,509       +3");
        assert_eq!(lines.len(), 2 + 13 + 1, "{text}");
        assert_eq!(rows.table(&mirror, &[(1, FactionId(0))], |turn| turn > 2_000), "");
    }

    #[test]
    fn of_many_factions_the_first_four_have_columns() {
        let mut mirror = mirror(&[]);
        let more = ["grey", "gold", "a_name_that_is_far_too_long_for_its_columns"];
        for name in more {
            mirror.apply(&Message::parse(format!("tna {name}").as_bytes()).unwrap()).unwrap();
        }
        let mut rows = Rows::default();
        mirror.turn = 5;
        rows.end_turn(5, &mirror);
        let text = rows.table(&mirror, &ranks(&mirror, &BTreeMap::new()), |_| true);
        assert!(text.contains("green") && text.contains("grey") && !text.contains("far_too"), "{text}");
    }
}
