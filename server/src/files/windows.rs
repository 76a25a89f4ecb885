//! Windows: pipes and devices have names of their own, so that none need be opened to be known.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, Prefix};

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
        _ => options.open(path),
    }
}

/// Whether an error means that there is a pipe or a device.
pub fn is_pipe(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidInput
}

/// What is no file, in this folder.
#[cfg(test)]
pub fn no_files(_folder: &Path) -> Vec<std::path::PathBuf> {
    ["NUL", r"\\.\pipe\none", r"\\.\C:"].map(Into::into).into()
}
