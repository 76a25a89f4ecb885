//! The folder a match leaves behind: exactly `match.zrec`, `result.json` and `logs/`, `notes/` if a bot noted anything,
//! and `again.zrec` if it was played twice and the records differ; many matches leave `results.jsonl` and `records/`. A
//! hidden list signs the records and results.
//!
//! Removes an earlier match only if that is asked for, and never anything else. What is there only while the match runs
//! lies in a hidden folder, which is removed when [`Folder`] is dropped. Tested in this module and in
//! `arena/cli/tests/refusals.rs`.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tempfile::{Builder, TempDir};
use zappy_server::files;

use super::signature::{self, Key, Kind};
use crate::Error;
use crate::os;
use crate::programs::logfile::LogFile;

/// The name of a match's record.
pub const RECORD: &str = "match.zrec";
/// The name of a match's result.
pub const RESULT: &str = "result.json";
const LOGS: &str = "logs";
pub(crate) const NOTES: &str = "notes";
/// The name of the record of the same match played once more, kept if the two differ.
pub const AGAIN: &str = "again.zrec";
/// The names of the results of many matches, and of the folder of their records.
pub const RESULTS: &str = "results.jsonl";
pub const RECORDS: &str = "records";
/// The folders in a match's folder, each with the ending of the files in it.
const SUBFOLDERS: [(&str, &str); 3] = [(LOGS, "log"), (NOTES, "txt"), (RECORDS, "zrec")];
/// How the name of the hidden folder begins that holds what is there only while a match runs.
pub const SCRATCH_PREFIX: &str = ".arena-";
/// The file in that hidden folder that says where the match's server listens; see [`Folder::announce`].
pub const LIVE: &str = "live";

/// A match's folder, locked as long as this lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    scratch: TempDir,
    /// The file that says where the match can be watched; it is locked as long as it is open.
    announced: Mutex<Option<File>>,
    _lock: os::FolderLock,
}

/// Writes into the folder `scratch` where a match can be watched. Where the server plays many matches, `team` is a team
/// of this one; otherwise it is empty. The announcement counts as long as the file that this gives is open.
///
/// # Errors
/// The announcement can't be written or signed.
pub fn announce(scratch: &Path, server: SocketAddr, team: &str) -> io::Result<File> {
    let note = Key::own()?.live(server, team);
    let path = scratch.join("live.new");
    let mut options = File::options();
    let mut file = files::with_rights(options.write(true).create(true).truncate(true), 0o600).open(&path)?;
    file.write_all(note.as_bytes())?;
    // Where files can't be locked, readers find out that the match is over when the server doesn't answer.
    let _ = file.try_lock();
    fs::rename(path, scratch.join(LIVE))?;
    Ok(file)
}

impl Folder {
    /// Makes the folder ready. `force` allows an earlier match in it to be replaced.
    ///
    /// # Errors
    /// When it holds anything else, or is in use, or can't be written to.
    pub fn prepare(path: &Path, force: bool) -> Result<Folder, Error> {
        Folder::prepare_with(path, force, LOGS)
    }

