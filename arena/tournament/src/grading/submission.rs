//! The submissions of a class: a folder for each student below that of the class, with any name and any content.
//!
//! The name of a folder may be any bytes: it is shown escaped, and the grade lies under a key of letters, digits and
//! `._-~`. A link is no submission, since it may lead to files that aren't the student's. All files are opened from an
//! open folder on, so no link is followed. Changes nothing. Tested in this module.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use zappy_protocol::text::{shortened, shown};

use super::command::{ForAll, STARTED_BY};
use crate::copies::{Folder, Opened, only_folder, open, open_folder};
use crate::identity::{Id, IdHasher};

/// The most submissions of a class.
pub const MOST_STUDENTS: usize = 5_000;
/// The extensions of archives and programs, which students hand in by mistake as plain files instead of a folder.
const ARCHIVES: [&str; 9] = ["zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar"];
const PROGRAMS: [&str; 9] = ["py", "js", "java", "class", "jar", "c", "cpp", "rs", "sh"];
/// Why a submission that is a link isn't taken.
pub const LINK_REFUSED: &str = "it is a link, which may lead out of the folder; put there what it names";
/// Why a submission that changed while it was read isn't taken.
pub const CHANGED: &str = "it changed while it was copied; run it again";
/// Names beside the only folder of a bot that no author wrote: archives made on a Mac have the first, a league leaves
/// the second.
const NOT_OF_AUTHOR: [&str; 2] = ["__MACOSX", REPORT];
/// The report that a league leaves for the author in a bot's folder; no part of the bot.
pub const REPORT: &str = "check-report.txt";
/// The most names of left-out files that a result has.
const MOST_LEFT_OUT: usize = 100;
/// The longest name that is a key as it is, in bytes.
const LONGEST_PLAIN_KEY: usize = 40;
/// How many first bytes of any other name stand in its key.
const NAME_IN_KEY: usize = 30;
/// The longest name that is shown, in characters.
const LONGEST_SHOWN: usize = 100;

/// What one student handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    pub path: PathBuf,
    /// The name of its folder, cut to what is shown.
    pub name: String,
    /// Its name in paths: letters, digits and `._-~`.
    pub key: String,
}

/// What lies at the path of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    /// A folder with files: its id, and the id of its program ([`essence`]).
    Folder(Id, Id),
    /// It can't be taken: the hash of the reason, and the reason in words with the remedy.
    Unfit(Id, String),
    /// It changed while it was read.
    Changed,
}

impl Handed {
    /// The id of the submission.
    pub fn id(&self) -> Id {
        match self {
            Handed::Folder(id, _) | Handed::Unfit(id, _) => *id,
            Handed::Changed => Id::of(["changed"]),
        }
    }

    /// The id of its program, whichever file says how it is started.
    pub fn essence(&self) -> Id {
        if let Handed::Folder(_, id) = self { *id } else { self.id() }
    }
}

impl Submission {
    /// The submission at that path.
    pub fn at(path: &Path) -> Submission {
        // A path that ends with `..` or is `.` has no name of its own.
        let whole = || fs::canonicalize(path).ok().and_then(|path| path.file_name().map(OsString::from));
        let name = path.file_name().map(OsString::from).or_else(whole).unwrap_or_else(|| "bot".into());
        let (name, key) =
            (shortened(&shown(name.as_encoded_bytes()), LONGEST_SHOWN), key_of(name.as_encoded_bytes()));
        Submission { path: path.to_path_buf(), name, key }
    }

    /// Opens the folder with its files: its own, or the only folder in it if nothing else was handed in.
    ///
    /// # Errors
    /// It is no folder, or can't be read; in words with the remedy.
    pub fn open(&self) -> io::Result<Folder> {
        match open(&self.path)? {
            Opened::Folder(folder) => innermost(folder),
            Opened::Link(_) => Err(io::Error::other(LINK_REFUSED)),
            _ => {
                let words = "it is no folder; give each student a folder, and unpack archives into it";
                Err(io::Error::other(words))
            }
        }
    }

    /// Reads all of its files; `all` are the grader's flags for every submission.
    pub fn look(&self, all: ForAll<'_>) -> Handed {
        self.open().map_or_else(|error| unfit(&error), |folder| look_in(&folder, all))
    }
}

/// Reads all files of that folder; `all` are the grader's flags for every submission.
pub fn look_in(folder: &Folder, all: ForAll<'_>) -> Handed {
    let mut identity = IdHasher::default();
    let ForAll { command, build, processes } = all;
    identity.add(format!("{command:?} {build:?} {processes:?}").as_bytes());
    // Errors name files relative to the submission: a student needn't know where the class lies.
    match identity.add_folder(folder, Path::new(""), &[]) {
        Ok(_) => {
            let id = identity.id();
            Handed::Folder(id, essence_in(folder).unwrap_or(id))
        }
        Err(error) => unfit(&error),
    }
}

