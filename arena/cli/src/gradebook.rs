//! The flags of `grade --class` that say what counts besides matches.
//!
//! Tested in `tests/class/gradebook.rs`.

use std::path::PathBuf;

use clap::{Arg, Args, Command, value_parser};
use jiff::Timestamp;
use zappy_play::Error;
use zappy_tournament::grading::gradebook::{Cost, Gradebook, LatePolicy, time};
use zappy_tournament::grading::submission::Submission;

/// What counts besides matches.
#[derive(Debug, Args)]
pub struct BookArgs {
    /// With --class: a CSV file with the columns student, handed_in (RFC 3339) and, if wanted, attempt; a line for each time that
    /// a student handed in
    #[arg(long, value_name = "FILE", requires = "class")]
    handed_in: Option<PathBuf>,
    /// With --handed-in: until when it is in time, such as 2026-11-24T18:00:00+01:00
    #[arg(long, value_name = "TIME", requires = "handed_in", value_parser = time)]
    due: Option<Timestamp>,
    /// With --due: what each day costs that has begun after that, points (0.5) or a share of those that the matches came to (10%)
    /// [default: nothing]
    #[arg(long, value_name = "POINTS", requires = "due")]
    late_cost: Option<Cost>,
    /// With --due: the days after it; what is handed in later has no point
    #[arg(long, value_name = "DAYS", requires = "due", value_parser = value_parser!(u64).range(..=10_000))]
    late_days: Option<u64>,
    /// With --handed-in: how often a student may hand in; with more attempts a student has no point
    #[arg(long, value_name = "N", requires = "handed_in", value_parser = value_parser!(u64).range(1..=1_000_000))]
    attempts: Option<u64>,
    /// With --class: a CSV file with the columns student, points (such as 0.5 or -1) and comment; they are added to what the
    /// student has, and the student reads the comment
    #[arg(long, value_name = "FILE", requires = "class")]
    adjust: Option<PathBuf>,
    /// With --class: also leave leaderboard.html, a page for the class with places, points and shares under pseudonyms; each
    /// student's own page tells the student's
    #[arg(long, requires = "class")]
    pub leaderboard: bool,
}

impl BookArgs {
    /// The flags, none of which the process of a submission needs, and whether each takes a value.
    pub fn flags() -> Vec<(String, bool)> {
        let command = Self::augment_args(Command::new("book"));
        let flag = |flag: &Arg| Some((format!("--{}", flag.get_long()?), flag.get_action().takes_values()));
        command.get_arguments().filter_map(flag).collect()
    }

    /// What they say of these students.
    ///
    /// # Errors
    /// A line of a file is wrong.
    pub fn read(&self, students: &[Submission]) -> Result<Gradebook, Error> {
        let Self { due, late_cost: cost, late_days: days, attempts, .. } = *self;
        let policy = LatePolicy { due, cost, days, attempts };
        Gradebook::read(self.handed_in.as_deref(), self.adjust.as_deref(), policy, students)
    }
}
