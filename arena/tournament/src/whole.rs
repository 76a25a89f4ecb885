//! Writes files in one step, under another name and then by renaming, and reads JSON up to a size.
//!
//! Knows nothing of what is in them. Tested where they are used, in `arena/cli/tests/tournament/`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use zappy_play::folder::remove;
use zappy_play::os;
use zappy_play::text::json_words;
use zappy_server::files;

use super::Error;

/// Writes a file that is called `unfinished` until it is whole. The mode is reduced by the user's umask.
///
/// # Errors
/// When it can't be written.
pub fn write_with(path: &Path, unfinished: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        // An old unfinished file may have other rights.
        match fs::remove_file(unfinished) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file =
            os::with_rights(File::options().write(true).create_new(true), mode).open(unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(unfinished, path)
    };
    write().map_err(|error| Error::File(path.into(), error))
}

/// What a file is called until it is whole.
pub(super) fn hidden(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Writes a file: it is there as a whole or not at all.
///
/// # Errors
/// When it can't be written.
pub fn keep(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, &hidden(path), bytes, 0o666)
}

/// Writes a value as JSON that people can read.
///
/// # Errors
/// When it can't be written.
pub fn keep_pretty(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    keep(path, format!("{:#}\n", serde_json::json!(value)).as_bytes())
}

/// Writes a value as a line of JSON, into a folder that is made if it isn't there.
///
/// # Errors
/// When it can't be written.
pub fn keep_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| Error::File(folder.into(), error))?;
    keep(path, format!("{}\n", serde_json::json!(value)).as_bytes())
}

/// The message if a link lies where a file of the tournament should be.
pub(super) const LINK: &str = "it is a link, which isn't followed; put there what it names";

/// Whether a link lies there.
pub(super) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// Reads a JSON file of at most so many bytes, and never through a link.
///
/// # Errors
/// When it isn't there, or is a link or too long, or isn't what it should be.
pub fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Result<T, Error> {
    let failed = |error| Error::File(path.into(), error);
    if is_link(path) {
        return Err(failed(io::Error::other(LINK)));
    }
    let bytes = files::read(path, most).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Error::TooMuch(path.into(), format!("longer than {} KiB", most >> 10)),
        _ => failed(error),
    })?;
    let bad = |error: serde_json::Error| (error.line(), json_words(&error));
    serde_json::from_slice(&bytes).map_err(bad).map_err(|(line, what)| Error::Bad {
        path: path.into(),
        line,
        what,
    })
}

/// Removes a folder, if it is there.
///
/// # Errors
/// When something in it can't be removed.
pub fn clear(folder: &Path) -> Result<(), Error> {
    if folder.exists() { remove(folder).map_err(|error| Error::File(folder.into(), error)) } else { Ok(()) }
}
