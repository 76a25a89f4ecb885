//! The flags of `grade`.
//!
//! Tested in `tests/tournament/grade.rs`.

use std::path::PathBuf;

use clap::{Args, value_parser};

use super::tournament::{PlayingArgs, TermArgs, share};
use crate::local::plan::{MAX_PROCS, MAX_SEEDS};
use crate::play::world::Games;
use crate::tournament::bots::{Book, Graded};
use crate::tournament::place::Place;
use crate::tournament::plan::{Pairing, Wish};

pub const EXAMPLES: &str = "\
A point for each opponent against which the bot gets at least the share --pass of
what there is to get: 1 for a match in which it ranks before, half for one that no
team has won or that only a lot could decide. Each seed is played in both seats. Beside each share stands where
it may well lie, given so few matches (95 %); where that leaves open whether the
opponent is beaten, the report says so, and more --seeds make it clearer.

Without --against the opponents are the levels that our own client has for the game,
easy to expert, and in Zappy the aggressor; it is found beside this program. A file for
it is written like that of tournament plan (see there), its limits hold for the bot, too.

It may be interrupted, or killed: asked for the same again it goes on. Another bot,
also the same with one byte changed, needs another folder.

Examples:
  A Python bot; all files of its folder are the bot, each match works in a copy:
    zappy_arena grade 'python3 bot.py -p {port} -n {team} -h {host}' \\
        --folder submissions/ada --name ada --out grades/ada

  One process for all players, opponents of our choice, two points in three:
    zappy_arena grade './bot {port} {team}' --folder submissions/bob --procs 1 \\
        --against opponents.toml --pass 0.667 --out grades/bob

What it leaves in DIR:
  grade.json   points, and per opponent: share, interval, wins, draws, losses
  grade.xml    the same as JUnit: a case per opponent, failed if it isn't beaten
  merged/      the page (index.html), tables; everything else as tournament run

Exit codes:
  0 it is graded, well or badly    1 the arena failed    2 wrong usage    130 interrupted
  3 with --strict: the bot misbehaved";

/// `grade`.
#[derive(Debug, Args)]
pub struct GradeArgs {
    /// The bot's command
    #[arg(value_name = "BOT")]
    bot: String,
    /// Its folder, in which it works; all files in it are the bot
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// What it is called
    #[arg(long, value_name = "NAME", default_value = "graded")]
    name: String,
    /// How often its command is started [default: as many as slots]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=i64::from(MAX_PROCS)))]
    procs: Option<u32>,
    /// The file that names its opponents [default: our own client at each level that the game has]
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Where everything goes
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Seeds played against each opponent, each in both seats
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u64).range(1..=MAX_SEEDS))]
    seeds: u64,
    /// The first of seeds that every program may know, for experiments [default: drawn by the system, and told by the results
    /// alone]
    #[arg(long, value_name = "SEED")]
    first: Option<u64>,
    /// The share of the points against an opponent with which it is beaten, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub pass: f64,
    /// What is played.
    #[command(flatten)]
    terms: TermArgs,
    /// How it is played.
    #[command(flatten)]
    pub playing: PlayingArgs,
}

impl GradeArgs {
    /// The bot, and after it its opponents.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub fn book(&self, games: Games) -> Result<Book, crate::Error> {
        let world = self.terms.terms(games, 2)?.world;
        let program =
            std::env::current_exe().map_err(|e| crate::Error::System("can't find this program", e))?;
        let ours = program.parent().unwrap_or(&program);
        let graded = Graded {
            name: self.name.clone(),
            command: self.bot.clone(),
            folder: self.folder.clone(),
            processes: self.procs,
        };
        let game = (world.spec.game.name, world.guest);
        Ok(Book::gauntlet(graded, self.against.as_deref(), game, ours)?)
    }

    /// The matches that are asked for.
    ///
    /// # Errors
    /// The game can't be played so.
    pub fn wish(&self, book: &Book, games: Games) -> Result<Wish, crate::Error> {
        let opponents = book.bots[1..].iter().map(|bot| bot.name.clone()).collect();
        Ok(Wish {
            pairing: Pairing::Gauntlet(opponents),
            teams: 2,
            terms: self.terms.terms(games, 2)?,
            seeds: Place::seeds(&self.out, self.first, self.seeds)?,
        })
    }
}
