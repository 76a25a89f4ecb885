//! Each bug of `server/tests/mutants/list.txt` can be planted: the text that it replaces stands in one line of its file.
//!
//! Reads the sources as text and plants nothing.

use crate::texts::root;

#[test]
fn each_bug_that_is_planted_by_hand_changes_one_line() {
    let read = |path: &str| {
        std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let list = read("server/tests/mutants/list.txt");
    let bugs: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    for bug in &bugs {
        let [_, what, file, change] = bug.splitn(4, " | ").collect::<Vec<_>>()[..] else {
            panic!("{bug:?} isn't: area | what goes wrong | file | text ~> another one");
        };
        let (old, new) = change.split_once(" ~>").unwrap_or_else(|| panic!("{what}: no ~> in {change:?}"));
        assert!(
            !old.trim().is_empty() && old != new.strip_prefix(' ').unwrap_or(new),
            "{what}: nothing changes"
        );
        let lines = read(file).lines().filter(|line| line.contains(old)).count();
        assert_eq!(lines, 1, "{what}: lines of {file} with {old:?}; its place has moved, so name it anew");
    }
    assert_eq!(bugs.len(), 30, "as many as `docs/simulation.md` says");
}
