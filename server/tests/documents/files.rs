//! What every file has, and what none may have.

use std::path::Path;

use crate::texts::{crates, root, texts};

#[test]
fn every_file_says_what_it_is_and_what_it_speaks_of() {
    // A socket, a seat, a file or a process is none of these.
    let vague = ["whoever", "nobody", "somebody", "anybody", "everybody", "whom"];
    let mut found = Vec::new();
    for (path, text) in crates().iter().flat_map(|folder| texts(Path::new(folder), &[".rs"])) {
        if !text.starts_with("//!") {
            found.push(format!("{path} does not open with //!"));
        }
        let lines = text.lines().count();
        if lines > 500 {
            found.push(format!("{path} has {lines} lines"));
        }
        for (line, number) in text.lines().zip(1..) {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment).to_lowercase();
            let mut words = comment.split(|c: char| !c.is_alphabetic());
            found.extend(
                words
                    .find(|word| vague.contains(word) && !path.contains("starters"))
                    .map(|word| format!("{path}:{number} says {word}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_names_a_folder_of_a_machine() {
    let own = root().to_string_lossy().into_owned();
    let places = [own.as_str(), concat!("/Us", "ers/"), concat!("C:\\", "Users")];
    let mut endings =
        vec!["Makefile", "Dockerfile", ".md", ".rs", ".toml", ".sh", ".py", ".yml", ".txt", ".json"];
    endings.extend([".html", ".js", ".c", ".java", ".zrec", ".ci/run"]);
    let files = texts(Path::new(""), &endings);
    assert!(files.len() > 1000, "only {} files were read", files.len());
    for (path, text) in files {
        let line = text.lines().find(|line| places.iter().any(|place| line.contains(place)));
        assert_eq!(line, None, "{path}");
    }
}
