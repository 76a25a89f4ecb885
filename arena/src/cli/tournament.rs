//! The command line of `tournament`.
//!
//! Tested in `tests/merge/`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::tournament::merge::{MERGED, Merge};

pub const MERGE_HELP: &str = "\
What it reads in DIR: bots.json, plan.jsonl and results/, and nothing else. The same
results give the same files, to the byte, whenever, wherever and in whatever order
they were played. If matches are missing, it says so: the ranking is provisional.
A result that doesn't belong to the plan is refused by its name.

What it makes, all of it or nothing:
  ranking.json, ranking.csv   the bots, the best first
  head_to_head.csv            each against each
  matches.csv                 every match that has a result, a row per seat
  junit.xml                   a suite per bot, a case per opponent: passed by a share of
                              --pass of the points against it, with the interval

What the columns mean:
  rating  how strong a bot is by all its results at once (the model of Bradley and
          Terry, as in chess: 1500 is the average of this tournament, and 400 more
          means ten wins for each loss). With more than two teams, each pair is
          compared by rank. The true value lies within the interval beside it in 95 of
          100 cases, if each match stands for itself; where intervals overlap, the
          order may be luck. Ratings of two tournaments can't be compared.
  points  the share of its opponents that a bot left behind, per match: 1 for a win
          against one, 0.5 for what only a lot could decide; with Wilson's interval
  won, drawn, lost   against each opponent of each match
  marked  matches that the machine touched: not reproducible, or disturbed. They count
  faults  matches in which the bot did something other than play: crashed, late ...
  Equal ratings share a place, marked by =. Matches that the clock on the wall cut off
  are listed and never scored.

Examples:
  zappy_arena tournament merge night
  zappy_arena tournament merge night --out /tmp/merged --quiet

Exit codes:
  0 merged   1 it could not be read or written   2 wrong usage, or not a tournament";

/// `tournament`.
#[derive(Debug, Args)]
pub struct TournamentArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: TournamentAction,
}

/// What can be done with a tournament.
#[derive(Debug, Subcommand)]
pub enum TournamentAction {
    /// Make the ranking of all results, as a table and as files
    #[command(after_long_help = MERGE_HELP, after_help = "--help explains the ranking and shows examples.")]
    Merge(MergeArgs),
}

/// `tournament merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The tournament's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where the files go; an earlier merge is replaced [default: DIR/merged]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The share of points against an opponent with which a bot passes in junit.xml, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pass: f64,
    /// Don't show the table
    #[arg(short, long)]
    pub quiet: bool,
}

impl MergeArgs {
    /// What they ask for.
    #[must_use]
    pub fn merge(&self) -> Merge {
        let out = self.out.clone().unwrap_or_else(|| self.folder.join(MERGED));
        Merge { folder: self.folder.clone(), out, pass: self.pass }
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it is a share of all points; the range is 0 to 1".to_owned())
}
