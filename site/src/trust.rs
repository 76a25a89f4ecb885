//! Decides which files below the served folder may be shown: those in lists that the arena signed, and those that the operator
//! named.
//!
//! A submission's folder may hold files of any name, so no name of a file makes something the arena's. Inside a folder of the
//! arena only the subfolders for spectators are shown; which these are depends on its kind. Tested in `tests/site/trust.rs`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use zappy_play::folder::{RECORD, RECORDS, RESULT, RESULTS};
use zappy_play::signature::{Hash, Hashing, Kind, LONGEST, SIGNATURE, hash};
use zappy_tournament::league::settings::SETTINGS;
use zappy_tournament::merge::MERGED;
use zappy_tournament::place::{BOTS, PLAN};
use zappy_tournament::report;

use crate::root::{Entry, Root};

pub const RECORD_EXTENSION: &str = "zrec";
/// The most bytes of a note that says where the server of a running match listens.
const LIVE_BYTES: u64 = 200;
/// Two files by which a report is recognised.
const REPORT: [&str; 2] = ["index.html", "ranking.json"];
/// A file that every grade has, and one that every class has.
const GRADED: [(&str, Kind); 2] = [("grade.json", Kind::Grade), ("class.json", Kind::Class)];
/// The files of a class that are shown.
const CLASS_FILES: [&str; 5] = ["index.html", "leaderboard.html", "class.json", "class.csv", "class.xml"];
/// Where a tournament keeps its matches.
pub const MATCHES: &str = "matches";

/// A folder that the arena made.
#[derive(Debug, PartialEq, Eq)]
pub struct ArenaFolder {
    pub kind: Kind,
    /// The hashes of its files, by name; `None` if the operator vouches for the folder.
    hashes: Option<BTreeMap<String, Hash>>,
}

impl ArenaFolder {
    /// The hash that a file of that name must have; `None` if it may have any.
    ///
    /// # Errors
    /// The arena signed no file of that name in this folder.
    fn hash_of(&self, name: &str) -> io::Result<Option<&Hash>> {
        match &self.hashes {
            Some(hashes) => hashes.get(name).map(Some).ok_or(ErrorKind::NotFound.into()),
            None => Ok(None),
        }
    }

    /// Whether spectators may see what has that path from this folder; `grades`: the operator shows grades.
    pub fn shows(&self, below: &Path, grades: bool) -> bool {
        let mut names = below.iter().map(|name| name.to_str().unwrap_or("."));
        let first = names.next();
        let among = |own: &[&str]| first.is_none_or(|first| own.contains(&first));
        match self.kind {
            Kind::Match | Kind::Report => names.next().is_none(),
            Kind::Series => among(&[RECORDS]),
            Kind::Tournament => first.is_none_or(|first| !["results", "failed"].contains(&first)),
            Kind::League | Kind::Ladder => among(&[MATCHES, MERGED]),
            Kind::Grade => grades && among(&[MATCHES, MERGED, "play"]),
            Kind::Class => grades && among(&["students"]),
        }
    }
}

impl Root {
    /// The folder at that path as the arena signed it; `None` if nothing proves that the arena made it.
    #[must_use]
    pub fn arena_folder(&self, at: &Path) -> Option<ArenaFolder> {
        let signed_list = || {
            let list = self.read(&at.join(SIGNATURE), LONGEST).ok()?;
            let list = self.trust.key.as_ref()?.read_list(&list)?;
            // A list that was copied from another folder proves nothing of this one.
            (self.number(at).ok()? == list.place).then_some(list)
        };
        if let Some(list) = signed_list() {
            return Some(ArenaFolder { kind: list.kind, hashes: Some(list.files) });
        }
        let is_named = |at: Option<&Path>| at.is_some_and(|at| self.trust.named.iter().any(|one| one == at));
        let parent = at.parent();
        let is_vouched_for = is_named(Some(at))
            || at.ends_with(MERGED) && is_named(parent)
            || parent.is_some_and(|parent| parent.ends_with(MATCHES) && is_named(parent.parent()));
        let kind = is_vouched_for.then(|| kind_by_names(&self.list(at).ok()?)).flatten()?;
        Some(ArenaFolder { kind, hashes: None })
    }

