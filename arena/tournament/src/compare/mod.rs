//! Comparisons: is the new version of a bot stronger than the old one?
//!
//! Both play the same matches in both seats until the test in `sprt` has an answer. `inside` plays our own bots in this
//! process, `outside` any others as a tournament of two; `count` counts pairs in the order of their seeds, whichever is
//! over first, so that the same seeds give the same answer; `words` makes sentences of the answer. `mirror` plays our
//! bot against itself in this process, and `fairness` judges by that whether a seat, a name or the order of admission
//! is an advantage. Nothing here decides what happens in a match. Tested in the modules, in `arena/cli/tests/compare.rs` and
//! `arena/cli/tests/in_process.rs`.

pub mod count;
mod fairness;
mod inside;
pub mod mirror;
mod outside;
pub mod sprt;
mod words;

use std::ops::Range;

use count::Count;
pub use outside::Processes;
use sprt::{Answer, Question};
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::programs::signals::Signals;
use zappy_play::world::Games;

use crate::plan::Terms;

/// The most pairs of one comparison: a tournament of twice as many matches.
pub const MOST_PAIRS: u64 = 500_000;

/// The names of the two versions, the old one first.
pub const NAMES: [&str; 2] = ["old", "new"];

/// A comparison that is to be made.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The games that can be played.
    pub games: Games,
    /// The commands or names of the versions, the old one first.
    pub versions: [String; 2],
    /// The settings for matches in processes of their own; `None`: they are played in this process.
    pub processes: Option<Processes>,
    pub question: Question,
    /// The seeds of all pairs that may be played.
    pub seeds: Range<u64>,
    pub terms: Terms,
    /// How often each command is started; `None`: once for each slot.
    pub procs: Option<u32>,
    pub jobs: usize,
}

#[derive(Debug, Clone)]
pub struct Findings {
    pub count: Count,
    /// The answer; `None` if more pairs would be needed.
    pub answer: Option<Answer>,
    /// Whether the operator ended it.
    pub interrupted: bool,
    /// The first seed; `None`: the seeds were drawn by the system.
    pub first_seed: Option<u64>,
}

impl Compare {
    /// Plays until the answer is known or the pairs are used up.
    ///
    /// # Errors
    /// The versions can't be played, or the arena failed.
    pub fn play(&self, signals: &mut Signals, display: &mut Display) -> Result<Findings, Error> {
        match &self.processes {
            None => inside::play(self, signals, display),
            Some(processes) => outside::play(self, processes, signals, display),
        }
    }

    fn count(&self) -> Count {
        Count::new(self.question, self.seeds.end - self.seeds.start)
    }

    fn findings(&self, count: Count, interrupted: bool) -> Findings {
        let answer = count.answer();
        let drawn = self.processes.as_ref().is_some_and(|processes| processes.random_seeds);
        let first_seed = (!drawn).then_some(self.seeds.start);
        Findings { answer, interrupted: interrupted && answer.is_none(), first_seed, count }
    }
}
