//! What the arena asks of the operating system: numbers of processes, signals, waiting, locks, rights of files.
//!
//! The same names on every system. `unix` does all of it; `windows` what that system has in its place, and nothing where it
//! has none: there are no signals but an end by force, no users and no `/proc`. What needs more than that stands beside its
//! caller with two bodies of its own, such as `programs/contain/`. Decides nothing. Tested through its callers.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// Whether outputs and ends of programs can be waited for; if not they are looked at each [`BEAT`].
pub const POLLS_PIPES: bool = cfg!(unix);
/// The longest wait where not everything can be waited for.
const BEAT: Duration = Duration::from_millis(5);
/// Whether this system can contain bots and tell which process opened a connection, so that a match can be graded.
pub const CONTAINS: bool = cfg!(target_os = "linux");

/// Waits until one of these sources can be read, and says of each whether it can. An error is mostly a signal, and the
/// pipe of signals is read anyway.
pub fn wait(sources: &[Source<'_>], limit: Duration) -> io::Result<Vec<bool>> {
    let limit = if POLLS_PIPES { limit } else { limit.min(BEAT) };
    if cfg!(windows) && sources.is_empty() {
        // There, nothing can't be polled.
        std::thread::sleep(limit);
        return Ok(Vec::new());
    }
    let mut polled: Vec<PollFd<'_>> =
        sources.iter().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
    let limit = Timespec::try_from(limit).ok();
    poll(&mut polled, limit.as_ref())?;
    Ok(polled.iter().map(|source| !source.revents().is_empty()).collect())
}

/// Whether this process holds the lock on that file from now on, as long as the file is open. Where files can't be locked,
/// as on some network file systems, it counts as held.
pub fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// The lock on a folder, held as long as this lives.
#[derive(Debug)]
pub struct FolderLock(File);

impl Drop for FolderLock {
    /// Closing the file isn't enough: a program that another thread starts at that moment holds the same open file until
    /// it becomes the program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The lock on a folder; `None` if another process holds it.
///
/// # Errors
/// The system's, if the folder can't be opened.
pub fn lock_folder(folder: &Path) -> io::Result<Option<FolderLock>> {
    let file = lock_file(folder)?;
    Ok(lock(&file).then(|| FolderLock(file)))
}
