//! Matches in one process and the files they leave: one match with the folder that every match has, or many matches,
//! one per seed.
//!
//! Each of many matches leaves a line in `results.jsonl`, in the order of the seeds, and its record. Neither depends
//! on the time that a match took or on the number of threads. Tested in `arena/cli/tests/in_process.rs`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zappy_game::{Length, Verdict};
use zappy_protocol::Tick;
use zappy_protocol::text::many;
use zappy_server::games::GameTable;
use zappy_server::result::MatchResult;

use super::in_process::Played;
use super::many::{News, play_many};
use super::plan::Plan;
use crate::Error;
use crate::display::Display;
use crate::folder::{self, Folder};
use crate::programs::signals::Signals;
use crate::proof::prove;
use crate::result::{ArenaResult, Ending};
use crate::signature::{Hash, Kind, RECORDS, hash_file, sign_with};
use crate::table;

/// Plays the match of the plan's first seed, plays its record again and leaves its folder complete. Gives its result,
/// and how it ended; `None` if the operator ended it before it had begun.
///
/// # Errors
/// The match could not be played, or its files not be written.
pub fn play_one(
    plan: &Plan,
    folder: &Folder,
    signals: &mut Signals,
    games: GameTable,
) -> Result<Option<(ArenaResult, Ending)>, Error> {
    let (stop, start, seed) = (AtomicBool::new(false), Instant::now(), plan.seeds.start);
    let mut over = None;
    // The match has a thread of its own, so that this one can listen to the operator.
    play_many(
        seed..seed + 1,
        1,
        &stop,
        |seed| play_to(plan, seed, &folder.record(), &stop),
        |news| {
            match news {
                News::Over(_, outcome) => over = Some(outcome?),
                News::Beat => listen(signals, &stop),
            }
            Ok::<(), Error>(())
        },
    )?;
    let Some(played) = over else { return Ok(None) };
    let seconds = Some(start.elapsed().as_secs_f64());
    let proved = (!played.stopped).then(|| prove(&folder.record(), games, &played.result));
    let outcome = match &proved {
        None => Ending::Interrupted,
        Some(Ok(())) => Ending::Ended,
        Some(Err(_)) => Ending::Unproved,
    };
    let mut result = result_of(plan, played.result, outcome, seconds);
    if let Some((proved, arena)) = proved.zip(result.arena.as_mut()) {
        arena.record_verified = Some(proved.is_ok());
        arena.error = proved.err().map(|why| Error::Unproved(why).to_string());
    }
    folder.write_result(&result)?;
    Ok(Some((result, outcome)))
}

/// Sets `stop` if the operator wants the matches to end.
fn listen(signals: &mut Signals, stop: &AtomicBool) {
    if signals.stops() > 0 {
        stop.store(true, Ordering::Relaxed);
    }
}

fn play_to(plan: &Plan, seed: u64, path: &Path, stop: &AtomicBool) -> Result<Played<File>, Error> {
    let file = File::create(path).map_err(|error| Error::File(path.into(), error))?;
    plan.play(seed, file, stop)
}

fn result_of(plan: &Plan, result: MatchResult, ending: Ending, seconds: Option<f64>) -> ArenaResult {
    let bots = plan.bots.iter().map(|bot| (bot.team.as_str(), bot.text.as_str()));
    ArenaResult::in_process(result, bots, ending, seconds)
}

/// What is kept of one of many matches. `text` is its line in `results.jsonl`.
struct MatchLine {
    text: String,
    verdict: Verdict,
    ticks: Tick,
    length: Length,
    record_bytes: u64,
    record_hash: Hash,
}

/// Plays a match and moves its record to where it stays; `None` if the match was stopped.
fn play_line(plan: &Plan, seed: u64, folder: &Folder, stop: &AtomicBool) -> Result<Option<MatchLine>, Error> {
    let path = folder.unfinished_record(seed);
    let played = play_to(plan, seed, &path, stop)?;
    if played.stopped {
        return Ok(None);
    }
    let failed = |error| Error::File(folder.record_of(seed), error);
    let record_bytes = played.record.metadata().map_err(failed)?.len();
    let record_hash = hash_file(&path).map_err(failed)?;
    fs::rename(path, folder.record_of(seed)).map_err(failed)?;
    let length = table::length(&played.result);
    let result = result_of(plan, played.result, Ending::Ended, None);
    let text = serde_json::to_string(&result).map_err(|error| Error::File(folder.results(), error.into()))?;
    let Played { verdict, ticks, .. } = played;
    Ok(Some(MatchLine { text: text + "\n", verdict, ticks, length, record_bytes, record_hash }))
}

