//! Every path that a document names exists in the repository, and every chapter that a link leads to.
//!
//! Looks at links, and at code of one word that has a slash or the ending of a file. A path counts from the root or
//! from the document's own folder; a file's bare name may lie anywhere. `*` stands for part of a name, `{a,b}` for
//! several paths.

use std::path::{Path, PathBuf};

use crate::texts::{root, tree};

/// What runs leave behind, and what people make themselves.
const EXCEPTIONS: &[&str] = &[
    "authors.json",
    "bot.toml",
    "bot/",
    "bots.json",
    "bots/.ada",
    "bots/ada",
    "check-report.txt",
    "checked/",
    "class.json",
    "class.xml",
    "classroom.json",
    "failed/",
    "grade.xml",
    "grades/class",
    "grades/one/grade.json",
    "gradescope.json",
    "hosts.txt",
    "index.html",
    "leaderboard.html",
    "ladder.json",
    "league.json",
    "lobby.json",
    "names.json",
    "logs/red-3.log",
    "matches/",
    "matches/last",
    "merged/",
    "merged/index.html",
    "night/matches",
    "night/merged/",
    "night/merged/index.html",
    "opponents.toml",
    "play/merged/index.html",
    "records/SEED.zrec",
    "result.json",
    "results/",
    "rounds/",
    "run.sh",
    "standings.json",
    "standings/",
    "student.json",
    "students/NAME",
    "students/NAME/ID/",
    "times.html",
    "versions/",
];

/// Endings by which a word without a slash is the name of a file.
const ENDINGS: [&str; 16] = [
    ".c", ".h", ".html", ".java", ".js", ".json", ".md", ".png", ".py", ".rs", ".sh", ".toml", ".txt",
    ".xml", ".yml", ".zrec",
];

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

/// A document without its blocks of code.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose += &format!("{line}\n");
        }
    }
    prose
}

/// The paths that a document names.
fn named(text: &str) -> Vec<String> {
    let prose = prose(text);
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

/// The path from the root that a document of this folder means by a name.
fn from_root(folder: &Path, name: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(name).components() {
        if part.as_os_str() == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path
}

/// What links to a document's headings end in, as GitHub and mdbook make it.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for heading in prose(text)
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
    {
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        let anchor: String =
            kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect();
        let before = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if before > 0 { format!("{anchor}-{before}") } else { anchor });
    }
    anchors
}

/// Whether a path that a document of this folder names exists.
fn exists(tree: &[String], folder: &Path, name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let from_folder = from_root(folder, name);
    let bare =
        |path: &String| !name.contains('/') && path.rsplit('/').next().is_some_and(|last| fits(name, last));
    tree.iter().any(|path| fits(name, path) || fits(&from_folder.to_string_lossy(), path) || bare(path))
}

#[test]
fn every_path_in_the_documents_exists() {
    let all = tree(Path::new(""));
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
fn every_link_to_a_chapter_leads_to_one() {
    let all = tree(Path::new(""));
    let (mut missing, mut count) = (Vec::new(), 0);
    for document in documents(&all) {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let folder = Path::new(document).parent().unwrap();
        for link in prose(&text).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((name, anchor)) = link.split_once('#').filter(|_| !link.contains("://")) else {
                continue;
            };
            let path = if name.is_empty() { PathBuf::from(document) } else { from_root(folder, name) };
            count += 1;
            let there = std::fs::read_to_string(root().join(path));
            if !there.is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor)) {
                missing.push(format!("{document} links to {link}"));
            }
        }
    }
    assert!(count > 50, "only {count} links to chapters were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn each_step_of_the_walks_is_a_file() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, walks) = text.split_once("\n## A walk\n").expect("a chapter of walks");
    let mut walks: Vec<Vec<&str>> = walks.split("\n1. ").map(|walk| walk.lines().collect()).collect();
    walks.remove(0);
    assert_eq!(walks.len(), 3, "a line, a record and a command");
    for walk in walks {
        let steps = walk.iter().take_while(|line| !line.is_empty()).filter_map(|line| line.split('`').nth(1));
        let missing: Vec<&str> = steps.clone().filter(|step| !root().join(step).is_file()).collect();
        assert!(steps.count() >= 10 && missing.is_empty(), "no files, but steps of a walk: {missing:?}");
    }
}

#[test]
fn every_guide_is_a_page_of_the_book() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (summary, all) = (read("docs/book/SUMMARY.md"), tree(Path::new("")));
    let is_page = |path: &&String| {
        path.ends_with(".md")
            && (path.starts_with("docs/") || !path.contains('/'))
            && !path.ends_with("book/SUMMARY.md")
    };
    let pages: Vec<&String> = all.iter().filter(is_page).collect();
    let from_book = |path: &str| match path.strip_prefix("docs/") {
        Some(guide) => {
            guide.strip_prefix("book/").map_or(format!("](../{guide})"), |page| format!("]({page})"))
        }
        None => format!("](../../{path})"),
    };
    let missing: Vec<_> = pages.iter().filter(|page| !summary.contains(&from_book(page))).collect();
    assert!(pages.len() > 10 && missing.is_empty(), "not in docs/book/SUMMARY.md: {missing:?}");
}

#[test]
fn a_heading_has_the_anchor_that_forges_give_it() {
    let text = "# 1. `ko`: a *word*, or two\n\n```sh\n# no heading\n```\n## Again\n## Again\n#none\n";
    assert_eq!(anchors(text), ["1-ko-a-word-or-two", "again", "again-1"]);
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
