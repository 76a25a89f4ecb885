//! What lies below the folder: matches that run, matches that were played, tournaments and their reports.
//!
//! Goes by what the arena signed, and looks into a bounded number of folders. A match counts as running only if the
//! arena that plays it has signed a note of it and holds that locked. Reads no results: that is `summary`. Tested in
//! this module and in `tests/site/pages.rs`.

use std::cmp::Reverse;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use zappy_play::folder::{LIVE, RECORD, RESULT, RESULTS, SCRATCH_PREFIX};
use zappy_play::signature::Kind as ArenaKind;
use zappy_tournament::ladder;
use zappy_tournament::league::standings::STANDINGS;
use zappy_tournament::place::{PLAN, Place};
use zappy_tournament::single::UNFINISHED;

use crate::root::{Entry, Root};
use crate::trust::{ArenaFolder, MATCHES, is_record, kind_by_names};

/// Levels of folders that are looked into, the served folder being the first.
const DEPTH: usize = 8;
/// The most folders that are looked into.
const FOLDERS: usize = 20_000;
/// The most items that are listed.
const ITEMS: usize = 20_000;

/// A file that every report of a tournament has.
const RANKING: &str = "ranking.json";
/// The page of a report.
const PAGE: &str = "index.html";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Match,
    Record,
    /// Many matches that were played in one process.
    Series,
    /// A tournament, under way or over.
    Tournament,
    /// A tournament to which bots come by and by.
    League,
    /// A tournament of bots that come by themselves.
    Ladder,
    /// The report of a tournament or a league.
    Report,
}

/// Something that can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its folder, or its file if it is a record.
    pub at: PathBuf,
    pub kind: Kind,
    /// When something was last done in it.
    pub when: SystemTime,
}

/// A match that is being played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Where it will lie when it is over: its address for spectators.
    pub at: PathBuf,
    /// Where it lies as long as it is played.
    pub folder: PathBuf,
    pub server: SocketAddr,
    /// The name of a team of the match if its server has many matches; empty otherwise.
    pub of: String,
    pub since: SystemTime,
}

/// What lies below the folder, the newest first.
#[derive(Debug, Default)]
pub struct Shelf {
    /// Matches that are being played.
    pub running: Vec<Running>,
    pub items: Vec<Item>,
    /// Whether there is more than [`DEPTH`], [`FOLDERS`] and [`ITEMS`] allow.
    pub more: bool,
    /// Folders and records that look like the arena's and aren't signed, so that they aren't shown.
    pub unsigned: Vec<PathBuf>,
    looked_into: usize,
}

impl Shelf {
    /// Lists what lies below the served folder.
    #[must_use]
    pub fn look(root: &Root) -> Shelf {
        let mut shelf = Shelf::default();
        shelf.visit(root, Path::new(""), DEPTH);
        let named: Vec<PathBuf> = root.trust.named.iter().filter(|one| is_record(one)).cloned().collect();
        named.iter().for_each(|one| shelf.add(root, one, Kind::Record));
        shelf.unsigned.retain(|one| !named.contains(one));
        shelf.items.sort_by(|a, b| (Reverse(a.when), &a.at).cmp(&(Reverse(b.when), &b.at)));
        shelf.running.sort_by(|a, b| (Reverse(a.since), &a.at).cmp(&(Reverse(b.since), &b.at)));
        shelf
    }