/// Plays all matches of a plan and leaves their results and records.
///
/// # Errors
/// A match could not be played, or its files not be written; the files of earlier matches stay.
pub fn play_all(
    plan: &Plan,
    folder: &Folder,
    signals: &mut Signals,
    display: &mut Display,
) -> Result<Summary, Error> {
    let failed = |error| Error::File(folder.results(), error);
    let mut results = File::create(folder.results()).map_err(failed)?;
    let stop = AtomicBool::new(false);
    let wins = plan.bots.iter().map(|bot| (bot.team.to_string(), 0)).collect();
    let mut summary = Summary { seeds: plan.seeds.clone(), threads: plan.jobs, wins, ..Summary::default() };
    let (start, mut records) = (Instant::now(), Vec::new());
    play_many(
        plan.seeds.clone(),
        plan.jobs,
        &stop,
        |seed| play_line(plan, seed, folder, &stop),
        |news| {
            summary.elapsed = start.elapsed();
            match news {
                News::Over(seed, line) => {
                    if let Some(line) = line? {
                        results.write_all(line.text.as_bytes()).map_err(failed)?;
                        summary.add(&line);
                        records.push((seed, line.record_hash));
                    }
                }
                News::Beat => {
                    listen(signals, &stop);
                    display.progress(|| summary.progress());
                }
            }
            Ok::<(), Error>(())
        },
    )?;
    summary.interrupted = stop.load(Ordering::Relaxed);
    results.sync_all().map_err(failed)?;
    let records = records.into_iter().take(RECORDS);
    let names = records.map(|(seed, hash)| (format!("{}/{seed}.zrec", folder::RECORDS), hash));
    sign_with(folder.path(), Kind::Series, &[folder::RESULTS], names.collect());
    Ok(summary)
}

/// The results of many matches, summed up.
#[derive(Debug, Default)]
pub struct Summary {
    /// Whether the operator ended them.
    pub interrupted: bool,
    /// The seeds of the matches that were to be played.
    seeds: Range<u64>,
    threads: usize,
    /// The teams in their order, with their wins.
    wins: Vec<(String, u64)>,
    undecided: u64,
    by_lot: u64,
    reasons: BTreeMap<&'static str, u64>,
    ticks: Vec<Tick>,
    lengths: Vec<Length>,
    record_bytes: u64,
    elapsed: Duration,
}

impl Summary {
    fn add(&mut self, line: &MatchLine) {
        for (team, wins) in &mut self.wins {
            *wins += u64::from(line.verdict.winners().any(|winner| winner == *team));
        }
        self.undecided += u64::from(line.verdict.winners().next().is_none());
        self.by_lot += u64::from(line.verdict.by_lot);
        *self.reasons.entry(line.verdict.reason).or_default() += 1;
        self.ticks.push(line.ticks);
        self.lengths.push(line.length);
        self.record_bytes += line.record_bytes;
    }

    fn wanted(&self) -> u64 {
        self.seeds.end - self.seeds.start
    }

    fn per_minute(&self) -> f64 {
        self.ticks.len() as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE) * 60.0
    }

    fn progress(&self) -> String {
        let mut text = format!(
            "{} of {}, {:.0} a minute",
            self.ticks.len(),
            many(self.wanted(), "match"),
            self.per_minute()
        );
        for (team, wins) in &self.wins {
            // Writing to a string cannot fail.
            let _ = write!(text, " | {team}: {wins}");
        }
        text
    }

    /// The results in some lines for people.
    pub fn render(&self) -> String {
        let count = self.ticks.len();
        let mut text = format!("{} from seed {} on", many(count as u64, "match"), self.seeds.start);
        if count as u64 != self.wanted() {
            let _ = write!(text, ", of {} wanted", self.wanted());
        }
        text.push('\n');
        if count == 0 {
            return text;
        }
        let mut rows: Vec<(&str, u64)> =
            self.wins.iter().map(|(team, wins)| (team.as_str(), *wins)).collect();
        rows.push(("nobody", self.undecided));
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (i, (name, wins)) in rows.iter().enumerate() {
            if i < self.wins.len() || *wins > 0 {
                let share = *wins as f64 / count as f64 * 100.0;
                let unit = if *wins == 1 { "win " } else { "wins" };
                let _ = writeln!(text, "  {name:<width$}  {wins:>7} {unit}  {share:5.1} %");
            }
        }
        let reasons: Vec<String> =
            self.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let _ = write!(text, "ended by {}", reasons.join(", "));
        if self.by_lot > 0 {
            let _ = write!(text, "; {} drawn by lot", self.by_lot);
        }
        let counts: Vec<u64> = self.lengths.iter().map(|length| length.count()).collect();
        let [least, first, median, third, most] = quartiles(&counts);
        let unit = self.lengths.first().map_or("tick", |length| length.unit());
        let _ = writeln!(text, "\n{unit}s: quartiles {first} {median} {third}, least {least}, most {most}");
        let sum: Tick = self.ticks.iter().sum();
        let seconds = self.elapsed.as_secs_f64();
        let _ = writeln!(
            text,
            "{seconds:.1} s on {}: {:.0} matches a minute, {:.0} ticks a second, {} KiB per record",
            many(self.threads as u64, "thread"),
            self.per_minute(),
            sum as f64 / seconds.max(f64::MIN_POSITIVE),
            self.record_bytes / count as u64 / 1024,
        );
        text
    }
}

/// The least value, the quartiles and the greatest; each of them occurs among the values.
pub fn quartiles(values: &[Tick]) -> [Tick; 5] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    [0, 1, 2, 3, 4].map(|part| sorted.get((last * part + 2) / 4).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_values_that_occurred() {
        assert_eq!(quartiles(&[]), [0; 5]);
        assert_eq!(quartiles(&[7]), [7; 5]);
        assert_eq!(quartiles(&[5, 1, 4, 2, 3]), [1, 2, 3, 4, 5]);
    }
}
