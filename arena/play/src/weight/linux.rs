//! Linux: `/proc` tells what processes have open, and what they see in memory.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Held, InMemory, Nameless, OpenFiles};
use rustix::fs::statvfs;

use crate::diag::socket;
use crate::programs::contain::Seen;

/// How `/proc` names a file that was deleted, and files in memory.
const REMOVED: &[u8] = b" (deleted)";
const MEMFD: &[u8] = b"/memfd:";
const MEMORY: &str = "/dev/shm";
/// Folders that each program has in memory in bubblewrap.
const IN_MEMORY: [&str; 2] = ["/tmp", MEMORY];

/// What the folders in memory hold that these processes see in their sandboxes, each folder counted once. A process
/// that isn't in its sandbox yet sees the arena's folders, which don't count.
pub fn in_memory(seen: &[Seen]) -> InMemory {
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

/// What the file system at that path holds; `None` if it can't be asked.
pub fn filled(path: &Path) -> Option<Held> {
    let there = statvfs(path).ok()?;
    let bytes = there.f_blocks.saturating_sub(there.f_bfree).saturating_mul(there.f_frsize);
    Some(Held { bytes, entries: there.f_files.saturating_sub(there.f_ffree) })
}

/// What these processes have open; the look ends when there are more than `most` descriptors. The content of files
/// without a name in the folders of `elsewhere` isn't counted again. Of processes that this user may not look into, as
/// the sandbox's own may be, nothing is counted.
pub fn open_files(seen: &[Seen], most: Option<usize>, elsewhere: &InMemory) -> OpenFiles {
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
            let is_nameless = |meta: &fs::Metadata| {
                meta.is_file() && meta.nlink() == 0 && !elsewhere.devices.contains(&meta.dev())
            };
            let Some(meta) = fs::metadata(&path).ok().filter(is_nameless) else { continue };
            if counted.insert((meta.dev(), meta.ino())) {
                let in_memory = link.starts_with(MEMORY) || link.as_os_str().as_bytes().starts_with(MEMFD);
                let Nameless { memory, disk } = &mut open.nameless;
                *(if in_memory { memory } else { disk }) += meta.blocks() * 512;
            }
        }
    }
    open
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
}