    /// As [`Folder::prepare`], with another subfolder than that of the logs: [`RECORDS`] for many matches.
    pub fn prepare_with(path: &Path, force: bool, subfolder: &str) -> Result<Folder, Error> {
        let failed = |error| Error::Folder(path.into(), error);
        os::new_folder(path).map_err(failed)?;
        // Some network file systems can't lock; a match is played there all the same.
        let lock = os::lock_folder(path).map_err(failed)?.ok_or_else(|| Error::FolderInUse(path.into()))?;
        // All that an earlier match left is looked at before any of it is removed, so a refusal removes nothing.
        let mut ours = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !is_ours(&entry.file_name()) {
                return Err(Error::ForeignFile(path.into(), entry.file_name()));
            }
            let subfolder = SUBFOLDERS.iter().find(|(name, _)| entry.file_name() == *name);
            if let Some((_, ending)) = subfolder
                && let Some(foreign) = foreign_file(&entry.path(), ending).map_err(failed)?
            {
                return Err(Error::ForeignFile(entry.path(), foreign));
            }
            ours.push(entry);
        }
        if !ours.is_empty() && !force {
            return Err(Error::EarlierMatch(path.into()));
        }
        for entry in ours {
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            let remove =
                if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
            remove.map_err(failed)?;
        }
        let absolute = fs::canonicalize(path).map_err(failed)?;
        fs::create_dir(absolute.join(subfolder)).map_err(failed)?;
        let scratch = Builder::new().prefix(SCRATCH_PREFIX).tempdir_in(&absolute).map_err(failed)?;
        Ok(Folder { path: absolute, scratch, announced: Mutex::default(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn record(&self) -> PathBuf {
        self.path.join(RECORD)
    }

    pub fn result(&self) -> PathBuf {
        self.path.join(RESULT)
    }

    /// Where the results of many matches go.
    pub fn results(&self) -> PathBuf {
        self.path.join(RESULTS)
    }

    /// Where the record of one of many matches goes once it is whole.
    pub fn record_of(&self, seed: u64) -> PathBuf {
        self.path.join(RECORDS).join(format!("{seed}.zrec"))
    }

    /// Where the record of one of many matches is written until it is whole.
    pub fn unfinished_record(&self, seed: u64) -> PathBuf {
        self.scratch.path().join(format!("{seed}.zrec"))
    }

    /// Where the server puts its own result.
    pub fn server_result(&self) -> PathBuf {
        self.scratch.path().join("server.json")
    }

    /// The hidden folder for what is there only while the match runs.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The log of the program called `name`, which is cut at `limit` bytes.
    pub fn log(&self, name: &str, limit: u64) -> Result<LogFile, Error> {
        let path = self.path.join(LOGS).join(log_file_name(name));
        LogFile::create(path.clone(), limit).map_err(|error| Error::Folder(path, error))
    }

    /// The file for the notes of that program's player at that place, counted from 1.
    pub fn notes_file(&self, name: &str, place: usize) -> PathBuf {
        let place = if place > 1 { format!(".{place}") } else { String::new() };
        self.path.join(NOTES).join(format!("{}{place}.txt", file_name(name)))
    }

    pub fn make_notes_folder(&self) -> io::Result<()> {
        fs::create_dir_all(self.path.join(NOTES))
    }

    /// Makes the home folder of the programs of the team with that index; it is removed after the match.
    pub fn home(&self, team: usize) -> io::Result<PathBuf> {
        let home = self.scratch.path().join(format!("home-{team}"));
        os::close_folder(&home).map(|()| home)
    }

    /// Lets programs of the same user read where the match's server listens, so that they can watch, until
    /// [`Folder::retract`]. The file is locked until then; a file without a lock was left by an arena that was killed.
    /// It is signed, so that no file of a bot's passes for it.
    pub fn announce(&self, server: SocketAddr) {
        match announce(self.scratch.path(), server, "") {
            Ok(file) => *self.announced() = Some(file),
            Err(error) => log::info!("nothing tells other programs where to watch the match: {error}"),
        }
    }

    /// Takes back what [`Folder::announce`] said, by unlocking its file.
    pub fn retract(&self) {
        if let Some(file) = self.announced().take() {
            let _ = file.unlock();
        }
    }

    fn announced(&self) -> MutexGuard<'_, Option<File>> {
        self.announced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the result, as a whole or not at all, and signs the folder.
    pub fn write_result(&self, result: &impl Serialize) -> Result<(), Error> {
        let write = || -> io::Result<()> {
            let mut text = serde_json::to_vec_pretty(result)?;
            text.push(b'\n');
            files::write_whole(&self.result(), &self.scratch.path().join(RESULT), &text, 0o666)
        };
        write().map_err(|error| Error::Folder(self.path.clone(), error))?;
        signature::sign(&self.path, Kind::Match, &[RECORD, RESULT]);
        Ok(())
    }
}

/// Removes the hidden folders that killed matches left in that folder, unless a match runs in it.
pub fn remove_scratch(path: &Path) {
    let Ok(Some(_lock)) = os::lock_folder(path) else { return };
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_scratch(&entry.file_name())) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// Removes a folder, also one in which a bot made folders that can't be written to.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let make_writable = |folder: &Path| os::rights(0o700).map(|rights| fs::set_permissions(folder, rights));
    if fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let _ = make_writable(&folder);
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        folders.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|entry| entry.path()));
    }
    fs::remove_dir_all(folder)
}

pub fn log_file_name(name: &str) -> String {
    file_name(name) + ".log"
}

/// A file name without its ending: a team may be called anything, `../x` too. Different names stay different.
fn file_name(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The name of a file in that subfolder without the ending that the arena's files in it have; `None` if all have it.
fn foreign_file(folder: &Path, ending: &str) -> io::Result<Option<std::ffi::OsString>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let names: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect();
    let has_ending = |name: &Path| name.extension().is_some_and(|found| found == ending);
    // Notes of a match that was killed have a player's place behind their ending.
    let is_ours = |name: &Path| {
        has_ending(name)
            || ending == "txt" && name.file_stem().is_some_and(|stem| has_ending(Path::new(stem)))
    };
    Ok(names?.into_iter().find(|name| !is_ours(Path::new(name))))
}

