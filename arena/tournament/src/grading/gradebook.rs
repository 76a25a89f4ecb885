//! What changes the points of students besides their matches: when and how often each handed in, and points added by
//! hand. Also the pseudonyms for the leaderboard.
//!
//! Read from the grader's CSV files at each run. Lateness is counted from the due date that the grader names, never
//! from a clock or the time of a file. The gradebook changes the points in the table of the class, but no match and no
//! student's own grade. A wrong line is refused with its number before anything is played. Tested in
//! `arena/cli/tests/class/gradebook.rs`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use csv::{ReaderBuilder, Trim};
use jiff::Timestamp;
use zappy_play::Error;
use zappy_play::signature::Key;
use zappy_play::text::io_words;
use zappy_protocol::text::{many, shown};
use zappy_server::files;

use super::points::Points;
use super::result::{Adjustment, Entry, HandIn, PAGE, StudentResult};
use super::submission::Submission;

/// The longest CSV file, in bytes: several lines for each student of the largest class.
const LONGEST_FILE: u64 = 4 << 20;
const DAY_NANOS: i128 = 86_400 * 1_000_000_000;
/// The remedy for a time that can't be read.
const TIME_REMEDY: &str = "write it as 2026-11-24T18:00:00+01:00, with its offset from UTC (RFC 3339)";

/// The cost of each day that has begun after the due date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Points(Points),
    /// A percentage of the points from matches, rounded down to a hundredth of a point.
    Percent(i64),
}

impl Cost {
    /// The cost of so many days, at most all points that were earned.
    fn total(self, earned: Points, days: i64) -> Points {
        let all = match self {
            Cost::Points(points) => points.0.saturating_mul(days),
            Cost::Percent(percent) => earned.0.saturating_mul(percent.saturating_mul(days)) / 100,
        };
        Points(all.min(earned.0))
    }
}

impl FromStr for Cost {
    type Err = String;

    /// Points, such as `0.5`, or a percentage of the points from matches, such as `10%`.
    fn from_str(text: &str) -> Result<Cost, String> {
        let cost = match text.strip_suffix('%') {
            Some(percent) => percent.parse().ok().filter(|all| (0..=100).contains(all)).map(Cost::Percent),
            None => text.parse().ok().filter(|points| *points >= Points(0)).map(Cost::Points),
        };
        cost.ok_or_else(|| {
            "write points of each day, such as 0.5, or a share of what the matches came to, 0% to 100%"
                .to_owned()
        })
    }
}

/// Parses a time in RFC 3339.
///
/// # Errors
/// The text is no such time; in words, with the remedy.
pub fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| format!("{text:?} is no time; {TIME_REMEDY}"))
}

/// The costs of handing in late, or often.
#[derive(Debug, Clone, Copy, Default)]
pub struct LatePolicy {
    pub due: Option<Timestamp>,
    /// The cost of each day that has begun after the due date.
    pub cost: Option<Cost>,
    /// The most days after the due date; one more costs all points.
    pub days: Option<u64>,
    /// The most attempts; one more costs all points.
    pub attempts: Option<u64>,
}

/// The grader's files and policy for a class.
#[derive(Debug, Default)]
pub struct Gradebook {
    policy: LatePolicy,
    /// By each student's key the time of the last attempt, parsed and as the file writes it, and the number of
    /// attempts; none if the grader names no file.
    handed_in: Option<BTreeMap<String, (Timestamp, String, u64)>>,
    /// By each student's key the points added by hand; none if the grader names no file.
    adjusted: Option<BTreeMap<String, Adjustment>>,
    /// The salt of the pseudonyms on the leaderboard; none if there is no leaderboard.
    pub salt: Option<Key>,
}

impl Gradebook {
    /// Reads the hand-ins and adjustments of `students`.
    ///
    /// # Errors
    /// The first line that is wrong, with the remedy.
    pub fn read(
        handed_in: Option<&Path>,
        adjusted: Option<&Path>,
        policy: LatePolicy,
        students: &[Submission],
    ) -> Result<Gradebook, Error> {
        let mut book = Gradebook { policy, ..Gradebook::default() };
        if let Some(path) = adjusted {
            let file = Sheet { flag: "--adjust", path, students };
            let known = book.adjusted.insert(BTreeMap::new());
            file.read(["points", "comment"], 2, |key, [points, comment]| {
                let points: Points = points.parse()?;
                if comment.is_empty() {
                    return Err("a comment must say why; the student reads it".to_owned());
                }
                // Several lines of a student count together.
                let adjusted = known.entry(key).or_default();
                adjusted.points = Points(adjusted.points.0.saturating_add(points.0));
                adjusted.comments.push(comment);
                Ok(())
            })?;
        }
        if let Some(path) = handed_in {
            let file = Sheet { flag: "--handed-in", path, students };
            let known = book.handed_in.insert(BTreeMap::new());
            file.read(["handed_in", "attempt"], 1, |key, [at, attempt]| {
                let new = (parse_time(&at)?, at);
                let (last, written, count) = known.remove(&key).unwrap_or((new.0, new.1.clone(), 0));
                let number = attempt.parse().ok().filter(|number| (1..=1_000_000).contains(number));
                if number.is_none() && !attempt.is_empty() {
                    return Err(format!(
                        "attempt {attempt:?} is no number from 1 on; mend it or leave it out"
                    ));
                }
                let (at, written) = new.max((last, written));
                known.insert(key, (at, written, number.unwrap_or(0).max(count + 1)));
                Ok(())
            })?;
        }
        Ok(book)
    }

