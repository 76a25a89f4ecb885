//! What lies below the folder: matches that run, matches that were played, tournaments and their reports.
//!
//! Goes by the arena's own names of files, and down a bounded number of folders. Takes nothing for a running match but what
//! the arena that plays it holds locked. Reads no results: that is `summary`. Tested in this module and in `tests/pages.rs`.

use std::cmp::Reverse;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use zappy_arena::league::settings::SETTINGS;
use zappy_arena::league::standings::STANDINGS;
use zappy_arena::play::folder::{LIVE, RECORD, SCRATCH_PREFIX};
use zappy_arena::tournament::merge::MERGED;
use zappy_arena::tournament::place::{BOTS, PLAN, Place};
use zappy_arena::tournament::single::UNFINISHED;

use crate::root::{Entry, Root};

/// Folders within folders that are looked into.
const DEPTH: usize = 6;
/// Folders that are looked into.
const FOLDERS: usize = 20_000;
/// What is listed.
const ITEMS: usize = 20_000;
/// The longest note of an address.
const LIVE_BYTES: u64 = 100;

/// The result of a match, in its folder.
pub const RESULT: &str = "result.json";
/// The results of many matches in one process, and the folder of their records.
pub const RESULTS: &str = "results.jsonl";
/// The folder of the records of many matches.
pub const RECORDS: &str = "records";
/// The ending of records.
pub const ENDING: &str = "zrec";
/// A file that every report of a tournament has.
const RANKING: &str = "ranking.json";
/// The page of a report.
const PAGE: &str = "index.html";
/// A file that tells what one student's bot is worth, which is no spectator's business.
const GRADE: &str = "grade.json";
/// What in a league's folder is for spectators; bots, their versions and what came of checks are their authors'.
const LEAGUES_OWN: [&str; 2] = ["matches", MERGED];

/// What lies in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One match, over.
    Match,
    /// One record by itself.
    Record,
    /// Many matches that were played in one process.
    Series,
    /// A tournament, under way or over.
    Tournament,
    /// A tournament to which bots come by and by.
    League,
    /// The report of a tournament or a league.
    Report,
}

impl Kind {
    /// Whether it is one that has matches and a report of its own.
    #[must_use]
    pub fn is_tournament(self) -> bool {
        matches!(self, Kind::Tournament | Kind::League)
    }
}

/// One of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its folder, or its file if it is a record.
    pub at: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// When something was last done in it.
    pub when: SystemTime,
}

/// A match that is being played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Where it will lie when it is over: its address for spectators.
    pub at: PathBuf,
    /// Where it lies now.
    pub folder: PathBuf,
    /// Where its server listens.
    pub server: SocketAddr,
    /// When it began.
    pub since: SystemTime,
}

/// What lies below the folder, the newest first.
#[derive(Debug, Default)]
pub struct Shelf {
    /// Matches that are being played.
    pub running: Vec<Running>,
    /// What was played.
    pub items: Vec<Item>,
    /// Whether there is more than is looked at.
    pub more: bool,
    looked_into: usize,
}

impl Shelf {
    /// Looks at all of it.
    #[must_use]
    pub fn look(root: &Root) -> Shelf {
        let mut shelf = Shelf::default();
        shelf.visit(root, Path::new(""), DEPTH);
        shelf.items.sort_by(|a, b| (Reverse(a.when), &a.at).cmp(&(Reverse(b.when), &b.at)));
        shelf.running.sort_by(|a, b| (Reverse(a.since), &a.at).cmp(&(Reverse(b.since), &b.at)));
        shelf
    }

    fn visit(&mut self, root: &Root, at: &Path, depth: usize) {
        if depth == 0 || self.looked_into == FOLDERS {
            self.more = true;
            return;
        }
        self.looked_into += 1;
        let Ok(entries) = root.list(at) else { return };
        let has = |name: &str| entries.iter().any(|entry| !entry.is_folder && entry.name == name);
        if has(GRADE) {
            return;
        }
        if let Some(running) = running(root, at, &entries) {
            self.running.push(running);
            return;
        }
        if has(PLAN) && has(BOTS) {
            let is_league = has(SETTINGS);
            self.add(root, at, if is_league { Kind::League } else { Kind::Tournament });
            self.visit_matches(root, &at.join("matches"));
            // Its reports lie below it; nothing else in it is for spectators.
            let is_shown = |name: &&str| {
                !["matches", "results", "failed"].contains(name) && (!is_league || LEAGUES_OWN.contains(name))
            };
            for folder in plain_folders(&entries).filter(is_shown) {
                self.visit(root, &at.join(folder), depth - 1);
            }
            return;
        }
        if has(RESULTS) {
            return self.add(root, at, Kind::Series);
        }
        if has(RECORD) || has(RESULT) {
            return self.add(root, at, Kind::Match);
        }
        if has(RANKING) && has(PAGE) {
            self.add(root, at, Kind::Report);
        }
        let records = entries
            .iter()
            .filter(|one| !one.is_folder && Path::new(&one.name).extension().is_some_and(|e| e == ENDING));
        records.for_each(|one| self.add(root, &at.join(&one.name), Kind::Record));
        for folder in plain_folders(&entries) {
            self.visit(root, &at.join(folder), depth - 1);
        }
    }