fn unfit(error: &io::Error) -> Handed {
    if error.kind() == io::ErrorKind::ResourceBusy {
        return Handed::Changed;
    }
    let why = shown(error.to_string().as_bytes());
    Handed::Unfit(Id::of(["unfit", &why]), why)
}

/// The only folder in a folder, if nothing is beside it but hidden files and [`NOT_OF_AUTHOR`]; otherwise the folder
/// itself.
///
/// # Errors
/// It can't be read.
pub fn innermost(folder: Folder) -> io::Result<Folder> {
    let is_ignored = |name: &OsStr| {
        name.as_encoded_bytes().starts_with(b".") || NOT_OF_AUTHOR.iter().any(|ignored| name == *ignored)
    };
    Ok(only_folder(&folder, is_ignored)?.unwrap_or(folder))
}

/// The hash of all files of a folder but those that say how the bot is started: it is the same for a copy that is
/// started otherwise. `None`: there are no other files, or they can't be read.
pub fn essence(folder: &Path) -> Option<Id> {
    essence_in(&open_folder(&fs::canonicalize(folder).ok()?).ok()?)
}

fn essence_in(folder: &Folder) -> Option<Id> {
    let mut identity = IdHasher::default();
    let count = identity.add_folder(folder, Path::new(""), &STARTED_BY).ok()?;
    (count > 0).then(|| identity.id())
}

/// The hash of what the author of a bot wrote: its [`essence`], or that of all files if they only say how the bot is
/// started.
///
/// # Errors
/// The files can't be read.
pub fn content(folder: &Path) -> io::Result<Id> {
    if let Some(essence) = essence(folder) {
        return Ok(essence);
    }
    let mut all = IdHasher::default();
    all.add_files(folder)?;
    Ok(all.id())
}

/// The submissions of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// In the order of their names' bytes.
    pub submissions: Vec<Submission>,
    /// Names that begin with a dot, and plain files that are no submission, for people.
    pub left_out: Vec<String>,
}

/// All submissions in that folder.
///
/// # Errors
/// The folder can't be read, or has too many entries.
pub fn scan(folder: &Path) -> io::Result<Class> {
    let (mut names, mut hidden) = (Vec::new(), Vec::new());
    // An archive or a program may be handed in by mistake in place of a folder.
    let may_be_handed_in = |name: &OsStr| {
        let end =
            Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        ARCHIVES.iter().chain(&PROGRAMS).any(|known| *known == end)
    };
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if name.as_encoded_bytes().starts_with(b".") || is_file && !may_be_handed_in(&name) {
            hidden.push(name);
        } else {
            names.push(name);
        }
        if names.len() > MOST_STUDENTS || hidden.len() > MOST_STUDENTS {
            let what =
                format!("there are more than {MOST_STUDENTS} submissions; grade them in several folders");
            return Err(io::Error::other(what));
        }
    }
    names.sort();
    hidden.sort();
    let submissions = names.iter().map(|name| Submission::at(&folder.join(name))).collect();
    let left_out = hidden
        .iter()
        .take(MOST_LEFT_OUT)
        .map(|name| shortened(&shown(name.as_encoded_bytes()), LONGEST_SHOWN))
        .collect();
    Ok(Class { submissions, left_out })
}

