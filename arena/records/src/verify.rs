//! Plays many records again, on all cores, and says which of them are what the rules say.
//!
//! Holds as many records as there are threads; the answers come in the order of the arguments, whatever is done
//! first. Changes no file. Tested in `arena/cli/tests/records/`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use zappy_game::GameSpec;
use zappy_protocol::text::{many, thousands};
use zappy_server::record::{self, Verified};

use super::files::{self, Trouble};
use super::progress::{Progress, REDRAW};
use super::{FAILED, FINE, VerifyArgs};

/// Threads at most: each holds a whole record.
const MOST_THREADS: usize = 64;

type Answer = Result<Verified, Trouble>;

/// Verifies the records, says which aren't verified, and gives the exit code.
#[must_use]
pub fn verify(args: &VerifyArgs, games: &'static [GameSpec]) -> u8 {
    let since = Instant::now();
    // An argument that stands for no record has a place among them, with the reason.
    let (mut paths, mut bad) = (Vec::new(), BTreeMap::new());
    for path in &args.files {
        match files::below(path) {
            Ok(found) => paths.extend(found),
            Err(trouble) => {
                bad.insert(paths.len(), trouble);
                paths.push(path.clone());
            }
        }
    }
    let (mut report, mut progress) = (VerifyReport::default(), Progress::new(args.quiet));
    let (all, known) = (paths.len(), bad.keys().copied().collect::<BTreeSet<_>>());
    let work = |job: usize| (!known.contains(&job)).then(|| check(games, &paths[job]));
    on_all_cores(all, work, |done, next| {
        let Some((job, answer)) = next else { return progress.update(done, all) };
        progress.clear();
        let bad = bad.remove(&job).map(Err);
        if let Some(answer) = answer.or(bad) {
            report.take(args, &paths[job], &answer);
        }
    });
    progress.clear();
    if !args.quiet {
        let words = report.sum(all, since.elapsed().as_secs_f64());
        // A caller that reads only the exit code may have closed it.
        let _ = writeln!(io::stdout(), "{words}");
    }
    if report.verified == all { FINE } else { FAILED }
}

/// Does so many jobs on all cores. Hands the answers over in the order of the jobs, and in between says how many are done.
pub fn on_all_cores<T: Send>(
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    mut tell: impl FnMut(usize, Option<(usize, T)>),
) {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs).min(MOST_THREADS);
    let (next, (sender, answers)) = (AtomicUsize::new(0), channel());
    let (mut waiting, mut told, mut done) = (BTreeMap::new(), 0, 0);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (work, next, sender) = (&work, &next, sender.clone());
            scope.spawn(move || {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs || sender.send((job, work(job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            while let Some(answer) = waiting.remove(&told) {
                tell(done, Some((told, answer)));
                told += 1;
            }
            match answers.recv_timeout(REDRAW) {
                Ok((job, answer)) => {
                    waiting.insert(job, answer);
                    done += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            tell(done, None);
        }
    });
}

fn check(games: &'static [GameSpec], path: &Path) -> Answer {
    let verified = record::verify(&files::read(path)?, games)?;
    let Verified { ticks, lines, complete, .. } = verified;
    if complete { Ok(verified) } else { Err(Trouble::CutOff { ticks, lines }) }
}

/// The counts so far.
#[derive(Default)]
struct VerifyReport {
    verified: usize,
    ticks: u64,
    inputs: u64,
    resumed: u64,
    touched: u64,
}

impl VerifyReport {
    fn take(&mut self, args: &VerifyArgs, path: &Path, answer: &Answer) {
        let path = path.display();
        let verified = match answer {
            Ok(verified) => verified,
            Err(trouble) => {
                let _ = writeln!(io::stderr(), "{path}: {trouble}");
                return;
            }
        };
        let &Verified { ticks, inputs, resumed, touched, .. } = verified;
        self.verified += 1;
        self.ticks += ticks;
        self.inputs += inputs as u64;
        self.resumed += u64::from(resumed > 0);
        self.touched += u64::from(touched.is_some());
        let touched = touched.map_or(String::new(), |touched| format!(", {touched}"));
        if args.verbose {
            let (ticks, inputs) = (thousands(ticks), thousands(inputs as u64));
            let often =
                if resumed > 0 { format!(", resumed {}", many(resumed, "time")) } else { String::new() };
            let _ =
                writeln!(io::stdout(), "{path}: verified, {ticks} ticks, {inputs} inputs{often}{touched}");
        } else if !args.quiet && !touched.is_empty() {
            let _ = writeln!(io::stdout(), "{path}: verified{touched}");
        }
    }

    fn sum(&self, all: usize, seconds: f64) -> String {
        let some = |number: u64, words: &str| match number {
            0 => String::new(),
            some => format!("; {} of them {words}", thousands(some)),
        };
        format!(
            "{} of {} verified: {}, {}, {seconds:.1} s{}{}",
            thousands(self.verified as u64),
            many(all as u64, "record"),
            many(self.ticks, "tick"),
            many(self.inputs, "input"),
            some(self.resumed, "resumed after a server had been killed"),
            some(self.touched, "touched by the console"),
        )
    }
}
