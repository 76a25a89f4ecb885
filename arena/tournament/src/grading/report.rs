//! The table of a class in every form that people and programs ask for: CSV, JSON, HTML, JUnit, a terminal; and a
//! student's page if the bot didn't play.
//!
//! A function of the results: the same bytes each time. Names and words that students wrote are escaped by the rules of
//! each form. The table is for the grader; a student's page shows nothing of others. Tested in
//! `arena/cli/tests/class/`.

use std::collections::BTreeMap;
use std::path::Path;

use maud::{Markup, PreEscaped, html};
use quick_junit::{NonSuccessKind, Report, TestSuite};
use zappy_protocol::text::many;

use super::points::Points;
use super::result::{ClassResult, GradeMarks, HandIn, OpponentResult, PAGE, State, StudentResult};
use crate::report::junit::case;
use crate::report::{capital, csv, document, in_html, table, text_table, words};

/// The page for the students of a class, without names.
pub const LEADERBOARD: &str = "leaderboard.html";
/// The most students that a terminal shows.
const MOST_SHOWN: usize = 60;

/// The files of a class, each with its name and content.
pub fn files(class: &ClassResult) -> [(&'static str, Vec<u8>); 4] {
    let head = cells(class, &StudentResult::default()).into_iter().map(|(title, _)| title).collect();
    let row = |student| cells(class, student).into_iter().map(|(_, cell)| cell).collect();
    [
        ("class.json", format!("{:#}\n", serde_json::json!(class)).into_bytes()),
        ("class.csv", csv::table(head, class.students.iter().map(row))),
        ("class.xml", junit(class).into_bytes()),
        ("index.html", page(class).into_bytes()),
    ]
}

/// How many students are in each state, in words.
fn state_counts(class: &ClassResult) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    class.students.iter().for_each(|student| *counts.entry(student.state.words()).or_default() += 1);
    let counts: Vec<String> = counts.into_iter().map(|(words, count)| format!("{count} {words}")).collect();
    format!("{}: {}", many(class.students.len() as u64, "submission"), counts.join(", "))
}

/// The groups of students with equal programs, each as a sentence without its full stop.
fn equal_programs(class: &ClassResult) -> impl Iterator<Item = String> {
    class.same.iter().map(|names| format!("the same program, to the byte: {}", names.join(", ")))
}

/// How a student fared against the opponent of that name, if the two met.
fn against<'a>(student: &'a StudentResult, name: &str) -> Option<&'a OpponentResult> {
    student.marks.opponents.iter().find(|one| one.name == name)
}

/// A student's cells, each behind the title of its column.
fn cells(class: &ClassResult, student: &StudentResult) -> Vec<(String, String)> {
    let StudentResult { marks, checked, entry, .. } = student;
    let state = serde_json::json!(student.state);
    let mut cells = Vec::new();
    let mut add = |title: &str, cell: String| cells.push((title.to_owned(), cell));
    add("student", student.student.clone());
    add("key", student.key.clone());
    add("state", state.as_str().unwrap_or_default().to_owned());
    add("points", marks.points.to_string());
    add("of", marks.of.to_string());
    add("complete", marks.complete.to_string());
    for name in &class.opponents {
        let one = against(student, name);
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.4}"));
        let interval = one.and_then(|one| one.interval);
        add(&format!("{name} share"), number(one.and_then(|one| one.share)));
        add(&format!("{name} low"), number(interval.map(|[low, _]| low)));
        add(&format!("{name} high"), number(interval.map(|[_, high]| high)));
        add(&format!("{name} beaten"), one.map_or(String::new(), |one| one.verdict.clone()));
    }
    let checked = checked.as_ref().map(|checked| format!("{} of {}", checked.passed, checked.situations));
    let earned = entry.earned.map(|earned| earned.to_string());
    add("faults", marks.faults_words().join("; "));
    add("checked", checked.unwrap_or_default());
    add("why", student.reasons().join("; "));
    add("submission", student.submission.clone());
    add("command", student.command.clone().unwrap_or_default());
    add("page", student.page.clone());
    add("earned", earned.unwrap_or_default());
    let handed_in = entry.handed_in.as_ref().filter(|handed_in| handed_in.at.is_some());
    let of_hand_in = |cell: fn(&HandIn) -> String| handed_in.map(cell).unwrap_or_default();
    add("handed_in", of_hand_in(|one| one.at.clone().unwrap_or_default()));
    add("attempt", of_hand_in(|one| one.attempt.to_string()));
    add("days_late", of_hand_in(|one| one.days_late.to_string()));
    add("late_cost", of_hand_in(|one| one.cost.to_string()));
    let adjusted = entry.adjusted.as_ref().map(|adjusted| adjusted.points.to_string());
    add("adjusted", adjusted.unwrap_or_default());
    cells
}