    /// Matches of a tournament lie in hidden folders until they are over.
    fn visit_matches(&mut self, root: &Root, matches: &Path) {
        for entry in root.list(matches).unwrap_or_default() {
            let Some(id) = Place::played_in(&entry.name) else { continue };
            let folder = matches.join(&entry.name).join(UNFINISHED);
            let Ok(entries) = root.list(&folder) else { continue };
            let running = running(root, &folder, &entries);
            self.running.extend(running.map(|one| Running { at: matches.join(id.to_string()), ..one }));
        }
    }

    fn add(&mut self, root: &Root, at: &Path, kind: Kind) {
        if self.items.len() == ITEMS {
            self.more = true;
            return;
        }
        let changes = match kind {
            Kind::Match => [RESULT, RECORD],
            Kind::Series => [RESULTS, RESULTS],
            Kind::Tournament => ["results", PLAN],
            Kind::League => [STANDINGS, PLAN],
            Kind::Report => [RANKING, PAGE],
            Kind::Record => ["", ""],
        };
        let when = changes.iter().find_map(|name| root.facts(&at.join(name)).ok());
        if let Some(facts) = when.or_else(|| root.facts(at).ok()) {
            self.items.push(Item { at: at.to_owned(), kind, when: facts.when });
        }
    }
}

/// The folders in a folder whose names are not hidden.
fn plain_folders(entries: &[Entry]) -> impl Iterator<Item = &str> {
    let names = entries.iter().filter(|entry| entry.is_folder).filter_map(|entry| entry.name.to_str());
    names.filter(|name| !name.starts_with('.'))
}

/// The match that is played in a folder with these entries, if one is.
#[must_use]
pub fn running(root: &Root, folder: &Path, entries: &[Entry]) -> Option<Running> {
    let ours = |entry: &&Entry| {
        entry.is_folder && entry.name.to_str().is_some_and(|name| name.starts_with(SCRATCH_PREFIX))
    };
    entries.iter().filter(ours).find_map(|entry| {
        let live = folder.join(&entry.name).join(LIVE);
        // An arena that was killed holds no lock. Where files can't be locked, the server's silence tells.
        let file = root.file(&live).ok()?;
        if flock(&file, FlockOperation::NonBlockingLockShared) != Err(Errno::WOULDBLOCK) {
            return None;
        }
        let server = String::from_utf8(root.read(&live, LIVE_BYTES).ok()?).ok()?;
        // An arena's server listens on this machine alone; a note of any other one isn't an arena's.
        let server = server.trim().parse().ok().filter(|server: &SocketAddr| server.ip().is_loopback())?;
        let since = root.facts(&live).ok()?.when;
        Some(Running { at: folder.to_owned(), folder: folder.to_owned(), server, since })
    })
}

/// The match that is played, or will be left, at a place.
#[must_use]
pub fn running_at(root: &Root, at: &Path) -> Option<Running> {
    if let Some(running) = root.list(at).ok().and_then(|entries| running(root, at, &entries)) {
        return Some(running);
    }
    let hidden = format!(".{}.tmp", at.file_name()?.to_str()?);
    Place::played_in(hidden.as_ref())?;
    let folder = at.with_file_name(hidden).join(UNFINISHED);
    let running = running(root, &folder, &root.list(&folder).ok()?)?;
    Some(Running { at: at.to_owned(), ..running })
}

/// Whether a folder holds a report for spectators.
#[must_use]
pub fn has_report(root: &Root, at: &Path) -> bool {
    root.has_file(&at.join(RANKING)) && root.has_file(&at.join(PAGE))
}

