//! What processes and folders hold: memory, disk, connections, also where no name leads to it.
//!
//! Looks and never ends anything; whose a process is, and what is too much, is the guard's. Tested in this module and in
//! `tests/tournament/`.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use crate::play::diag::socket;
use crate::programs::contain::Seen;
use crate::programs::hold::filled;

/// Entries of a folder, or of a team's folders in memory, that are counted; more of them are too much for any limit.
pub(super) const MOST_ENTRIES: u64 = 100_000;
/// Folders within folders; deeper ones are too much, too.
const DEPTH: usize = 64;
/// How the system names a file that has lost its name, and files in memory.
const REMOVED: &[u8] = b" (deleted)";
const MEMFD: &[u8] = b"/memfd:";
const MEMORY: &str = "/dev/shm";
/// Folders that each program has in memory in bubblewrap.
const IN_MEMORY: [&str; 2] = ["/tmp", MEMORY];

/// The bytes that are free where that folder lies; as many as can be if the system doesn't tell.
pub(crate) fn free_bytes(folder: &Path) -> u64 {
    statvfs(folder).map_or(u64::MAX, |there| there.f_bavail.saturating_mul(there.f_frsize))
}

/// What files without a name hold, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nameless {
    pub(super) memory: u64,
    pub(super) disk: u64,
}

/// What the folders in memory of a team's sandboxes hold.
#[derive(Debug, Default)]
pub(super) struct InMemory {
    pub(super) bytes: u64,
    /// Files and folders: also one without content takes some of the kernel's memory.
    pub(super) entries: u64,
    /// The devices that these folders are.
    pub(super) devices: HashSet<u64>,
}

/// Those that these processes see, each counted once. A process that isn't inside yet sees the arena's.
pub(super) fn in_memory(seen: &[Seen]) -> InMemory {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
    let ours: Vec<u64> = IN_MEMORY.iter().chain(&["/"]).filter_map(|path| device(Path::new(path))).collect();
    let mut found = InMemory::default();
    for (seen, folder) in seen.iter().flat_map(|seen| IN_MEMORY.map(|folder| (seen, folder))) {
        let path = PathBuf::from(format!("/proc/{}/root{folder}", seen.pid));
        let Some(device) = device(&path).filter(|device| !ours.contains(device)) else { continue };
        if found.devices.insert(device) {
            let filled = filled(&path).unwrap_or_default();
            found.bytes += filled.bytes;
            found.entries += filled.entries;
        }
    }
    found
}

/// What processes have open.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// How often anything is open.
    pub(super) count: usize,
    pub(super) sockets: HashSet<u64>,
    pub(super) nameless: Nameless,
}

/// What these processes have open; the look ends when that is more than `most`. Files without a name that are counted
/// `elsewhere` are left out. Processes that this user may not look into have nothing: the sandbox's own may be such.
pub(super) fn open_files(seen: &[Seen], most: Option<usize>, elsewhere: &InMemory) -> OpenFiles {
    use std::os::unix::fs::MetadataExt;
    let (mut open, mut counted) = (OpenFiles::default(), HashSet::new());
    for seen in seen {
        let files = fs::read_dir(format!("/proc/{}/fd", seen.pid)).into_iter().flatten().flatten();
        for path in files.map(|entry| entry.path()) {
            open.count += 1;
            if most.is_some_and(|most| open.count > most) {
                return open;
            }
            let Ok(link) = fs::read_link(&path) else { continue };
            open.sockets.extend(socket(&link));
            if !link.as_os_str().as_bytes().ends_with(REMOVED) {
                continue;
            }
            let lost = |meta: &fs::Metadata| {
                meta.is_file() && meta.nlink() == 0 && !elsewhere.devices.contains(&meta.dev())
            };
            let Some(meta) = fs::metadata(&path).ok().filter(lost) else { continue };
            if counted.insert((meta.dev(), meta.ino())) {
                let in_memory = link.starts_with(MEMORY) || link.as_os_str().as_bytes().starts_with(MEMFD);
                let Nameless { memory, disk } = &mut open.nameless;
                *(if in_memory { memory } else { disk }) += meta.blocks() * 512;
            }
        }
    }
    open
}

/// What a folder holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) bytes: u64,
    pub(super) entries: u64,
}

/// Counts what is on disk below a folder, links not followed; what vanishes meanwhile is left out.
pub(super) fn held(folder: &Path) -> Held {
    use std::os::unix::fs::MetadataExt;
    let mut held = Held::default();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            held.entries += 1;
            held.bytes += meta.blocks() * 512;
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
    use rustix::process::getpid;

    use super::*;
    use crate::programs::contain::processes;

    #[test]
    fn a_look_at_open_files_ends_when_there_are_too_many() {
        let own = processes().into_iter().find(|seen| seen.pid == getpid()).unwrap();
        let files: Vec<fs::File> = (0..40).map(|_| tempfile::tempfile().unwrap()).collect();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let open = open_files(&[own], None, &InMemory::default());
        assert!(open.count > files.len() && !open.sockets.is_empty(), "{open:?} {listener:?}");
        assert_eq!(open_files(&[own, own], Some(20), &InMemory::default()).count, 21);
    }

    #[test]
    fn a_folder_weighs_what_is_in_it_and_is_not_read_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let empty = held(folder.path());
        assert_eq!((empty.bytes, empty.entries), (0, 0));
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), vec![b'x'; 1 << 20]).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
        let some = held(folder.path());
        assert!(some.entries == 3 && (1 << 20..2 << 20).contains(&some.bytes), "{some:?}");
        let deep = "a/".repeat(DEPTH + 2);
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        assert!(held(folder.path()).entries > MOST_ENTRIES);
    }
}
