//! The folder of a tournament: what lies where, and what of it is there already.
//!
//! Every file in it that counts is there whole or not at all. Never removes a result. Tested in
//! `tests/tournament/`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Error;
use super::bots::Book;
use super::identity::Id;
use super::outcome::Outcome;
use super::plan::Planned;

const BOTS: &str = "bots.json";
const PLAN: &str = "plan.jsonl";
const RESULTS: &str = "results";
const MATCHES: &str = "matches";
const FAILED: &str = "failed";

/// Why a match has no result, though it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The match.
    pub id: Id,
    /// What went wrong the last time.
    pub why: String,
}

/// The folder.
#[derive(Debug, Clone)]
pub struct Place(PathBuf);

impl Place {
    /// Lays a tournament down in a folder; false if the very same lies there already.
    ///
    /// # Errors
    /// When something else is there, or it can't be written to.
    pub fn lay_down(path: &Path, book: &Book, plan: &[Planned]) -> Result<bool, Error> {
        let failed = |error| Error::File(path.into(), error);
        let mut bots = serde_json::to_vec_pretty(book).map_err(|error| failed(error.into()))?;
        bots.push(b'\n');
        let mut lines = Vec::new();
        for planned in plan {
            serde_json::to_writer(&mut lines, planned).map_err(|error| failed(error.into()))?;
            lines.push(b'\n');
        }
        fs::create_dir_all(path).map_err(failed)?;
        let place = Place(path.to_path_buf());
        if place.plan_file().exists() {
            let same = |path: &Path, wanted: &[u8]| fs::read(path).is_ok_and(|there| there == wanted);
            if same(&place.bots_file(), &bots) && same(&place.plan_file(), &lines) {
                return Ok(false);
            }
            return Err(Error::OtherTournament(path.into()));
        }
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            // A call that was killed may have left the one or half of the other.
            if name != BOTS && !is_hidden(&name) {
                return Err(Error::Foreign(path.into(), name));
            }
        }
        write_whole(&place.bots_file(), &place.hidden(BOTS), &bots)?;
        write_whole(&place.plan_file(), &place.hidden(PLAN), &lines)?;
        Ok(true)
    }

    /// The tournament in that folder.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Place, Error> {
        let absolute = fs::canonicalize(path).map_err(|_| Error::NoTournament(path.into()))?;
        let place = Place(absolute);
        if place.plan_file().is_file() { Ok(place) } else { Err(Error::NoTournament(path.into())) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn bots_file(&self) -> PathBuf {
        self.0.join(BOTS)
    }

    fn plan_file(&self) -> PathBuf {
        self.0.join(PLAN)
    }

    fn hidden(&self, name: &str) -> PathBuf {
        self.0.join(format!(".{name}.new"))
    }

    /// The folder of the results.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        self.0.join(RESULTS)
    }

    /// The folder of what matches leave.
    #[must_use]
    pub fn matches(&self) -> PathBuf {
        self.0.join(MATCHES)
    }

    /// The result of a match.
    #[must_use]
    pub fn result(&self, id: Id) -> PathBuf {
        self.results().join(format!("{id}.json"))
    }

    /// Why a match has none.
    #[must_use]
    pub fn failure(&self, id: Id) -> PathBuf {
        self.0.join(FAILED).join(format!("{id}.json"))
    }

    /// Record, logs and all that a match leaves.
    #[must_use]
    pub fn match_folder(&self, id: Id) -> PathBuf {
        self.matches().join(id.to_string())
    }

    /// Where a match is played.
    #[must_use]
    pub fn unfinished(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.tmp"))
    }

    /// What whoever plays a match holds locked meanwhile.
    #[must_use]
    pub fn lock(&self, id: Id) -> PathBuf {
        self.matches().join(format!(".{id}.lock"))
    }

    /// The bots.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn book(&self) -> Result<Book, Error> {
        read_json(&self.bots_file())
    }

    /// The plan, or of it what `wanted` says of its lines, counted from 0.
    ///
    /// # Errors
    /// When it can't be read, or a line is no match.
    pub fn plan(&self, wanted: impl Fn(usize) -> bool) -> Result<Vec<Planned>, Error> {
        let path = self.plan_file();
        let mut plan = Vec::new();
        for (i, line) in lines(&path)?.enumerate() {
            let line = line.map_err(|error| Error::File(path.clone(), error))?;
            if wanted(i) {
                plan.push(read_line(&path, i + 1, &line)?);
            }
        }
        Ok(plan)
    }

    /// The match of that id.
    ///
    /// # Errors
    /// When there is none, or the plan can't be read.
    pub fn planned(&self, id: Id) -> Result<Planned, Error> {
        let (path, start) = (self.plan_file(), format!("{{\"id\":\"{id}\""));
        for (i, line) in lines(&path)?.enumerate() {
            let line = line.map_err(|error| Error::File(path.clone(), error))?;
            if line.starts_with(&start) {
                return read_line(&path, i + 1, &line);
            }
        }
        Err(Error::NoMatch(path, id))
    }

    /// The matches that have a result.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn played(&self) -> Result<BTreeSet<Id>, Error> {
        ids(&self.results())
    }

    /// What came of a match.
    ///
    /// # Errors
    /// When it has no result, or that can't be read.
    pub fn outcome(&self, id: Id) -> Result<Outcome, Error> {
        read_result(&self.result(id))
    }

    /// Seconds that a match took, and that its bots took to leave; 0 where nothing tells.
    #[must_use]
    pub fn seconds(&self, id: Id) -> (f64, f64) {
        let result: Result<Value, _> = read_json(&self.match_folder(id).join("result.json"));
        let seconds = |key: &str| result.as_ref().ok().and_then(|result| result["arena"][key].as_f64());
        (seconds("seconds").unwrap_or(0.0), seconds("leaving_seconds").unwrap_or(0.0))
    }

    /// The matches that were tried in vain, with the reasons.
    ///
    /// # Errors
    /// When a file of theirs can't be read.
    pub fn failures(&self) -> Result<Vec<Failure>, Error> {
        ids(&self.0.join(FAILED))?.into_iter().map(|id| read_result(&self.failure(id))).collect()
    }

    /// Notes that a match was tried in vain.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn note_failure(&self, id: Id, why: &str) -> Result<(), Error> {
        let folder = self.0.join(FAILED);
        fs::create_dir_all(&folder).map_err(|error| Error::File(folder.clone(), error))?;
        let text = serde_json::json!({ "id": id, "why": why }).to_string() + "\n";
        write_whole(&self.failure(id), &folder.join(format!(".{id}.new")), text.as_bytes())
    }

    /// Forgets that it was.
    pub fn forget_failure(&self, id: Id) {
        let _ = fs::remove_file(self.failure(id));
        // Only when it is empty.
        let _ = fs::remove_dir(self.0.join(FAILED));
    }
}

