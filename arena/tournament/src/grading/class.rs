//! Grades every submission of a class, each by a process of this program that grades it alone.
//!
//! So nothing that a submission does to its process reaches another submission. A process may be killed at any moment:
//! what it has finished stays, and the next run goes on. A submission is known by its files, and is graded once.
//! Decides no point. Tested in `arena/cli/tests/class/`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use zappy_play::Error;
use zappy_play::display::Display;
use zappy_play::os;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::Key;
use zappy_protocol::text::{many, shown};
use zappy_server::files;

use super::command::ForAll;
use super::gradebook::Gradebook;
use super::points::Pass;
use super::result::{ClassResult, State, StudentResult, place_of};
use super::submission::{CHANGED, Class, Handed, Submission};
use crate::claim::Claim;
use crate::identity::Id;
use crate::place::{Place, STUDENT, read_json, write_pretty};
use crate::reading::{altered, checked_outcome, own_key};
use crate::run::{FULL, INTERRUPTED};
use crate::worker::{self, Worker};

/// The exit code of a process that can't go on before the grader has mended something.
pub const MEND: u8 = 80;
/// The exit code of a process that gives up its turn before its submission is graded.
pub const LATER: u8 = 81;
/// The least time between two writes of the table.
const TABLE_PAUSE: Duration = Duration::from_secs(1);
/// The folder of a submission's matches, in that of its grade.
pub const PLAY: &str = "play";
/// The file with what the process that graded a submission printed.
const LOG: &str = "log";
/// The longest `student.json`, log or file of terms, in bytes: enough for a thousand opponents.
const LONGEST_FILE: u64 = 4 << 20;
/// How many bytes at the end of a log are searched for its last line.
const TAIL: usize = 4096;
/// How often a submission is tried if its process was killed.
const TRIES: u32 = 3;
/// The exit code of a process with wrong arguments.
const USAGE: u8 = 2;

/// A class that is to be graded, and how.
pub struct ClassRun<'a> {
    /// The folder of the grades.
    pub out: &'a Path,
    pub class: Class,
    /// The command, build and number of processes that the grader gives to every submission.
    pub for_all: ForAll<'a>,
    /// Matches at the same time.
    pub jobs: usize,
    /// This program, which grades each submission in a process of its own.
    pub program: PathBuf,
    /// The arguments of that process besides the submission and the folder of its grade.
    pub arguments: Vec<OsString>,
    /// The shares with which an opponent brings points.
    pub pass: Pass,
    /// Costs and additions by the grader.
    pub gradebook: Gradebook,
    /// Whether a bot that looks like an opponent or our client gets its points all the same.
    pub accept_lookalikes: bool,
    /// Writes the table as far as the class is graded.
    pub write_table: &'a dyn Fn(&ClassResult) -> Result<(), Error>,
    /// The names of the opponents.
    pub opponents: Vec<String>,
}

/// A submission and its result.
#[derive(Debug)]
struct Item<'a> {
    submission: &'a Submission,
    id: Id,
    /// The id of its program, whichever file says how it is started.
    essence: Id,
    /// `None` as long as it isn't graded.
    result: Option<StudentResult>,
    /// How often its process has ended without a result.
    tries: u32,
}

impl Item<'_> {
    /// The folder of its grade, relative to the folder of all grades.
    fn place(&self) -> PathBuf {
        place_of(&self.submission.key, &self.id.to_string())
    }

    /// The result in its folder, whichever flags the points were counted with.
    fn kept_result(&self, run: &ClassRun<'_>) -> Option<StudentResult> {
        let path = run.out.join(self.place()).join(STUDENT);
        let result: StudentResult = read_json(&path, LONGEST_FILE).ok()?;
        (result.submission == self.id.to_string()).then_some(result)
    }

    /// Why it can't be graded, if the result of a match isn't what the arena signed. A `student.json` that isn't what
    /// the arena signed is removed, so that it is made anew.
    fn distrust_reason(&self, run: &ClassRun<'_>, key: Option<&Key>) -> Option<String> {
        let folder = run.out.join(self.place());
        for (path, what) in altered(&folder, key, |name| name == STUDENT) {
            if fs::remove_file(&path).is_ok() {
                log::warn!("{}: {what}; it is graded anew", path.display());
            }
        }
        let play = Place::open(&folder.join(PLAY)).ok()?;
        let error = play.played().ok()?.into_iter().find_map(|id| checked_outcome(&play, id, key).err())?;
        Some(error.to_string().replace(&format!("{}/", folder.display()), ""))
    }

    /// The result in its folder, if its points were counted with the flags of this call.
    fn current_result(&self, run: &ClassRun<'_>) -> Option<StudentResult> {
        let mut result = self.kept_result(run)?;
        let marks = &result.marks;
        let accepted = marks.looks_like.is_none() || marks.likeness_accepted == run.accept_lookalikes;
        let is_current = accepted && marks.pass == run.pass && marks.of == run.opponents.len() as u64;
        result.page = self.place().join(&result.page).to_string_lossy().into_owned();
        is_current.then_some(result)
    }

    /// The result of a submission that isn't graded, for that reason.
    fn ungraded_result(&self, run: &ClassRun<'_>, why: String) -> StudentResult {
        let (why, of) = ((State::NotGraded, why), (&run.pass, run.opponents.len() as u64));
        let page = self.place().join(LOG).to_string_lossy().into_owned();
        StudentResult { page, ..StudentResult::unplayed(self.submission, self.id, why, of) }
    }
}

