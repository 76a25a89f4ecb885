//! Plays the levels against each other, each seed in both seats, and prints the table as Markdown.
//!
//! `cargo run --release -p zappy-ai --example levels`; `--seeds 5` for a quick look, `--pair hard,medium` for one row.

mod field;
#[path = "../tests/sim/mod.rs"]
mod sim;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Parser;
use field::Field;
use sim::{Outcome, Table};
use zappy_ai::zappy::level::Style;

/// The pairs of levels that are of interest.
const PAIRS: [[Style; 2]; 10] = [
    [Style::Medium, Style::Easy],
    [Style::Hard, Style::Medium],
    [Style::Expert, Style::Hard],
    [Style::Hard, Style::Easy],
    [Style::Expert, Style::Medium],
    [Style::Expert, Style::Easy],
    [Style::Expert, Style::Aggressor],
    [Style::Hard, Style::Aggressor],
    [Style::Medium, Style::Aggressor],
    [Style::Easy, Style::Aggressor],
];

/// The reason of a match's end when six players of a team have reached the highest level.
const ELEVATION: &str = "elevation";

/// Plays the levels against each other, each seed twice, and prints a table.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    field: Field,
    #[arg(long, default_value_t = 10_000)]
    max_ticks: u64,
    /// Only these two, separated by a comma.
    #[arg(long, value_delimiter = ',', value_enum)]
    pair: Vec<Style>,
    /// Prints of every match when each team rose, and when it pushed others.
    #[arg(long)]
    each: bool,
}

/// The results of a pair's matches.
#[derive(Debug, Default)]
struct Count {
    matches: u64,
    /// How often the first and the second were ranked first, lots not counted.
    first: [u64; 2],
    /// How often each of them had six players at the highest level.
    won: [u64; 2],
    /// The ticks at which the first of them won.
    ticks: Vec<u64>,
}

impl Options {
    /// Plays one match and adds it to the count; `seat` is that of the pair's first.
    fn play(&self, pair: [Style; 2], seed: u64, seat: usize, count: &Mutex<Count>) {
        let mut styles = pair.to_vec();
        styles.rotate_left(seat);
        let (max_ticks, watched) = (self.max_ticks, self.each);
        let outcome = Table { max_ticks, styles, watched, ..self.field.table(seed) }.play();
        if self.each {
            println!("{}", story(pair, seed, seat, &outcome));
        }
        let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
        count.matches += 1;
        let Some(verdict) = outcome.verdict.filter(|verdict| !verdict.by_lot) else { return };
        let best = usize::from(verdict.standings[0].team != ["team0", "team1"][seat]);
        count.first[best] += 1;
        if verdict.reason == ELEVATION {
            count.won[best] += 1;
            if best == 0 {
                count.ticks.push(outcome.ticks);
            }
        }
    }

    /// All matches of a pair, over all cores.
    fn count(&self, pair: [Style; 2]) -> Count {
        let (next, count) = (AtomicU64::new(0), Mutex::new(Count::default()));
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.field.seeds * 2 {
                    return;
                }
                self.play(pair, self.field.first + i / 2, usize::from(i % 2 == 1), &count);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        count.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who came first, when each team first stood on each level with how many players, and when it pushed others for
/// the first time and how often.
fn story(pair: [Style; 2], seed: u64, seat: usize, outcome: &Outcome) -> String {
    let verdict = outcome.verdict.as_ref();
    let best = verdict.map_or("-", |verdict| &verdict.standings[0].team);
    let first = usize::from(best != ["team0", "team1"][seat]);
    let reason = verdict.map_or("-", |verdict| verdict.reason);
    let mut text =
        format!("seed {seed} seat {seat}: {} first by {reason} at {}", pair[first].name(), outcome.ticks);
    // The observer came last, so the players of the start are in its dump, which isn't kept.
    let start: Vec<String> = (0..outcome.connections).map(|id| format!("#{id}")).collect();
    let seats = start.iter().zip(["team0", "team1"].into_iter().cycle());
    let mut teams: BTreeMap<&str, &str> = seats.map(|(id, team)| (id.as_str(), team)).collect();
    let mut rises: BTreeMap<(&str, &str), (u64, u32)> = BTreeMap::new();
    let mut pushes: BTreeMap<&str, (u64, u32)> = BTreeMap::new();
    for (at, line) in &outcome.news {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["pnw", id, .., team] => _ = teams.insert(id, team),
            ["plv", id, level] if level != "1" => {
                let team = teams.get(id).copied().unwrap_or("?");
                rises.entry((team, level)).or_insert((*at, 0)).1 += 1;
            }
            ["pex", id] => {
                let team = teams.get(id).copied().unwrap_or("?");
                pushes.entry(team).or_insert((*at, 0)).1 += 1;
            }
            _ => {}
        }
    }
    for (style, place) in pair.iter().zip([seat, 1 - seat]) {
        let team = ["team0", "team1"][place];
        text += &format!("\n  {}:", style.name());
        for ((_, level), (at, players)) in rises.iter().filter(|((name, _), _)| *name == team) {
            text += &format!(" {level}@{at}x{players}");
        }
        if let Some((at, count)) = pushes.get(team) {
            text += &format!(" pushed {count} times from {at}");
        }
    }
    text
}

fn main() {
    let options = Options::parse();
    let pairs = match options.pair[..] {
        [one, other] => vec![[one, other]],
        _ => PAIRS.to_vec(),
    };
    let Options { field: Field { seeds, first, width, height, slots, .. }, max_ticks, .. } = options;
    println!(
        "{width}x{height}, {slots} players each, {max_ticks} ticks, seeds {first} to {}, each in both seats.\n",
        first + seeds.max(1) - 1
    );
    println!(
        "| team | against | matches | ranked first | against ranked first | won with six at the top | median tick of winning |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|");
    for pair in pairs {
        let mut count = options.count(pair);
        count.ticks.sort_unstable();
        let median = count.ticks.get(count.ticks.len() / 2).map_or("–".to_owned(), u64::to_string);
        let ([one, other], [first, second]) = (pair.map(Style::name), count.first);
        println!(
            "| {one} | {other} | {} | {first} | {second} | {} | {median} |",
            count.matches, count.won[0]
        );
    }
}
