//! Plays many matches at once, over all cores, and tells of them in the order of their seeds.
//!
//! Doesn't know what is played. Never runs far ahead of the first match that isn't over, so that a long match doesn't
//! pile up the results of all that come after it. Tested in this module.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How many matches may be begun from the first one on that hasn't been told yet.
const AHEAD: u64 = 1_024;
/// The longest time between two pieces of news.
const BEAT: Duration = Duration::from_millis(100);

/// What [`play_many`] tells while it plays.
#[derive(Debug, PartialEq, Eq)]
pub enum News<T> {
    /// The match of that seed is over, and so are all before it.
    Over(u64, T),
    /// At least every [`BEAT`], so that the listener can look at other things.
    Beat,
}

/// The threads to use by default: one per core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

struct Progress {
    /// The seed that is played next.
    next: u64,
    /// The first seed of which the match hasn't been told as over.
    untold: u64,
}

/// Plays all these seeds on so many threads. When `stop` becomes true, or `tell` fails, no more matches are begun.
/// After a stop the matches that were begun are still told, when they are over.
pub fn play_many<T: Send, E>(
    seeds: Range<u64>,
    threads: usize,
    stop: &AtomicBool,
    play: impl Fn(u64) -> T + Sync,
    mut tell: impl FnMut(News<T>) -> Result<(), E>,
) -> Result<(), E> {
    let progress = Mutex::new(Progress { next: seeds.start, untold: seeds.start });
    let progressed = Condvar::new();
    let next = || {
        let mut now = progress.lock().unwrap_or_else(PoisonError::into_inner);
        while now.next < seeds.end && now.next - now.untold >= AHEAD && !stop.load(Ordering::Relaxed) {
            now = progressed.wait_timeout(now, BEAT).unwrap_or_else(PoisonError::into_inner).0;
        }
        let seed = Some(now.next).filter(|&seed| seed < seeds.end && !stop.load(Ordering::Relaxed))?;
        now.next += 1;
        Some(seed)
    };
    let (sender, over) = channel();
    let (play, next) = (&play, &next);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let sender = sender.clone();
            scope.spawn(move || while next().is_some_and(|seed| sender.send((seed, play(seed))).is_ok()) {});
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut untold = seeds.start;
        let mut work = || -> Result<(), E> {
            loop {
                match over.recv_timeout(BEAT) {
                    Ok((seed, outcome)) => early.insert(seed, outcome),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                while let Some(outcome) = early.remove(&untold) {
                    tell(News::Over(untold, outcome))?;
                    untold += 1;
                }
                progress.lock().unwrap_or_else(PoisonError::into_inner).untold = untold;
                progressed.notify_all();
                tell(News::Beat)?;
            }
            // After a stop some matches before these were never begun.
            std::mem::take(&mut early)
                .into_iter()
                .try_for_each(|(seed, outcome)| tell(News::Over(seed, outcome)))
        };
        let done = work();
        if done.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(into: &mut Vec<u64>) -> impl FnMut(News<u64>) -> Result<(), ()> {
        |news| {
            if let News::Over(seed, outcome) = news {
                assert_eq!(seed * seed, outcome);
                into.push(seed);
            }
            Ok(())
        }
    }

    #[test]
    fn all_are_told_in_order_whichever_is_over_first() {
        let (mut told, first) = (Vec::new(), (Mutex::new(false), Condvar::new()));
        let play = |seed: u64| {
            let (over, changed) = &first;
            let mut over = over.lock().unwrap();
            // The first one waits for the second.
            while seed == 5 && !*over {
                over = changed.wait(over).unwrap();
            }
            *over |= seed == 6;
            changed.notify_all();
            seed * seed
        };
        play_many(5..3_000, 3, &AtomicBool::new(false), play, tell(&mut told)).unwrap();
        assert!(told.iter().copied().eq(5..3_000), "{told:?}");
    }

    #[test]
    fn after_a_stop_nothing_is_begun_and_what_is_over_is_told() {
        let (mut told, stop) = (Vec::new(), AtomicBool::new(false));
        let play = |seed: u64| {
            stop.fetch_or(seed == 20, Ordering::Relaxed);
            seed * seed
        };
        play_many(0..1_000_000, 4, &stop, play, tell(&mut told)).unwrap();
        assert!(told.contains(&20) && told.len() < 30, "{told:?}");
        assert!(told.is_sorted());
    }

    #[test]
    fn a_listener_that_fails_is_told_no_more() {
        let mut count = 0;
        let failing = |news| {
            count += u32::from(matches!(news, News::Over(..)));
            if count == 10 { Err("full") } else { Ok(()) }
        };
        let done = play_many(0..u64::MAX, 2, &AtomicBool::new(false), |seed| seed, failing);
        assert_eq!((done, count), (Err("full"), 10));
    }
}
