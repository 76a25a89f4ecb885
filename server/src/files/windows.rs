//! Windows: pipes and devices have names of their own, so that none need be opened to be known.
//!
//! Tested in the module above.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Component, Path, Prefix};

/// What others may do with a file meanwhile: read it, and give its name to another one.
const SHARE_READ_AND_DELETE: u32 = 1 | 4;
/// The error of a program that wants more than that.
const SHARING_VIOLATION: i32 = 32;

/// Opens what lies there, unless that is a pipe or a device.
///
/// # Errors
/// The system's, and [`ErrorKind::InvalidInput`] for a pipe or a device.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // This knows that NUL, CON and the like are devices wherever they are named.
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

/// How a file is opened that has one writer.
pub fn unshared(options: &mut OpenOptions) -> &mut OpenOptions {
    options.share_mode(SHARE_READ_AND_DELETE)
}

/// Nothing is left to do: the system refuses a second writer from the opening on.
///
/// # Errors
/// None.
pub fn claim(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Whether this is the file of that name: nothing that is open for writing could take its place in between.
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

/// The system does that by itself.
///
/// # Errors
/// None.
pub fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// What is no file, in this folder.
#[cfg(test)]
pub fn no_files(_folder: &Path) -> Vec<std::path::PathBuf> {
    ["NUL", r"\\.\pipe\none", r"\\.\C:"].map(Into::into).into()
}
