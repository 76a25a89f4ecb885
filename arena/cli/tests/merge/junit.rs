//! `junit.xml`, read by a parser that isn't ours.

use std::fs;

use roxmltree::{Document, Node};
use zappy_tournament::outcome::BotEnd;
use zappy_tournament::report::junit;

use super::order::merge;
use super::standings::tell;
use super::synthetic::Night;

fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.children().filter(|child| child.has_tag_name(name)).collect()
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_else(|| panic!("no {name} in {node:?}"))
}

#[test]
fn a_suite_per_bot_and_a_case_per_opponent() {
    let night = Night::new(&["ada", "bob", "eve"], 2, 10);
    // Ada beats both others; of bob and eve the one in the first seat wins.
    for planned in &night.plan {
        let places: Vec<usize> = planned.seats.iter().map(|&id| night.place(id)).collect();
        let first = places.iter().position(|&place| place == 0).unwrap_or(0);
        let mut played = night.ended(planned, &[first, 1 - first]);
        if let Some(seat) = places.iter().position(|&place| place == 2) {
            played.seats[seat].end = BotEnd::Crashed;
        }
        night.write(planned, &played);
    }
    let text = tell(&night, |tally| junit::render(tally, 0..tally.book.bots.len(), 0.5));
    let xml = Document::parse(&text).unwrap();
    let root = xml.root_element();
    assert_eq!(
        (root.tag_name().name(), attribute(root, "tests"), attribute(root, "failures")),
        ("testsuites", "6", "4")
    );
    let suites = children(root, "testsuite");
    assert_eq!(
        suites.iter().map(|suite| attribute(*suite, "name")).collect::<Vec<_>>(),
        ["ada", "bob", "eve"]
    );
    let cases = children(suites[1], "testcase");
    assert_eq!(
        cases.iter().map(|case| attribute(*case, "name")).collect::<Vec<_>>(),
        ["against ada", "against eve"]
    );
    let failure = children(cases[0], "failure")[0];
    let message = attribute(failure, "message");
    assert!(
        message.starts_with("0.000 of the points, 95 % interval 0.000 to 0.161, of 20 results"),
        "{message}"
    );
    assert!(
        message.ends_with("more than half is needed; the interval is clear of the threshold"),
        "{message}"
    );
    // Two equal bots come to half, so half beats none of them; it is said to be uncertain.
    assert_eq!(attribute(children(cases[1], "failure")[0], "type"), "too few points");
    let out = children(cases[1], "system-out")[0].text().unwrap();
    assert!(
        out.starts_with("0.500 of the points") && out.contains("more matches could turn this round"),
        "{out}"
    );
    let err = children(suites[2], "system-err")[0].text().unwrap();
    assert!(err.starts_with("40 times it broke off during the match. "), "{err}");
    assert!(!text.contains("time=") && !text.contains("timestamp"), "{text}");
}

#[test]
fn the_threshold_is_the_graders_and_what_was_not_played_is_skipped() {
    let night = Night::new(&["<ada>&\"", "bob'\u{202e}", "]]>"], 2, 2);
    for planned in night.plan.iter().filter(|planned| planned.seats.contains(&night.book.bots[0].id)) {
        night.write(planned, &night.likely(planned, 0.0));
    }
    for (pass, failures) in [("0", "0"), ("1", "")] {
        assert!(merge(&night, &["--pass", pass]).status.success());
        let text = fs::read_to_string(night.path().join("merged/junit.xml")).unwrap();
        let xml = Document::parse(&text).unwrap();
        let root = xml.root_element();
        let names: Vec<&str> =
            children(root, "testsuite").iter().map(|suite| attribute(*suite, "name")).collect();
        assert_eq!(names, ["<ada>&\"", "bob'\u{202e}", "]]>"]);
        let skipped = xml.descendants().filter(|node| node.has_tag_name("skipped")).count();
        assert_eq!(skipped, 2);
        let failed = attribute(root, "failures");
        assert!(if failures.is_empty() { failed != "0" } else { failed == failures }, "{text}");
    }
    for bad in ["1.5", "-1", "nan", "x"] {
        let output = merge(&night, &[&format!("--pass={bad}")]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("the range is 0 to 1"));
    }
}