/// Locks the folder of a class, so that no other process grades into it at the same time.
///
/// # Errors
/// Another process does, or the folder can't be written to.
pub fn claim(out: &Path) -> Result<Claim, Error> {
    os::new_folder(out).map_err(|error| Error::Folder(out.to_path_buf(), error))?;
    let words = "another process grades into it; wait for its end, or choose another folder";
    Claim::of(out.join(".lock"))?.ok_or_else(|| Error::Flag(format!("--out {}: {words}", out.display())))
}

impl ClassRun<'_> {
    /// Grades the submissions that aren't graded yet; gives the table, and whether the operator ended it.
    ///
    /// # Errors
    /// The disk is full, or the grader has to mend something; what is graded stays.
    pub fn grade(&self, signals: &mut Signals, display: &mut Display) -> Result<(ClassResult, bool), Error> {
        let key = own_key();
        let mut items: Vec<Item<'_>> = Vec::with_capacity(self.class.submissions.len());
        for submission in &self.class.submissions {
            let handed = submission.look(self.for_all);
            let mut item =
                Item { submission, id: handed.id(), essence: handed.essence(), result: None, tries: 0 };
            let changed = (handed == Handed::Changed).then(|| CHANGED.to_owned());
            let why = changed.or_else(|| item.distrust_reason(self, key.as_ref()));
            item.result = match why {
                Some(why) => Some(item.ungraded_result(self, why)),
                None => item.current_result(self).filter(StudentResult::is_final),
            };
            items.push(item);
            if signals.stops() > 0 {
                break;
            }
        }
        let mut waiting: Vec<usize> =
            (0..items.len()).rev().filter(|&item| items[item].result.is_none()).collect();
        let (all, left) = (items.len(), waiting.len());
        let has_result = |&&item: &&usize| items[item].kept_result(self).is_some_and(|kept| kept.is_final());
        let recounts = waiting.iter().filter(has_result).count();
        let before = all - left + recounts;
        let anew =
            if recounts > 0 { format!(" ({recounts} of these are counted anew)") } else { String::new() };
        let (count, jobs) = (many(all as u64, "submission"), many(self.jobs as u64, "match"));
        log::info!("{count}, {before} of them graded before{anew}; {jobs} at a time");
        // The last ones may play several matches at once.
        let jobs_each = (self.jobs / left.clamp(1, self.jobs)).max(1);
        let has_seen_all = all == self.class.submissions.len();
        let mut playing: Vec<(usize, Worker)> = Vec::new();
        let (mut stops, mut written, mut in_table) = (0, None::<Instant>, 0);
        loop {
            while stops < signals.stops() {
                stops += 1;
                playing.iter().for_each(|(_, worker)| worker.interrupt());
            }
            for (number, status) in worker::ended(&mut playing)? {
                if status.code() == Some(LATER.into()) {
                    // Submissions that take long come last.
                    waiting.insert(0, number);
                    continue;
                }
                self.note_end(&mut items[number], status, stops > 0)?;
                if items[number].result.is_none() && items[number].tries < TRIES {
                    waiting.push(number);
                }
            }
            let graded =
                items.iter().flat_map(|item| &item.result).filter(|result| result.is_final()).count();
            if graded > in_table && written.is_none_or(|written| written.elapsed() >= TABLE_PAUSE) {
                (self.write_table)(&self.result(
                    &items,
                    has_seen_all,
                    "it isn't graded yet; its turn will come",
                ))?;
                (written, in_table) = (Some(Instant::now()), graded);
            }
            while stops == 0 && playing.len() * jobs_each < self.jobs && !waiting.is_empty() {
                let Some(item) = waiting.pop() else { break };
                playing.push((item, self.start(&items[item], jobs_each)?));
            }
            if playing.is_empty() && (waiting.is_empty() || stops > 0) {
                break;
            }
            display.progress(|| {
                let done = all - waiting.len() - playing.len();
                format!("{done} of {count} done, {} under way", playing.len())
            });
            worker::wait(signals);
        }
        let interrupted =
            stops > 0 && (!waiting.is_empty() || items.iter().any(|item| item.result.is_none()));
        let result = self.result(&items, has_seen_all, "the run was interrupted before; run it again");
        (self.write_table)(&result)?;
        Ok((result, interrupted))
    }

    /// The table, with the reason `why` for submissions without a grade. `has_seen_all`: `items` are all submissions.
    fn result(&self, items: &[Item<'_>], has_seen_all: bool, why: &str) -> ClassResult {
        let students = items.iter().map(|item| {
            let result = item.result.clone().or_else(|| item.current_result(self));
            let mut result = result.unwrap_or_else(|| item.ungraded_result(self, why.to_owned()));
            self.gradebook.enter(&mut result);
            result
        });
        let students: Vec<StudentResult> = students.collect();
        // Groups with the same program to the byte. The files that say how it is started may differ.
        let mut groups: BTreeMap<Id, Vec<String>> = BTreeMap::new();
        for (student, item) in students.iter().zip(items) {
            if ![State::Unfit, State::NoCommand].contains(&student.state) {
                groups.entry(item.essence).or_default().push(student.student.clone());
            }
        }
        let mut same: Vec<Vec<String>> = groups.into_values().filter(|group| group.len() > 1).collect();
        same.sort();
        ClassResult {
            version: 1,
            pass: self.pass.clone(),
            opponents: self.opponents.clone(),
            complete: has_seen_all && students.iter().all(StudentResult::is_final),
            same,
            students,
            left_out: self.class.left_out.clone(),
        }
    }

    /// Starts the process that grades a submission, with so many matches at the same time.
    fn start(&self, item: &Item<'_>, jobs: usize) -> Result<Worker, Error> {
        let folder = self.out.join(item.place());
        let failed = |error| Error::Folder(folder.clone(), error);
        // The folder of the grade and the two above it, from `students` on.
        let mut folders: Vec<&Path> = folder.ancestors().take(3).collect();
        folders.reverse();
        folders.into_iter().try_for_each(os::close_folder).map_err(failed)?;
        let log = File::create(folder.join(LOG)).map_err(failed)?;
        let with_path = |flag: &str, path: &Path| {
            let mut word = OsString::from(flag);
            word.push(path);
            word
        };
        let mut command = Command::new(&self.program);
        command
            .arg("grade")
            .args(&self.arguments)
            .args([with_path("--submission=", &item.submission.path), with_path("--out=", &folder)])
            .args(["--jobs", &jobs.to_string(), "--kept-by", &std::process::id().to_string()])
            .args(["--known-as", &item.id.to_string()])
            .stderr(log);
        Worker::start(&mut command, &item.submission.name)
    }

    /// Takes in the result of a submission, after its process has ended.
    ///
    /// # Errors
    /// No submission can be graded before the grader has mended something.
    fn note_end(&self, item: &mut Item<'_>, status: ExitStatus, stopped: bool) -> Result<(), Error> {
        item.result = item.current_result(self);
        let name = &item.submission.name;
        // The last line that the process printed.
        let log = files::read(&self.out.join(item.place()).join(LOG), LONGEST_FILE).unwrap_or_default();
        let mut tail = log[log.len().saturating_sub(TAIL)..].split(|&byte| byte == b'\n');
        let last = tail.rfind(|line| !line.is_empty());
        let last = last.map(|line| shown(line.strip_prefix(b"zappy_arena: ").unwrap_or(line)));
        let why = last.unwrap_or_else(|| format!("grading {name} ended with {status}"));
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        match code {
            Some(FULL) => return Err(crate::Error::Full(self.out.to_path_buf()).into()),
            Some(USAGE) => return Err(Error::Flag(why)),
            Some(MEND) => return Err(crate::Error::Arena(why).into()),
            _ if item.result.is_some() || stopped => return Ok(()),
            _ => item.tries += 1,
        }
        // An arena that failed would fail again; a process that was killed may have been killed by mistake.
        let is_retried = code.is_none_or(|code| code == INTERRUPTED) && item.tries < TRIES;
        log::warn!("{name}: {why}{}", if is_retried { "; it is tried again" } else { "" });
        if !is_retried {
            item.result = Some(item.ungraded_result(self, why));
        }
        Ok(())
    }
}

/// Writes the terms on which a class is graded into `terms.json` in the folder `out`.
///
/// # Errors
/// The file is there with other terms, or it can't be written.
pub fn keep_terms(out: &Path, terms: &serde_json::Value) -> Result<(), Error> {
    let path = out.join("terms.json");
    let Ok(kept) = files::read(&path, LONGEST_FILE) else { return Ok(write_pretty(&path, terms)?) };
    if kept == format!("{terms:#}\n").as_bytes() {
        return Ok(());
    }
    let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap_or_default();
    let other = terms.as_object().into_iter().flatten().filter(|(key, value)| kept.get(key) != Some(value));
    let keys: Vec<&str> = other.map(|(key, _)| key.as_str()).collect();
    Err(Error::Flag(format!(
        "--out {}: a class was graded there on other terms ({}); choose another folder, or ask for the same again",
        out.display(),
        keys.join(", ")
    )))
}
