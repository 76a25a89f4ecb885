//! Other systems hold no league, so nothing is copied there.

use std::io::{self, ErrorKind};
use std::path::Path;

/// There is none.
#[derive(Debug)]
pub enum Folder {}

/// Opens none.
///
/// # Errors
/// Always.
pub fn open_folder(_path: &Path) -> io::Result<Folder> {
    Err(ErrorKind::Unsupported.into())
}

/// Copies nothing.
///
/// # Errors
/// None: there is no folder.
pub fn stage(from: &Folder, _to: &Path, _except: &[&str]) -> io::Result<()> {
    match *from {}
}

/// Leaves nothing.
///
/// # Errors
/// None: there is no folder.
pub fn leave(folder: &Folder, _name: &str, _text: &str) -> io::Result<()> {
    match *folder {}
}