/// Whether the arena gives this name to a file or folder.
fn is_ours(name: &OsStr) -> bool {
    is_scratch(name)
        || [RECORD, AGAIN, RESULT, LOGS, NOTES, RESULTS, RECORDS].iter().any(|ours| *ours == name)
}

fn is_scratch(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(SCRATCH_PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::SIGNATURE;

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_but_the_promised_names_stays() {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("a/b");
        let folder = Folder::prepare(&out, false).unwrap();
        assert!(!cfg!(unix) || os::is_closed(&out).unwrap());
        fs::write(folder.server_result(), "{}").unwrap();
        fs::write(folder.record(), "x").unwrap();
        folder.write_result(&()).unwrap();
        drop(folder);
        assert_eq!(names(&out), [SIGNATURE, "logs", "match.zrec", "result.json"]);
    }

    #[test]
    fn many_matches_leave_their_records_and_one_match_can_take_their_place() {
        let out = tempfile::tempdir().unwrap();
        let folder = Folder::prepare_with(out.path(), false, RECORDS).unwrap();
        fs::write(folder.results(), "{}").unwrap();
        fs::write(folder.unfinished_record(7), "half").unwrap();
        fs::write(folder.record_of(6), "whole").unwrap();
        drop(folder);
        assert_eq!(names(out.path()), ["records", "results.jsonl"]);
        assert_eq!(names(&out.path().join(RECORDS)), ["6.zrec"]);
        assert!(matches!(Folder::prepare(out.path(), false), Err(Error::EarlierMatch(_))));
        fs::write(out.path().join(RECORDS).join("mine.txt"), "").unwrap();
        assert!(matches!(Folder::prepare(out.path(), true), Err(Error::ForeignFile(..))));
        fs::remove_file(out.path().join(RECORDS).join("mine.txt")).unwrap();
        drop(Folder::prepare(out.path(), true).unwrap());
        assert_eq!(names(out.path()), ["logs"]);
    }

    #[test]
    fn an_earlier_match_is_replaced_only_by_force() {
        let out = tempfile::tempdir().unwrap();
        drop(Folder::prepare(out.path(), false).unwrap());
        fs::write(out.path().join(RESULT), "old").unwrap();
        assert!(matches!(Folder::prepare(out.path(), false), Err(Error::EarlierMatch(_))));
        assert_eq!(fs::read_to_string(out.path().join(RESULT)).unwrap(), "old");
        drop(Folder::prepare(out.path(), true).unwrap());
        assert_eq!(names(out.path()), ["logs"]);
    }

    #[test]
    fn what_is_not_ours_is_never_touched() {
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join(RESULT), "old").unwrap();
        fs::write(out.path().join("thesis.tex"), "x").unwrap();
        assert!(matches!(Folder::prepare(out.path(), true), Err(Error::ForeignFile(..))));
        assert_eq!(names(out.path()), ["result.json", "thesis.tex"]);
        fs::remove_file(out.path().join("thesis.tex")).unwrap();
        fs::create_dir(out.path().join(LOGS)).unwrap();
        fs::write(out.path().join(LOGS).join("keep.txt"), "x").unwrap();
        assert!(matches!(Folder::prepare(out.path(), true), Err(Error::ForeignFile(..))));
        assert_eq!(names(&out.path().join(LOGS)), ["keep.txt"]);
    }

    #[test]
    fn one_match_at_a_time() {
        let out = tempfile::tempdir().unwrap();
        let _first = Folder::prepare(out.path(), false).unwrap();
        assert!(matches!(Folder::prepare(out.path(), true), Err(Error::FolderInUse(_))));
    }

    #[test]
    #[cfg(unix)]
    fn a_match_that_runs_tells_its_own_user_where() {
        use std::os::unix::fs::PermissionsExt;
        let out = tempfile::tempdir().unwrap();
        let folder = Folder::prepare(out.path(), false).unwrap();
        folder.announce("127.0.0.1:4242".parse().unwrap());
        let live = folder.scratch.path().join(LIVE);
        let note = fs::read(&live).unwrap();
        assert_eq!(Key::own().unwrap().read_live(&note).unwrap().0, "127.0.0.1:4242".parse().unwrap());
        assert_eq!(fs::metadata(&live).unwrap().permissions().mode() & 0o777, 0o600);
        let is_locked = || {
            let file = File::open(&live).unwrap();
            matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
        };
        assert!(is_locked());
        folder.retract();
        assert!(!is_locked());
        drop(folder);
        assert_eq!(names(out.path()), ["logs"]);
    }

    #[test]
    fn no_team_name_leads_out_of_the_folder() {
        assert_eq!(log_file_name("red-1"), "red-1.log");
        assert_eq!(log_file_name("../é-1"), "%2E%2E%2F%C3%A9-1.log");
    }
}
