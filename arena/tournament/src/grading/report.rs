//! The table of a class in every form that people and programs ask for: CSV, JSON, HTML, JUnit, a terminal; and a
//! student's page if the bot didn't play.
//!
//! A function of the results: the same bytes each time. Names and words of others are escaped in each form by its own rules.
//! The table is the grader's, a student's page shows nothing of others. Tested in `arena/cli/tests/class/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use zappy_play::text::align;
use zappy_protocol::text::many;

use super::points::Points;
use super::result::{ClassResult, GradeMarks, HandIn, OpponentResult, PAGE, State, StudentResult};
use crate::report::bots::capital;
use crate::report::csv::Table;
use crate::report::escape::in_html;
use crate::report::html::{CLOSING, opening};

/// The page for a class, without names.
pub const LEADERBOARD: &str = "leaderboard.html";
/// Students that are told on a terminal.
const TOLD: usize = 60;

/// The files of a class, by their names.
pub fn files(class: &ClassResult) -> [(&'static str, Vec<u8>); 4] {
    [
        ("class.json", format!("{:#}\n", serde_json::json!(class)).into_bytes()),
        ("class.csv", csv(class)),
        ("class.xml", junit(class).into_bytes()),
        ("index.html", page(class).into_bytes()),
    ]
}

/// How many are how far.
fn states(class: &ClassResult) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for student in &class.students {
        *counts.entry(student.state.words()).or_default() += 1;
    }
    let told: Vec<String> = counts.into_iter().map(|(words, count)| format!("{count} {words}")).collect();
    format!("{}: {}", many(class.students.len() as u64, "submission"), told.join(", "))
}

/// The students with equal programs, each group as a sentence without its full stop.
fn same(class: &ClassResult) -> impl Iterator<Item = String> {
    class.same.iter().map(|names| format!("the same program, to the byte: {}", names.join(", ")))
}

/// How a student fared against the opponent of that name, if the two met.
fn against<'a>(student: &'a StudentResult, name: &str) -> Option<&'a OpponentResult> {
    student.marks.opponents.iter().find(|one| one.name == name)
}

fn csv(class: &ClassResult) -> Vec<u8> {
    let first = ["student", "key", "state", "points", "of", "complete"];
    let mut head: Vec<String> = first.map(str::to_owned).into();
    for name in &class.opponents {
        head.extend(["share", "low", "high", "beaten"].map(|what| format!("{name} {what}")));
    }
    head.extend(["faults", "checked", "why", "submission", "command", "page"].map(str::to_owned));
    head.extend(["earned", "handed_in", "attempt", "days_late", "late_cost", "adjusted"].map(str::to_owned));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for student in &class.students {
        let mut cells = vec![student.student.clone(), student.key.clone(), state(student)];
        cells.extend([
            student.marks.points.to_string(),
            student.marks.of.to_string(),
            student.marks.complete.to_string(),
        ]);
        for name in &class.opponents {
            let one = against(student, name);
            let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.4}"));
            let interval = one.and_then(|one| one.interval);
            cells.push(number(one.and_then(|one| one.share)));
            cells.extend([0, 1].map(|end| number(interval.map(|interval| interval[end]))));
            cells.push(one.map_or(String::new(), |one| one.verdict.clone()));
        }
        let faults: Vec<String> =
            student.marks.faults.iter().map(|(end, count)| format!("{end} {count}")).collect();
        let checked = student.checked.as_ref();
        cells.push(faults.join("; "));
        cells.push(
            checked.map_or(String::new(), |checked| format!("{} of {}", checked.passed, checked.situations)),
        );
        cells.push(student.reasons().join("; "));
        cells.push(student.submission.clone());
        cells.push(student.command.clone().unwrap_or_default());
        cells.push(student.page.clone());
        cells.push(student.entry.earned.map_or(String::new(), |earned| earned.to_string()));
        let handed_in = student.entry.handed_in.as_ref();
        let at = handed_in.and_then(|handed_in| handed_in.at.clone());
        let known = handed_in.filter(|_| at.is_some());
        let of = |cell: &dyn Fn(&HandIn) -> String| known.map_or(String::new(), cell);
        let (attempt, days) = (of(&|one| one.attempt.to_string()), of(&|one| one.days_late.to_string()));
        let cost = of(&|one| one.cost.to_string());
        let adjusted = student.entry.adjusted.as_ref();
        let adjusted = adjusted.map_or(String::new(), |adjusted| adjusted.points.to_string());
        cells.extend([at.unwrap_or_default(), attempt, days, cost, adjusted]);
        table.add(cells.into_iter());
    }
    table.finish()
}

/// The word for how far it came.
fn state(student: &StudentResult) -> String {
    serde_json::json!(student.state).as_str().unwrap_or_default().to_owned()
}

