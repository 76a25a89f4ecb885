//! Plays many records again, on all cores, and says which of them are what the rules say.
//!
//! Holds as many records as there are threads; the answers come in the order of the arguments, whatever is done
//! first. Changes no file. Tested in `tests/records/`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use zappy_protocol::text::{many, thousands};
use zappy_server::game::GameSpec;
use zappy_server::record::{self, Verified};

use super::files::{self, Trouble};
use super::progress::{Progress, REDRAW};
use super::{FAILED, FINE, VerifyArgs};

/// Threads at most: each holds a whole record.
const MOST_THREADS: usize = 64;

type Answer = Result<Verified, Trouble>;

/// Does what was asked for, and says how it ended, as an exit code.
#[must_use]
pub fn verify(args: &VerifyArgs, games: &'static [GameSpec]) -> u8 {
    let since = Instant::now();
    let mut jobs = Jobs { games, paths: Vec::new(), waiting: BTreeMap::new() };
    args.files.iter().for_each(|path| jobs.add(path));
    let (mut report, mut progress) = (VerifyReport::new(args), Progress::new(args.quiet));
    let all = jobs.paths.len();
    jobs.run(|done, next| {
        let Some((path, answer)) = next else { return progress.update(done, all) };
        progress.clear();
        report.take(path, &answer);
    });
    progress.clear();
    if !args.quiet {
        let words = report.sum(all, since.elapsed().as_secs_f64());
        // A caller that reads only the exit code may have closed it.
        let _ = writeln!(io::stdout(), "{words}");
    }
    if report.verified == all { FINE } else { FAILED }
}

/// What is to be verified.
struct Jobs {
    /// The games that can be played again.
    games: &'static [GameSpec],
    paths: Vec<PathBuf>,
    /// Answers that are known or came early, by their place.
    waiting: BTreeMap<usize, Answer>,
}

impl Jobs {
    fn add(&mut self, path: &Path) {
        match files::below(path) {
            Ok(found) => self.paths.extend(found),
            Err(trouble) => {
                self.waiting.insert(self.paths.len(), Err(trouble));
                self.paths.push(path.to_owned());
            }
        }
    }

    /// Does all of it. Hands the answers over in their order, and in between says how many are done.
    fn run(self, mut tell: impl FnMut(usize, Option<(&Path, Answer)>)) {
        let Jobs { games, paths, mut waiting } = self;
        let todo: Vec<usize> = (0..paths.len()).filter(|index| !waiting.contains_key(index)).collect();
        let threads =
            thread::available_parallelism().map_or(1, usize::from).min(todo.len()).min(MOST_THREADS);
        let (next, (sender, answers)) = (AtomicUsize::new(0), channel());
        thread::scope(|scope| {
            for _ in 0..threads {
                let (paths, todo, next, sender) = (&paths, &todo, &next, sender.clone());
                scope.spawn(move || work(games, paths, todo, next, &sender));
            }
            drop(sender);
            let (mut told, mut done) = (0, waiting.len());
            loop {
                while let Some(answer) = waiting.remove(&told) {
                    tell(done, Some((&paths[told], answer)));
                    told += 1;
                }
                match answers.recv_timeout(REDRAW) {
                    Ok((index, answer)) => {
                        waiting.insert(index, answer);
                        done += 1;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                tell(done, None);
            }
        });
    }
}

/// What each thread does: the next record, until there is none.
fn work(
    games: &'static [GameSpec],
    paths: &[PathBuf],
    todo: &[usize],
    next: &AtomicUsize,
    answers: &Sender<(usize, Answer)>,
) {
    while let Some(&index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
        if answers.send((index, check(games, &paths[index]))).is_err() {
            return;
        }
    }
}

fn check(games: &'static [GameSpec], path: &Path) -> Answer {
    let verified = record::verify(&files::read(path)?, games)?;
    let Verified { ticks, lines, complete, .. } = verified;
    if complete { Ok(verified) } else { Err(Trouble::CutOff { ticks, lines }) }
}

/// What was said so far.
struct VerifyReport {
    verbose: bool,
    verified: usize,
    ticks: u64,
    inputs: u64,
    resumed: u64,
}

impl VerifyReport {
    fn new(args: &VerifyArgs) -> VerifyReport {
        VerifyReport { verbose: args.verbose, verified: 0, ticks: 0, inputs: 0, resumed: 0 }
    }

    fn take(&mut self, path: &Path, answer: &Answer) {
        match answer {
            Ok(Verified { ticks, inputs, resumed, .. }) => {
                self.verified += 1;
                self.ticks += ticks;
                self.inputs += *inputs as u64;
                self.resumed += u64::from(*resumed > 0);
                if self.verbose {
                    let (ticks, inputs) = (thousands(*ticks), thousands(*inputs as u64));
                    let often = match resumed {
                        0 => String::new(),
                        often => format!(", resumed {}", many(*often, "time")),
                    };
                    let words =
                        format!("{}: verified, {ticks} ticks, {inputs} inputs{often}", path.display());
                    let _ = writeln!(io::stdout(), "{words}");
                }
            }
            Err(trouble) => {
                let _ = writeln!(io::stderr(), "{}: {trouble}", path.display());
            }
        }
    }

    fn sum(&self, all: usize, seconds: f64) -> String {
        let resumed = match self.resumed {
            0 => String::new(),
            some => format!("; {} of them resumed after a server had been killed", thousands(some)),
        };
        format!(
            "{} of {} verified: {}, {}, {seconds:.1} s{resumed}",
            thousands(self.verified as u64),
            many(all as u64, "record"),
            many(self.ticks, "tick"),
            many(self.inputs, "input"),
        )
    }
}