fn junit(class: &ClassResult) -> String {
    let mut report = Report::new("zappy_arena grade");
    for student in &class.students {
        let mut suite = TestSuite::new(student.student.as_str());
        suite.add_property(("points", student.marks.points.to_string().as_str()));
        suite.add_property(("of", student.marks.of.to_string().as_str()));
        let name = student.student.as_str();
        for one in &student.marks.opponents {
            let words =
                format!("{}: won {}, drawn {}, lost {}", one.verdict, one.wins, one.draws, one.losses);
            let failure = (!one.beaten).then_some((NonSuccessKind::Failure, "not beaten", words.as_str()));
            suite.add_test_case(case(name, format!("against {}", one.name), failure));
        }
        if student.state != State::Graded {
            let is_open = student.state == State::NotGraded;
            let kind = if is_open { NonSuccessKind::Error } else { NonSuccessKind::Failure };
            let why = student.why.as_deref().unwrap_or_default();
            suite.add_test_case(case(name, "plays".to_owned(), Some((kind, student.state.words(), why))));
        }
        suite.set_system_out(student.reasons().join("\n"));
        report.add_test_suite(suite);
    }
    // Writing into a string can't fail.
    report.to_string().unwrap_or_default()
}

fn page(class: &ClassResult) -> String {
    let body = html! {
        h1 { "Grades of a class" }
        p { (words(&state_counts(class))) "." }
        @if !class.complete { p.note { "Not all of it is graded: run the same command again, and it goes on." } }
        @for names in equal_programs(class) { p.note { (words(&capital(&names))) "." } }
        @if !class.left_out.is_empty() {
            p.faint {
                "Left out, since they are no folders or their names begin with a dot: " (words(&class.left_out.join(", "))) "."
            }
        }
        p.faint {
            (explained(class)) " Each name leads to the page for that student, which shows nothing of the others."
        }
        input type="search" id="filter" placeholder="only those with …" aria-label="Show only students with these words" hidden;
        (student_table(class, Some("all"), ["<Student", "Points", "<Why"], class.students.iter().map(|one| row(class, one))))
    };
    document("Grades of a class", true, body)
}

/// The sentences that explain points and shares.
fn explained(class: &ClassResult) -> Markup {
    html! {
        "A point for each opponent against which a bot gets " (words(&class.pass.words())) ". Beside each share stands where it \
         lies in about 95 of 100 cases; bold: beaten."
    }
}

/// A table with the `first` three columns and one for each opponent; `id` is that of its element on the page.
fn student_table(
    class: &ClassResult,
    id: Option<&str>,
    first: [&str; 3],
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    let opponents: Vec<String> = class.opponents.iter().map(|name| format!(">{name}")).collect();
    let titles: Vec<&str> = first.into_iter().chain(opponents.iter().map(String::as_str)).collect();
    table(Some("sorts"), id, &titles, rows)
}

fn row(class: &ClassResult, student: &StudentResult) -> Markup {
    let GradeMarks { points, of, .. } = &student.marks;
    // Of each reason the first line: all of a build's output is on the student's page.
    let first = |words: &String| words.lines().next().map(capital);
    let why: Vec<String> = student.reasons().iter().filter_map(first).collect();
    html! {
        tr {
            td.name {
                a href=(words(student.entry.report.as_ref().unwrap_or(&student.page))) { (words(&student.student)) }
            }
            td data-v=(points) { (points) " of " (of) }
            td.w { (words(&why.join(". "))) "." }
            (shares(class, student))
        }
    }
}

