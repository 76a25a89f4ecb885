//! Each kind of folder that students hand in, graded in one class. A league takes the same ones: `tests/league/kinds.rs`.

use std::fs;

use super::room::{Room, student};
use crate::support::kinds::{kinds, write};

#[test]
fn each_kind_of_folder_is_graded_or_told_why_not() {
    let room = Room::new();
    let builds = room.out("builds");
    let kinds = kinds(&builds);
    for kind in &kinds {
        write(&room.out("submissions").join(kind.name), &kind.files);
    }
    // All that are built come in, however busy the machine is.
    let finished = room.grade("out", &["--lobby-time", "60"]);
    assert_eq!(finished.code(), 0, "{}{}", finished.stdout, finished.stderr);
    let class = room.class("out");
    for kind in &kinds {
        let student = student(&class, kind.name);
        match kind.becomes {
            Ok(source) => {
                assert_eq!(
                    (&student["state"], &student["found_in"]),
                    (&"graded".into(), &source.into()),
                    "{student:#}"
                );
                assert_eq!(student["faults"], serde_json::json!({}), "{student:#}");
            }
            Err((state, words)) => {
                assert_eq!(student["state"], state, "{student:#}");
                assert!(student["why"].as_str().unwrap().contains(words), "{student:#}");
            }
        }
    }
    let built = kinds.iter().filter(|kind| kind.files.iter().any(|(_, text)| text.contains("echo built")));
    let count = built.count();
    assert_eq!(fs::read_to_string(&builds).unwrap().lines().count(), count);
    assert_eq!(room.grade("out", &["--lobby-time", "60"]).code(), 0);
    assert_eq!(fs::read_to_string(&builds).unwrap().lines().count(), count, "it was built twice");
}
