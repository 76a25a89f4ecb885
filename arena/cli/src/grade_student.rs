//! `grade --submission`: what one student handed in, from the folder to the grade.
//!
//! Copied, built, checked, played, each step once: killed at any moment it goes on where it was. `student.json` comes last and
//! alone says that the grade is there. What a submission lacks is its grade and no failure. Tested in `tests/class/`.

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
use zappy_tournament::bots::{Book, Bot, Written};
use zappy_tournament::claim::Claim;
use zappy_tournament::copies::{Most, open_folder, stage};
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

use super::commands::{REFUSED, print, signals};
use super::grade::GradeArgs;
use super::grading::{PageWords, page, play_book, student_of, write_formats};

/// The files in the folder of a grade: the bot, the bot before it is built, how it is started, the id of the submission, and a
/// mark that its matches must be played anew.
const BOT: &str = "bot";
const NEW: &str = ".bot";
const FOUND: &str = ".found.json";
const HANDED: &str = "submission";
const ANEW: &str = "anew";
/// The longest name of a submission, which is a hash, the longest text of how a bot is started, and the longest report of a
/// check, in bytes.
const LONGEST_ID: u64 = 100;
const LONGEST_FOUND: u64 = 1 << 20;
const LONGEST_CHECK: u64 = 1 << 20;
/// How long a process may take to leave the folder of a grade, and the pause between two looks.
const LEAVING: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// Grades it; gives the exit code.
///
/// # Errors
/// The reason why it could not be done.
pub fn grade(args: &GradeArgs, path: &Path, games: Games) -> Result<u8, Error> {
    let mut signals = signals(args.kept_by)?;
    let graded = Student::begin(args, path, games).and_then(|student| student.grade(&mut signals));
    match graded {
        // The process that grades the class tells people.
        Err(error) if args.kept_by.is_some() && error.is_full_disk() => Ok(FULL),
        Err(error) if args.kept_by.is_some() && is_opponents(&error) => {
            eprintln!("{error}");
            Ok(MEND)
        }
        graded => graded,
    }
}

/// Whether an opponent can't be started or never joins.
fn is_opponents(error: &Error) -> bool {
    let Error::Other { error, .. } = error else { return false };
    matches!(error.downcast_ref(), Some(TournamentError::Opponent { .. }))
}

/// The error that a submission was changed since it was looked at.
fn changed() -> Error {
    TournamentError::Arena(CHANGED.to_owned()).into()
}

