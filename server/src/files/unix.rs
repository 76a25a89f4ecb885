//! Unix: a pipe is opened without waiting for its other end.
//!
//! Tested in the module above.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// Opens what has this name, a regular file or not, without waiting for the other end of a pipe.
///
/// # Errors
/// The system's.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Whether an error means that there is a pipe which no program reads.
pub fn is_pipe(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::ENXIO as i32)
}

/// Does nothing: on Unix other writers are kept away by [`lock`], once the file is open.
pub fn deny_other_writers(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Locks the file until it is closed. The lock keeps only those programs away that lock the file, too.
///
/// # Errors
/// Another program has locked it.
pub fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(ErrorKind::ResourceBusy.into()),
        Err(TryLockError::Error(error)) => {
            log::warn!(
                "nothing keeps another server from writing the same record: its disk has no locks ({error})"
            );
            Ok(())
        }
    }
}

/// Whether this is the file of that name.
pub fn lies_at(file: &File, path: &Path) -> bool {
    let there = fs::metadata(path);
    there.is_ok_and(|there| file.metadata().is_ok_and(|file| id(&file) == id(&there)))
}

/// Whether both lead to one file, also by links of any kind.
pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::metadata(one).is_ok_and(|one| fs::metadata(other).is_ok_and(|other| id(&one) == id(&other)))
}

fn id(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Sets the rights of a new file, from which the system takes away those in the user's umask.
pub fn with_rights(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    options.mode(mode)
}

/// Makes sure that what was renamed in a folder stays so after a power cut.
///
/// # Errors
/// The folder may not be read, or its disk can't do that.
pub fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Names of what is no regular file; what has to be made is made in this folder.
#[cfg(test)]
pub fn no_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let pipe = folder.join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    vec![pipe, "/dev/zero".into(), folder.into()]
}