    /// Whether spectators may see what lies at that path: every folder of the arena above it has to allow that.
    #[must_use]
    pub fn is_open(&self, at: &Path) -> bool {
        at.ancestors().all(|folder| {
            let below = at.strip_prefix(folder).unwrap_or(at);
            self.arena_folder(folder).is_none_or(|arena| arena.shows(below, self.trust.grades))
        })
    }

    /// All of a file that the arena made in a folder.
    ///
    /// # Errors
    /// It isn't the arena's, or has changed since, or is longer than that many bytes, or can't be read.
    pub fn read_own(&self, folder: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let arena = self.arena_folder(folder).ok_or(ErrorKind::NotFound)?;
        let wanted = arena.hash_of(name)?;
        let bytes = self.read(&folder.join(name), most)?;
        let is_right = wanted.is_none_or(|wanted| hash(&bytes) == *wanted);
        if is_right { Ok(bytes) } else { Err(ErrorKind::NotFound.into()) }
    }

    /// The path of a match's record, if it is the arena's, and its hash, which is `None` if the operator vouches for
    /// it.
    #[must_use]
    pub fn record(&self, at: &Path) -> Option<(PathBuf, Option<Hash>)> {
        let path = if is_record(at) { at.to_owned() } else { at.join(RECORD) };
        if self.trust.named.contains(&path) {
            return Some((path, None));
        }
        let (folder, name) = (path.parent()?, path.file_name()?.to_str()?);
        let (folder, name) = match self.arena_folder(folder) {
            None if folder.ends_with(RECORDS) => (folder.parent()?, format!("{RECORDS}/{name}")),
            _ => (folder, name.to_owned()),
        };
        let arena = self.arena_folder(folder)?;
        let is_record_here = match arena.kind {
            Kind::Match => name == RECORD,
            Kind::Series => name.starts_with(RECORDS),
            _ => false,
        };
        let hash = arena.hash_of(&name).ok().filter(|_| is_record_here)?.cloned();
        Some((path, hash))
    }

    /// `None` if that is no page or table of a report; otherwise its hash, `Some(None)` if the operator vouches for it.
    #[must_use]
    pub fn report(&self, folder: &Path, name: &str) -> Option<Option<Hash>> {
        let arena = self.arena_folder(folder)?;
        let names = match arena.kind {
            Kind::Report => &report::FILES[..],
            Kind::Class => &CLASS_FILES,
            Kind::Grade => &REPORT[..1],
            _ => return None,
        };
        Some(arena.hash_of(name).ok().filter(|_| names.contains(&name))?.cloned())
    }

    /// Where the server of a running match listens, and the name of one of its teams if the server has many matches, by
    /// the note that the arena signed.
    #[must_use]
    pub fn live(&self, note: &Path) -> Option<(SocketAddr, String)> {
        self.trust.key.as_ref()?.read_live(&self.read(note, LIVE_BYTES).ok()?)
    }
}

/// Whether a name is a record's.
#[must_use]
pub fn is_record(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == RECORD_EXTENSION)
}

/// What a folder with these entries would be, if the arena had made it.
#[must_use]
pub fn kind_by_names(entries: &[Entry]) -> Option<Kind> {
    let has = |name: &str| entries.iter().any(|entry| !entry.is_folder && entry.name == name);
    let graded = GRADED.iter().find(|(file, _)| has(file)).map(|(_, kind)| *kind);
    graded.or_else(|| match () {
        () if has(PLAN) && has(BOTS) && has(SETTINGS) => Some(Kind::League),
        () if has(PLAN) && has(BOTS) => Some(Kind::Tournament),
        () if has(RESULTS) => Some(Kind::Series),
        () if has(RECORD) || has(RESULT) => Some(Kind::Match),
        () if REPORT.iter().all(|file| has(file)) => Some(Kind::Report),
        () => None,
    })
}

/// Passes on all of a file as it is read, and fails at the end if its hash isn't the wanted one.
///
/// # Errors
/// The hash differs, or the file is longer than that many bytes, or it can't be read or passed on.
pub fn copy((file, wanted): (File, Option<Hash>), most: u64, out: &mut dyn io::Write) -> io::Result<()> {
    if file.metadata()?.len() > most {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut hashing = Hashing::new(out);
    io::copy(&mut file.take(most), &mut hashing)?;
    if wanted.is_none_or(|wanted| hashing.hash() == wanted) {
        Ok(())
    } else {
        Err(ErrorKind::NotFound.into())
    }
}
