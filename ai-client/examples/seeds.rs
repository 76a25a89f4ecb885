//! Plays many seeds of self-play in one process and prints how many end with a winner, and after how long.
//!
//! `cargo run --release -p zappy-ai --example seeds -- --seeds 50 --width 20 --height 20 --slots 6 --teams 2`

#[path = "../tests/sim/mod.rs"]
mod sim;

use clap::Parser;
use sim::Table;
use zappy_server::config::RuleSet;

/// Plays many seeds and prints what came out.
#[derive(Debug, Parser)]
struct Options {
    /// How many seeds.
    #[arg(long, default_value_t = 50)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    first: u64,
    #[arg(long, default_value_t = 20)]
    width: u16,
    #[arg(long, default_value_t = 20)]
    height: u16,
    #[arg(long, default_value_t = 2)]
    teams: u32,
    #[arg(long, default_value_t = 6)]
    slots: u32,
    /// The latest an agent's line arrives, in ticks.
    #[arg(long, default_value_t = 0)]
    delay: u64,
    #[arg(long, default_value_t = 30_000)]
    max_ticks: u64,
    /// The last team says again whatever it hears, and does nothing else.
    #[arg(long)]
    parrots: bool,
    /// So many of the last team follow every voice and push whom they meet; the others stay away.
    #[arg(long, default_value_t = 0)]
    bullies: u32,
    /// Plays by the strict rules.
    #[arg(long)]
    strict: bool,
    /// Prints when each rite began, and how long the gaps between were.
    #[arg(long)]
    rites: bool,
    /// Prints what a watcher reads of these kinds, such as `pfk`, with its tick.
    #[arg(long)]
    news: Vec<String>,
    /// Prints every match.
    #[arg(long)]
    each: bool,
}

fn main() {
    let options = Options::parse();
    let (mut ticks, mut missed) = (Vec::new(), Vec::new());
    for seed in options.first..options.first + options.seeds {
        let table = Table {
            width: options.width,
            height: options.height,
            teams: options.teams,
            slots: options.slots,
            seed,
            delay: options.delay,
            max_ticks: options.max_ticks,
            parrots: options.parrots,
            bullies: options.bullies,
            watched: options.rites || !options.news.is_empty(),
            rules: if options.strict { RuleSet::Strict } else { RuleSet::Reference },
        };
        let outcome = table.play();
        let winner = outcome.verdict.as_ref().and_then(|verdict| verdict.winner.clone());
        if options.each {
            println!("seed {seed}: {} ticks, {} connections, {winner:?}", outcome.ticks, outcome.connections);
        }
        tell(&options, &outcome);
        match winner {
            Some(_) if outcome.ticks < options.max_ticks => ticks.push(outcome.ticks),
            _ => missed.push(seed),
        }
    }
    ticks.sort_unstable();
    let at = |part: usize| ticks.get((ticks.len().saturating_sub(1)) * part / 4).copied().unwrap_or(0);
    println!(
        "{}x{}, {} teams, {} slots, delay {}: {} of {} won; ticks: best {} quartiles {} {} {} worst {}",
        options.width,
        options.height,
        options.teams,
        options.slots,
        options.delay,
        ticks.len(),
        options.seeds,
        at(0),
        at(1),
        at(2),
        at(3),
        at(4)
    );
    if !missed.is_empty() {
        println!("without a winner: seeds {missed:?}");
    }
}

/// When the rites began, how many rose, and the gap since the last one ended.
fn rites(outcome: &sim::Outcome) -> String {
    let mut text = String::new();
    let mut ended = 0;
    for (at, line) in &outcome.news {
        if line.starts_with("pic ") {
            let mut words = line.split(' ').skip(3);
            let level = words.next().unwrap_or("?");
            text += &format!("  {level}: {at} +{} ({})", at.saturating_sub(ended), words.count());
        } else if line.starts_with("pie ") {
            ended = *at;
            if line.ends_with('0') {
                text += " failed";
            }
        }
    }
    text
}

/// Prints what was asked for of a match that was watched.
fn tell(options: &Options, outcome: &sim::Outcome) {
    for (at, line) in &outcome.news {
        if options.news.iter().any(|kind| line.starts_with(kind.as_str())) {
            println!("{at} {line}");
        }
    }
    if options.rites {
        println!("{}", rites(outcome));
    }
}
