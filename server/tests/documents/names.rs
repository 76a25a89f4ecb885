//! No two public types of the workspace share a name, unless the glossary in `CONTRIBUTING.md` says why.
//!
//! The rooms of a program's games count as one place, and so do the files in which a seam to the operating system is
//! answered. `shared_names.txt` lists what isn't mended yet, each name with its number of places, and may only shrink:
//! `UPDATE_NAMES=1 cargo test -p zappy-server --test documents names` takes out what is mended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::texts::{root, texts};

/// The place of a file: itself, or what it shares with the other games or systems.
fn place(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    if parts.iter().any(|part| ["zappy", "conquest", "plain"].contains(&&**part)) {
        return format!("{}, a game's", parts[0]);
    }
    let systems = ["unix.rs", "linux.rs", "windows.rs", "elsewhere.rs", "mod.rs", "elsewhere"];
    parts.iter().filter(|part| !systems.contains(&&***part)).map(|part| &**part).collect::<Vec<_>>().join("/")
}

/// The names of public types that stand in several places, and in how many.
fn shared() -> BTreeMap<String, usize> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in texts(Path::new(""), &[".rs"]) {
        let parts: Vec<&str> = path.split('/').collect();
        let aside = |part: &str| {
            part.contains("test") || ["target", "starters", "benches", "examples"].contains(&part)
        };
        if parts.iter().any(|part| aside(part)) {
            continue;
        }
        for line in text.lines() {
            let declared = ["struct ", "enum ", "trait ", "type "]
                .iter()
                .find_map(|kind| line.strip_prefix("pub ")?.strip_prefix(kind));
            let name = declared.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
            if let Some(name) = name {
                found.entry(name.to_owned()).or_default().insert(place(Path::new(&path)));
            }
        }
    }
    found.into_iter().map(|(name, places)| (name, places.len())).filter(|(_, count)| *count > 1).collect()
}

/// The names whose sharing the glossary explains.
fn explained() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, table) = text.split_once("| shared name | why |").expect("a table of shared names");
    let rows = table.lines().take_while(|line| line.is_empty() || line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn no_two_public_types_share_a_name_without_a_reason() {
    let path = root().join("server/tests/documents/shared_names.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let listed: BTreeMap<&str, usize> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, count)| (name, count.parse().expect("a number of places")))
        .collect();
    let (mut shared, explained) = (shared(), explained());
    shared.retain(|name, _| !explained.contains(name));
    let allowed = |name: &str| listed.get(name).copied().unwrap_or(1);
    let new: Vec<_> = shared.iter().filter(|(name, count)| **count > allowed(name)).collect();
    assert!(new.is_empty(), "types that share a name with others, and in how many places: {new:?}");
    let kept: String = shared.iter().map(|(name, count)| format!("{name} {count}\n")).collect();
    if std::env::var_os("UPDATE_NAMES").is_some() {
        std::fs::write(&path, &kept).unwrap();
    } else {
        assert_eq!(text, kept, "what is mended is still listed; UPDATE_NAMES=1 takes it out");
    }
}
