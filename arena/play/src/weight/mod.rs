//! How much memory, disk and connections processes and folders hold, deleted files included.
//!
//! Looks and never ends anything; which team a process belongs to, and what is too much, is for `guard` to say. Tested in this module and in
//! `arena/cli/tests/tournament/`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod unnamed;

use std::fs;
use std::path::Path;

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{in_memory, open_files};
#[cfg(target_os = "linux")]
pub(super) use linux::{in_memory, open_files};
pub(super) use unnamed::{InMemory, Nameless};

use crate::os;

/// Entries of a folder, or of a team's folders in memory, that are counted; more of them are too much for any limit.
pub(super) const MOST_ENTRIES: u64 = 100_000;
/// Folders within folders; deeper ones are too much, too.
const DEPTH: usize = 64;
/// The bytes that are free where that folder lies; the greatest number if the system doesn't tell.
pub fn free_bytes(folder: &Path) -> u64 {
    os::free_bytes(folder).unwrap_or(u64::MAX)
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) bytes: u64,
    pub(super) entries: u64,
}

/// Counts what is on disk below a folder, links not followed; what vanishes meanwhile is left out.
pub(super) fn held(folder: &Path) -> Held {
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
