//! How many matches between our bots a machine plays, and how long each takes, for each game.
//!
//! Every way to play a match is measured over the same seeds and printed as one line with its distribution: in one
//! process, by programs over sockets in lockstep, and, with `--real`, by the clock on the wall. The ratio to the first way
//! stands in front. Matches of conquest are played between allies, too: these last to the last turn.
//! `cargo bench -p zappy-arena --bench matches -- --help` shows the flags; run as a test it plays a few tiny ones, and
//! `.ci/instructions` counts what those in one process execute.

#[path = "../../../server/benches/support/mod.rs"]
mod support;

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::Value;
use zappy_play::local::bot::LocalBot;
use zappy_play::local::many::{News, cores, play_many};
use zappy_play::local::plan::Plan;
use zappy_play::local::{conquest, zappy};
use zappy_play::world::{Games, World};
use zappy_protocol::record::RecordLevel;
use zappy_protocol::{TeamName, Tick};
use zappy_server::games::GAMES;

const ARENA: &str = env!("CARGO_BIN_EXE_zappy_arena");
const HELP: &str = "flags: --game zappy|conquest (before the others), --matches N --first SEED --teams N --clients N --size N \
                    --max-ticks N --sockets N --real N";
const ARENAS: Games = Games { specs: GAMES, guests: &[&zappy::GUEST, &conquest::GUEST] };

#[derive(Debug, Clone, Copy)]
struct Sizes {
    game: &'static str,
    matches: u64,
    first: u64,
    teams: u64,
    /// Players of a team, in Zappy.
    clients: u32,
    size: u16,
    max_ticks: Tick,
    /// Matches between programs in lockstep.
    sockets: u64,
    /// Matches by the real clock.
    real: u64,
}

const ZAPPY: Sizes = Sizes {
    game: "zappy",
    matches: 60,
    first: 1,
    teams: 2,
    clients: 6,
    size: 20,
    max_ticks: 50_000,
    sockets: 4,
    real: 0,
};
/// Four hundred turns.
const CONQUEST: Sizes =
    Sizes { game: "conquest", clients: 1, size: 24, max_ticks: 1_000_000, real: 0, ..ZAPPY };

/// Whether the first argument is one of these flags. Instructions are counted with them and without `--bench`.
fn has_own_flags() -> bool {
    std::env::args().nth(1).is_some_and(|first| first.starts_with("--") && HELP.contains(&first))
}

impl Sizes {
    /// What is measured: each game, or the one that is named.
    fn parse() -> Result<Vec<Sizes>, String> {
        let tiny = [
            Sizes { matches: 3, clients: 2, size: 6, max_ticks: 200, sockets: 3, ..ZAPPY },
            Sizes { matches: 2, size: 12, max_ticks: 20_000, sockets: 2, ..CONQUEST },
        ];
        let mut arguments: Vec<String> = std::env::args().skip(1).collect();
        // `cargo bench` says so; `cargo test` doesn't, and has arguments of its own.
        let full = arguments.iter().any(|argument| argument == "--bench");
        if !full && !has_own_flags() {
            arguments.clear();
        }
        let mut all = if full { vec![ZAPPY, CONQUEST] } else { tiny.to_vec() };
        let mut words = arguments.iter().filter(|argument| *argument != "--bench");
        while let Some(flag) = words.next() {
            let word = words.next().ok_or(HELP)?;
            if flag == "--game" {
                all.retain(|sizes| sizes.game == word);
                continue;
            }
            let value: u64 = word.parse().map_err(|_| HELP)?;
            all.iter_mut().try_for_each(|sizes| sizes.set(flag, value))?;
        }
        if all.is_empty() { Err(HELP.to_owned()) } else { Ok(all) }
    }

    fn set(&mut self, flag: &str, value: u64) -> Result<(), String> {
        let narrow = |_| format!("{flag} {value} is too much");
        match flag {
            "--matches" => self.matches = value.max(1),
            "--first" => self.first = value,
            "--teams" => self.teams = value,
            "--clients" => self.clients = value.try_into().map_err(narrow)?,
            "--size" => self.size = value.try_into().map_err(narrow)?,
            "--max-ticks" => self.max_ticks = value,
            "--sockets" => self.sockets = value,
            "--real" => self.real = value,
            _ => return Err(HELP.to_owned()),
        }
        Ok(())
    }