/// Names of ours that only tell of something going on.
fn is_hidden(name: &OsStr) -> bool {
    [BOTS, PLAN].iter().any(|ours| name.to_str() == Some(&format!(".{ours}.new")))
}

/// The matches in a folder with a file each; none if there is no folder.
fn ids(folder: &Path) -> Result<BTreeSet<Id>, Error> {
    let failed = |error| Error::File(folder.into(), error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut ids = BTreeSet::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        ids.extend(name.to_str().and_then(|name| Id::parse(name.strip_suffix(".json")?)));
    }
    Ok(ids)
}

/// Writes a file: it is there as a whole or not at all.
///
/// # Errors
/// When it can't be written.
pub fn write_whole(path: &Path, unfinished: &Path, bytes: &[u8]) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let mut file = File::create(unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(unfinished, path)
    };
    write().map_err(|error| Error::File(path.into(), error))
}

/// Reads a file of ours.
///
/// # Errors
/// When it isn't there, or isn't what it should be.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = fs::read(path).map_err(|error| Error::File(path.into(), error))?;
    serde_json::from_slice(&bytes).map_err(|error| bad(path, error.line(), &error))
}

/// Reads what came of a match: of that alone nothing else hangs on it.
fn read_result<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    read_json(path).map_err(|error| match error {
        Error::Bad { path, what, .. } => Error::BadResult(path, what),
        error => error,
    })
}

fn bad(path: &Path, line: usize, error: &serde_json::Error) -> Error {
    Error::Bad { path: path.into(), line, what: error.to_string() }
}

fn lines(path: &Path) -> Result<impl Iterator<Item = io::Result<String>> + use<>, Error> {
    let file = File::open(path).map_err(|error| Error::File(path.into(), error))?;
    Ok(BufReader::new(file).lines())
}

/// A line of the plan; it is taken for no other match than that of its id.
fn read_line(path: &Path, number: usize, line: &str) -> Result<Planned, Error> {
    let planned: Planned = serde_json::from_str(line).map_err(|error| bad(path, number, &error))?;
    if planned.id != planned.hash() {
        let what = format!("the id {} is not that of its content", planned.id);
        return Err(Error::Bad { path: path.into(), line: number, what });
    }
    Ok(planned)
}