fn junit(class: &ClassResult) -> String {
    let mut report = Report::new("zappy_arena grade");
    for student in &class.students {
        let mut suite = TestSuite::new(student.student.as_str());
        suite.add_property(("points", student.marks.points.to_string().as_str()));
        suite.add_property(("of", student.marks.of.to_string().as_str()));
        let failed = |kind: NonSuccessKind, words: &str, why: &str| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(words).set_type(why);
            status
        };
        let case = |name: String, status: TestCaseStatus| {
            let mut case = TestCase::new(name, status);
            case.set_classname(student.student.as_str());
            case
        };
        for one in &student.marks.opponents {
            let words =
                format!("{}: won {}, drawn {}, lost {}", one.verdict, one.wins, one.draws, one.losses);
            let status = match one.beaten {
                true => TestCaseStatus::success(),
                false => failed(NonSuccessKind::Failure, &words, "not beaten"),
            };
            suite.add_test_case(case(format!("against {}", one.name), status));
        }
        if student.state != State::Graded {
            let kind = match student.state {
                State::NotGraded => NonSuccessKind::Error,
                _ => NonSuccessKind::Failure,
            };
            let why = student.why.as_deref().unwrap_or_default();
            suite.add_test_case(case("plays".to_owned(), failed(kind, why, student.state.words())));
        }
        suite.set_system_out(student.reasons().join("\n"));
        report.add_test_suite(suite);
    }
    // A string takes everything.
    report.to_string().unwrap_or_default()
}

fn page(class: &ClassResult) -> String {
    let mut out = opening("Grades of a class");
    let _ = write!(out, "<h1>Grades of a class</h1>\n<p>{}.</p>\n", in_html(&states(class)));
    if !class.complete {
        let words = "Not all of it is graded: run the same command again, and it goes on";
        let _ = writeln!(out, "<p class=\"note\">{words}.</p>");
    }
    for words in same(class) {
        let _ = writeln!(out, "<p class=\"note\">{}.</p>", in_html(&capital(&words)));
    }
    if !class.left_out.is_empty() {
        let names = in_html(&class.left_out.join(", "));
        let _ = writeln!(
            out,
            "<p class=\"faint\">Left out, since they are no folders or their names begin with a dot: {names}.</p>"
        );
    }
    let _ = writeln!(
        out,
        "<p class=\"faint\">A point for each opponent against which a bot gets {}. Beside each share \
         stands where it lies in about 95 of 100 cases; bold: beaten. Each name leads to the page for that student, which \
         shows nothing of the others.</p>",
        in_html(&class.pass.words())
    );
    out.push_str(
        "<input type=\"search\" id=\"filter\" placeholder=\"only those with …\" aria-label=\"Show only students with these \
         words\" hidden>\n<div class=\"wide\"><table class=\"sorts\" id=\"all\"><thead><tr><th class=\"l\">Student</th>\
         <th>Points</th><th class=\"l\">Why</th>",
    );
    for name in &class.opponents {
        let _ = write!(out, "<th>{}</th>", in_html(name));
    }
    out.push_str("</tr></thead><tbody>\n");
    for student in &class.students {
        out.push_str(&row(class, student));
    }
    out.push_str("</tbody></table></div>\n");
    out + CLOSING
}

fn row(class: &ClassResult, student: &StudentResult) -> String {
    let (page, GradeMarks { points, of, .. }) = (&student.page, &student.marks);
    let name = in_html(&student.student);
    let mut out = format!(
        "<tr><td class=\"name\"><a href=\"{}\">{name}</a></td><td data-v=\"{points}\">{points} of {of}</td>",
        in_html(student.entry.report.as_ref().unwrap_or(page))
    );
    // The whole of a build's output is on the student's page. On a small window the reason is seen before the shares.
    let first = |words: &String| words.lines().next().map(|line| in_html(&capital(line)));
    let why: Vec<String> = student.reasons().iter().filter_map(first).collect();
    let _ = write!(out, "<td class=\"w\">{}.</td>", why.join(". "));
    out + &shares(class, student) + "</tr>\n"
}

/// A cell for each opponent.
fn shares(class: &ClassResult, student: &StudentResult) -> String {
    let cell = |name: &String| {
        let told = against(student, name).and_then(|one| Some((one.beaten, one.share?, one.interval?)));
        let Some((beaten, share, [low, high])) = told else { return "<td data-v=\"-1\">–</td>".to_owned() };
        let (on, off) = if beaten { ("<b>", "</b>") } else { ("", "") };
        format!(
            "<td data-v=\"{share:.4}\">{on}{share:.2}{off} <span class=\"faint\">{low:.2}–{high:.2}</span></td>"
        )
    };
    class.opponents.iter().map(cell).collect()
}

