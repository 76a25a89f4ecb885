//! Plays many seeds of self-play in one process and prints how many end with a winner, and after how long.
//!
//! `cargo run --release -p zappy-ai --example seeds -- --seeds 50 --width 20 --height 20 --slots 6 --teams 2`

mod field;
#[path = "../tests/sim/mod.rs"]
mod sim;

use clap::Parser;
use field::Field;
use sim::Table;

/// Plays many seeds and prints what came out.
#[derive(Debug, Clone, Parser)]
struct Options {
    #[command(flatten)]
    field: Field,
    #[arg(long, default_value_t = 2)]
    teams: u32,
    /// The latest an agent's line arrives, in ticks.
    #[arg(long, default_value_t = 0)]
    delay: u64,
    /// So many of a hundred broadcasts don't reach a player.
    #[arg(long, default_value_t = 0)]
    lost: u64,
    /// Each broadcast is answered `ko`.
    #[arg(long)]
    refuses_words: bool,
    #[arg(long, default_value_t = 30_000)]
    max_ticks: u64,
    /// The last team repeats what it hears, and does nothing else.
    #[arg(long)]
    parrots: bool,
    /// So many of the last team follow every voice and push the players that they meet; the others stay away.
    #[arg(long, default_value_t = 0)]
    bullies: u32,
    /// So many of the last team forge words of the first; the others stay away.
    #[arg(long, default_value_t = 0)]
    forgers: u32,
    /// So many of the last team talk as much as they can; the others stay away.
    #[arg(long, default_value_t = 0)]
    flooders: u32,
    /// Each player of the start has a seed of its own, as when the team isn't given one.
    #[arg(long)]
    unsealed: bool,
    /// So many players of each team never come.
    #[arg(long, default_value_t = 0)]
    absent: u32,
    /// Lists come without blanks, and all lines in pieces of a few bytes.
    #[arg(long)]
    tight: bool,
    /// Lists come with a blank after each comma, and all lines in pieces of a few bytes.
    #[arg(long, conflicts_with = "tight")]
    wide: bool,
    /// Kills one of the first six players that reach that level together; `7:2` kills two of them, and `7:2:300` each
    /// at a moment of its own in the next 300 ticks
    #[arg(long, value_parser = loss)]
    kill: Option<(u8, usize, u64)>,
    /// Prints when each incantation began, and how long the gaps between were.
    #[arg(long)]
    incantations: bool,
    /// Prints what an observer reads of these kinds, such as `pfk`, with its tick.
    #[arg(long)]
    news: Vec<String>,
    /// Plays the settings of the documentation, with so many seeds each, and prints its table; of the other
    /// options only --seeds, --first and --max-ticks count.
    #[arg(long)]
    table: bool,
    /// Prints every match.
    #[arg(long)]
    each: bool,
}

/// Reads `LEVEL[:PLAYERS[:TICKS]]`: the level on which players are killed, how many, and the ticks within which that
/// happens.
fn loss(text: &str) -> Result<(u8, usize, u64), String> {
    let mut parts = text.split(':');
    let mut number = |range: std::ops::RangeInclusive<u64>, default: u64| {
        let number =
            parts.next().map_or(Ok(default), |part| part.parse::<u64>().map_err(|e| e.to_string()))?;
        if range.contains(&number) { Ok(number) } else { Err(format!("not from {range:?}: {number}")) }
    };
    let (level, players, ticks) = (number(2..=7, 2)?, number(1..=6, 1)?, number(0..=1_000, 0)?);
    Ok((level as u8, players as usize, ticks))
}

