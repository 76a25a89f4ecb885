//! Matches of our own bots in this process, on all cores, until enough of them were played.
//!
//! With the same seed and teams `zappy_arena match --in-process` plays the same match. No record is kept. Tested in
//! `arena/cli/tests/compare.rs` and `arena/cli/tests/in_process.rs`.

use std::io::{self, Sink};
use std::sync::atomic::{AtomicBool, Ordering};

use zappy_game::Verdict;
use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::local::bot::LocalBot;
use zappy_play::local::in_process::Played;
use zappy_play::local::many::{News, play_many};
use zappy_play::local::plan::Plan;
use zappy_play::programs::signals::Signals;
use zappy_protocol::record::RecordLevel;

use super::count::{Count, Half};
use super::{Compare, Findings, NAMES};
use crate::verdict::PairResult;

/// Counts the outcomes of seeds, in their order.
pub trait Counter {
    /// The outcome of the matches of one seed.
    type Outcome: Send;

    /// Counts the outcome of the next seed; true if no more are needed.
    ///
    /// # Errors
    /// The outcomes so far make no sense to go on with.
    fn count_next(&mut self, outcome: Self::Outcome) -> Result<bool, Error>;

    /// How the count stands, in one line.
    fn progress(&self) -> String;
}

/// Plays the seeds of the plan in their order until the counter needs no more; gives whether the operator ended that
/// before. `play` gives `None` for a seed if its matches were broken off.
///
/// # Errors
/// A match could not be played, or the counter's error.
pub fn play_until<C: Counter>(
    plan: &Plan,
    signals: &mut Signals,
    display: &mut Display,
    play: impl Fn(u64, &AtomicBool) -> Result<Option<C::Outcome>, Error> + Sync,
    counter: &mut C,
) -> Result<bool, Error> {
    let (stop, mut interrupted) = (AtomicBool::new(false), false);
    play_many(
        plan.seeds.clone(),
        plan.jobs,
        &stop,
        |seed| play(seed, &stop),
        |news| {
            match news {
                // Once the counter has enough, matches that were under way don't count any more.
                News::Over(..) if stop.load(Ordering::Relaxed) => {}
                News::Over(_, outcome) => {
                    let enough = outcome?.map(|outcome| counter.count_next(outcome)).transpose()?;
                    stop.fetch_or(enough == Some(true), Ordering::Relaxed);
                }
                News::Beat => {
                    interrupted |= signals.stops() > 0 && !stop.load(Ordering::Relaxed);
                    stop.fetch_or(interrupted, Ordering::Relaxed);
                    display.progress(|| counter.progress());
                }
            }
            Ok::<(), Error>(())
        },
    )?;
    Ok(interrupted)
}

/// Plays one match and keeps nothing of it; `None` if it was broken off.
///
/// # Errors
/// It could not be played.
pub fn play_one(plan: &Plan, seed: u64, stop: &AtomicBool) -> Result<Option<Played<Sink>>, Error> {
    Ok(Some(plan.play(seed, io::sink(), stop)?).filter(|played| !played.stopped))
}

impl Counter for Count {
    type Outcome = [Half; 2];

    fn count_next(&mut self, pair: [Half; 2]) -> Result<bool, Error> {
        self.add(&pair)?;
        Ok(self.answer().is_some())
    }

    fn progress(&self) -> String {
        Count::progress(self)
    }
}

/// The plans of a pair: the new version in the second seat, then in the first.
fn plans(compare: &Compare) -> Result<[Plan; 2], Error> {
    let (mut bots, terms) = (Vec::new(), &compare.terms);
    for (name, command) in NAMES.iter().zip(&compare.versions) {
        let bot = LocalBot::parse(&format!("{name}={command}"), &terms.world);
        // In a comparison another flag than `--bot` gives the command.
        bots.push(bot.map_err(|error| Error::Flag(error.to_string().replace("--bot ", "")))?);
    }
    let plan = |bots| Plan {
        bots,
        seeds: compare.seeds.clone(),
        world: terms.world.clone(),
        procs: compare.procs.map_or(terms.world.slots, |procs| procs as usize),
        freq: terms.freq,
        max_ticks: terms.max_ticks,
        level: RecordLevel::Inputs,
        jobs: compare.jobs,
    };
    let swapped = bots.iter().rev().cloned().collect();
    let plans = [plan(bots), plan(swapped)];
    plans[0].validate()?;
    Ok(plans)
}

/// Plays until the answer is known.
///
/// # Errors
/// The versions can't be played in this process, or a match could not be played.
pub fn play(compare: &Compare, signals: &mut Signals, display: &mut Display) -> Result<Findings, Error> {
    let plans = plans(compare)?;
    let play_half = |plan: &Plan, new: usize, seed, stop: &AtomicBool| {
        let Some(played) = play_one(plan, seed, stop)? else { return Ok(None) };
        let Verdict { standings, won, by_lot, .. } = played.verdict;
        let rank = |seat: usize| {
            let standing = standings.iter().find(|standing| standing.team == plan.bots[seat].team.as_str());
            standing.map_or(0, |standing| standing.rank.into())
        };
        let result = PairResult::of(rank(new), rank(1 - new), won, by_lot, false);
        Ok::<_, Error>(Some(Half::scored(result)))
    };
    let play_pair = |seed, stop: &AtomicBool| {
        let Some(one) = play_half(&plans[0], 1, seed, stop)? else { return Ok(None) };
        Ok(play_half(&plans[1], 0, seed, stop)?.map(|other| [one, other]))
    };
    let mut count = compare.count();
    let interrupted = play_until(&plans[0], signals, display, play_pair, &mut count)?;
    Ok(compare.findings(count, interrupted))
}
