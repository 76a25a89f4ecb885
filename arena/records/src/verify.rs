//! Plays many records again, on all cores, and says which of them are what the rules say.
//!
//! Holds as many records as there are threads; the answers come in the order of the arguments, whatever is done
//! first. Changes no file. Tested in `arena/cli/tests/records/`.

use std::convert::Infallible;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use zappy_game::GameSpec;
use zappy_play::local::many::{News, cores, play_many};
use zappy_protocol::text::{many, thousands};
use zappy_server::record::{self, Verified};

use super::files::{self, Error};
use super::progress::Progress;
use super::{FAILED, FINE, VerifyArgs};

/// The most threads: each holds a whole record.
const MOST_THREADS: usize = 64;

type Verification = Result<Verified, Error>;

/// Verifies the records, says which aren't verified, and gives the exit code.
pub fn verify(args: &VerifyArgs, games: &'static [GameSpec]) -> u8 {
    let since = Instant::now();
    let mut paths = Vec::new();
    for path in &args.files {
        // An argument at which no record is found stays in the list as it is: `check` reports the reason in its turn.
        paths.extend(files::records_below(path).unwrap_or_else(|_| vec![path.clone()]));
    }
    let (mut report, mut progress) = (VerifyReport::default(), Progress::new(args.quiet));
    let all = paths.len();
    let work = |job: usize| check(games, &paths[job]);
    on_all_cores(all, work, |done, next| {
        let Some((job, answer)) = next else { return progress.update(done, all) };
        progress.clear();
        report.take(args, &paths[job], &answer);
    });
    progress.clear();
    if !args.quiet {
        let words = report.summary(all, since.elapsed().as_secs_f64());
        // A caller that reads only the exit code may have closed standard output.
        let _ = writeln!(io::stdout(), "{words}");
    }
    if report.verified == all { FINE } else { FAILED }
}

/// Does this many jobs on all cores. Hands each answer over in the order of the jobs, with the number handed over so
/// far; in between it calls `tell` with that number alone, so that progress can be shown.
pub fn on_all_cores<T: Send>(
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    mut tell: impl FnMut(usize, Option<(usize, T)>),
) {
    let (mut done, never_stopped) = (0, AtomicBool::new(false));
    let over = |news| {
        match news {
            News::Over(seed, answer) => {
                done += 1;
                tell(done, Some((seed as usize, answer)));
            }
            News::Beat => tell(done, None),
        }
        Ok::<(), Infallible>(())
    };
    let Ok(()) = play_many(
        0..jobs as u64,
        cores().min(MOST_THREADS),
        &never_stopped,
        |seed| work(seed as usize),
        over,
    );
}

fn check(games: &'static [GameSpec], path: &Path) -> Verification {
    files::records_below(path)?;
    let verified = record::verify(&files::read(path)?, games)?;
    let Verified { ticks, lines, complete, .. } = verified;
    if complete { Ok(verified) } else { Err(Error::CutOff { ticks, lines }) }
}

#[derive(Default)]
struct VerifyReport {
    verified: usize,
    ticks: u64,
    inputs: u64,
    /// Records of matches that were resumed after a server had been killed.
    resumed: u64,
    /// Records of matches that were touched by the console.
    touched: u64,
}

impl VerifyReport {
    fn take(&mut self, args: &VerifyArgs, path: &Path, answer: &Verification) {
        let path = path.display();
        let verified = match answer {
            Ok(verified) => verified,
            Err(error) => {
                let _ = writeln!(io::stderr(), "{path}: {error}");
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
            let resumed_words =
                if resumed > 0 { format!(", resumed {}", many(resumed, "time")) } else { String::new() };
            let _ = writeln!(
                io::stdout(),
                "{path}: verified, {ticks} ticks, {inputs} inputs{resumed_words}{touched}"
            );
        } else if !args.quiet && !touched.is_empty() {
            let _ = writeln!(io::stdout(), "{path}: verified{touched}");
        }
    }

    fn summary(&self, all: usize, seconds: f64) -> String {
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
