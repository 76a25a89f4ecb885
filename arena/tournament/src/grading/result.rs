//! What programs read of grades: of one bot, of one student, of a class. Plain values without a time of any clock.
//!
//! Their schemas are published in `docs/schema`. Tested in `arena/cli/tests/schema.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zappy_protocol::text::many;

use super::points::{Pass, Points};
use super::submission::Submission;
use crate::identity::Id;

/// The folder with a folder for each student of a class.
const STUDENTS: &str = "students";
/// The page in the folder of a grade if the bot doesn't play, or if something besides matches changes its points.
pub const PAGE: &str = "index.html";

/// The folder for a submission's grade, relative to that of its class: `students`, the student's key, the submission's
/// id.
pub fn place_of(key: &str, id: &str) -> PathBuf {
    Path::new(STUDENTS).join(key).join(id)
}

/// How a bot fared against one opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpponentResult {
    /// The opponent's id: a hash of its command and files.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Matches that the bot won.
    pub wins: u64,
    /// Matches that were drawn.
    pub draws: u64,
    /// Matches that it lost.
    pub losses: u64,
    /// Its share of the points of scored matches, 0 to 1; null if none was scored.
    pub share: Option<f64>,
    /// Where that share lies in about 95 of 100 cases.
    pub interval: Option<[f64; 2]>,
    /// Whether the opponent is beaten, which is a point.
    pub beaten: bool,
    /// What it brings: 1 if it is beaten, else the part that was reached, or 0; in hundredths.
    #[serde(default)]
    pub points: Points,
    /// Whether enough matches were won by one of the two for the share to count.
    pub decided: bool,
    /// Matches that can't be scored, which count as lost.
    pub missing: u64,
    /// Whether chance leaves no doubt of the verdict.
    pub clear: bool,
    /// Whether it is beaten, in words.
    pub verdict: String,
    /// Planned matches that weren't played, or don't count.
    #[serde(default)]
    pub left_out: u64,
    /// Why they don't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_why: Option<Unplayed>,
}

impl OpponentResult {
    /// How many matches weren't played and count as lost, since the bot used up the time for them.
    pub fn lost_unplayed(&self) -> u64 {
        if self.left_out_why == Some(Unplayed::LostByTime) { self.left_out } else { 0 }
    }

    /// How many matches against it are left out and why, as a sentence without its full stop.
    pub fn left_out_words(&self) -> Option<String> {
        let (name, matches) = (&self.name, many(self.left_out, "match"));
        let why = match self.left_out_why? {
            Unplayed::Decided => ", since they could change no point any more",
            Unplayed::OutOfTime => ", since the time for them was used up; they don't count",
            Unplayed::LostByTime => {
                " and count as lost, since the time for them was used up, most of it by waiting for this bot's answers"
            }
        };
        Some(format!("{matches} against {name} were left out{why}"))
    }
}

/// Why matches against an opponent are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unplayed {
    /// They couldn't change any more whether the opponent is beaten.
    Decided,
    /// The time was used up, and not by the bot: the matches that were played count alone.
    OutOfTime,
    /// The time was used up, most of it by the others' waiting for the bot: they count as lost.
    LostByTime,
}

/// The remark that these links are left out, as a sentence without its full stop; `None` without any.
pub fn left_out_words(links: &[String]) -> Option<String> {
    let (first, more) = links.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    Some(format!(
        "left out of the copy that plays: {first}{more}, a link that may lead out of the folder; put there what it names"
    ))
}

/// Why a bot can't be taken, followed by the links that are left out, which may be the cause.
pub fn with_left_out(why: String, links: &[String]) -> String {
    left_out_words(links).into_iter().fold(why, |why, words| format!("{why}; {words}"))
}

/// The matches against an opponent that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    pub matches: u64,
    pub why: Unplayed,
}

/// What a bot's matches against its opponents come to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradeMarks {
    /// For which shares of the points an opponent brings points.
    #[serde(flatten)]
    pub pass: Pass,
    /// The sum of what the opponents bring, in hundredths: one for each that is beaten.
    pub points: Points,
    /// Opponents.
    pub of: u64,
    /// Whether nothing is left to be played.
    pub complete: bool,
    /// The opponents in their order; none of a student whose matches weren't played.
    pub opponents: Vec<OpponentResult>,
    /// In how many matches its programs ended otherwise than they should, by the word for it.
    pub faults: BTreeMap<String, u64>,
    /// What a program of it said last in the first of these matches, if it said anything: the line that tells of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The opponent, or the client of ours, that it is or plays like in every seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<String>,
    /// Whether that costs it no point.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub likeness_accepted: bool,
}

