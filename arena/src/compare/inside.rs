//! A comparison of our own bots in this process, over all cores.
//!
//! A match is the one that `zappy_arena match --in-process` plays of the same seed and teams; nothing of it is
//! kept. Tested in `tests/compare.rs`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use zappy_protocol::record::RecordLevel;

use super::count::{Count, Half};
use super::{Compare, Findings, NAMES};
use crate::Error;
use crate::local::bot::LocalBot;
use crate::local::many::{News, play_many};
use crate::local::plan::Plan;
use crate::play::display::Display;
use crate::programs::signals::Signals;

/// The plans of a pair: the new version in the second seat, then in the first.
fn plans(compare: &Compare) -> Result<[Plan; 2], Error> {
    let (mut bots, terms) = (Vec::new(), &compare.terms);
    for (name, command) in NAMES.iter().zip(&compare.versions) {
        let bot = LocalBot::parse(&format!("{name}={command}"), &terms.world);
        // Here the flag is another one.
        bots.push(bot.map_err(|error| Error::Version(error.to_string().replace("--bot ", "")))?);
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

/// Plays the pair of a seed; nothing if it was broken off.
fn play_pair(plans: &[Plan; 2], seed: u64, stop: &AtomicBool) -> Result<Option<[Half; 2]>, Error> {
    let play = |plan: &Plan, new: usize| {
        let played = plan.play(seed, io::sink(), stop)?;
        let mut winners = played.verdict.winners().filter(|_| !played.verdict.by_lot);
        let winner = winners.next().filter(|_| winners.next().is_none());
        let seat = plan.bots.iter().position(|bot| Some(bot.team.as_str()) == winner);
        Ok::<_, Error>((!played.stopped).then(|| Half::scored(seat, new)))
    };
    let [first, second] = plans;
    let Some(one) = play(first, 1)? else { return Ok(None) };
    Ok(play(second, 0)?.map(|other| [one, other]))
}

/// Plays until it is known.
///
/// # Errors
/// The versions can't be played so, or a match could not be.
pub fn play(compare: &Compare, signals: &mut Signals, display: &mut Display) -> Result<Findings, Error> {
    let plans = plans(compare)?;
    let (question, seeds) = (compare.question, &compare.seeds);
    let (stop, mut count, mut interrupted) = (AtomicBool::new(false), Count::default(), false);
    play_many(
        seeds.clone(),
        compare.jobs,
        &stop,
        |seed| play_pair(&plans, seed, &stop),
        |news| {
            match news {
                // What was under way when it became known is not looked at, nor what comes after a gap.
                News::Over(..) if stop.load(Ordering::Relaxed) => {}
                News::Over(_, pair) => {
                    if let Some(pair) = pair? {
                        count.add(&pair)?;
                    }
                    stop.fetch_or(count.answer(&question).is_some(), Ordering::Relaxed);
                }
                News::Beat => {
                    if !stop.load(Ordering::Relaxed) && signals.stops() > 0 {
                        interrupted = true;
                        stop.store(true, Ordering::Relaxed);
                    }
                    display.progress(|| count.progress(&question, seeds.end - seeds.start));
                }
            }
            Ok::<(), Error>(())
        },
    )?;
    Ok(compare.findings(count, interrupted))
}
