//! Writes a tournament's files as a whole or not at all, and reads JSON up to a size.
//!
//! Knows nothing of what is in them. Tested where they are used, in `arena/cli/tests/tournament/`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use zappy_play::folder::remove_folder;
use zappy_play::text::json_words;
use zappy_server::files;

use super::Error;

/// The path of a file until it is whole.
pub(super) fn partial(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Writes a file, which is there as a whole or not at all.
///
/// # Errors
/// When it can't be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with_mode(path, bytes, 0o666)
}

/// Writes a file with these Unix rights, which is there as a whole or not at all.
pub(super) fn write_with_mode(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    files::write_whole(path, &partial(path), bytes, mode).map_err(|error| Error::File(path.into(), error))
}

/// Writes a value as JSON that people can read.
///
/// # Errors
/// When it can't be written.
pub fn write_pretty(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    write_whole(path, format!("{:#}\n", serde_json::json!(value)).as_bytes())
}

/// Writes a value as a line of JSON, into a folder that is made if it isn't there.
///
/// # Errors
/// When it can't be written.
pub fn write_json_line(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| Error::File(folder.into(), error))?;
    write_whole(path, format!("{}\n", serde_json::json!(value)).as_bytes())
}

/// The message if a link lies where a file of the tournament should be.
pub(super) const LINK_MESSAGE: &str = "it is a link, which isn't followed; put there what it names";

/// Whether a link lies at the path.
pub(super) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// Reads a file of at most `most` bytes.
pub(super) fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    files::read(path, most).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Error::TooMuch(path.into(), format!("longer than {} KiB", most >> 10)),
        _ => Error::File(path.into(), error),
    })
}

/// Reads a JSON file of at most `most` bytes, and never through a link.
///
/// # Errors
/// When it isn't there, or is a link or too long, or isn't JSON of this form.
pub fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Result<T, Error> {
    if is_link(path) {
        return Err(Error::File(path.into(), io::Error::other(LINK_MESSAGE)));
    }
    let bytes = read_limited(path, most)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = json_words(&error);
        Error::Bad { path: path.into(), line: error.line(), what }
    })
}

/// Removes a folder, if it is there.
///
/// # Errors
/// When something in it can't be removed.
pub fn clear(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        remove_folder(folder).map_err(|error| Error::File(folder.into(), error))
    } else {
        Ok(())
    }
}