/// The key of a name: the name itself if it is short and plain; otherwise `s`, its first bytes with `-` for those that
/// aren't plain, `~` and its hash.
fn key_of(name: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    if name.len() <= LONGEST_PLAIN_KEY
        && name.first().is_some_and(u8::is_ascii_alphanumeric)
        && name.iter().all(is_plain)
    {
        return String::from_utf8_lossy(name).into_owned();
    }
    let plain = |byte: &u8| if is_plain(byte) { char::from(*byte) } else { '-' };
    let plain: String = name.iter().take(NAME_IN_KEY).map(plain).collect();
    format!("s{plain}~{}", Id::of([name]))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn any_name_has_a_key_of_its_own_that_is_plain() {
        let long = "x".repeat(255);
        let names: [&[u8]; 12] = [
            b"ada",
            b"bob-2_b.c",
            b"-rf",
            b"..x",
            b"a b",
            b"a\nb",
            b"=cmd|' /C calc'!A0",
            b"\xff\xfe",
            "Müller".as_bytes(),
            b"<script>",
            b"a~b",
            long.as_bytes(),
        ];
        let mut keys: Vec<String> = names.iter().map(|name| key_of(name)).collect();
        assert_eq!(keys[..2], ["ada", "bob-2_b.c"]);
        for key in &keys {
            assert!(key.len() <= 64 && key.as_bytes()[0].is_ascii_alphanumeric(), "{key}");
            assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-~".contains(&b)), "{key}");
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), names.len());
    }

    #[test]
    fn what_is_no_folder_is_refused_and_changes_are_seen() {
        let class = tempfile::tempdir().unwrap();
        let path = |name: &str| class.path().join(name);
        fs::create_dir(path("ada")).unwrap();
        fs::write(path("ada/run.sh"), "exit").unwrap();
        fs::write(path("bob.zip"), "").unwrap();
        fs::write(path(".DS_Store"), "").unwrap();
        fs::write(path("readme.txt"), "").unwrap();
        symlink("/etc", path("eve")).unwrap();
        fs::create_dir(class.path().join(OsStr::from_bytes(b"\xff"))).unwrap();
        let found = scan(class.path()).unwrap();
        let names: Vec<&str> = found.submissions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            (names, found.left_out),
            (vec!["ada", "bob.zip", "eve", "\\xff"], vec![".DS_Store".to_owned(), "readme.txt".to_owned()])
        );
        let look = |at: usize| found.submissions[at].look(ForAll::default());
        let before = look(0);
        assert!(matches!(before, Handed::Folder(..)));
        assert!(matches!(look(1), Handed::Unfit(_, why) if why.contains("no folder")));
        assert!(matches!(look(2), Handed::Unfit(_, why) if why.contains("a link")));
        assert_eq!(look(0), before);
        let other = ForAll { command: Some("x"), ..ForAll::default() };
        assert_ne!(found.submissions[0].look(other), before);
        // If it is started otherwise, it is the same program; with a changed file it isn't.
        fs::write(path("ada/COMMAND"), "sh run.sh").unwrap();
        fs::write(path("ada/bot.toml"), "").unwrap();
        assert_ne!(look(0).id(), before.id());
        assert_eq!((look(0).essence(), essence(&path("ada"))), (before.essence(), Some(before.essence())));
        fs::write(path("ada/run.sh"), "exit 1").unwrap();
        assert_ne!(look(0).essence(), before.essence());
        fs::remove_file(path("ada/run.sh")).unwrap();
        assert_eq!((look(0).essence(), essence(&path("ada"))), (look(0).id(), None));
        let before = look(0);
        symlink("../../../seeds", path("ada/l")).unwrap();
        assert_eq!(look(0), before, "no copy has it");
    }

    #[test]
    fn a_folder_swapped_for_a_link_while_it_is_read_gives_no_name_away() {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use std::collections::BTreeSet;
        use std::sync::atomic::{AtomicBool, Ordering};
        use std::time::{Duration, Instant};
        const LOOKS: usize = 500;
        let place = tempfile::tempdir().unwrap();
        let [class, secret] = ["class", "secret"].map(|name| place.path().join(name));
        let bot = class.join("eve/bot");
        fs::create_dir_all(bot.join("inside")).unwrap();
        fs::create_dir(&secret).unwrap();
        // A pipe can't be taken, so an error would give its name away.
        let pipe = std::process::Command::new("mkfifo").arg(secret.join("pipe")).status().unwrap();
        assert!(pipe.success());
        fs::write(bot.join("inside/run.sh"), "exit").unwrap();
        for link in [bot.join("link"), class.join("link")] {
            symlink(&secret, link).unwrap();
        }
        let eve = Submission::at(&class.join("eve"));
        let stop = AtomicBool::new(false);
        let exchange = |[one, other]: [&Path; 2]| {
            while !stop.load(Ordering::Relaxed) {
                // This fails while the other thread has moved them away.
                let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
            }
        };
        let (mut taken, mut reasons) = (0, BTreeSet::new());
        std::thread::scope(|scope| {
            scope.spawn(|| exchange([&bot.join("inside"), &bot.join("link")]));
            scope.spawn(|| exchange([&class.join("eve"), &class.join("link")]));
            // On a busy machine the folder may change during each of the first looks.
            let (deadline, mut looks) = (Instant::now() + Duration::from_secs(60), 0);
            while looks < LOOKS || taken == 0 && Instant::now() < deadline {
                looks += 1;
                match eve.look(ForAll::default()) {
                    Handed::Folder(..) => taken += 1,
                    Handed::Unfit(_, why) => drop(reasons.insert(why)),
                    Handed::Changed => {}
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        reasons.remove(LINK_REFUSED);
        assert!(taken > 0 && reasons.is_empty(), "{taken} were taken, {reasons:?}");
    }
}
