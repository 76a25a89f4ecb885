//! `grade --submission`: what one student handed in, from the folder to the grade.
//!
//! The submission is copied, built, checked and played, each step once: after being killed at any moment the next call
//! goes on with the step that was cut off. `student.json` is written last: if it is there, the grade is complete. A
//! fault of the submission decides its grade, and is no failure of the arena. Tested in `tests/class/`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zappy_play::Error;
use zappy_play::os;
use zappy_play::programs::signals::Signals;
use zappy_play::signature::{self, Kind};
use zappy_play::world::{Games, World};
use zappy_protocol::OBSERVER_NAME;
use zappy_protocol::text::{many, shown};
use zappy_server::files;
use zappy_tournament::Error as TournamentError;
use zappy_tournament::bots::{Book, Bot, BotSpec};
use zappy_tournament::claim::Claim;
use zappy_tournament::copies::{WalkLimits, copy_open, open_folder};
use zappy_tournament::gauntlet::Opponents;
use zappy_tournament::grading::class::{MEND, PLAY, claim};
use zappy_tournament::grading::command::{Found, Names, STARTED_BY, command_after_build, find};
use zappy_tournament::grading::contained::{Built, Tried, Walls};
use zappy_tournament::grading::formats;
use zappy_tournament::grading::grade::GRADED;
use zappy_tournament::grading::report::page_of;
use zappy_tournament::grading::result::{Checked, PAGE, State, StudentResult, left_out_words, with_left_out};
use zappy_tournament::grading::submission::{CHANGED, Handed, Submission, essence, look_in};
use zappy_tournament::place::{STUDENT, clear, write_pretty, write_whole};
use zappy_tournament::reading::{altered, own_key};
use zappy_tournament::run::{FULL, INTERRUPTED};

use super::commands::{REFUSED, catch_signals, print};
use super::grade::GradeArgs;
use super::grading::{PageWords, page, play_book, student_of, write_formats};

/// The files in the folder of a grade: the folder of the bot, that folder before the bot is built, how the bot is
/// started, the id of the submission, and an empty file that says that the matches must be played anew.
const BOT: &str = "bot";
const UNBUILT: &str = ".bot";
const FOUND: &str = ".found.json";
const SUBMISSION_ID: &str = "submission";
const PLAY_ANEW: &str = "anew";
/// The longest file with the id of a submission, with how a bot is started, and with the findings of a check, in bytes.
const LONGEST_ID: u64 = 100;
const LONGEST_FOUND: u64 = 1 << 20;
const LONGEST_CHECK: u64 = 1 << 20;
/// How long the process before may take to release the folder of a grade, and the pause between two looks at its lock.
const LOCK_PATIENCE: Duration = Duration::from_secs(60);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Grades the submission in the folder `path`; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn grade(args: &GradeArgs, path: &Path, games: Games) -> Result<u8, Error> {
    let mut signals = catch_signals(args.kept_by)?;
    let graded = Student::begin(args, path, games).and_then(|student| student.grade(&mut signals));
    match graded {
        // The process that grades the class reports it.
        Err(error) if args.kept_by.is_some() && error.is_full_disk() => Ok(FULL),
        Err(error) if args.kept_by.is_some() && is_of_opponent(&error) => {
            eprintln!("{error}");
            Ok(MEND)
        }
        graded => graded,
    }
}

/// Whether the error is that an opponent can't be started or never joins.
fn is_of_opponent(error: &Error) -> bool {
    let Error::Other { error, .. } = error else { return false };
    matches!(error.downcast_ref(), Some(TournamentError::Opponent { .. }))
}

/// The error that a submission was changed since it was looked at.
fn changed_error() -> Error {
    TournamentError::Arena(CHANGED.to_owned()).into()
}

/// A submission that is graded.
struct Student<'a> {
    args: &'a GradeArgs,
    games: Games,
    world: World,
    opponents: Opponents,
    /// The number of opponents, which is also that of points to be had.
    of: u64,
    submission: Submission,
    /// The state of its files when this process first looked at them.
    handed: Handed,
    /// The folder of its grade, absolute.
    out: PathBuf,
    _claim: Claim,
}