    /// Adds costs, additions and the pseudonym to the result of a student.
    pub fn enter(&self, student: &mut StudentResult) {
        if self.handed_in.is_none() && self.adjusted.is_none() && self.salt.is_none() {
            return;
        }
        let earned = student.marks.points;
        let handed_in =
            self.handed_in.as_ref().map(|known| self.policy.judge(known.get(&student.key), earned));
        let cost = handed_in.as_ref().map_or(Points(0), |handed_in| handed_in.cost);
        let adjusted = self.adjusted.as_ref().and_then(|known| known.get(&student.key)).cloned();
        let added = adjusted.as_ref().map_or(Points(0), |adjusted| adjusted.points);
        student.marks.points = Points((earned.0 - cost.0).saturating_add(added.0).max(0));
        let report = student.is_final().then(|| student.place().join(PAGE).to_string_lossy().into_owned());
        let pseudonym = self.salt.as_ref().map(|salt| salt.pseudonym(&student.key));
        student.entry = Entry { earned: Some(earned), handed_in, adjusted, pseudonym, report };
    }
}

impl LatePolicy {
    /// The cost of a hand-in with that time, its text and that number of attempts; `None`: the grader's file doesn't
    /// name the student.
    fn judge(&self, known: Option<&(Timestamp, String, u64)>, earned: Points) -> HandIn {
        let Some(&(at, ref written, attempt)) = known else {
            let why = Some("when it was handed in isn't known".to_owned());
            return HandIn { at: None, attempt: 0, days_late: 0, cost: Points(0), why };
        };
        let after = self.due.map_or(0, |due| (at.as_nanosecond() - due.as_nanosecond()).max(0));
        let days = i64::try_from((after + DAY_NANOS - 1) / DAY_NANOS).unwrap_or(i64::MAX);
        let days_late = days.unsigned_abs();
        let late_words = || format!("handed in at {written}, which is on day {days_late} after the due date");
        let (cost, why) = match (self.attempts, self.days) {
            (Some(most), _) if attempt > most => {
                let times = many(attempt, "time");
                (earned, Some(format!("handed in {times}, of {most} allowed, which costs all points")))
            }
            (_, Some(most)) if days_late > most => {
                (earned, Some(format!("{}; more than {most} cost all points", late_words())))
            }
            _ if days == 0 => (Points(0), None),
            _ => {
                let cost = self.cost.map_or(Points(0), |cost| cost.total(earned, days));
                (cost, Some(format!("{}; that costs {cost} of {}", late_words(), earned.words())))
            }
        };
        HandIn { at: Some(at.to_string()), attempt, days_late, cost, why }
    }
}

/// A CSV file of the grader's, with a student in each line.
struct Sheet<'a> {
    flag: &'static str,
    path: &'a Path,
    students: &'a [Submission],
}

impl Sheet<'_> {
    fn wrong(&self, line: usize, words: impl fmt::Display) -> Error {
        Error::Flag(format!(
            "{} {}: line {line}: {}",
            self.flag,
            self.path.display(),
            shown(words.to_string().as_bytes())
        ))
    }

    /// Calls `take` for each row with the key of the row's student and the cells of `columns`. The first `needed`
    /// columns must be there; the cells of a column that isn't are empty.
    ///
    /// # Errors
    /// The first line that is wrong, also in the words of an error of `take`, with the remedy.
    fn read<const N: usize>(
        &self,
        columns: [&str; N],
        needed: usize,
        mut take: impl FnMut(String, [String; N]) -> Result<(), String>,
    ) -> Result<(), Error> {
        let failed =
            |error| Error::Flag(format!("{} {}: {}", self.flag, self.path.display(), io_words(&error)));
        let text = files::read(self.path, LONGEST_FILE).map_err(failed)?;
        let text = String::from_utf8(text).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            self.wrong(line, "it isn't UTF-8; save the file as CSV in UTF-8")
        })?;
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        // The number of the line in which a row begins; `at` may lie before empty lines.
        let line_number = |at: Option<&csv::Position>| {
            let at = at.map_or(0, |at| at.byte() as usize).min(text.len());
            let empty = text[at..].bytes().take_while(|byte| *byte == b'\n').count();
            1 + empty + text[..at].bytes().filter(|byte| *byte == b'\n').count()
        };
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
        let known: Vec<&str> = ["student"].into_iter().chain(columns).collect();
        let names = known.join(", ");
        let head = reader.headers().map_err(|error| self.wrong(1, error))?.clone();
        if let Some(other) = head.iter().find(|name| !known.contains(name)) {
            let words = format!("there is no column {other:?}; the first line names the columns, of {names}");
            return Err(self.wrong(1, words));
        }
        if let Some(missing) = known[..=needed].iter().find(|name| !head.iter().any(|one| one == **name)) {
            let words = "isn't there; the first line names the columns, of";
            return Err(self.wrong(1, format!("the column {missing} {words} {names}")));
        }
        for row in reader.records() {
            let row = row.map_err(|error| {
                let words = "it has more or fewer cells than the first line; put texts with commas between quotes (\")";
                self.wrong(line_number(error.position()), words)
            })?;
            let cell = |name: &str| {
                let place = head.iter().position(|one| one == name);
                place.and_then(|place| row.get(place)).unwrap_or_default().to_owned()
            };
            let (line, name) = (line_number(row.position()), cell("student"));
            let student =
                self.students.iter().find(|one| one.name == name || one.key == name).ok_or_else(|| {
                    let words = "in the class; mend the name, or take the line out";
                    self.wrong(line, format!("there is no submission of {name:?} {words}"))
                })?;
            take(student.key.clone(), columns.map(cell)).map_err(|words| self.wrong(line, words))?;
        }
        Ok(())
    }
}
