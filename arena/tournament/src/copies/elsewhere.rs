//! Systems other than Linux: folders are entered by paths. On these systems nothing that others hand in is graded.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Opened;

/// A folder, by its path.
pub type Folder = PathBuf;

/// The folder at that path, which must be one itself and no link to one.
///
/// # Errors
/// The system's.
pub fn open_folder(path: &Path) -> io::Result<Folder> {
    if fs::symlink_metadata(path)?.is_dir() { Ok(path.into()) } else { Err(ErrorKind::NotADirectory.into()) }
}

/// The names in a folder, at most `most`.
pub(super) fn names(folder: &Folder, most: usize) -> io::Result<Vec<OsString>> {
    fs::read_dir(folder)?.take(most).map(|entry| Ok(entry?.file_name())).collect()
}

/// Opens the entry of that name in a folder.
pub(super) fn open_entry(folder: &Folder, name: &OsStr) -> io::Result<Opened> {
    let path = folder.join(name);
    let kind = fs::symlink_metadata(&path)?.file_type();
    Ok(if kind.is_dir() {
        Opened::Folder(path)
    } else if kind.is_symlink() {
        Opened::Link(fs::read_link(path)?.into())
    } else if kind.is_file() {
        Opened::File(File::open(path)?)
    } else {
        Opened::Other
    })
}

/// Writes a file into a folder.
///
/// # Errors
/// The system's.
pub fn write_into(folder: &Folder, name: &str, text: &str) -> io::Result<()> {
    fs::write(folder.join(name), text)
}
