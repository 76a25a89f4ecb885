//! A comparison of any two bots: a tournament of the two that ends as soon as the answer is known.
//!
//! Planned and played by the machinery of tournaments, so it goes on where it was when it is started again on the
//! same folder, and a match that fails through the arena is played again. Tested in `arena/cli/tests/compare.rs`.

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

/// What matches in processes of their own take besides.
#[derive(Debug, Clone)]
pub struct Processes {
    /// The file that the versions are named in, as for tournaments; `None`: they are commands.
    pub bots: Option<PathBuf>,
    /// Where matches are left; `None`: they are removed.
    pub out: Option<PathBuf>,
    pub server: PathBuf,
    /// What is around the bots.
    pub containment: Containment,
    /// What the bots get of the environment besides.
    pub added: Added,
    /// Whether the seeds are drawn by the system.
    pub drawn: bool,
}

/// Takes in results as they come.
struct Counter<'a> {
    compare: &'a Compare,
    place: Place,
    pairs: Vec<Planned>,
    new: Id,
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
                named.ok_or_else(|| Error::Version(format!("{}: no bot is called {wanted}", path.display())))
            };
            Book { bots: vec![find(old)?, find(new)?], ..all.clone() }
        }
    };
    if book.bots[0].id == book.bots[1].id {
        let text = "both are the same bot: same command, same files; name two that differ";
        return Err(Error::Version(text.to_owned()));
    }
    Ok(book)
}

/// Plays until it is known.
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
    // Goes with everything in it when this is over.
    let passing = tempfile::tempdir().map_err(|error| Error::System("can't make a folder", error))?;
    let folder = processes.out.clone().unwrap_or_else(|| passing.path().join("matches"));
    let seeds = Place::seeds(&folder, (!processes.drawn).then_some(compare.seeds.start), count)?;
    let wish = Wish { pairing: Pairing::RoundRobin, teams: 2, seeds, variants: vec![compare.terms.clone()] };
    let pairs = plan(&book, &wish)?;
    Place::lay_down(&folder, &book, &pairs, &wish.seeds)?;
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
        Counter { compare, place, pairs, new: book.bots[1].id, counted: 0, count: compare.count() };
    let report = run.play(signals, display, Some(&mut counter))?;
    if let Some(NoStart { bot, words, log }) = report.no_start {
        // Without a folder of their own the logs go with the rest.
        let log = processes.out.as_ref().map(|_| format!(" ({})", log.display())).unwrap_or_default();
        let version = NAMES[usize::from(bot == counter.new)];
        // A command has no name of its own.
        let words = words.strip_prefix(version).map_or(format!(", {words}"), str::to_owned);
        return Err(TournamentError::NoStart(format!("the {version} version{words}{log}")).into());
    }
    counter.take_in()?;
    let findings = compare.findings(counter.count.clone(), report.interrupted);
    if findings.answer.is_none() && !findings.interrupted && counter.counted < count as usize {
        return Err(counter.failure());
    }
    Ok(findings)
}

impl Counter<'_> {
    fn is_decided(&self) -> bool {
        self.count.answer().is_some()
    }

    /// Counts the pairs that are complete, in the order of their seeds, until it is decided.
    fn take_in(&mut self) -> Result<(), Error> {
        while let Some(pair) = self.pairs.chunks_exact(2).nth(self.counted).filter(|_| !self.is_decided()) {
            if !pair.iter().all(|planned| self.place.result(planned.id).exists()) {
                break;
            }
            let outcomes = [self.place.outcome(pair[0].id)?, self.place.outcome(pair[1].id)?];
            // It is played again.
            if outcomes.iter().any(Outcome::is_unproved) {
                break;
            }
            let game = self.compare.terms.world.spec.game;
            let half = |i: usize| {
                let new = pair[i].seats.iter().position(|seat| *seat == self.new);
                Half::of(&outcomes[i], new.unwrap_or_default(), game)
            };
            let pair = [half(0), half(1)];
            self.counted += 1;
            self.count.add(&pair)?;
        }
        Ok(())
    }

    /// Why there was no going on.
    fn failure(&self) -> Error {
        let waited: Vec<Id> =
            self.pairs.iter().skip(2 * self.counted).take(2).map(|planned| planned.id).collect();
        let failures = self.place.failures().unwrap_or_default();
        let failure = failures.into_iter().find(|failure| waited.contains(&failure.id));
        let unproved = || waited.iter().find_map(|&id| self.place.outcome(id).ok()?.unproved);
        let why = failure.map(|failure| failure.why).or_else(unproved);
        let why = why.unwrap_or_else(|| "it has no result".to_owned());
        let pair = self.counted + 1;
        TournamentError::Arena(format!("a match of pair {pair} could not be played: {why}")).into()
    }
}

impl Watch for Counter<'_> {
    fn is_enough(&mut self, failed: &HashSet<Id>) -> Result<bool, Error> {
        self.take_in()?;
        let waited = self.pairs.iter().skip(2 * self.counted).take(2);
        Ok(self.is_decided() || waited.into_iter().any(|planned| failed.contains(&planned.id)))
    }

    fn progress(&self) -> String {
        self.count.progress()
    }
}