/// A submission that is graded.
struct Student<'a> {
    args: &'a GradeArgs,
    games: Games,
    world: World,
    opponents: Opponents,
    /// The number of opponents, which is that of points to be had.
    of: u64,
    submission: Submission,
    /// The submission as it was looked at.
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
            return Err(changed());
        }
        let failed = |error| Error::Folder(args.out.clone(), error);
        os::new_folder(&args.out).map_err(failed)?;
        let out = fs::canonicalize(&args.out).map_err(failed)?;
        // The process of a class that was killed may still be about to leave it.
        let deadline = Instant::now() + if args.kept_by.is_some() { LEAVING } else { Duration::ZERO };
        let claim = loop {
            match claim(&out) {
                Err(_) if Instant::now() < deadline => std::thread::sleep(PAUSE),
                claimed => break claimed?,
            }
        };
        let (id, file) = (handed.id().to_string(), out.join(HANDED));
        let there = files::read(&file, LONGEST_ID).ok();
        if there.as_ref().is_some_and(|there| there != id.as_bytes()) {
            let words =
                "another submission was graded there, or this one before it changed; choose another folder";
            return Err(Error::Flag(format!("--out {}: {words}", args.out.display())));
        }
        there.map_or_else(|| write_whole(&file, id.as_bytes()), |_| Ok(()))?;
        for (path, what) in altered(&out, own_key().as_ref(), |name| name == STUDENT) {
            log::warn!("{}: {what}; it is made anew", path.display());
        }
        // Before the first match, so that no spectator sees it.
        signature::sign(&out, Kind::Grade, &[PAGE]);
        Ok(Student { args, games, world, opponents, of, submission, handed, out, _claim: claim })
    }

    fn grade(self, signals: &mut Signals) -> Result<u8, Error> {
        let mut found = None;
        match self.play(&mut found, signals) {
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

    /// Does all steps; gives the exit code. `found` gets how the bot is started as soon as that is known.
    fn play(&self, found: &mut Option<Found>, signals: &mut Signals) -> Result<u8, Stop> {
        if self.out.join(ANEW).exists() {
            clear(&self.out.join(PLAY))?;
            let _ = fs::remove_file(self.out.join(ANEW));
        }
        if let Handed::Unfit(_, why) = &self.handed {
            return Err(Stop::Over(State::Unfit, why.clone()));
        }
        // A copy of an opponent is recognised by its files, whatever they say of how it is started.
        let own = self.handed.essence();
        let same = |folder: &PathBuf| essence(folder) == Some(own);
        let mut opponents = self.opponents.bots()?.into_iter();
        if let Some(Bot { name, .. }) = opponents.find(|bot| bot.folder.as_ref().is_some_and(same)) {
            let but = format!("to the byte but for {}", STARTED_BY.join(" and "));
            let why = format!("it is the opponent {name}, {but}; hand in a bot of your own");
            return Err(Stop::Over(State::Unfit, why));
        }
        let found = found.insert(self.copied()?);
        let command = self.prepare(found, signals)?;
        found.command = Some(command.clone());
        let book = self.book(found, &command)?;
        let checked = self.checked(&command, signals)?;
        let left_out = left_out_words(&found.left_out);
        let first: Vec<String> = left_out.into_iter().chain(checked.iter().map(Checked::words)).collect();
        let seen = checked.as_ref().and_then(|checked| checked.first.as_deref());
        let words = PageWords { name: &self.submission.name, first: &first, seen };
        let played = play_book(self.args, &self.out.join(PLAY), &book, &words, self.games, signals);
        let (code, grade) = played.inspect_err(|error| {
            if is_opponents(error) {
                // Once the opponent is mended, these matches don't count.
                let _ = fs::write(self.out.join(ANEW), "");
            }
        })?;
        let Some(grade) = grade else { return Ok(code) };
        let mut result = student_of(grade);
        // The table names the student beside it.
        let team = format!("{} ", book.bots[GRADED].name);
        result.why = result.why.map(|why| why.strip_prefix(&team).map_or(why.clone(), str::to_owned));
        (result.page, result.checked) = (page(Path::new(PLAY)), checked);
        Ok(self.finish(&self.with_submission(result, Some(found)), code)?)
    }

    /// The folders that no program of the submission may see, none of them within another.
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

    /// Copies the submission, unless that is done, and finds in the copy how it is started.
    fn copied(&self) -> Result<Found, Stop> {
        let unsaid = |why| Stop::Over(State::NoCommand, why);
        let (folder, new, file) = (self.out.join(BOT), self.out.join(NEW), self.out.join(FOUND));
        if folder.exists() {
            let kept = files::read(&file, LONGEST_FOUND).ok();
            let kept = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
            let found = kept.map_or_else(|| find(&folder, Names::of(&self.world), self.args.for_all()), Ok);
            return found.map_err(unsaid);
        }
        clear(&new)?;
        let copied = self.submission.open().and_then(|from| {
            let left_out = stage(&from, &new, Most::BOT, &[])?;
            Ok((look_in(&open_folder(&new)?, self.args.for_all()), left_out))
        });
        let left_out = match copied {
            Ok((copied, left_out)) if copied.id() == self.handed.id() => left_out,
            // If the submission can still be read and is the same, the copy couldn't be written.
            Err(error)
                if error.kind() != ErrorKind::ResourceBusy
                    && self.submission.look(self.args.for_all()) == self.handed =>
            {
                return Err(Error::File(new, error).into());
            }
            _ => return Err(changed().into()),
        };
        let found = find(&new, Names::of(&self.world), self.args.for_all());
        let found = found.map_err(|why| unsaid(with_left_out(why, &left_out)))?;
        let found = Found { left_out, ..found };
        write_pretty(&file, &found)?;
        Ok(found)
    }

    /// Builds the copy, unless that is done; gives the command.
    fn prepare(&self, found: &mut Found, signals: &mut Signals) -> Result<String, Stop> {
        let (folder, new) = (self.out.join(BOT), self.out.join(NEW));
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

    /// The bot and its opponents.
    fn book(&self, found: &Found, command: &str) -> Result<Book, Stop> {
        let free = |name: &String| !self.opponents.has(name) && name != OBSERVER_NAME;
        let names = ["student".to_owned()].into_iter().chain((2..).map(|n| format!("student-{n}")));
        let name = [self.submission.key.clone()].into_iter().chain(names).find(free).unwrap_or_default();
        let folder = Some(self.out.join(BOT));
        let (own, command, processes) = (name.clone(), command.to_owned(), found.processes);
        let graded = Written { name, command, folder, processes, ..Written::default() };
        let (state, why) = match self.args.opponents(&self.world)?.meet(graded) {
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

    /// The findings of a check, which is made unless that is done; none if nothing is to be checked.
    fn checked(&self, command: &str, signals: &mut Signals) -> Result<Option<Checked>, Stop> {
        let situations = self.args.situations(self.world.spec.game.name)?;
        if situations.is_empty() {
            return Ok(None);
        }
        let file = self.out.join("check.json");
        let there = files::read(&file, LONGEST_CHECK).ok();
        if let Some(there) = there.and_then(|there| serde_json::from_slice(&there).ok()) {
            return Ok(Some(there));
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

    /// The result with what is known of the submission.
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
