//! Grades every submission of a class, each by a process of this program that grades it alone.
//!
//! So nothing that a submission does to that process reaches another one's. A process may be killed at any moment: what it has
//! finished stays, and the next run goes on. A submission is known by its files; what is graded is graded once. Decides no
//! point. Tested in `arena/cli/tests/class/`.

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
/// Between two times that the table is written.
const TABLE: Duration = Duration::from_secs(1);
/// The folder of a submission's matches, in that of its grade.
pub const PLAY: &str = "play";
/// What the process that graded a submission printed.
const LOG: &str = "log";
/// The longest `student.json`, in bytes: a thousand opponents.
const LONGEST: u64 = 4 << 20;
/// The end of a log in which its last line is looked for, in bytes.
const TAIL: usize = 4096;
/// How often a submission is tried if its process was killed.
const TRIES: u32 = 3;
/// The exit code of a process that was called in a wrong way.
const USAGE: u8 = 2;

/// A class that is to be graded, and how.
pub struct ClassRun<'a> {
    pub out: &'a Path,
    pub class: Class,
    /// The command, build and number of processes that the grader gives to every submission.
    pub all: ForAll<'a>,
    /// Matches at the same time.
    pub jobs: usize,
    /// This program, which grades each submission in a process of its own.
    pub program: PathBuf,
    /// The arguments of that process besides the submission and the folder of its grade.
    pub arguments: Vec<OsString>,
    /// The shares with which an opponent brings points.
    pub pass: Pass,
    /// Costs and additions by the grader.
    pub book: Gradebook,
    /// Whether a bot that looks like another one has its points.
    pub accept: bool,
    /// Writes the table as far as the class is graded.
    pub leave: &'a dyn Fn(&ClassResult) -> Result<(), Error>,
    pub opponents: Vec<String>,
}

/// A submission and its result.
#[derive(Debug)]
struct Item<'a> {
    submission: &'a Submission,
    id: Id,
    /// The id of its program, whichever file says how it is started.
    essence: Id,
    result: Option<StudentResult>,
    tries: u32,
}

impl Item<'_> {
    /// The folder of its grade, as a path from the folder of the class.
    fn place(&self) -> PathBuf {
        place_of(&self.submission.key, &self.id.to_string())
    }

    /// The result in its folder, with whatever flags its matches were counted.
    fn kept(&self, run: &ClassRun<'_>) -> Option<StudentResult> {
        let path = run.out.join(self.place()).join(STUDENT);
        let result: StudentResult = read_json(&path, LONGEST).ok()?;
        (result.submission == self.id.to_string()).then_some(result)
    }

    /// Why it can't be graded, if a result of its matches isn't what the arena signed. A grade that isn't what the arena signed is
    /// removed, so that it is made anew.
    fn distrusted(&self, run: &ClassRun<'_>, key: Option<&Key>) -> Option<String> {
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

    /// The result in its folder, if it was counted with the flags of this call.
    fn read(&self, run: &ClassRun<'_>) -> Option<StudentResult> {
        let mut result = self.kept(run)?;
        let marks = &result.marks;
        let accepted = marks.looks_like.is_none() || marks.likeness_accepted == run.accept;
        let same = accepted && marks.pass == run.pass && marks.of == run.opponents.len() as u64;
        result.page = self.place().join(&result.page).to_string_lossy().into_owned();
        same.then_some(result)
    }

    /// The result of a submission that isn't graded, for that reason.
    fn missing(&self, run: &ClassRun<'_>, why: String) -> StudentResult {
        let (why, of) = ((State::NotGraded, why), (&run.pass, run.opponents.len() as u64));
        let page = self.place().join(LOG).to_string_lossy().into_owned();
        StudentResult { page, ..StudentResult::unplayed(self.submission, self.id, why, of) }
    }
}

