//! Other systems hold no tournament and no league, so nothing is copied there.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::Most;

/// Has no value: this system lacks what it needs.
#[derive(Debug)]
pub enum Folder {}

/// Opens none.
///
/// # Errors
/// Always.
pub fn open_folder(_path: &Path) -> io::Result<Folder> {
    Err(ErrorKind::Unsupported.into())
}

/// Opens none.
///
/// # Errors
/// None: there is no folder.
pub fn open_inside(folder: &Folder, _name: &str) -> io::Result<Folder> {
    match *folder {}
}

/// Copies nothing.
///
/// # Errors
/// Always.
pub fn copy(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Copies nothing.
///
/// # Errors
/// None: there is no folder.
pub fn stage(from: &Folder, _to: &Path, _most: Most, _except: &[&str]) -> io::Result<()> {
    match *from {}
}

/// Leaves nothing.
///
/// # Errors
/// None: there is no folder.
pub fn leave(folder: &Folder, _name: &str, _text: &str) -> io::Result<()> {
    match *folder {}
}
