//! Every path that a document names exists in the repository.
//!
//! Looks at links, and at code of one word that has a slash or the ending of a file. A path counts from the root or
//! from the document's own folder; a file's bare name may lie anywhere. `*` stands for part of a name, `{a,b}` for
//! several paths.

use std::path::{Path, PathBuf};

use super::root;

/// What runs leave behind, and what people make themselves.
const EXCEPTIONS: [&str; 29] = [
    "bot.toml",
    "bots/.ada",
    "bots/ada",
    "check-report.txt",
    "checked/",
    "failed/",
    "index.html",
    "league.json",
    "merged/",
    "rounds/",
    "standings.json",
    "standings/",
    "versions/",
    "bots.json",
    "grade.xml",
    "grades/one/grade.json",
    "hosts.txt",
    "logs/red-3.log",
    "matches/",
    "matches/last",
    "merged/index.html",
    "night/matches",
    "night/merged/",
    "night/merged/index.html",
    "opponents.toml",
    "records/SEED.zrec",
    "result.json",
    "results/",
    "times.html",
];

/// Endings by which a word without a slash is the name of a file.
const ENDINGS: [&str; 16] = [
    ".c", ".h", ".html", ".java", ".js", ".json", ".md", ".png", ".py", ".rs", ".sh", ".toml", ".txt",
    ".xml", ".yml", ".zrec",
];

/// All files and folders of the repository, as paths from its root; what is built and played lies aside.
fn tree(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        if [".git", "target", "matches"].contains(&name.as_str()) || path.is_symlink() {
            continue;
        }
        found.push(name);
        if path.is_dir() {
            tree(&path, found);
        }
    }
}

/// The paths that stand for a text with braces.
fn spelled_out(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_owned()] };
    let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
    inside.split(',').flat_map(|part| spelled_out(&format!("{before}{part}{after}"))).collect()
}

/// Whether a path fits a pattern in which each `*` stands for part of a name.
fn fits(pattern: &str, path: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == path };
    let Some(rest) = path.strip_prefix(before) else { return false };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.take_while(|&at| !rest[..at].contains('/')).any(|at| fits(after, &rest[at..]))
}

/// The paths that a document names.
fn named(text: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose += &format!("{line}\n");
        }
    }
    let links = prose.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
    let links = links.filter(|link| !link.is_empty() && !link.contains("://"));
    let words = prose.split('`').skip(1).step_by(2).filter(|code| {
        let is_path = code.contains('/') || ENDINGS.iter().any(|ending| code.ends_with(ending));
        let is_word = !code.contains(char::is_whitespace) && !code.contains('=');
        is_path && is_word && !code.starts_with(['/', '.', '-']) && !code.contains("://")
    });
    links.chain(words).flat_map(spelled_out).collect()
}

/// The documents, as paths from the root.
fn documents(tree: &[String]) -> impl Iterator<Item = &String> {
    tree.iter().filter(|path| path.ends_with(".md") && *path != "CHANGELOG.md")
}

/// Whether a path that a document of this folder names exists.
fn exists(tree: &[String], folder: &Path, name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let mut from_folder = PathBuf::new();
    for part in folder.join(name).components() {
        if part.as_os_str() == ".." {
            from_folder.pop();
        } else {
            from_folder.push(part);
        }
    }
    let bare =
        |path: &String| !name.contains('/') && path.rsplit('/').next().is_some_and(|last| fits(name, last));
    tree.iter().any(|path| fits(name, path) || fits(&from_folder.to_string_lossy(), path) || bare(path))
}

#[test]
fn every_path_in_the_documents_exists() {
    let mut all = Vec::new();
    tree(&root(), &mut all);
    let (mut missing, mut count) = (Vec::new(), 0);
    let mut unused: Vec<&str> = EXCEPTIONS.to_vec();
    for document in documents(&all) {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let folder = Path::new(document).parent().unwrap();
        for name in named(&text) {
            count += 1;
            unused.retain(|exception| *exception != name);
            if !EXCEPTIONS.contains(&name.as_str()) && !exists(&all, folder, &name) {
                missing.push(format!("{document} names {name}"));
            }
        }
    }
    assert!(count > 100, "only {count} paths were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert_eq!(unused, [""; 0], "exceptions that no document names");
}

#[test]
fn paths_are_found_and_held_against_the_repository() {
    let text = "[a](docs/b.md#c), [d](https://e.org/f.md), `g/{h,i/j}.rs`, `cargo k/l`, `/quit`, `OUT=m/n`, `o.rs`\n\
                ```sh\n`p/q`\n```\n`r::s`, `*.txt`\n";
    assert_eq!(named(text), ["docs/b.md", "g/h.rs", "g/i/j.rs", "o.rs", "*.txt"]);
    let tree = ["docs/b.md", "g/h.rs", "g/i", "g/i/o.rs", "g/i/p_1.txt"].map(str::to_owned);
    let exists = |folder: &str, name| exists(&tree, Path::new(folder), name);
    assert!(
        exists("", "docs/b.md") && exists("docs", "../g/h.rs") && exists("g", "i/") && exists("", "o.rs")
    );
    assert!(exists("", "g/i/p_*.txt") && exists("g/i", "*.txt"));
    assert!(
        !exists("", "h/h.rs") && !exists("", "g/*.txt") && !exists("g", "docs/c.md") && !exists("", "q.rs")
    );
}