/// Locks the folder of a class, so that no other process grades into it at the same time.
///
/// # Errors
/// Another one does, or it can't be written to.
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
            let handed = submission.look(self.all);
            let mut item =
                Item { submission, id: handed.id(), essence: handed.essence(), result: None, tries: 0 };
            let changed = (handed == Handed::Changed).then(|| CHANGED.to_owned());
            let why = changed.or_else(|| item.distrusted(self, key.as_ref()));
            item.result = match why {
                Some(why) => Some(item.missing(self, why)),
                None => item.read(self).filter(StudentResult::is_final),
            };
            items.push(item);
            if signals.stops() > 0 {
                break;
            }
        }
        let mut waiting: Vec<usize> =
            (0..items.len()).rev().filter(|&item| items[item].result.is_none()).collect();
        let (all, left) = (items.len(), waiting.len());
        let is_kept = |&&item: &&usize| items[item].kept(self).is_some_and(|kept| kept.is_final());
        let anew = waiting.iter().filter(is_kept).count();
        let before = all - left + anew;
        let anew = if anew > 0 { format!(" ({anew} of these are counted anew)") } else { String::new() };
        let (count, jobs) = (many(all as u64, "submission"), many(self.jobs as u64, "match"));
        log::info!("{count}, {before} of them graded before{anew}; {jobs} at a time");
        // The last ones may play several matches at once.
        let each = (self.jobs / left.clamp(1, self.jobs)).max(1);
        let looked = all == self.class.submissions.len();
        let mut playing: Vec<(usize, Worker)> = Vec::new();
        let (mut stops, mut written, mut known) = (0, None::<Instant>, 0);
        loop {
            while stops < signals.stops() {
                stops += 1;
                playing.iter().for_each(|(_, worker)| worker.interrupt());
            }
            for (number, status) in worker::ended(&mut playing)? {
                if status.code() == Some(LATER.into()) {
                    // Those that take long come last.
                    waiting.insert(0, number);
                    continue;
                }
                self.judge(&mut items[number], status, stops > 0)?;
                if items[number].result.is_none() && items[number].tries < TRIES {
                    waiting.push(number);
                }
            }
            let graded =
                items.iter().flat_map(|item| &item.result).filter(|result| result.is_final()).count();
            if graded > known && written.is_none_or(|written| written.elapsed() >= TABLE) {
                (self.leave)(&self.result(&items, looked, "it isn't graded yet; its turn will come"))?;
                (written, known) = (Some(Instant::now()), graded);
            }
            while stops == 0 && playing.len() * each < self.jobs && !waiting.is_empty() {
                let Some(item) = waiting.pop() else { break };
                playing.push((item, self.begin(&items[item], each)?));
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
        let result = self.result(&items, looked, "the run was interrupted before; run it again");
        (self.leave)(&result)?;
        Ok((result, interrupted))
    }

    /// The table, with the reason `why` for submissions without a grade.
    fn result(&self, items: &[Item<'_>], looked: bool, why: &str) -> ClassResult {
        let students = items.iter().map(|item| {
            let result = item.result.clone().or_else(|| item.read(self));
            let mut result = result.unwrap_or_else(|| item.missing(self, why.to_owned()));
            self.book.enter(&mut result);
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
            complete: looked && students.iter().all(StudentResult::is_final),
            same,
            students,
            left_out: self.class.left_out.clone(),
        }
    }

    fn begin(&self, item: &Item<'_>, jobs: usize) -> Result<Worker, Error> {
        let folder = self.out.join(item.place());
        let failed = |error| Error::Folder(folder.clone(), error);
        // The folder of the grade and the two above it, from `students` on.
        let mut folders: Vec<&Path> = folder.ancestors().take(3).collect();
        folders.reverse();
        folders.into_iter().try_for_each(os::close_folder).map_err(failed)?;
        let log = File::create(folder.join(LOG)).map_err(failed)?;
        let named = |flag: &str, path: &Path| {
            let mut word = OsString::from(flag);
            word.push(path);
            word
        };
        let mut command = Command::new(&self.program);
        command
            .arg("grade")
            .args(&self.arguments)
            .args([named("--submission=", &item.submission.path), named("--out=", &folder)])
            .args(["--jobs", &jobs.to_string(), "--kept-by", &std::process::id().to_string()])
            .args(["--known-as", &item.id.to_string()])
            .stderr(log);
        Worker::start(&mut command, &item.submission.name)
    }

    /// Takes in the result of a submission, after its process has ended.
    fn judge(&self, item: &mut Item<'_>, status: ExitStatus, stopped: bool) -> Result<(), Error> {
        item.result = item.read(self);
        let name = &item.submission.name;
        // The last line that the process printed.
        let log = files::read(&self.out.join(item.place()).join(LOG), LONGEST).unwrap_or_default();
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
        let again = code.is_none_or(|code| code == INTERRUPTED) && item.tries < TRIES;
        log::warn!("{name}: {why}{}", if again { "; it is tried again" } else { "" });
        if !again {
            item.result = Some(item.missing(self, why));
        }
        Ok(())
    }
}

/// Writes down the terms on which a class is graded; other terms are refused there later.
///
/// # Errors
/// Something else lies there, or it can't be written.
pub fn keep_terms(out: &Path, terms: &serde_json::Value) -> Result<(), Error> {
    let path = out.join("terms.json");
    let Ok(there) = files::read(&path, LONGEST) else { return Ok(write_pretty(&path, terms)?) };
    if there == format!("{terms:#}\n").as_bytes() {
        return Ok(());
    }
    let there: serde_json::Value = serde_json::from_slice(&there).unwrap_or_default();
    let other = terms.as_object().into_iter().flatten().filter(|(key, value)| there.get(key) != Some(value));
    let keys: Vec<&str> = other.map(|(key, _)| key.as_str()).collect();
    Err(Error::Flag(format!(
        "--out {}: a class was graded there on other terms ({}); choose another folder, or ask for the same again",
        out.display(),
        keys.join(", ")
    )))
}
