//! The files of the project, for tests that read them as text.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The folders of the workspace's crates.
pub fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    members.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// All files and folders below a folder, sorted, as paths from the root; but for what is built and played.
pub fn tree(folder: &Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            if [".git", "target", "matches"].contains(&name.as_str()) || path.is_symlink() {
                continue;
            }
            found.push(name);
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The files below a folder whose names end so, with their paths from the root.
pub fn texts(folder: &Path, endings: &[&str]) -> Vec<(String, String)> {
    let named = tree(folder).into_iter().filter(|path| endings.iter().any(|ending| path.ends_with(ending)));
    named.filter_map(|path| fs::read_to_string(root().join(&path)).ok().map(|text| (path, text))).collect()
}
