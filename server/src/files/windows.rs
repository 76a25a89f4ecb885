//! Windows: pipes and devices have names of their own, so that none need be opened to be known.
//!
//! Tested in the module above.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Component, Path, Prefix};

/// What other programs may do with a file while it is open: read it, and give its name to another file.
const SHARE_READ_AND_DELETE: u32 = 1 | 4;
/// The system's error if another program has the file open and doesn't share it for what is wanted.
const SHARING_VIOLATION: i32 = 32;

/// Opens what has this name, unless that is a pipe or a device.
///
/// # Errors
/// The system's, and [`ErrorKind::InvalidInput`] for a pipe or a device.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // `absolute` knows that NUL, CON and the like are devices in any folder.
    let path = std::path::absolute(path)?;
    match path.components().next() {
        Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)) => {
            Err(ErrorKind::InvalidInput.into())
        }
        _ => options.open(path).map_err(|error| match error.raw_os_error() {
            Some(SHARING_VIOLATION) => ErrorKind::ResourceBusy.into(),
            _ => error,
        }),
    }
}

/// Has the file opened so that no other program can open it to write.
pub fn deny_other_writers(options: &mut OpenOptions) -> &mut OpenOptions {
    options.share_mode(SHARE_READ_AND_DELETE)
}

/// Nothing is left to do: the system refuses a second writer from the opening on.
///
/// # Errors
/// None.
pub fn lock(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Whether this is the file of that name: always, since no other file that is open to be written can take its place.
pub fn lies_at(_file: &File, _path: &Path) -> bool {
    true
}

/// Whether both lead to one file by their paths; a file's second name (a hard link) isn't seen through.
pub fn are_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// Whether an error means that there is a pipe or a device.
pub fn is_pipe(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidInput
}

/// A new file has the rights of its folder.
pub fn with_rights(options: &mut OpenOptions, _mode: u32) -> &mut OpenOptions {
    options
}

/// Does nothing: the system flushes folders by itself.
///
/// # Errors
/// None.
pub fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Names of what is no regular file.
#[cfg(test)]
pub fn no_files(_folder: &Path) -> Vec<std::path::PathBuf> {
    ["NUL", r"\\.\pipe\none", r"\\.\C:"].map(Into::into).into()
}
