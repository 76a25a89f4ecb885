//! Plays the levels of conquest against each other, each seed with the first level in the first and in the last seat,
//! and prints a row of a Markdown table for each setting.
//!
//! `cargo run --release -p zappy-ai --example conquest_levels`; `--seeds 5` for a quick look, `--pair hard,medium` for
//! one row, `--pair expert,expert --factions 8 --side 48` for eight experts.

#[path = "../tests/duel/mod.rs"]
mod duel;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::{Parser, ValueEnum as _};
use duel::{Duel, Outcome};
use zappy_ai::cli::name_of;
use zappy_ai::conquest::level::Level;

/// How many turns before the end of a match it is seen whether the winner led already.
const LOOK_BACK: usize = 10;
/// Matches that end before this turn are counted: nearly all should.
const LONG_TURNS: u32 = 300;

/// Plays the levels of conquest against each other, and prints a table.
#[derive(Debug, Parser)]
struct Options {
    /// How many seeds.
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// The sides of the maps, in tiles.
    #[arg(long, default_value = "24", value_delimiter = ',')]
    side: Vec<u16>,
    /// Only these two, separated by a comma.
    #[arg(long, value_delimiter = ',', value_enum)]
    pair: Vec<Level>,
    /// How many factions; all but one of them play the second level of a pair.
    #[arg(long, default_value_t = 2)]
    factions: usize,
    /// The rule sets.
    #[arg(long, default_value = "arena", value_delimiter = ',')]
    rules: Vec<String>,
    /// The modes.
    #[arg(long, default_value = "concurrent", value_delimiter = ',')]
    mode: Vec<String>,
    /// Without and with cities.
    #[arg(long, default_value = "off,on", value_delimiter = ',')]
    cities: Vec<String>,
    /// Matches at the same time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Says each match.
    #[arg(long)]
    each: bool,
}

/// What is played in one row.
#[derive(Debug)]
struct Row<'a> {
    pair: [Level; 2],
    side: u16,
    rules: &'a str,
    mode: &'a str,
    cities: &'a str,
}

impl Options {
    /// The matches of a row: the seat of its first level, the seed and the outcome of each.
    fn play(&self, row: &Row<'_>) -> Vec<(usize, u64, Outcome)> {
        let (next, outcomes) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.seeds * 2 {
                    return;
                }
                let (seed, seat) = (self.first + i / 2, if i % 2 == 0 { 0 } else { self.factions - 1 });
                let mut levels = vec![row.pair[1]; self.factions];
                levels[seat] = row.pair[0];
                let order = if row.mode == "concurrent" { "default" } else { "drawn" };
                let options =
                    [("rules", row.rules), ("mode", row.mode), ("cities", row.cities), ("order", order)];
                let outcome = Duel { side: row.side, seed, levels, options: options.to_vec() }.play();
                if self.each {
                    let Outcome { verdict, turns, land, .. } = &outcome;
                    eprintln!("seed {seed} seat {seat} turns {turns} land {land:?} {verdict:?}");
                }
                outcomes.lock().unwrap().push((seat, seed, outcome));
            }
        };
        thread::scope(|scope| (0..self.threads).for_each(|_| drop(scope.spawn(work))));
        outcomes.into_inner().unwrap()
    }

    /// The pairs of levels to play: the one that was asked for, or each level against the one below it.
    fn pairs(&self) -> Vec<[Level; 2]> {
        match self.pair[..] {
            [one, other] => vec![[one, other]],
            _ => Level::value_variants().windows(2).map(|pair| [pair[1], pair[0]]).collect(),
        }
    }
}

/// How much `part` is of `of`, in percent, rounded.
fn percent(part: usize, of: usize) -> usize {
    (200 * part + of) / (2 * of).max(1)
}

/// The median of numbers.
fn median<T: Ord + Copy>(numbers: impl Iterator<Item = T>) -> T {
    let mut numbers: Vec<T> = numbers.collect();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// The cells of a row: how its matches went.
fn cells(row: &Row<'_>, matches: &[(usize, u64, Outcome)]) -> String {
    let count = |what: &dyn Fn(usize, &Outcome) -> bool| {
        matches.iter().filter(|(seat, _, outcome)| what(*seat, outcome)).count()
    };
    let is_first = |outcome: &Outcome, seat| outcome.verdict.winners().eq([Duel::name(seat).as_str()]);
    let is_lost = |seat: usize, outcome: &Outcome| {
        outcome
            .verdict
            .winners()
            .next()
            .is_some_and(|_| !outcome.verdict.winners().any(|winner| winner == Duel::name(seat).as_str()))
    };
    let reason = |word: &str| count(&|_, outcome| outcome.verdict.reason == word);
    let led_before = count(&|_, Outcome { verdict, scores, .. }| {
        let before = &scores[scores.len().saturating_sub(LOOK_BACK + 1)];
        let leads = |seat: &usize| verdict.winners().any(|name| name == Duel::name(*seat).as_str());
        let best = before.iter().max();
        (0..before.len()).filter(leads).any(|seat| Some(&before[seat]) == best)
    });
    let area = u64::from(row.side) * u64::from(row.side);
    let land = median(matches.iter().map(|(.., outcome)| 100 * outcome.land.iter().sum::<u64>() / area));
    let scores = matches.iter().flat_map(|(seat, _, outcome)| {
        let name = Duel::name(*seat);
        let mirror = row.pair[0] == row.pair[1];
        let own = move |score: &&zappy_game::Standing| mirror || score.team == name.as_str();
        outcome.verdict.standings.iter().filter(own).map(|standing| standing.score)
    });
    let all = matches.len();
    format!(
        "{all} | {} | {} | {} / {} / {} | {} | {} | {land} | {} | {}",
        count(&|seat, outcome| is_first(outcome, seat)),
        count(&is_lost),
        reason("conquest"),
        reason("dominion"),
        reason("turns"),
        median(matches.iter().map(|(.., outcome)| outcome.turns)),
        percent(count(&|_, outcome| outcome.turns < LONG_TURNS), all),
        scores.min().unwrap_or_default(),
        percent(led_before, all),
    )
}

fn main() {
    let options = Options::parse();
    println!(
        "{} factions, seeds {} to {}.\n",
        options.factions,
        options.first,
        options.first + options.seeds - 1
    );
    println!(
        "| level | against | side | rules | mode | cities | matches | won | lost | by conquest / dominion / turns \
         | median last turn | before turn {LONG_TURNS}, % | land owned at the end, % | least score of the level \
         | winner led {LOOK_BACK} turns before, % |"
    );
    println!("|---|---|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for pair in options.pairs() {
        for &side in &options.side {
            for rules in &options.rules {
                for mode in &options.mode {
                    for cities in &options.cities {
                        let row = Row { pair, side, rules, mode, cities };
                        let [one, other] = pair.map(|level| name_of(&level));
                        let cells = cells(&row, &options.play(&row));
                        println!("| {one} | {other} | {side} | {rules} | {mode} | {cities} | {cells} |");
                    }
                }
            }
        }
    }
}
