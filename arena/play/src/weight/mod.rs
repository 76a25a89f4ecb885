//! How much memory, disk and connections processes and folders hold, deleted files included.
//!
//! Looks and never ends anything; which team a process belongs to, and what is too much, is for `guard` to say. Tested in this module and in
//! `arena/cli/tests/tournament/`.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

#[cfg(target_os = "linux")]
pub use linux::{filled, in_memory, open_files};

use crate::os;

/// The most entries of a folder, or of a team's folders in memory, that are counted; more of them exceed any limit.
pub const MOST_ENTRIES: u64 = 100_000;
/// Levels of folders that are counted; a deeper folder exceeds any limit, too.
const DEPTH: usize = 64;

/// What files without a name hold, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nameless {
    pub memory: u64,
    pub disk: u64,
}

/// What the folders in memory of a team's sandboxes hold.
#[derive(Debug, Default)]
pub struct InMemory {
    pub bytes: u64,
    /// Files and folders: also one without content takes some of the kernel's memory.
    pub entries: u64,
    /// The device numbers of these folders.
    pub devices: HashSet<u64>,
}

#[derive(Debug, Default)]
pub struct OpenFiles {
    /// The number of open descriptors.
    pub count: usize,
    /// The numbers (inodes) of the sockets.
    pub sockets: HashSet<u64>,
    pub nameless: Nameless,
}

#[cfg(not(target_os = "linux"))]
pub fn in_memory(_: &[crate::programs::contain::Seen]) -> InMemory {
    InMemory::default()
}

#[cfg(not(target_os = "linux"))]
pub fn open_files(_: &[crate::programs::contain::Seen], _: Option<usize>, _: &InMemory) -> OpenFiles {
    OpenFiles::default()
}

#[cfg(not(target_os = "linux"))]
pub fn filled(_: &Path) -> Option<Held> {
    None
}

/// What lies in a folder and in all folders below it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held {
    pub bytes: u64,
    /// Files, folders and links.
    pub entries: u64,
}

/// Counts what is on disk below a folder, links not followed; what vanishes meanwhile is left out.
pub fn held(folder: &Path) -> Held {
    let mut held = Held::default();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            held.entries += 1;
            held.bytes += os::on_disk(&meta);
            if held.entries > MOST_ENTRIES {
                return held;
            }
            if meta.is_dir() && depth == DEPTH {
                return Held { entries: MOST_ENTRIES + 1, ..held };
            }
            if meta.is_dir() {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_weighs_what_is_in_it_and_is_not_read_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let empty = held(folder.path());
        assert_eq!((empty.bytes, empty.entries), (0, 0));
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), vec![b'x'; 1 << 20]).unwrap();
        os::link(Path::new("/"), &folder.path().join("root")).unwrap();
        let some = held(folder.path());
        assert!(some.entries == 3 && (1 << 20..2 << 20).contains(&some.bytes), "{some:?}");
        let deep = "a/".repeat(DEPTH + 2);
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        assert!(held(folder.path()).entries > MOST_ENTRIES);
    }
}
