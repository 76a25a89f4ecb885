//! A comparison of any two bots: a tournament of the two that ends as soon as the answer is known.
//!
//! It is planned and played as every tournament: started again on the same folder it goes on, and a match that fails by
//! the arena's fault is played again. Tested in `arena/cli/tests/compare.rs`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::programs::environment::Added;
use zappy_play::programs::sandbox::Containment;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::{self, Kind};

use super::count::{Count, Half};
use super::{Compare, Findings, NAMES};
use crate::Error as TournamentError;
use crate::bots::Book;
use crate::identity::Id;
use crate::outcome::Outcome;
use crate::place::{BOTS, Place};
use crate::plan::{Pairing, Planned, Wish, plan};
use crate::run::{NoStart, Run, Shard, Watch};

/// The settings that only matches in processes of their own have.
#[derive(Debug, Clone)]
pub struct Processes {
    /// The file that names the versions, as for tournaments; `None`: they are commands.
    pub bots: Option<PathBuf>,
    /// The folder in which the matches stay; `None`: they are removed in the end.
    pub out: Option<PathBuf>,
    pub server: PathBuf,
    pub containment: Containment,
    /// Environment variables that the bots get besides the usual ones.
    pub added: Added,
    /// Whether the seeds are drawn by the system.
    pub random_seeds: bool,
}

/// Counts results as they come, in the order of the plan.
struct PairCounter<'a> {
    compare: &'a Compare,
    place: Place,
    /// The matches of the plan, the two of a pair behind each other.
    plan: Vec<Planned>,
    new: Id,
    /// The number of pairs that were taken in, void ones too.
    counted: usize,
    count: Count,
}

/// The two versions, the old one first.
fn book(compare: &Compare, bots: Option<&Path>) -> Result<Book, Error> {
    let [old, new] = &compare.versions;
    let book = match bots {
        None => Book::of(&[(NAMES[0], old), (NAMES[1], new)], compare.procs)?,
        Some(path) => {
            let all = Book::read(path)?;
            let find = |wanted: &String| {
                let named = all.bots.iter().find(|bot| bot.name == *wanted).cloned();
                named.ok_or_else(|| Error::Flag(format!("{}: no bot is called {wanted}", path.display())))
            };
            Book { bots: vec![find(old)?, find(new)?], ..all.clone() }
        }
    };
    if book.bots[0].id == book.bots[1].id {
        let text = "both are the same bot: same command, same files; name two that differ";
        return Err(Error::Flag(text.to_owned()));
    }
    Ok(book)
}

/// Plays until the answer is known.
///
/// # Errors
/// The versions can't be played, or a match failed as often as it may.
pub fn play(
    compare: &Compare,
    processes: &Processes,
    signals: &mut Signals,
    display: &mut Display,
) -> Result<Findings, Error> {
    let book = book(compare, processes.bots.as_deref())?;
    let count = compare.seeds.end - compare.seeds.start;
    // This folder is removed with everything in it when this function returns.
    let temporary = tempfile::tempdir().map_err(|error| Error::System("can't make a folder", error))?;
    let folder = processes.out.clone().unwrap_or_else(|| temporary.path().join("matches"));
    let seeds = Place::seeds(&folder, (!processes.random_seeds).then_some(compare.seeds.start), count)?;
    let wish = Wish { pairing: Pairing::RoundRobin, teams: 2, seeds, variants: vec![compare.terms.clone()] };
    let plan = plan(&book, &wish)?;
    Place::create(&folder, &book, &plan, &wish.seeds)?;
    signature::sign(&folder, Kind::Tournament, &[BOTS]);
    let place = Place::open(&folder)?;
    let run = Run {
        games: compare.games,
        place: place.clone(),
        jobs: compare.jobs,
        shard: Shard::default(),
        server: processes.server.clone(),
        containment: processes.containment,
        added: processes.added.clone(),
        replay_disturbed: false,
        keep_going: false,
    };
    let mut counter =
        PairCounter { compare, place, plan, new: book.bots[1].id, counted: 0, count: compare.count() };
    let summary = run.play(signals, display, Some(&mut counter))?;
    if let Some(NoStart { bot, words, log }) = summary.no_start {
        // In a temporary folder the log is removed.
        let log = processes.out.as_ref().map(|_| format!(" ({})", log.display())).unwrap_or_default();
        let version = NAMES[usize::from(bot == counter.new)];
        // A version that was given as a command has the version's name, which the message names already.
        let words = words.strip_prefix(version).map_or(format!(", {words}"), str::to_owned);
        return Err(TournamentError::NoStart(format!("the {version} version{words}{log}")).into());
    }
    counter.count_complete_pairs()?;
    let findings = compare.findings(counter.count.clone(), summary.interrupted);
    if findings.answer.is_none() && !findings.interrupted && counter.counted < count as usize {
        return Err(counter.failure());
    }
    Ok(findings)
}

impl PairCounter<'_> {
    fn is_decided(&self) -> bool {
        self.count.answer().is_some()
    }

    /// The matches of the next pair, in the order of seeds.
    fn next_pair(&self) -> Option<[Id; 2]> {
        self.plan.chunks_exact(2).nth(self.counted).map(|pair| [pair[0].id, pair[1].id])
    }

    /// Counts the pairs that are complete, in the order of their seeds, until the answer is known.
    fn count_complete_pairs(&mut self) -> Result<(), Error> {
        while let Some(pair) = self.next_pair().filter(|_| !self.is_decided()) {
            if !pair.iter().all(|id| self.place.result(*id).exists()) {
                break;
            }
            let outcomes = [self.place.outcome(pair[0])?, self.place.outcome(pair[1])?];
            // An unproved match is played again.
            if outcomes.iter().any(Outcome::is_unproved) {
                break;
            }
            let game = self.compare.terms.world.spec.game;
            let halves = outcomes.map(|outcome| {
                let new = outcome.seats.iter().position(|seat| seat.bot == self.new);
                Half::of(&outcome, new.unwrap_or_default(), game)
            });
            self.counted += 1;
            self.count.add(&halves)?;
        }
        Ok(())
    }

    /// The error that the next pair can't be played.
    fn failure(&self) -> Error {
        let next: Vec<Id> = self.next_pair().into_iter().flatten().collect();
        let failures = self.place.failures().unwrap_or_default();
        let failure = failures.into_iter().find(|failure| next.contains(&failure.id));
        let unproved = || next.iter().find_map(|&id| self.place.outcome(id).ok()?.unproved);
        let why = failure.map(|failure| failure.why).or_else(unproved);
        let why = why.unwrap_or_else(|| "it has no result".to_owned());
        let pair = self.counted + 1;
        TournamentError::Arena(format!("a match of pair {pair} could not be played: {why}")).into()
    }
}

impl Watch for PairCounter<'_> {
    fn is_enough(&mut self, failed: &HashSet<Id>) -> Result<bool, Error> {
        self.count_complete_pairs()?;
        Ok(self.is_decided()
            || self.next_pair().is_some_and(|pair| pair.iter().any(|id| failed.contains(id))))
    }

    fn progress(&self) -> String {
        self.count.progress()
    }
}