fn main() {
    let options = Options::parse();
    if options.table {
        print_table(&options);
        return;
    }
    let score = Score::of(&options);
    let (Options { field, .. }, Score { ticks, missed }) = (&options, &score);
    let at = |part| score.quartile(part).unwrap_or(0);
    println!(
        "{}x{}, {} teams, {} slots, delay {}: {} of {} won; ticks: best {} quartiles {} {} {} worst {}",
        field.width,
        field.height,
        options.teams,
        field.slots,
        options.delay,
        ticks.len(),
        field.seeds,
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

/// How the matches of one setting ended.
struct Score {
    /// The ticks of the matches that were won, ascending.
    ticks: Vec<u64>,
    /// The seeds of the matches that weren't won in time.
    missed: Vec<u64>,
}

impl Score {
    /// Plays all seeds of a setting.
    fn of(options: &Options) -> Score {
        let mut score = Score { ticks: Vec::new(), missed: Vec::new() };
        let Field { seeds, first, .. } = options.field;
        for seed in first..first + seeds {
            let outcome = options.table(seed).play();
            let winner =
                outcome.verdict.as_ref().and_then(|verdict| verdict.winners().next().map(str::to_owned));
            if options.each {
                println!(
                    "seed {seed}: {} ticks, {} connections, {winner:?}",
                    outcome.ticks, outcome.connections
                );
            }
            print_watched(options, &outcome);
            match winner {
                Some(_) if outcome.ticks < options.max_ticks => score.ticks.push(outcome.ticks),
                _ => score.missed.push(seed),
            }
        }
        score.ticks.sort_unstable();
        score
    }

    /// The quartile with that number, in ticks: the best for 0, the median for 2, the worst for 4. `None` if none was
    /// won.
    fn quartile(&self, part: usize) -> Option<u64> {
        self.ticks.get(self.ticks.len().saturating_sub(1) * part / 4).copied()
    }

    /// The quartiles but the best, and the number of matches not won, as cells of a row in Markdown.
    fn cells(&self) -> String {
        let at = |part| self.quartile(part).map_or_else(|| "-".into(), |ticks| ticks.to_string());
        format!("{} | {} | {} | {} | {}", at(1), at(2), at(3), at(4), self.missed.len())
    }
}

impl Options {
    /// The set-up of a seed's match by these options.
    fn table(&self, seed: u64) -> Table {
        Table {
            teams: self.teams,
            delay: self.delay,
            lost: self.lost,
            refuses_words: self.refuses_words,
            max_ticks: self.max_ticks,
            parrots: self.parrots,
            bullies: self.bullies,
            forgers: self.forgers,
            flooders: self.flooders,
            unsealed: self.unsealed,
            absent: self.absent,
            lists: match (self.tight, self.wide) {
                (true, _) => Some(["", ","]),
                (_, true) => Some([" ", ", "]),
                _ => None,
            },
            pieces: self.tight || self.wide,
            watched: self.incantations || !self.news.is_empty(),
            loss: self.kill,
            ..self.field.table(seed)
        }
    }
}

/// Plays all settings of the documentation and prints its table.
fn print_table(options: &Options) {
    println!("| setting | quartile | median | quartile | worst | misses |");
    println!("|---|---|---|---|---|---|");
    let row = |name: &str, change: &dyn Fn(&mut Options)| {
        let mut setting = options.clone();
        change(&mut setting);
        println!("| {name} | {} |", Score::of(&setting).cells());
    };
    for teams in [1, 2] {
        let who = if teams == 1 { "alone" } else { "two teams" };
        for side in [10, 20, 42] {
            for slots in [1, 6] {
                row(&format!("{side}x{side}, {slots} slots, {who}"), &|o| {
                    (o.field.width, o.field.height, o.field.slots, o.teams) = (side, side, slots, teams);
                });
            }
        }
    }
    row("20x20, 20 slots, alone", &|o| (o.field.slots, o.teams) = (20, 1));
    row("20x20, 200 slots, alone", &|o| (o.field.slots, o.teams) = (200, 1));
    row("30x14, 6 slots, alone", &|o| (o.field.width, o.field.height, o.teams) = (30, 14, 1));
    for (rules, strict, official) in
        [("subject", false, false), ("strict", true, false), ("official", false, true)]
    {
        let row = |what: &str, change: &dyn Fn(&mut Options)| {
            for (teams, who) in [(1, "alone"), (2, "two teams")] {
                row(&format!("{rules} rules, {what}, {who}"), &|o| {
                    (o.field.strict, o.field.official, o.teams) = (strict, official, teams);
                    change(o);
                });
            }
        };
        if rules != "subject" {
            row("20x20, 6 slots", &|_| {});
        }
        row("other habits, tight lists in pieces", &|o| (o.field.mixed, o.tight) = (true, true));
        row("other habits, wide lists in pieces", &|o| (o.field.mixed, o.wide) = (true, true));
        row("lines up to 5 ticks late", &|o| o.delay = 5);
        row("other habits, lines up to 10 ticks late", &|o| (o.field.mixed, o.delay) = (true, 10));
        row("lines up to 20 ticks late", &|o| o.delay = 20);
    }
    row("every fifth word lost, alone", &|o| (o.lost, o.teams) = (20, 1));
    row("every second word lost, alone", &|o| (o.lost, o.teams) = (50, 1));
    row("six strangers who repeat every word", &|o| o.parrots = true);
    for (unsealed, seal) in [(false, "shared"), (true, "no shared")] {
        let row = |who: &str, forgers, flooders| {
            row(&format!("six strangers who {who}, {seal} seed"), &|o| {
                (o.forgers, o.flooders, o.unsealed) = (forgers, flooders, unsealed);
            });
        };
        row("forge words", 6, 0);
        row("talk without pause", 0, 6);
    }
    row("two strangers who push", &|o| o.bullies = 2);
    row("six strangers who push", &|o| o.bullies = 6);
}

/// For each incantation its level, the tick at which it began, the ticks since the last one ended, and its players.
fn incantations(outcome: &sim::Outcome) -> String {
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
fn print_watched(options: &Options, outcome: &sim::Outcome) {
    for (at, line) in &outcome.news {
        if options.news.iter().any(|kind| line.starts_with(kind.as_str())) {
            println!("{at} {line}");
        }
    }
    if options.incantations {
        println!("{}", incantations(outcome));
    }
}