impl GradeMarks {
    /// The faults, each with its count.
    pub fn faults_words(&self) -> Vec<String> {
        self.faults.iter().map(|(end, count)| format!("{end} {count}")).collect()
    }
}

/// `grade.json`: what one bot's matches come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradeResult {
    /// The format's version.
    pub version: u32,
    /// The bot's id: a hash of its command and files.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What its matches come to.
    #[serde(flatten)]
    pub marks: GradeMarks,
    /// Why no further match was played, if the bot can't be started or never joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// How far a submission came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its matches were played.
    Graded,
    /// It was started, and no player of it ever joined.
    NeverPlayed,
    /// Its command can't be run: no such program, or no such script.
    CantStart,
    /// It couldn't be built.
    NotBuilt,
    /// Nothing tells how it is started, or what does can't be taken.
    NoCommand,
    /// It is no folder, too large, or can't be read.
    Unfit,
    /// The arena failed; the next run tries again.
    #[default]
    NotGraded,
}

impl State {
    /// The state as people read it.
    pub const fn words(self) -> &'static str {
        match self {
            State::Graded => "graded",
            State::NeverPlayed => "never played",
            State::CantStart => "can't be started",
            State::NotBuilt => "not built",
            State::NoCommand => "no way to start it",
            State::Unfit => "can't be taken",
            State::NotGraded => "not graded yet",
        }
    }
}

/// What `check` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Situations that the bot passed.
    pub passed: u64,
    /// Situations that it was put into.
    pub situations: u64,
    /// The situations to mend, the first one first.
    pub mend: Vec<String>,
    /// How to mend the first one.
    pub remedy: Option<String>,
    /// How to try the first one again, and what the bot and the server said to each other in it, in lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Why it wasn't checked, if it wasn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untried: Option<String>,
}

impl Checked {
    /// The finding that the bot wasn't checked, for that reason.
    pub fn untried(why: String) -> Checked {
        Checked { passed: 0, situations: 0, mend: Vec::new(), remedy: None, first: None, untried: Some(why) }
    }

    /// The findings as a sentence without its full stop.
    pub fn words(&self) -> String {
        let (passed, all) = (self.passed, many(self.situations, "situation"));
        match (&self.untried, self.mend.first(), &self.remedy) {
            (Some(why), ..) => format!("not checked: {why}"),
            (None, Some(first), Some(remedy)) => {
                format!("check: {passed} of {all} passed; mend first: {first}: {remedy}")
            }
            _ if self.passed == self.situations => format!("check passed, in {all}"),
            _ => format!("check: {passed} of {all} passed"),
        }
    }
}

/// What a grader says of a student.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The points that the matches came to, if what the grader says may change them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<Points>,
    /// When it was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_in: Option<HandIn>,
    /// What the grader added by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<Adjustment>,
    /// What the student is called on the leaderboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudonym: Option<String>,
    /// The page that tells the student all of it, as a path from where `class.json` lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// When a student handed in, and what that costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandIn {
    /// The last time, in UTC as RFC 3339 has it; null if the grader's file doesn't name the student.
    pub at: Option<String>,
    /// How often.
    pub attempt: u64,
    /// Days after the due date that had begun by then.
    pub days_late: u64,
    /// What that costs.
    pub cost: Points,
    /// Why, as a sentence without its full stop; null if it costs nothing and wasn't late.
    pub why: Option<String>,
}

/// Points that a grader added by hand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adjustment {
    /// What is added; negative if they are taken off.
    pub points: Points,
    /// The grader's reasons, in the order of the file.
    pub comments: Vec<String>,
}

impl Entry {
    /// Why the grader changes the points, each reason as a sentence without its full stop.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        let late = self.handed_in.iter().filter_map(|handed_in| handed_in.why.clone());
        late.chain(self.adjusted.iter().map(|adjusted| {
            format!("points by the grader: {} ({})", adjusted.points, adjusted.comments.join("; "))
        }))
    }
}