/// A cell for each opponent.
fn shares(class: &ClassResult, student: &StudentResult) -> Markup {
    let result =
        |name: &String| against(student, name).and_then(|one| Some((one.beaten, one.share?, one.interval?)));
    html! {
        @for name in &class.opponents {
            @if let Some((beaten, share, [low, high])) = result(name) {
                td data-v=(format!("{share:.4}")) {
                    @let shown = format!("{share:.2}");
                    @if beaten { b { (shown) } } @else { (shown) }
                    " " span.faint { (format!("{low:.2}–{high:.2}")) }
                }
            } @else { td data-v="-1" { "–" } }
        }
    }
}

/// The page for the class, which names students by their pseudonyms alone. It shows the points from matches without
/// costs and additions, since these would tell which students were late. Students with equal points stand in the order
/// of their pseudonyms.
pub fn leaderboard(class: &ClassResult) -> String {
    let graded: Vec<&StudentResult> = class.students.iter().filter(|student| student.is_final()).collect();
    let row = |student: &&StudentResult| {
        Some((student.entry.earned?, student.entry.pseudonym.clone()?, shares(class, student)))
    };
    let mut rows: Vec<(Points, String, Markup)> = graded.iter().filter_map(row).collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let lines = rows.iter().map(|(points, pseudonym, shares)| {
        html! {
            tr {
                td { (1 + rows.iter().filter(|row| row.0 > *points).count()) }
                td.name { code { (pseudonym) } } td { (points) } (shares)
            }
        }
    });
    let body = html! {
        h1 { "Leaderboard" }
        p { (graded.len()) " of " (many(class.students.len() as u64, "submission")) " done." }
        p.faint {
            (explained(class)) " What each is called here stands on its own page alone; points that were added or taken off \
             for other reasons than matches don't show."
        }
        (student_table(class, None, ["Place", "<Bot", "Points"], lines))
    };
    document("Leaderboard", true, body)
}

/// The page of a student if the bot didn't play, or if something besides the matches changes the points.
pub fn page_of(student: &StudentResult) -> String {
    let (title, place) = (format!("Grade of {}", student.student), student.place());
    let StudentResult { state, marks, entry, page, .. } = student;
    let why = in_html(student.why.as_deref().unwrap_or_default()).replace('\n', "<br>");
    let matches = Path::new(page).strip_prefix(place).ok().filter(|page| *page != Path::new(PAGE));
    let body = html! {
        h1 { (words(&title)) }
        p.note { b { (marks.points) " of " (many(marks.of, "point")) ": " (words(state.words())) "." } }
        p { (PreEscaped(why)) }
        @for reason in entry.reasons() { p.note { (words(&capital(&reason))) "." } }
        @if let Some(matches) = matches {
            p {
                a href=(words(&matches.to_string_lossy())) {
                    "The matches came to " (entry.earned.unwrap_or_default()) " of " (many(marks.of, "point"))
                }
                "."
            }
        }
        @if let Some(pseudonym) = &entry.pseudonym {
            p { "On the leaderboard of the class it is called " code { (pseudonym) } "." }
        }
        @for (what, command) in [("It is built by ", &student.build), ("It is started by ", &student.command)] {
            @if let Some(command) = command { p.faint { (what) code { (words(command)) } } }
        }
        p.faint { "What was handed in is known as " code { (student.submission) } }
    };
    document(&title, true, body)
}

/// The table for a terminal.
pub fn render(class: &ClassResult) -> String {
    let shown = || class.students.iter().take(MOST_SHOWN);
    let rows = shown().map(|student| {
        vec![student.student.clone(), format!("{} of {}", student.marks.points, student.marks.of)]
    });
    // The first line of the first reason is the last column, of any width.
    let reason = |student: &StudentResult| {
        let reason = student.reasons().into_iter().next().unwrap_or_default();
        reason.lines().next().unwrap_or_default().to_owned()
    };
    let reasons = ["why".to_owned()].into_iter().chain(shown().map(reason));
    let table = text_table(&["student", "points"], rows, 0);
    let mut lines: Vec<String> =
        table.lines().zip(reasons).map(|(line, why)| format!("{line}  {why}")).collect();
    if class.students.len() > MOST_SHOWN {
        lines.push(format!("and {} more; all are in class.csv", class.students.len() - MOST_SHOWN));
    }
    lines.extend([String::new(), state_counts(class)]);
    lines.extend(equal_programs(class));
    lines.join("\n") + "\n"
}