    fn visit(&mut self, root: &Root, at: &Path, levels_left: usize) {
        if levels_left == 0 || self.looked_into == FOLDERS {
            self.more = true;
            return;
        }
        self.looked_into += 1;
        let Ok(entries) = root.list(at) else { return };
        if let Some(running) = running(root, at, &entries) {
            self.running.push(running);
            return;
        }
        let arena = root.arena_folder(at);
        match arena.as_ref().map(|arena| arena.kind) {
            Some(ArenaKind::Grade | ArenaKind::Class) if !root.trust.grades => return,
            Some(ArenaKind::Match) => return self.add(root, at, Kind::Match),
            Some(ArenaKind::Series) => return self.add(root, at, Kind::Series),
            Some(ArenaKind::Report) => return self.add(root, at, Kind::Report),
            Some(ArenaKind::League) => self.add_tournament(root, at, Kind::League),
            Some(ArenaKind::Ladder) => self.add_tournament(root, at, Kind::Ladder),
            Some(ArenaKind::Tournament) => self.add_tournament(root, at, Kind::Tournament),
            Some(ArenaKind::Grade) if root.report(at, PAGE).is_some() => self.add(root, at, Kind::Report),
            Some(ArenaKind::Grade) if root.has_file(&at.join(PLAN)) => {
                self.add_tournament(root, at, Kind::Tournament);
            }
            Some(ArenaKind::Class) => self.add(root, at, Kind::Report),
            Some(ArenaKind::Grade) => {}
            None if kind_by_names(&entries).is_some() => {
                self.unsigned.push(at.to_owned());
                // The operator may have named something below it.
                if !root.trust.named.iter().any(|named| named.starts_with(at)) {
                    return;
                }
            }
            None => {
                let records = entries.iter().filter(|one| !one.is_folder && is_record(Path::new(&one.name)));
                self.unsigned.extend(records.map(|one| at.join(&one.name)));
            }
        }
        let folders = entries.iter().filter(|entry| entry.is_folder).filter_map(|entry| entry.name.to_str());
        // A tournament's matches are shown on its own page.
        let may_show =
            |arena: &ArenaFolder, folder: &str| folder != MATCHES && arena.shows(Path::new(folder), true);
        let shown = |folder: &&str| {
            !folder.starts_with('.') && arena.as_ref().is_none_or(|arena| may_show(arena, folder))
        };
        for folder in folders.filter(shown) {
            self.visit(root, &at.join(folder), levels_left - 1);
        }
    }

