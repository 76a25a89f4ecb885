//! Files of records: finding them below folders, and reading one whole.
//!
//! Follows no link to a folder, goes down a bounded number of folders, and takes no more of a file than a record may
//! have. Tested in `arena/cli/tests/records/`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use zappy_play::os;
use zappy_protocol::Tick;
use zappy_protocol::text::{many, shortened, thousands};
use zappy_server::files::flush_folder;
use zappy_server::record::{BadMatch, MAGIC, read_file};

/// The ending of records' file names.
pub const ENDING: &str = "zrec";
/// The record in a match's folder.
const MATCH_RECORD: &str = "match.zrec";
/// How many levels of folders below a given folder are searched.
const DEPTH: usize = 8;
/// The most records of one call: more than a season has.
const MOST_FILES: usize = 100_000;
/// The rights of a new file, before the caller's umask takes some away.
const RIGHTS: u32 = 0o666;
/// The most characters of a line that an error quotes.
const QUOTED_CHARACTERS: usize = 160;

/// Why a record can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no such file")]
    NoFile,
    #[error("there is no record (*.zrec) in this folder or in the {DEPTH} levels below it")]
    NoRecordBelow,
    #[error("this is a folder without a {MATCH_RECORD}; name a record")]
    NoMatchFolder,
    #[error("there are more than {MOST_FILES} records below this folder; verify it in parts")]
    TooMany,
    #[error("this is no record: it doesn't begin with \"zrec\"")]
    NoRecord,
    #[error("line {0} is longer than any line of a record")]
    LongLine(usize),
    #[error("{0}")]
    System(#[from] io::Error),
    #[error("{}", in_short(.0))]
    Bad(#[from] BadMatch),
    #[error(
        "cut off after tick {}: the server was killed, or the file is not whole; {} are good",
        thousands(*.ticks),
        many(*.lines as u64, "line")
    )]
    CutOff { ticks: Tick, lines: usize },
    #[error("{0} is there already; replace it with --force, or name another with --out")]
    Exists(PathBuf),
    /// The flag that names the file which can't be written.
    #[error("{0} {1}: {2}")]
    Misplaced(&'static str, PathBuf, io::Error),
    #[error("{0}")]
    Words(String),
}

/// What is wrong with a match, in words, with the lines that differ shortened: they may be of any length.
fn in_short(bad: &BadMatch) -> String {
    match bad {
        BadMatch::Differs { line, recorded, replayed } => {
            let [recorded, replayed] = [recorded, replayed].map(|text| shortened(text, QUOTED_CHARACTERS));
            format!("line {line} differs: the record says {recorded:?}, played again it is {replayed:?}")
        }
        other => other.to_string(),
    }
}

/// An error of the system, with words of our own for a file that doesn't exist.
pub fn refused(error: io::Error) -> Error {
    if error.kind() == ErrorKind::NotFound { Error::NoFile } else { Error::System(error) }
}

/// The records that an argument stands for: itself, or all below a folder in the order of their names.
pub fn records_below(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !fs::metadata(path).map_err(refused)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    look_into(path, DEPTH, &mut found)?;
    if found.is_empty() { Err(Error::NoRecordBelow) } else { Ok(found) }
}

fn look_into(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            if depth > 0 {
                look_into(&path, depth - 1, found)?;
            }
        } else if path.extension().is_some_and(|ending| ending == ENDING) && path.is_file() {
            if found.len() == MOST_FILES {
                return Err(Error::TooMany);
            }
            found.push(path);
        }
    }
    Ok(())
}

/// The one record that an argument stands for: itself, or that of a match's folder.
pub fn record_at(path: &Path) -> Result<PathBuf, Error> {
    if !fs::metadata(path).map_err(refused)?.is_dir() {
        return Ok(path.to_owned());
    }
    let record = path.join(MATCH_RECORD);
    if record.is_file() { Ok(record) } else { Err(Error::NoMatchFolder) }
}

/// Writes a file that appears when it is whole, in place of an older one only with `force`. Gives what `write` gives,
/// and the file's length in bytes. Until the file is whole, its name begins with `prefix`.
///
/// # Errors
/// The file can't be written at `path`, for which `misplaced` makes the error, or `write` fails.
pub fn write_whole<T>(
    path: &Path,
    prefix: &str,
    force: bool,
    misplaced: impl Fn(io::Error) -> Error,
    write: impl FnOnce(&mut fs::File) -> Result<T, Error>,
) -> Result<(T, u64), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    let rights = os::rights(RIGHTS);
    rights.map(|rights| builder.permissions(rights));
    let mut file = builder.tempfile_in(folder).map_err(&misplaced)?;
    let written = write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    let bytes = file.as_file().metadata()?.len();
    let placed = if force { file.persist(path) } else { file.persist_noclobber(path) };
    placed.map_err(|error| misplaced(error.error))?;
    flush_folder(path);
    Ok((written, bytes))
}

/// Reads a whole record. A file that doesn't begin like a record is refused.
///
/// # Errors
/// When it can't be read, or is no record.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = read_file(path).map_err(refused)?;
    if bytes.starts_with(MAGIC) { Ok(bytes) } else { Err(Error::NoRecord) }
}
