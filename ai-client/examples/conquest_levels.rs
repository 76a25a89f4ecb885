//! Plays the levels of conquest against each other, each seed in both seats, and prints the table as Markdown.
//!
//! `cargo run --release -p zappy-ai --example conquest_levels`; `--seeds 5` for a quick look, `--pair hard,medium` for
//! one row.

#[path = "../tests/duel/mod.rs"]
mod duel;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::{Parser, ValueEnum as _};
use duel::{Duel, Outcome};
use zappy_ai::conquest::level::Level;

/// The reason of a match's end when only one faction is left.
const CONQUEST: &str = "conquest";

/// Plays the levels of conquest against each other, each seed twice, and prints a table.
#[derive(Debug, Parser)]
struct Options {
    /// How many seeds.
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// The side of the map, in tiles.
    #[arg(long, default_value_t = 24)]
    side: u16,
    /// Only these two, separated by a comma.
    #[arg(long, value_delimiter = ',', value_enum)]
    pair: Vec<Level>,
    /// Says each match.
    #[arg(long)]
    each: bool,
}

impl Options {
    /// The outcomes of a pair, and the seat of its first level.
    fn play(&self, pair: [Level; 2], cities: &'static str) -> Vec<(usize, u64, Outcome)> {
        let (next, outcomes) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.seeds * 2 {
                    return;
                }
                let (seed, seat) = (self.first + i / 2, usize::from(i % 2 == 1));
                let mut levels = pair.to_vec();
                levels.rotate_left(seat);
                let duel = Duel { side: self.side, seed, levels, options: vec![("cities", cities)] };
                outcomes.lock().unwrap().push((seat, seed, duel.play()));
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        outcomes.into_inner().unwrap()
    }
}

fn name(level: Level) -> String {
    level.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn main() {
    let options = Options::parse();
    let pairs = match options.pair[..] {
        [one, other] => vec![[one, other]],
        _ => Level::value_variants().windows(2).map(|pair| [pair[1], pair[0]]).collect(),
    };
    let Options { seeds, first, side, .. } = options;
    println!("{side}x{side}, seeds {first} to {}, each in both seats.\n", first + seeds.max(1) - 1);
    println!(
        "| level | against | cities | matches | won | lost | won by taking the base | median turn of the end |"
    );
    println!("|---|---|---|--:|--:|--:|--:|--:|");
    for pair in pairs {
        for cities in ["off", "on"] {
            let outcomes = options.play(pair, cities);
            let (mut won, mut lost, mut taken) = (0, 0, 0);
            for (seat, seed, outcome) in &outcomes {
                let winners: Vec<&str> = outcome.verdict.winners().collect();
                let is_won = winners == [Duel::name(*seat).as_str()];
                won += u32::from(is_won);
                lost += u32::from(winners == [Duel::name(1 - seat).as_str()]);
                taken += u32::from(is_won && outcome.verdict.reason == CONQUEST);
                if options.each {
                    eprintln!("seed {seed} seat {seat} turns {} {:?}", outcome.turns, outcome.verdict);
                }
            }
            let mut turns: Vec<u64> = outcomes.iter().map(|(.., outcome)| outcome.turns).collect();
            turns.sort_unstable();
            let [one, other] = pair.map(name);
            let median = turns[turns.len() / 2];
            println!(
                "| {one} | {other} | {cities} | {} | {won} | {lost} | {taken} | {median} |",
                outcomes.len()
            );
        }
    }
}