/// Why a submission isn't graded by matches.
enum Stop {
    /// The submission can't play, for this reason, and that is its grade.
    Over(State, String),
    Interrupted,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

impl<'a> Student<'a> {
    fn begin(args: &'a GradeArgs, path: &Path, games: Games) -> Result<Student<'a>, Error> {
        let world = args.world(games)?;
        let opponents = args.opponents(&world)?;
        let of = opponents.bots()?.len() as u64;
        let submission = Submission::at(path);
        if args.kept_by.is_none() && fs::symlink_metadata(path).is_err() {
            let words = "there is no folder of that name; give what the student handed in";
            return Err(Error::Flag(format!("--submission {}: {words}", path.display())));
        }
        let handed = submission.look(args.for_all());
        let other = |known: &String| *known != handed.id().to_string();
        if handed == Handed::Changed || args.known_as.as_ref().is_some_and(other) {
            return Err(changed_error());
        }
        let failed = |error| Error::Folder(args.out.clone(), error);
        os::new_folder(&args.out).map_err(failed)?;
        let out = fs::canonicalize(&args.out).map_err(failed)?;
        // A process of a killed class may still be about to release the folder.
        let deadline = Instant::now() + if args.kept_by.is_some() { LOCK_PATIENCE } else { Duration::ZERO };
        let claim = loop {
            match claim(&out) {
                Err(_) if Instant::now() < deadline => std::thread::sleep(LOCK_PAUSE),
                claimed => break claimed?,
            }
        };
        let (id, file) = (handed.id().to_string(), out.join(SUBMISSION_ID));
        let kept = files::read(&file, LONGEST_ID).ok();
        if kept.as_ref().is_some_and(|kept| kept != id.as_bytes()) {
            let words =
                "another submission was graded there, or this one before it changed; choose another folder";
            return Err(Error::Flag(format!("--out {}: {words}", args.out.display())));
        }
        kept.map_or_else(|| write_whole(&file, id.as_bytes()), |_| Ok(()))?;
        for (path, what) in altered(&out, own_key().as_ref(), |name| name == STUDENT) {
            log::warn!("{}: {what}; it is made anew", path.display());
        }
        // Before the first match, so that no spectator sees it.
        signature::sign(&out, Kind::Grade, &[PAGE]);
        Ok(Student { args, games, world, opponents, of, submission, handed, out, _claim: claim })
    }

    fn grade(self, signals: &mut Signals) -> Result<u8, Error> {
        let mut found = None;
        match self.grade_by_matches(&mut found, signals) {
            Ok(code) => Ok(code),
            Err(Stop::Over(state, why)) => {
                let (why, of) = ((state, why), (&self.args.pass, self.of));
                let result = StudentResult::unplayed(&self.submission, self.handed.id(), why, of);
                self.finish(&self.with_submission(result, found.as_ref()), 0)
            }
            Err(Stop::Interrupted) => Ok(INTERRUPTED),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Does all steps; gives the exit code. Puts into `found` how the bot is started as soon as that is known.
    fn grade_by_matches(&self, found: &mut Option<Found>, signals: &mut Signals) -> Result<u8, Stop> {
        if self.out.join(PLAY_ANEW).exists() {
            clear(&self.out.join(PLAY))?;
            let _ = fs::remove_file(self.out.join(PLAY_ANEW));
        }
        if let Handed::Unfit(_, why) = &self.handed {
            return Err(Stop::Over(State::Unfit, why.clone()));
        }
        // A copy of an opponent is recognised by its files, without those that say how it is started.
        let own = self.handed.essence();
        let is_same = |folder: &PathBuf| essence(folder) == Some(own);
        let mut opponents = self.opponents.bots()?.into_iter();
        if let Some(Bot { name, .. }) = opponents.find(|bot| bot.folder.as_ref().is_some_and(is_same)) {
            let but = format!("to the byte but for {}", STARTED_BY.join(" and "));
            let why = format!("it is the opponent {name}, {but}; hand in a bot of your own");
            return Err(Stop::Over(State::Unfit, why));
        }
        let found = found.insert(self.copy_and_find()?);
        let command = self.build_copy(found, signals)?;
        found.command = Some(command.clone());
        let book = self.book(found, &command)?;
        let checked = self.check(&command, signals)?;
        let left_out = left_out_words(&found.left_out);
        let first: Vec<String> = left_out.into_iter().chain(checked.iter().map(Checked::words)).collect();
        let seen = checked.as_ref().and_then(|checked| checked.first.as_deref());
        let words = PageWords { name: &self.submission.name, first: &first, seen };
        let played = play_book(self.args, &self.out.join(PLAY), &book, &words, self.games, signals);
        let (code, grade) = played.inspect_err(|error| {
            if is_of_opponent(error) {
                // Matches against an opponent that has to be mended don't count.
                let _ = fs::write(self.out.join(PLAY_ANEW), "");
            }
        })?;
        let Some(grade) = grade else { return Ok(code) };
        let mut result = student_of(grade);
        // The reason begins with the team's name, and the table has the student's name beside it.
        let team = format!("{} ", book.bots[GRADED].name);
        result.why = result.why.map(|why| why.strip_prefix(&team).map_or(why.clone(), str::to_owned));
        (result.page, result.checked) = (page(Path::new(PLAY)), checked);
        Ok(self.finish(&self.with_submission(result, Some(found)), code)?)
    }

    /// The folders that no program of the submission may see, without folders that lie within another of them.
    fn hidden(&self) -> Vec<PathBuf> {
        let own = [self.submission.path.clone(), self.out.clone()];
        let all = own.iter().chain(&self.args.hide);
        let mut all: Vec<PathBuf> = all.filter_map(|folder| fs::canonicalize(folder).ok()).collect();
        all.extend(signature::key_folder());
        all.sort();
        all.dedup_by(|inner, outer| inner.starts_with(outer));
        all
    }

    /// The containment of the submission's programs.
    fn walls(&self) -> Result<Walls, Error> {
        Ok(Walls {
            containment: self.args.playing.containment()?,
            launcher: zappy_tournament::worker::own_program()?,
            hidden: self.hidden(),
            limits: self.opponents.limits(),
            environment: self.args.playing.added.values()?,
        })
    }

    /// Copies the submission, unless there is a copy already, and finds in the copy how the bot is started.
    fn copy_and_find(&self) -> Result<Found, Stop> {
        let no_command = |why| Stop::Over(State::NoCommand, why);
        let (folder, new, file) = (self.out.join(BOT), self.out.join(UNBUILT), self.out.join(FOUND));
        if folder.exists() {
            let kept = files::read(&file, LONGEST_FOUND).ok();
            let kept = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
            let found = kept.map_or_else(|| find(&folder, Names::of(&self.world), self.args.for_all()), Ok);
            return found.map_err(no_command);
        }
        clear(&new)?;
        let copied = self.submission.open().and_then(|from| {
            let left_out = copy_open(&from, &new, WalkLimits::BOT, &[])?;
            Ok((look_in(&open_folder(&new)?, self.args.for_all()), left_out))
        });
        let left_out = match copied {
            Ok((copied, left_out)) if copied.id() == self.handed.id() => left_out,
            // If the submission can still be read and is the same, the error is that the copy couldn't be written.
            Err(error)
                if error.kind() != ErrorKind::ResourceBusy
                    && self.submission.look(self.args.for_all()) == self.handed =>
            {
                return Err(Error::File(new, error).into());
            }
            _ => return Err(changed_error().into()),
        };
        let found = find(&new, Names::of(&self.world), self.args.for_all());
        let found = found.map_err(|why| no_command(with_left_out(why, &left_out)))?;
        let found = Found { left_out, ..found };
        write_pretty(&file, &found)?;
        Ok(found)
    }

    /// Builds the copy, unless it is built already; gives the bot's command.
    fn build_copy(&self, found: &mut Found, signals: &mut Signals) -> Result<String, Stop> {
        let (folder, new) = (self.out.join(BOT), self.out.join(UNBUILT));
        if !folder.exists() {
            if let Some(build) = &found.build {
                let (time, log) = (Duration::from_secs(self.args.build_time), self.out.join("build.log"));
                match self.walls()?.build(build, &new, time, &log, signals)? {
                    Built::Done(links) => {
                        found.left_out.extend(links);
                        found.left_out.sort();
                    }
                    Built::Interrupted => return Err(Stop::Interrupted),
                    Built::Failed(why) => {
                        clear(&new)?;
                        return Err(Stop::Over(State::NotBuilt, why));
                    }
                }
            }
            write_pretty(&self.out.join(FOUND), found)?;
            fs::rename(&new, &folder).map_err(|error| Error::File(folder.clone(), error))?;
        }
        let command =
            found.command.clone().map_or_else(|| command_after_build(&folder, Names::of(&self.world)), Ok);
        command.map_err(|why| Stop::Over(State::NoCommand, why))
    }

    /// The bot and its opponents, the bot under a name that no opponent has.
    fn book(&self, found: &Found, command: &str) -> Result<Book, Stop> {
        let is_free = |name: &String| !self.opponents.has(name) && name != OBSERVER_NAME;
        let names = ["student".to_owned()].into_iter().chain((2..).map(|n| format!("student-{n}")));
        let name = [self.submission.key.clone()].into_iter().chain(names).find(is_free).unwrap_or_default();
        let folder = Some(self.out.join(BOT));
        let (own, command, processes) = (name.clone(), command.to_owned(), found.processes);
        let graded = BotSpec { name, command, folder, processes, ..BotSpec::default() };
        let (state, why) = match self.args.opponents(&self.world)?.book_with(graded) {
            Ok(book) => return Ok(Book { hidden: self.hidden(), ..book }),
            Err(TournamentError::Same { one, other, .. }) => {
                let opponent = if one == own { other } else { one };
                let why = format!("it is the opponent {opponent}, to the byte; hand in a bot of your own");
                (State::Unfit, why)
            }
            Err(TournamentError::Bot { what, .. }) => (State::CantStart, what),
            Err(error) => (State::CantStart, error.to_string()),
        };
        let place = format!("{}/", self.out.join(BOT).display());
        Err(Stop::Over(state, shown(why.replace(&place, "").as_bytes())))
    }

    /// Checks the bot, unless its findings are kept already; gives the findings, or `None` if bots aren't checked.
    fn check(&self, command: &str, signals: &mut Signals) -> Result<Option<Checked>, Stop> {
        let situations = self.args.situations(self.world.spec.game.name)?;
        if situations.is_empty() {
            return Ok(None);
        }
        let file = self.out.join("check.json");
        let kept = files::read(&file, LONGEST_CHECK).ok();
        if let Some(kept) = kept.and_then(|kept| serde_json::from_slice(&kept).ok()) {
            return Ok(Some(kept));
        }
        let (scratch, bot) = (self.out.join(".check"), self.out.join(BOT));
        let asked = (&self.world, situations);
        let checked = match self.walls()?.check((command, &bot), &scratch, asked, signals)? {
            Tried::Untried(why) => Checked::untried(why),
            Tried::Interrupted => return Err(Stop::Interrupted),
            Tried::Over(report, broken) => {
                let json = report.json();
                let mend: Vec<String> =
                    serde_json::from_value(json["mend_first"].clone()).unwrap_or_default();
                let mut findings = json["findings"].as_array().into_iter().flatten();
                let first = findings.find(|one| one["name"].as_str() == mend.first().map(String::as_str));
                let advice = || first.and_then(|first| first["advice"].as_str()).map(str::to_owned);
                let remedy = broken.map(|broken| format!("it used {broken}")).or_else(advice);
                let (passed, situations) = (report.passed() as u64, report.findings.len() as u64);
                Checked { passed, situations, mend, remedy, first: report.first(), untried: None }
            }
        };
        write_pretty(&file, &checked)?;
        Ok(Some(checked))
    }

    /// The result with the submission's key and id and, if that was found, with how the bot is built and started.
    fn with_submission(&self, result: StudentResult, found: Option<&Found>) -> StudentResult {
        let (key, submission) = (self.submission.key.clone(), self.handed.id().to_string());
        let Some(found) = found.cloned() else { return StudentResult { key, submission, ..result } };
        let Found { command, source, build, left_out, .. } = found;
        StudentResult { key, submission, command, found_in: Some(source), build, left_out, ..result }
    }

    /// Writes all files for programs and people; gives the exit code.
    fn finish(&self, student: &StudentResult, code: u8) -> Result<u8, Error> {
        if student.page == PAGE {
            write_whole(&self.out.join(PAGE), page_of(student).as_bytes())?;
            let StudentResult { student: name, state, why, .. } = student;
            let (of, why) = (many(student.marks.of, "point"), why.as_deref().unwrap_or_default());
            print(&format!("{name}: 0 of {of}; {}: {why}\n", state.words()));
        }
        write_pretty(&self.out.join("gradescope.json"), &formats::gradescope(student))?;
        write_pretty(&self.out.join("classroom.json"), &formats::classroom(student))?;
        write_formats(self.args, student)?;
        write_pretty(&self.out.join(STUDENT), student)?;
        signature::sign(&self.out, Kind::Grade, &[PAGE, STUDENT]);
        let strict = self.args.playing.strict && student.state != State::Graded;
        Ok(if strict && code == 0 { REFUSED } else { code })
    }
}
