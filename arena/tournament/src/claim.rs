//! The lock that a process holds on the match that it plays, so that no other process plays it.
//!
//! The kernel frees the lock when the process ends, however it ends. It works between the processes of one machine, and between
//! machines only if their shared file system has locks; where it has none, shards, which share no match, keep runners apart.
//! Never waits. Tested in this module and in `arena/cli/tests/tournament/`.

use std::fs::{self, File};
use std::path::PathBuf;

use zappy_play::os;

use super::Error;
use super::identity::Id;
use super::place::{Place, clear};

/// The right to play a match, as long as this lives.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _file: File,
}

impl Claim {
    /// Takes the right to a match; `None` if another process has it.
    ///
    /// # Errors
    /// When the lock can't be made.
    pub fn take(place: &Place, id: Id) -> Result<Option<Claim>, Error> {
        Claim::of(place.lock(id))
    }

    /// Locks the file at `path`; `None` if another process has locked it.
    ///
    /// # Errors
    /// When the lock can't be made.
    pub fn of(path: PathBuf) -> Result<Option<Claim>, Error> {
        let failed = |error| Error::File(path.clone(), error);
        loop {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            // On file systems without locks this always succeeds.
            if !os::lock(&file) {
                return Ok(None);
            }
            // The process that held the lock before may have removed the file meanwhile, and another process made a new
            // one.
            let meta = file.metadata().map_err(failed)?;
            if fs::metadata(&path).is_ok_and(|current| os::is_same(&current, &meta)) {
                return Ok(Some(Claim { path, _file: file }));
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The lock is still held, so the path has no other process's file.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the unfinished folders and the locks that killed processes left behind.
pub fn tidy(place: &Place) {
    for entry in fs::read_dir(place.matches()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| Id::parse(name.strip_prefix('.')?.split('.').next()?));
        if let Some(id) = id
            && let Ok(Some(_claim)) = Claim::take(place, id)
        {
            let _ = clear(&place.unfinished(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Claim::of(path.clone()).unwrap().unwrap();
        assert!(Claim::of(path.clone()).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        // What a killed process left holds no other process up.
        fs::write(&path, "").unwrap();
        let second = Claim::of(path.clone()).unwrap();
        assert!(second.is_some() && Claim::of(path.clone()).unwrap().is_none());
    }
}