/// `student.json`: what came of one submission.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudentResult {
    /// The format's version.
    pub version: u32,
    /// The name of what was handed in, for people; bytes that are no text are escaped.
    pub student: String,
    /// The name of the folder below `students` that holds what belongs to it: letters, digits and `._-~` alone.
    pub key: String,
    /// What was handed in: a hash of all files, and of how they are built and started.
    pub submission: String,
    /// How far it came.
    pub state: State,
    /// Why it came no further.
    pub why: Option<String>,
    /// How it is started.
    pub command: Option<String>,
    /// What named that command.
    pub found_in: Option<String>,
    /// How it was built.
    pub build: Option<String>,
    /// Links that were left out of the copy that plays, since they lead out of the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What its matches come to.
    #[serde(flatten)]
    pub marks: GradeMarks,
    /// What `check` found, if it was asked for and the bot could be tried.
    pub checked: Option<Checked>,
    /// The page for the student, as a path from where `class.json` lies, or from the folder of the one bot.
    pub page: String,
    /// What the grader says besides.
    #[serde(flatten)]
    pub entry: Entry,
}

impl StudentResult {
    /// The result of a submission that doesn't play, with its state, the reason in words, and the `of` points to be
    /// had.
    pub fn unplayed(
        submission: &Submission,
        id: Id,
        (state, why): (State, String),
        (pass, of): (&Pass, u64),
    ) -> StudentResult {
        let complete = state != State::NotGraded;
        let marks = GradeMarks { pass: pass.clone(), of, complete, ..GradeMarks::default() };
        StudentResult {
            version: 1,
            student: submission.name.clone(),
            key: submission.key.clone(),
            submission: id.to_string(),
            state,
            why: Some(why),
            marks,
            page: PAGE.to_owned(),
            ..StudentResult::default()
        }
    }

    /// The folder for its grade, relative to that of the class.
    pub fn place(&self) -> PathBuf {
        place_of(&self.key, &self.submission)
    }

    /// Whether the grade is complete, so that the same submission isn't graded again.
    pub fn is_final(&self) -> bool {
        self.marks.complete && self.state != State::NotGraded
    }

    /// The reasons for its points, each as a sentence without its full stop.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.state != State::Graded {
            let why = self.why.as_deref().unwrap_or_default();
            reasons.push(format!("{}: {why}", self.state.words()));
        }
        reasons.extend(self.entry.reasons());
        reasons.extend(left_out_words(&self.left_out));
        if let Some(name) = &self.marks.looks_like {
            let points =
                if self.marks.likeness_accepted { "which was accepted" } else { "so it has no point" };
            reasons.push(format!("looks like {name}, {points}"));
        }
        let faults = self.marks.faults_words();
        if !faults.is_empty() {
            let said = self.marks.said.as_ref().map_or(String::new(), |line| format!("; it said: {line}"));
            reasons.push(format!("its programs ended badly: {}{said}", faults.join(", ")));
        }
        for (words, wanted) in [("beaten", true), ("not beaten", false)] {
            let some = self.marks.opponents.iter().filter(|one| one.beaten == wanted);
            let names = some.map(|OpponentResult { name, verdict, .. }| match verdict.as_str() {
                "yes" | "no" => name.clone(),
                _ => format!("{name} ({verdict})"),
            });
            let names = names.collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                reasons.push(format!("{words}: {names}"));
            }
        }
        let missing: u64 = self.marks.opponents.iter().map(|one| one.missing).sum();
        if missing > 0 {
            reasons.push(format!("not scored, and counted as lost: {}", many(missing, "match")));
        }
        for one in &self.marks.opponents {
            reasons.extend(one.left_out_words().filter(|_| one.left_out_why != Some(Unplayed::Decided)));
        }
        reasons.extend(self.checked.as_ref().map(Checked::words));
        reasons
    }
}

/// `class.json`: a class, the students in the order of their names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassResult {
    /// The format's version.
    pub version: u32,
    /// For which shares of the points an opponent brings points.
    #[serde(flatten)]
    pub pass: Pass,
    /// The opponents' names, in their order.
    pub opponents: Vec<String>,
    /// Whether no student is left to be graded.
    pub complete: bool,
    /// What came of each submission.
    pub students: Vec<StudentResult>,
    /// Groups of students who handed in the same files; `bot.toml` and `COMMAND` may differ.
    pub same: Vec<Vec<String>>,
    /// Names in the folder of the class that begin with a dot, and plain files, which are no submissions; the first hundred.
    pub left_out: Vec<String>,
}
