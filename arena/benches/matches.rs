//! How many matches between our bots a machine plays, and how long each takes.
//!
//! Every way to play a match is measured over the same seeds and printed as one line with its distribution.
//! `cargo bench -p zappy-arena --bench matches -- --help` shows the flags; run as a test it plays a few tiny ones.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use zappy_arena::hall::OurBot;
use zappy_arena::many::{News, cores, play_many};
use zappy_arena::plan::Plan;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{TeamName, Tick, constants};

const HELP: &str = "flags: --matches N --first SEED --teams N --clients N --size N --max-ticks N";

#[derive(Debug, Clone, Copy)]
struct Sizes {
    matches: u64,
    first: u64,
    teams: u64,
    clients: u32,
    size: u16,
    max_ticks: Tick,
}

impl Sizes {
    fn parse() -> Result<Sizes, String> {
        let full = Sizes { matches: 200, first: 1, teams: 2, clients: 6, size: 20, max_ticks: 50_000 };
        let tiny = Sizes { matches: 3, clients: 2, size: 6, max_ticks: 200, ..full };
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        // `cargo bench` says so; `cargo test` doesn't.
        let mut sizes = if arguments.iter().any(|argument| argument == "--bench") { full } else { tiny };
        let mut words = arguments.iter().filter(|argument| *argument != "--bench");
        while let Some(flag) = words.next() {
            let value: u64 = words.next().and_then(|word| word.parse().ok()).ok_or(HELP)?;
            let narrow = |_| format!("{flag} {value} is too much");
            match flag.as_str() {
                "--matches" => sizes.matches = value.max(1),
                "--first" => sizes.first = value,
                "--teams" => sizes.teams = value,
                "--clients" => sizes.clients = value.try_into().map_err(narrow)?,
                "--size" => sizes.size = value.try_into().map_err(narrow)?,
                "--max-ticks" => sizes.max_ticks = value,
                _ => return Err(HELP.to_owned()),
            }
        }
        Ok(sizes)
    }

    fn plan(self) -> Plan {
        let team = |i| TeamName::parse(format!("t{i}").as_bytes()).expect("plain words are names");
        Plan {
            bots: (0..self.teams).map(|i| OurBot::plain(team(i))).collect(),
            seeds: self.first..self.first + self.matches,
            width: self.size,
            height: self.size,
            clients: self.clients,
            procs: self.clients as usize,
            freq: constants::DEFAULT_FREQUENCY,
            max_ticks: self.max_ticks,
            level: RecordLevel::Inputs,
            jobs: 1,
        }
    }
}

/// A way to play the match of a seed.
struct Way<'a> {
    name: &'static str,
    threads: usize,
    play: &'a (dyn Fn(u64) -> Result<Tick, String> + Sync),
}

/// Plays a match in this process and throws its record away.
fn in_process(plan: &Plan, level: RecordLevel, seed: u64) -> Result<Tick, String> {
    let mut hall = plan.hall(seed).map_err(|error| error.to_string())?;
    hall.level = level;
    let played = hall.play(io::sink(), &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    Ok(played.ticks)
}

fn measure(sizes: Sizes, way: &Way<'_>) -> Result<(), String> {
    let (mut times, mut ticks) = (Vec::new(), 0);
    let start = Instant::now();
    let timed = |seed| {
        let start = Instant::now();
        (way.play)(seed).map(|ticks| (ticks, start.elapsed()))
    };
    play_many(
        sizes.first..sizes.first + sizes.matches,
        way.threads,
        &AtomicBool::new(false),
        timed,
        |news| -> Result<(), String> {
            if let News::Over(_, over) = news {
                let (played, time) = over?;
                ticks += played;
                times.push(time);
            }
            Ok(())
        },
    )?;
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1e3;
    println!(
        "{:<26} {:>3} at once {:>7.0} matches/min {:>9.0} ticks/s   ms per match: quartiles {:.1} {:.1} {:.1}, 99 of 100 {:.1}, \
         most {:.1}",
        way.name,
        way.threads,
        sizes.matches as f64 / seconds * 60.0,
        ticks as f64 / seconds,
        at(0.25),
        at(0.5),
        at(0.75),
        at(0.99),
        times.last().map_or(0.0, Duration::as_secs_f64) * 1e3,
    );
    Ok(())
}

fn main() -> Result<(), String> {
    let sizes = Sizes::parse()?;
    let plan = sizes.plan();
    plan.validate().map_err(|error| error.to_string())?;
    println!("{sizes:?}");
    let inputs = |seed| in_process(&plan, RecordLevel::Inputs, seed);
    let full = |seed| in_process(&plan, RecordLevel::Full, seed);
    let ways = [
        Way { name: "in process, inputs", threads: 1, play: &inputs },
        Way { name: "in process, full records", threads: 1, play: &full },
        Way { name: "in process, inputs", threads: cores(), play: &inputs },
    ];
    ways.iter().try_for_each(|way| measure(sizes, way))
}