/// Whether something is, or lies in, what one student's bot was graded by or what a league's authors handed in.
#[must_use]
pub fn is_private(root: &Root, at: &Path) -> bool {
    at.ancestors().any(|folder| {
        let below = at.strip_prefix(folder).ok().and_then(|rest| rest.iter().next());
        let own = below.is_none_or(|name| LEAGUES_OWN.iter().any(|own| name == *own));
        root.has_file(&folder.join(GRADE)) || !own && root.has_file(&folder.join(SETTINGS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use zappy_arena::play::folder::Folder;

    fn kinds(shelf: &Shelf) -> Vec<(String, Kind)> {
        let mut kinds: Vec<_> =
            shelf.items.iter().map(|item| (item.at.display().to_string(), item.kind)).collect();
        kinds.sort_by(|a, b| a.0.cmp(&b.0));
        kinds
    }

    #[test]
    fn each_kind_of_folder_is_told_from_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let lay = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        let files = [
            "a/match.zrec",
            "a/result.json",
            "a/logs/red-1.log",
            "b/results.jsonl",
            "b/records/1.zrec",
            "c/plan.jsonl",
            "c/bots.json",
            "c/seeds",
            "c/matches/0123456789abcdef/match.zrec",
            "c/merged/index.html",
            "c/merged/ranking.json",
            "d/e/lone.zrec",
            "d/notes.txt",
            ".hidden/match.zrec",
            "l/plan.jsonl",
            "l/bots.json",
            "l/league.json",
            "l/bots/ada/old.zrec",
            "l/versions/0123456789abcdef/match.zrec",
            "l/checked/ada/match.zrec",
            "l/merged/index.html",
            "l/merged/ranking.json",
            "grade/grade.json",
            "grade/match.zrec",
            "grade/merged/ranking.json",
            "grade/merged/index.html",
        ];
        files.into_iter().for_each(lay);
        let shelf = Shelf::look(&Root::open(folder.path()).unwrap());
        let found = kinds(&shelf);
        let expected = [
            ("a", Kind::Match),
            ("b", Kind::Series),
            ("c", Kind::Tournament),
            ("c/merged", Kind::Report),
            ("d/e/lone.zrec", Kind::Record),
            ("l", Kind::League),
            ("l/merged", Kind::Report),
        ];
        assert_eq!(found, expected.map(|(at, kind)| (at.to_owned(), kind)));
        let root = Root::open(folder.path()).unwrap();
        let private = |at: &str| is_private(&root, Path::new(at));
        assert!(private("grade") && private("grade/merged") && !private("c/merged") && !private("grade2"));
        assert!(
            private("l/bots") && private("l/versions/0123456789abcdef/match.zrec") && private("l/secret")
        );
        assert!(!private("l") && !private("l/merged/index.html") && !private("l/matches/0123456789abcdef"));
        assert!(shelf.running.is_empty() && !shelf.more);
    }

    #[test]
    fn a_match_runs_as_long_as_its_arena_says_so() {
        let top = tempfile::tempdir().unwrap();
        let id = "0123456789abcdef";
        let hidden = top.path().join(format!("night/matches/.{id}.tmp/match"));
        let (one, other) = (
            Folder::prepare(&top.path().join("now"), false).unwrap(),
            Folder::prepare(&hidden, false).unwrap(),
        );
        for file in ["plan.jsonl", "bots.json"] {
            fs::write(top.path().join("night").join(file), "").unwrap();
        }
        let root = Root::open(top.path()).unwrap();
        let running = || {
            let mut at: Vec<_> = Shelf::look(&root)
                .running
                .into_iter()
                .map(|one| (one.at.display().to_string(), one.server.port()))
                .collect();
            at.sort();
            at
        };
        assert_eq!(running(), []);
        one.announce("127.0.0.1:4242".parse().unwrap());
        other.announce("127.0.0.1:4243".parse().unwrap());
        let later = format!("night/matches/{id}");
        assert_eq!(running(), [(later.clone(), 4243), ("now".to_owned(), 4242)]);
        assert_eq!(running_at(&root, Path::new("now")).unwrap().server.port(), 4242);
        assert_eq!(running_at(&root, Path::new(&later)).unwrap().server.port(), 4243);
        assert_eq!(running_at(&root, Path::new("night")), None);
        one.announce("10.0.0.1:4242".parse().unwrap());
        assert_eq!(running().len(), 1, "its server is elsewhere");
        other.retract();
        assert_eq!(running().len(), 0);
    }
}
