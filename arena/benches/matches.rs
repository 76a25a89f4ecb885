//! How many matches between our bots a machine plays, and how long each takes.
//!
//! Every way to play a match is measured over the same seeds and printed as one line with its distribution: in one
//! process, by programs over sockets in lockstep, and, a few, by the clock on the wall. The ratio to the first way
//! stands in front.
//! `cargo bench -p zappy-arena --bench matches -- --help` shows the flags; run as a test it plays a few tiny ones.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::Value;
use zappy_arena::local::bot::LocalBot;
use zappy_arena::local::many::{News, cores, play_many};
use zappy_arena::local::plan::Plan;
use zappy_arena::local::zappy;
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::zappy::ZappyOptions;

const ARENA: &str = env!("CARGO_BIN_EXE_zappy_arena");
const HELP: &str = "flags: --matches N --first SEED --teams N --clients N --size N --max-ticks N --real N";

#[derive(Debug, Clone, Copy)]
struct Sizes {
    matches: u64,
    first: u64,
    teams: u64,
    clients: u32,
    size: u16,
    max_ticks: Tick,
    /// Matches by the real clock.
    real: u64,
}

impl Sizes {
    fn parse() -> Result<Sizes, String> {
        let full =
            Sizes { matches: 200, first: 1, teams: 2, clients: 6, size: 20, max_ticks: 50_000, real: 1 };
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
                "--real" => sizes.real = value,
                _ => return Err(HELP.to_owned()),
            }
        }
        Ok(sizes)
    }

    fn plan(self) -> Plan {
        let team = |i| TeamName::parse(format!("t{i}").as_bytes()).expect("plain words are names");
        Plan {
            bots: (0..self.teams).map(|i| LocalBot::plain(team(i), &zappy::GUEST)).collect(),
            seeds: self.first..self.first + self.matches,
            world: zappy::world(
                MapSize::new(self.size, self.size).expect("a side is not 0"),
                ZappyOptions { slots: self.clients, ..ZappyOptions::default() },
            )
            .expect("sizes in their ranges"),
            procs: self.clients as usize,
            freq: zappy_protocol::DEFAULT_FREQUENCY,
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
    matches: u64,
    play: &'a (dyn Fn(u64) -> Result<Tick, String> + Sync),
}

/// Plays a match in this process and throws its record away.
fn in_process(plan: &Plan, level: RecordLevel, seed: u64) -> Result<Tick, String> {
    let plan = Plan { level, ..plan.clone() };
    let played = plan.play(seed, io::sink(), &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    Ok(played.ticks)
}

/// Builds the programs that a match over sockets needs, beside the arena's, unless they are built with this test.
fn build_programs() -> Result<(), String> {
    if std::env::var_os("ZAPPY_PROGRAMS").is_some_and(|value| value == "built") {
        return Ok(());
    }
    let debug = Path::new(ARENA).parent().and_then(Path::file_name).is_some_and(|name| name == "debug");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "-q", "-p", "zappy-server", "-p", "zappy-ai", "--bins"]);
    let built = cargo.args((!debug).then_some("--release")).status().map_err(|error| error.to_string())?;
    if built.success() { Ok(()) } else { Err("the server and the bots can't be built".to_owned()) }
}

/// Plays a match between programs, as graders do.
fn over_sockets(sizes: Sizes, clock: &[&str], seed: u64) -> Result<Tick, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let bot = Path::new(ARENA).with_file_name("zappy_ai");
    let mut arena = Command::new(ARENA);
    arena.args(["match", "--quiet", "--record-level", "inputs"]).args(clock);
    arena.arg("--out").arg(folder.path()).args(["--seed", &seed.to_string()]);
    for (flag, value) in [
        ("--clients", u64::from(sizes.clients)),
        ("--width", sizes.size.into()),
        ("--height", sizes.size.into()),
        ("--max-ticks", sizes.max_ticks),
    ] {
        arena.args([flag, &value.to_string()]);
    }
    for team in 0..sizes.teams {
        arena.arg("--bot").arg(format!("t{team}='{}'", bot.display()));
    }
    let played = arena.output().map_err(|error| error.to_string())?;
    if !played.status.success() {
        return Err(String::from_utf8_lossy(&played.stderr).into_owned());
    }
    let result = fs::read(folder.path().join("result.json")).map_err(|error| error.to_string())?;
    let result: Value = serde_json::from_slice(&result).map_err(|error| error.to_string())?;
    result["ticks"].as_u64().ok_or_else(|| "the result tells no ticks".to_owned())
}

/// Plays them all, prints a line, and gives the seconds per match.
fn measure(sizes: Sizes, way: &Way<'_>, first: Option<f64>) -> Result<f64, String> {
    let (mut times, mut ticks) = (Vec::new(), 0);
    let start = Instant::now();
    let timed = |seed| {
        let start = Instant::now();
        (way.play)(seed).map(|ticks| (ticks, start.elapsed()))
    };
    play_many(
        sizes.first..sizes.first + way.matches,
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
    let each = seconds / way.matches as f64;
    println!(
        "{:>7.2} times {:<26} {:>3} at once {:>7.0} matches/min {:>9.0} ticks/s   ms per match: quartiles {:.1} {:.1} {:.1}, 99 of 100 {:.1}, \
         most {:.1}",
        first.map_or(1.0, |first| each / first),
        way.name,
        way.threads,
        60.0 / each,
        ticks as f64 / seconds,
        at(0.25),
        at(0.5),
        at(0.75),
        at(0.99),
        times.last().map_or(0.0, Duration::as_secs_f64) * 1e3,
    );
    Ok(each)
}

fn main() -> Result<(), String> {
    let sizes = Sizes::parse()?;
    let plan = sizes.plan();
    plan.validate().map_err(|error| error.to_string())?;
    println!("{sizes:?}\neach line begins with its time per match as a multiple of the first one's");
    let inputs = |seed| in_process(&plan, RecordLevel::Inputs, seed);
    let full = |seed| in_process(&plan, RecordLevel::Full, seed);
    let lockstep = |seed| over_sockets(sizes, &["--clock", "lockstep"], seed);
    let real = |seed| over_sockets(sizes, &["--clock", "real", "--freq", "100"], seed);
    build_programs()?;
    let way = |name, threads, play| Way { name, threads, matches: sizes.matches, play };
    let ways = [
        way("in process, inputs", 1, &inputs as &(dyn Fn(u64) -> Result<Tick, String> + Sync)),
        way("in process, full records", 1, &full),
        way("in process, inputs", cores(), &inputs),
        way("processes in lockstep", 1, &lockstep),
        way("processes in lockstep", cores(), &lockstep),
        Way { matches: sizes.real, ..way("processes at 100 ticks/s", 1, &real) },
    ];
    let mut first = None;
    for way in ways.iter().filter(|way| way.matches > 0) {
        let each = measure(sizes, way, first)?;
        first.get_or_insert(each);
    }
    Ok(())
}