    fn team(i: u64) -> String {
        format!("t{i}")
    }

    /// The options of the game; with allies no team can win.
    fn options(self, allied: bool) -> Vec<(&'static str, String)> {
        match self.game {
            "zappy" => vec![("clients", self.clients.to_string())],
            _ if allied => vec![("alliance", (0..self.teams).map(Sizes::team).collect::<Vec<_>>().join(","))],
            _ => Vec::new(),
        }
    }

    fn plan(self, allied: bool) -> Result<Plan, String> {
        let options = self.options(allied);
        let pairs = options.iter().map(|(key, value)| (*key, value.as_str()));
        let world: World = ARENAS
            .world(Some(self.game), pairs, (self.size, self.size))
            .map_err(|error| error.to_string())?;
        let guest = world.guest.ok_or("the arena has no bot for it")?;
        let team = |i| TeamName::parse(Sizes::team(i).as_bytes()).expect("plain words are names");
        Ok(Plan {
            bots: (0..self.teams).map(|i| LocalBot::plain(team(i), guest)).collect(),
            seeds: self.first..self.first + self.matches,
            procs: self.clients as usize,
            freq: world.rate(None).map_err(|error| error.to_string())?,
            world,
            max_ticks: self.max_ticks,
            level: RecordLevel::Inputs,
            jobs: 1,
        })
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
#[inline(never)]
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
    arena.arg("--out").arg(folder.path()).args(["--seed", &seed.to_string(), "--game", sizes.game]);
    for (key, value) in sizes.options(false) {
        arena.arg(format!("--{key}")).arg(value);
    }
    for (flag, value) in [
        ("--width", u64::from(sizes.size)),
        ("--height", sizes.size.into()),
        ("--max-ticks", sizes.max_ticks),
    ] {
        arena.args([flag, &value.to_string()]);
    }
    for team in 0..sizes.teams {
        arena.arg("--bot").arg(format!("{}='{}'", Sizes::team(team), bot.display()));
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
    if !has_own_flags() && support::leaves_out("matches") {
        return Ok(());
    }
    let all = Sizes::parse()?;
    if all.iter().any(|sizes| sizes.sockets + sizes.real > 0) {
        build_programs()?;
    }
    all.into_iter().try_for_each(compare)
}

/// Measures every way to play a game.
fn compare(sizes: Sizes) -> Result<(), String> {
    let plan = sizes.plan(false)?;
    plan.validate().map_err(|error| error.to_string())?;
    println!("{sizes:?}\neach line begins with its time per match as a multiple of the first one's");
    let allied = sizes.plan(true)?;
    let inputs = |seed| in_process(&plan, RecordLevel::Inputs, seed);
    let full = |seed| in_process(&plan, RecordLevel::Full, seed);
    let long = |seed| in_process(&allied, RecordLevel::Inputs, seed);
    let lockstep = |seed| over_sockets(sizes, &["--clock", "lockstep"], seed);
    let real = |seed| over_sockets(sizes, &["--clock", "real"], seed);
    let way = |name, threads, play| Way { name, threads, matches: sizes.matches, play };
    let among_allies = if sizes.game == CONQUEST.game { sizes.matches } else { 0 };
    let ways = [
        way("in process, inputs", 1, &inputs as &(dyn Fn(u64) -> Result<Tick, String> + Sync)),
        way("in process, full records", 1, &full),
        Way { matches: among_allies, ..way("in process, allies", 1, &long) },
        way("in process, inputs", cores(), &inputs),
        Way { matches: sizes.sockets, ..way("processes in lockstep", 1, &lockstep) },
        Way { matches: sizes.sockets, ..way("processes in lockstep", cores(), &lockstep) },
        Way { matches: sizes.real, ..way("processes by the clock", 1, &real) },
    ];
    let mut first = None;
    for way in ways.iter().filter(|way| way.matches > 0) {
        let each = measure(sizes, way, first)?;
        first.get_or_insert(each);
    }
    Ok(())
}
