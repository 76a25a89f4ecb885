//! What a grading left is held against what the arena signed when it goes on, is summed up, shown or proved.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::room::{Room, student};
use crate::support::{ARENA, names, run};

/// The folder of the only version that a student handed in.
fn grade_of(room: &Room, name: &str) -> PathBuf {
    let versions = room.out("out/students").join(name);
    versions.join(&names(&versions)[0])
}

/// Asks for that of a student's matches; what was said, whether it is wrong or not, and whether it is.
fn asked(action: &str, play: &Path) -> (String, bool) {
    let finished = run(Command::new(ARENA).args(["tournament", action]).arg(play));
    (format!("{}{}", finished.stdout, finished.stderr), finished.code() != 0)
}

#[test]
fn what_was_changed_is_named_and_costs_its_submission_alone() {
    let room = Room::new();
    room.player("ada", "easy");
    room.player("bob", "medium");
    assert_eq!(room.grade("out", &[]).code(), 0);
    let (class, starts) = (room.class("out"), room.starts());
    let words = "it was changed since the arena signed it";

    let (ada, bob) = (grade_of(&room, "ada"), grade_of(&room, "bob"));
    let (own, honest) = (ada.join("student.json"), fs::read(ada.join("student.json")).unwrap());
    fs::write(&own, [&honest[..], b"\n"].concat()).unwrap();
    let named = format!("{}: {words}", own.display());
    for action in ["status", "merge", "verify"] {
        let (said, is_wrong) = asked(action, &ada.join("play"));
        assert!(is_wrong && said.contains(&named), "{action}: {said}");
        assert!(!asked(action, &bob.join("play")).1, "{action}");
    }
    let again = room.grade("out", &[]);
    assert!(
        again.code() == 0 && again.stderr.contains(&format!("{named}; it is graded anew")),
        "{}",
        again.stderr
    );
    assert_eq!((fs::read(&own).unwrap(), room.class("out"), room.starts()), (honest, class.clone(), starts));
    assert!(!asked("status", &ada.join("play")).1);

    let id = &names(&bob.join("play/results"))[0];
    let report = bob.join("play/matches").join(id.trim_end_matches(".json")).join("result.json");
    fs::write(&report, [&fs::read(&report).unwrap()[..], b"\n"].concat()).unwrap();
    let again = room.grade("out", &[]);
    assert_eq!(again.code(), 1, "{}", again.stderr);
    let why = student(&room.class("out"), "bob")["why"].to_string();
    assert!(why.contains(&format!("/result.json: {words}; move play/results/{id} away")), "{why}");
    assert_eq!(student(&room.class("out"), "ada"), student(&class, "ada"));
    for action in ["status", "merge", "verify"] {
        let (said, is_wrong) = asked(action, &bob.join("play"));
        assert!(is_wrong && said.contains(&format!("{}: {words}", report.display())), "{action}: {said}");
    }
    // What the words say helps.
    fs::remove_file(bob.join("play/results").join(id)).unwrap();
    assert_eq!((room.grade("out", &[]).code(), room.class("out")), (0, class));
}
