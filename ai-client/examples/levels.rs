//! Plays the levels against each other, each seed in every seat, and prints the table as Markdown.
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
use zappy_ai::cli::name_of;
use zappy_ai::zappy::level::Style;

/// The pairs of levels that are played if the command line names none.
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
    /// Only these, separated by commas: two, or more in one match
    #[arg(long, value_delimiter = ',', value_enum)]
    pair: Vec<Style>,
    /// Prints of every match when each team rose, pushed others, and lost players
    #[arg(long)]
    each: bool,
}

/// The results of the matches between two levels or more.
#[derive(Debug, Default)]
struct Tally {
    matches: u64,
    /// How often the first level, and how often another one, was ranked first; ranks drawn by lot aren't counted.
    ranked_first: [u64; 2],
    /// The ticks at which the first level won with six players at the highest level.
    ticks: Vec<u64>,
}

impl Options {
    /// Plays one match, with the levels moved on by `seat` seats, and adds it to the tally.
    fn play(&self, levels: &[Style], seed: u64, seat: usize, tally: &Mutex<Tally>) {
        let mut styles = levels.to_vec();
        styles.rotate_left(seat);
        let (max_ticks, watched, teams) = (self.max_ticks, self.each, levels.len() as u32);
        let outcome =
            Table { max_ticks, styles: styles.clone(), watched, teams, ..self.field.table(seed) }.play();
        if self.each {
            println!("{}", story(&styles, seed, &outcome));
        }
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.matches += 1;
        let Some(verdict) = outcome.verdict.filter(|verdict| !verdict.by_lot) else { return };
        let best = styles.iter().zip(0..).find(|(_, i)| verdict.standings[0].team == format!("team{i}"));
        let others = usize::from(best.is_none_or(|(style, _)| *style != levels[0]));
        tally.ranked_first[others] += 1;
        if others == 0 && verdict.reason == ELEVATION {
            tally.ticks.push(outcome.ticks);
        }
    }

    /// Plays all matches of these levels, on all cores.
    fn play_all(&self, levels: &[Style]) -> Tally {
        let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let seats = levels.len() as u64;
                if i >= self.field.seeds * seats {
                    return;
                }
                self.play(levels, self.field.first + i / seats, (i % seats) as usize, &tally);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A match in words: which team came first; when each team first reached each level, and how many of its players did;
/// when it first pushed others, and how often; and when players that had risen first died on each level, and how many.
fn story(styles: &[Style], seed: u64, outcome: &Outcome) -> String {
    let best = outcome.verdict.as_ref().map_or("-", |verdict| &verdict.standings[0].team);
    let mut text = format!("seed {seed}: {best} first at {}", outcome.ticks);
    // The players of the start came before the observer, so no news names their teams: their numbers go round the
    // teams.
    let names: Vec<String> = (0..styles.len()).map(|i| format!("team{i}")).collect();
    let start: Vec<String> = (0..outcome.connections).map(|id| format!("#{id}")).collect();
    let seats = start.iter().zip(names.iter().cycle());
    let mut teams: BTreeMap<&str, &str> = seats.map(|(id, team)| (id.as_str(), team.as_str())).collect();
    let mut rises: BTreeMap<(&str, &str), (u64, u32)> = BTreeMap::new();
    let mut pushes: BTreeMap<&str, (u64, u32)> = BTreeMap::new();
    let mut levels: BTreeMap<&str, &str> = BTreeMap::new();
    let mut deaths: BTreeMap<(&str, &str), (u64, u32)> = BTreeMap::new();
    for (at, line) in &outcome.news {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["pnw", id, .., team] => _ = teams.insert(id, team),
            ["plv", id, level] if level != "1" => {
                let team = teams.get(id).copied().unwrap_or("?");
                rises.entry((team, level)).or_insert((*at, 0)).1 += 1;
                levels.insert(id, level);
            }
            ["pdi", id] => {
                let team = teams.get(id).copied().unwrap_or("?");
                if let Some(level) = levels.get(id) {
                    deaths.entry((team, level)).or_insert((*at, 0)).1 += 1;
                }
            }
            ["pex", id] => {
                let team = teams.get(id).copied().unwrap_or("?");
                pushes.entry(team).or_insert((*at, 0)).1 += 1;
            }
            _ => {}
        }
    }
    for (style, team) in styles.iter().zip(&names) {
        text += &format!("\n  {team} {}:", name_of(style));
        for ((_, level), (at, players)) in rises.iter().filter(|((name, _), _)| name == team) {
            text += &format!(" {level}@{at}x{players}");
        }
        if let Some((at, count)) = pushes.get(team.as_str()) {
            text += &format!(" pushed {count} times from {at}");
        }
        for ((_, level), (at, players)) in deaths.iter().filter(|((name, _), _)| name == team) {
            text += &format!(" died {level}@{at}x{players}");
        }
    }
    text
}

fn main() {
    let options = Options::parse();
    let matches: Vec<&[Style]> = if options.pair.len() > 1 {
        vec![&options.pair]
    } else {
        PAIRS.iter().map(|pair| &pair[..]).collect()
    };
    let Options { field: Field { seeds, first, width, height, slots, .. }, max_ticks, .. } = &options;
    println!(
        "{width}x{height}, {slots} players each, {max_ticks} ticks, seeds {first} to {}, each in every seat.\n",
        first + (*seeds).max(1) - 1
    );
    println!(
        "| team | against | matches | ranked first | against ranked first | won with six at the top | median tick of winning |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|");
    for levels in matches {
        let mut tally = options.play_all(levels);
        tally.ticks.sort_unstable();
        let median = tally.ticks.get(tally.ticks.len() / 2).map_or("–".to_owned(), u64::to_string);
        let names: Vec<String> = levels.iter().map(name_of).collect();
        let ([first, others], won) = (tally.ranked_first, tally.ticks.len());
        println!(
            "| {} | {} | {} | {first} | {others} | {won} | {median} |",
            names[0],
            names[1..].join(", "),
            tally.matches
        );
    }
}
