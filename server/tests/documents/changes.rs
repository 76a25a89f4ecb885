//! The names in the table of where to change what stand in the files that the table has beside them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::texts::{root, texts};

/// The code in a cell: what stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The text of the files that a cell names; a name without a folder lies beside one with it.
fn text_of(cell: &str) -> String {
    let (paths, bare): (Vec<&str>, Vec<&str>) = quoted(cell)
        .filter(|word| word.contains('/') || word.ends_with(".rs"))
        .partition(|word| word.contains('/'));
    let mut files = BTreeSet::new();
    for path in paths.iter().map(|path| root().join(path)) {
        let folder = if path.is_dir() { path.clone() } else { path.parent().unwrap().to_owned() };
        files.extend(bare.iter().map(|name| folder.join(name)).filter(|path| path.is_file()));
        match path.is_dir() {
            true => files.extend(texts(&path, &[".rs"]).into_iter().map(|(path, _)| root().join(path))),
            false => _ = files.insert(path),
        }
    }
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    files.iter().map(read).collect()
}

#[test]
fn the_names_in_the_table_of_changes_stand_in_its_files() {
    let document = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, table) = document.split_once("## Where to change").unwrap();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut looked_at = 0;
    for row in table
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with("| "))
        .skip(1)
    {
        let cell = row.split('|').nth(2).unwrap();
        let text = text_of(cell);
        let words: BTreeSet<&str> = text.split(|letter| !is_letter(letter)).collect();
        let pieces: Vec<&str> = cell.split('`').collect();
        // A small word alone may be a program's command.
        let names = pieces.windows(2).skip(1).step_by(2).filter(|two| {
            let is_name = two[0].chars().all(|letter| is_letter(letter) || letter == ':');
            is_name && (two[0].contains(|letter: char| !letter.is_lowercase()) || two[1].starts_with(" in "))
        });
        for part in names.flat_map(|two| two[0].split("::")) {
            looked_at += 1;
            assert!(words.contains(part), "CONTRIBUTING.md names {part}, but no file of its row does: {row}");
        }
    }
    assert!(looked_at >= 15, "only {looked_at} names were found; is the table still there?");
}