    fn add_tournament(&mut self, root: &Root, at: &Path, kind: Kind) {
        self.add(root, at, kind);
        // Matches of a tournament lie in hidden folders until they are over.
        let matches = at.join(MATCHES);
        for entry in root.list(&matches).unwrap_or_default() {
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
        // The first of these files that exists says when the item last changed.
        let dated_by = match kind {
            Kind::Match => [RESULT, RECORD],
            Kind::Series => [RESULTS, RESULTS],
            Kind::Tournament => ["results", PLAN],
            Kind::League => [STANDINGS, PLAN],
            Kind::Ladder => [ladder::STANDINGS, PLAN],
            Kind::Report => [RANKING, PAGE],
            Kind::Record => ["", ""],
        };
        let facts = dated_by.iter().find_map(|name| root.facts(&at.join(name)).ok());
        if let Some(facts) = facts.or_else(|| root.facts(at).ok()) {
            self.items.push(Item { at: at.to_owned(), kind, when: facts.when });
        }
    }
}

/// The match that is played in a folder with these entries, if one is.
#[must_use]
pub fn running(root: &Root, folder: &Path, entries: &[Entry]) -> Option<Running> {
    let is_scratch = |entry: &&Entry| {
        entry.is_folder && entry.name.to_str().is_some_and(|name| name.starts_with(SCRATCH_PREFIX))
    };
    entries.iter().filter(is_scratch).find_map(|entry| {
        let live = folder.join(&entry.name).join(LIVE);
        // An arena that was killed holds no lock. Where files can't be locked, no match counts as running.
        let file = root.file(&live).ok()?;
        if flock(&file, FlockOperation::NonBlockingLockShared) != Err(Errno::WOULDBLOCK) {
            return None;
        }
        // An arena's server listens on this machine alone.
        let (server, of) = root.live(&live).filter(|(server, _)| server.ip().is_loopback())?;
        let since = root.facts(&live).ok()?.when;
        Some(Running { at: folder.to_owned(), folder: folder.to_owned(), server, of, since })
    })
}

/// The match that is played at that path, or will lie there when it is over.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Trust;
    use std::fs;
    use zappy_play::folder::Folder;
    use zappy_play::signature;

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
        for (at, kind, files) in [
            ("a", ArenaKind::Match, &["match.zrec", "result.json", "logs/red-1.log"][..]),
            ("b", ArenaKind::Series, &["results.jsonl", "records/1.zrec"]),
            ("c", ArenaKind::Tournament, &["plan.jsonl", "bots.json", "seeds"]),
            ("c/matches/0123456789abcdef", ArenaKind::Match, &["match.zrec"]),
            ("c/merged", ArenaKind::Report, &["index.html", "ranking.json"]),
            (".hidden", ArenaKind::Match, &["match.zrec"]),
            ("l", ArenaKind::League, &["plan.jsonl", "bots.json", "league.json"]),
            ("l/bots/ada", ArenaKind::Match, &["match.zrec"]),
            ("l/versions/0123456789abcdef", ArenaKind::Match, &["match.zrec"]),
            ("l/checked/ada", ArenaKind::Match, &["match.zrec"]),
            ("l/merged", ArenaKind::Report, &["index.html", "ranking.json"]),
            ("grade", ArenaKind::Grade, &["grade.json", "plan.jsonl", "bots.json"]),
            ("grade/merged", ArenaKind::Report, &["index.html", "ranking.json"]),
            ("class", ArenaKind::Class, &["index.html"]),
            ("class/students/ada/0123456789abcdef", ArenaKind::Grade, &["index.html"]),
            ("class/students/ada/0123456789abcdef/bot", ArenaKind::Report, &["index.html", "ranking.json"]),
        ] {
            files.iter().for_each(|file| lay(&format!("{at}/{file}")));
            signature::sign(&folder.path().join(at), kind, files);
        }
        ["d/e/lone.zrec", "d/f/other.zrec", "d/notes.txt", "old/match.zrec"].into_iter().for_each(lay);
        let look = |grades| {
            let key = Some(signature::Key::own().unwrap());
            let trust = Trust { key, named: vec!["d/e/lone.zrec".into()], grades };
            let root = Root::open(folder.path(), trust).unwrap();
            (Shelf::look(&root), root)
        };
        let (shelf, root) = look(false);
        let mut expected = vec![
            ("a", Kind::Match),
            ("b", Kind::Series),
            ("c", Kind::Tournament),
            ("c/merged", Kind::Report),
            ("d/e/lone.zrec", Kind::Record),
            ("l", Kind::League),
            ("l/merged", Kind::Report),
        ];
        let named = |all: &[(&str, Kind)]| -> Vec<_> {
            all.iter().map(|(at, kind)| ((*at).to_owned(), *kind)).collect()
        };
        assert_eq!(kinds(&shelf), named(&expected));
        assert_eq!(shelf.unsigned, [PathBuf::from("d/f/other.zrec"), "old".into()]);
        let student = "class/students/ada/0123456789abcdef";
        expected.extend([
            ("class", Kind::Report),
            (student, Kind::Report),
            ("grade", Kind::Tournament),
            ("grade/merged", Kind::Report),
        ]);
        expected.sort_by_key(|(at, _)| *at);
        let (graded, root_of_grades) = look(true);
        assert_eq!(kinds(&graded), named(&expected));
        let bot = format!("{student}/bot");
        for private in ["grade", "grade/merged", "class", student, &bot] {
            assert!(!root.is_open(Path::new(private)), "{private}");
            assert_eq!(root_of_grades.is_open(Path::new(private)), private != bot, "{private}");
        }
        for private in ["l/bots", "l/versions/0123456789abcdef/match.zrec", "l/secret"] {
            assert!(!root_of_grades.is_open(Path::new(private)), "{private}");
        }
        for open in ["c/merged", "grade2", "l", "l/merged/index.html", "l/matches/0123456789abcdef"] {
            assert!(root.is_open(Path::new(open)), "{open}");
        }
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
        signature::sign(&top.path().join("night"), ArenaKind::Tournament, &[]);
        let trust = Trust { key: Some(signature::Key::own().unwrap()), ..Trust::default() };
        let root = Root::open(top.path(), trust).unwrap();
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