/// The page for the class, which names students by their pseudonyms alone. It shows the points from matches without
/// costs and additions, since these would tell which students were late. Students with equal points stand in the order
/// of their pseudonyms.
pub fn leaderboard(class: &ClassResult) -> String {
    let mut out = opening("Leaderboard");
    let graded: Vec<&StudentResult> = class.students.iter().filter(|student| student.is_final()).collect();
    let pass = in_html(&class.pass.words());
    let _ = writeln!(
        out,
        "<h1>Leaderboard</h1>\n<p>{} of {} done.</p>\n<p class=\"faint\">A point for each opponent against which a bot gets \
         {pass}. Beside each share stands where it lies in about 95 of 100 cases; bold: beaten. What each is called here stands \
         on its own page alone; points that were added or taken off for other reasons than matches don't show.</p>",
        graded.len(),
        many(class.students.len() as u64, "submission")
    );
    out.push_str(
        "<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Place</th><th class=\"l\">Bot</th><th>Points</th>",
    );
    for name in &class.opponents {
        let _ = write!(out, "<th>{}</th>", in_html(name));
    }
    out.push_str("</tr></thead><tbody>\n");
    let mut rows: Vec<(Points, &str, String)> = graded
        .into_iter()
        .filter_map(|student| {
            Some((student.entry.earned?, student.entry.pseudonym.as_deref()?, shares(class, student)))
        })
        .collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    for (points, pseudonym, shares) in &rows {
        let place = 1 + rows.iter().filter(|row| row.0 > *points).count();
        let _ = writeln!(
            out,
            "<tr><td>{place}</td><td class=\"name\"><code>{pseudonym}</code></td><td>{points}</td>{shares}</tr>"
        );
    }
    out.push_str("</tbody></table></div>\n");
    out + CLOSING
}

/// A student's page if the bot didn't play, or if something besides the matches changes the points.
pub fn page_of(student: &StudentResult) -> String {
    let title = in_html(&format!("Grade of {}", student.student));
    let mut out = opening(&title);
    let _ = write!(
        out,
        "<h1>{title}</h1>\n<p class=\"note\"><b>{} of {} points: ",
        student.marks.points, student.marks.of
    );
    let _ = writeln!(out, "{}.</b></p>", in_html(student.state.words()));
    let why = in_html(student.why.as_deref().unwrap_or_default()).replace('\n', "<br>");
    let _ = writeln!(out, "<p>{why}</p>");
    for words in student.entry.reasons() {
        let _ = writeln!(out, "<p class=\"note\">{}.</p>", in_html(&capital(&words)));
    }
    let place = student.place();
    if let Some(matches) =
        Path::new(&student.page).strip_prefix(place).ok().filter(|page| *page != Path::new(PAGE))
    {
        let (earned, matches) = (student.entry.earned.unwrap_or_default(), matches.to_string_lossy());
        let words = format!("the matches came to {earned} of {} points", student.marks.of);
        let _ = writeln!(out, "<p><a href=\"{}\">{}</a>.</p>", in_html(&matches), capital(&words));
    }
    if let Some(pseudonym) = &student.entry.pseudonym {
        let _ =
            writeln!(out, "<p>On the leaderboard of the class it is called <code>{pseudonym}</code>.</p>");
    }
    for (what, told) in [("It is built by", &student.build), ("It is started by", &student.command)] {
        if let Some(told) = told {
            let _ = writeln!(out, "<p class=\"faint\">{what} <code>{}</code></p>", in_html(told));
        }
    }
    let id = &student.submission;
    let _ = writeln!(out, "<p class=\"faint\">What was handed in is known as <code>{id}</code></p>");
    out + CLOSING
}

pub fn render(class: &ClassResult) -> String {
    let head = ["student", "points", "why"].map(str::to_owned).to_vec();
    let rows = class.students.iter().take(TOLD).map(|student| {
        let why = student.reasons().first().cloned().unwrap_or_default();
        let why = why.lines().next().unwrap_or_default().to_owned();
        vec![student.student.clone(), format!("{} of {}", student.marks.points, student.marks.of), why]
    });
    let mut text = String::new();
    // The reasons are the last column and go on as they like.
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let (table, whys): (Vec<Vec<String>>, Vec<String>) =
        rows.into_iter().map(|row| (row[..2].to_vec(), row[2].clone())).unzip();
    let mut columns = String::new();
    align(&table, 0, &mut columns);
    for (line, why) in columns.lines().zip(whys) {
        let _ = writeln!(text, "{line}  {why}");
    }
    if class.students.len() > TOLD {
        let _ = writeln!(text, "and {} more; all are in class.csv", class.students.len() - TOLD);
    }
    let _ = writeln!(text, "\n{}", states(class));
    same(class).for_each(|words| {
        let _ = writeln!(text, "{words}");
    });
    text
}
