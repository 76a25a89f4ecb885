//! A grade as other services read it: Gradescope's `results.json`, and the result that GitHub Classroom's autograding
//! reporter takes.
//!
//! Gradescope: <https://gradescope-autograders.readthedocs.io/en/latest/specs/>, section "Output Format". GitHub
//! Classroom: <https://github.com/classroom-resources/autograding-grading-reporter>, which reads what its graders, such
//! as `autograding-command-grader`, give as their output `result`: this JSON as Base64. All texts are plain text.
//! Neither format has a time in it. Tested in this module and in `arena/cli/tests/schema.rs`.

use serde_json::{Value, json};
use zappy_protocol::text::many;

use super::points::Points;
use super::result::{GradeMarks, OpponentResult, State, StudentResult};

/// How the bot fared against one opponent, as a sentence.
fn sentence(one: &OpponentResult) -> String {
    let OpponentResult { verdict, wins, draws, losses, missing, .. } = one;
    let mut text = format!("Beaten: {verdict}. Won {wins}, drawn {draws}, lost {losses}");
    if let Some((share, [low, high])) = one.share.zip(one.interval) {
        text += &format!("; {share:.3} of the points, in about 95 of 100 cases {low:.3} to {high:.3}");
    }
    if *missing > 0 {
        text += &format!("; {missing} can't be scored and count as lost");
    }
    text + "."
}

/// The name of the test for one opponent.
fn title(one: &OpponentResult) -> String {
    format!("beats {}", one.name)
}

/// The points and the reasons for them, a line each.
fn summary(student: &StudentResult) -> String {
    let GradeMarks { points, of, pass, .. } = &student.marks;
    let of = many(*of, "point");
    let mark = format!("{points} of {of}; an opponent is beaten with {}.", pass.words());
    let reasons = student.reasons().into_iter().map(|words| format!("{words}."));
    std::iter::once(mark).chain(reasons).collect::<Vec<_>>().join("\n")
}

/// Gradescope's `results.json`: a test for each opponent, shown to the student.
pub fn gradescope(student: &StudentResult) -> Value {
    let test = |name: String, [score, max_score]: [f64; 2], is_passed: bool, output: String| {
        let status = if is_passed { "passed" } else { "failed" };
        json!({
            "score": score, "max_score": max_score, "status": status, "name": name, "output": output,
            "visibility": "visible",
        })
    };
    let case = |one: &OpponentResult| test(title(one), [one.points.as_f64(), 1.0], one.beaten, sentence(one));
    let mut tests: Vec<Value> = student.marks.opponents.iter().map(case).collect();
    if tests.is_empty() {
        let reasons = student.reasons().join("\n");
        tests.push(test("plays".to_owned(), [0.0, student.marks.of as f64], false, reasons));
    }
    json!({
        "score": student.marks.points.as_f64(), "output": summary(student), "output_format": "text",
        "test_output_format": "text", "visibility": "visible", "stdout_visibility": "hidden", "tests": tests,
    })
}

/// What GitHub Classroom's reporter takes from a grader: a test for each opponent, with no file name and line 0.
pub fn classroom(student: &StudentResult) -> Value {
    let test = |name: String, status: &str, score: f64, message: String| {
        json!({
            "name": name, "status": status, "score": score, "message": message, "test_code": name,
            "filename": "", "line_no": 0,
        })
    };
    let status = |is_good: bool| if is_good { "pass" } else { "fail" };
    let case =
        |one: &OpponentResult| test(title(one), status(one.beaten), one.points.as_f64(), sentence(one));
    let mut tests: Vec<Value> = student.marks.opponents.iter().map(case).collect();
    let status = match student.state {
        State::Graded => status(student.marks.points == Points::whole(student.marks.of)),
        _ => "error",
    };
    if tests.is_empty() {
        tests.push(test("plays".to_owned(), "error", 0.0, student.reasons().join("\n")));
    }
    json!({ "version": 1, "status": status, "max_score": student.marks.of as f64, "tests": tests })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::submission::Submission;
    use super::*;
    use crate::identity::IdHasher;

    fn opponent(name: &str, beaten: bool) -> OpponentResult {
        OpponentResult {
            id: "1a4adb0ce303e4bf".to_owned(),
            name: name.to_owned(),
            wins: 3,
            draws: 0,
            losses: 1,
            share: Some(0.75),
            interval: Some([0.3, 0.95]),
            beaten,
            points: Points::whole(u64::from(beaten)),
            decided: true,
            missing: 0,
            clear: false,
            verdict: "yes, narrowly".to_owned(),
            left_out: 0,
            left_out_why: None,
        }
    }

    fn student(state: State, opponents: Vec<OpponentResult>) -> StudentResult {
        let why = "make: it ended with exit code 2".to_owned();
        let (id, pass) = (IdHasher::default().id(), "0.5".parse().unwrap());
        let ada = Submission::at(Path::new("ada"));
        let mut student = StudentResult::unplayed(&ada, id, (state, why), (&pass, 2));
        student.why = student.why.filter(|_| state != State::Graded);
        student.marks.points = opponents.iter().map(|one| one.points).sum();
        student.marks.opponents = opponents;
        student
    }

    /// The sum of the tests' numbers of that name.
    fn sum(format: &Value, key: &str) -> f64 {
        format["tests"].as_array().unwrap().iter().filter_map(|test| test[key].as_f64()).sum()
    }

    #[test]
    fn the_points_add_up_in_both() {
        let graded = student(State::Graded, vec![opponent("easy", true), opponent("hard", false)]);
        let scope = gradescope(&graded);
        assert_eq!((&scope["score"], sum(&scope, "score")), (&json!(1.0), 1.0));
        assert_eq!(sum(&scope, "max_score"), 2.0);
        assert_eq!([0, 1].map(|i| &scope["tests"][i]["status"]), ["passed", "failed"]);
        assert!(scope["output"].as_str().unwrap().starts_with("1 of 2 points"), "{scope}");
        let room = classroom(&graded);
        assert_eq!((&room["max_score"], &room["status"]), (&json!(2.0), &json!("fail")));
        assert_eq!(sum(&room, "score"), 1.0);
        assert_eq!([0, 1].map(|i| &room["tests"][i]["status"]), ["pass", "fail"]);
        let all = student(State::Graded, vec![opponent("easy", true), opponent("hard", true)]);
        assert_eq!(classroom(&all)["status"], "pass");
    }

    #[test]
    fn a_bot_that_did_not_play_has_one_test_that_says_why() {
        let broken = student(State::NotBuilt, Vec::new());
        let (scope, room) = (gradescope(&broken), classroom(&broken));
        assert_eq!((&scope["score"], scope["tests"].as_array().unwrap().len()), (&json!(0.0), 1));
        assert_eq!(scope["tests"][0]["max_score"], 2.0);
        assert_eq!([&room["status"], &room["tests"][0]["status"]], ["error", "error"]);
        assert_eq!(room["max_score"], 2.0);
        for words in [&scope["output"], &scope["tests"][0]["output"], &room["tests"][0]["message"]] {
            assert!(
                words.as_str().unwrap().contains("not built: make: it ended with exit code 2"),
                "{words}"
            );
        }
    }
}
