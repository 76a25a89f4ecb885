//! Other people's files: how they are walked through, and copies of a submission, of a bot of a league, of what a build has made,
//! and of a bot for one match, in which what its programs write is seen by no other match.
//!
//! The folder may change meanwhile, so each step goes from a folder that is open, never by a path again: no link is followed
//! (links stay links, but those that may lead out of the folder are passed over), nothing is waited for, and no more is read than
//! a bot may have. A copy belongs to the arena's user and
//! bears no rights but to be read and run, whatever the original bore. Tested in `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path};

use zappy_play::os;
use zappy_protocol::text::shown;
use zappy_server::files;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;

/// Files of one bot that are looked at.
pub const MOST_FILES: usize = 20_000;
/// Bytes of one bot that are looked at.
pub const MOST_BYTES: u64 = 1 << 30;
const DEPTH: usize = 32;
/// Files, folders and links of what is handed in to a league, where each version is kept.
const HANDED_FILES: usize = 2_000;
/// The size of all files that are handed in together.
const HANDED_BYTES: u64 = 64 << 20;
/// The depth of folders in the folder that is handed in.
const HANDED_DEPTH: usize = 16;
/// The rights of folders in a copy, of programs and of other files, from which the system takes what its user wants it to.
const OPEN: u32 = 0o755;
const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;

/// What is read at most.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    pub of: &'static str,
    pub files: usize,
    pub bytes: u64,
    pub depth: usize,
}

impl Most {
    /// What any bot may have: so many files and as many folders.
    pub const BOT: Most = Most { of: "a bot", files: 2 * MOST_FILES, bytes: MOST_BYTES, depth: DEPTH };
    /// What a bot may have that is handed in to a league.
    pub const HANDED: Most =
        Most { of: "a bot of a league", files: HANDED_FILES, bytes: HANDED_BYTES, depth: HANDED_DEPTH };
}

/// What goes by a name in a folder.
#[derive(Debug)]
pub enum Opened {
    Folder(Folder),
    /// A link, and where it leads.
    Link(OsString),
    File(File),
    Other,
}

/// What a walk comes upon.
#[derive(Debug)]
pub enum TreeEntry<'a> {
    /// A folder; what lies in it comes next.
    Folder,
    /// A link that leads to something in the same folder, and its path to that.
    Link(OsString),
    File(Reading<'a>),
}

/// A file that is read, as long as all files together aren't too long.
#[derive(Debug)]
pub struct Reading<'a> {
    pub file: File,
    most: Most,
    /// Bytes that all files may have besides.
    left: &'a mut u64,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let Most { of, bytes, .. } = self.most;
        *self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::other(format!(
                "{of} has at most {} MiB of files; leave out what it doesn't need",
                bytes >> 20
            ))
        })?;
        Ok(count)
    }
}

/// What is done with all that a walk comes upon: the path from the folder on, and what is there.
type Visit<'a> = dyn FnMut(&Path, TreeEntry<'_>) -> io::Result<()> + 'a;

struct Walk<'a> {
    /// What the folder is called in errors.
    called: &'a Path,
    most: Most,
    entries: usize,
    /// Bytes of files that are left.
    left: u64,
    /// The links that were passed over, by their paths as they are shown.
    out: Vec<String>,
    visit: &'a mut Visit<'a>,
}

/// Walks through all that lies in a folder, in the order of the paths, but for what is called so right in it. Gives the links that
/// may lead out of the folder, which it passes over. Errors name what they are about by its path, before which stands what the
/// folder is `called`.
///
/// # Errors
/// Something can't be read, or is too much, or is of a kind that no bot needs; [`ErrorKind::ResourceBusy`] if something changed
/// meanwhile; and those of `visit`.
pub fn walk(
    folder: &Folder,
    called: &Path,
    most: Most,
    except: &[&str],
    visit: &mut Visit<'_>,
) -> io::Result<Vec<String>> {
    let mut walk = Walk { called, most, entries: 0, left: most.bytes, out: Vec::new(), visit };
    walk.folder(folder, Path::new(""), except, most.depth)?;
    Ok(walk.out)
}

/// Whether a link at that path leads to something in the folder that the path begins in, whatever other links lead to. Behind a
/// name `..` doesn't count for the way back, since the name may be a link's.
fn stays(link: &Path, target: &Path) -> bool {
    let up = target.components().take_while(|part| matches!(part, Component::ParentDir | Component::CurDir));
    let up = up.filter(|part| *part == Component::ParentDir).count();
    let all = target.components().filter(|part| *part == Component::ParentDir).count();
    target.is_relative() && up == all && up < link.components().count()
}

impl Walk<'_> {
    fn at(&self, inside: &Path, words: impl Display) -> io::Error {
        let path = self.called.join(inside);
        let parted = if path.as_os_str().is_empty() { "" } else { ": " };
        io::Error::other(format!("{}{parted}{words}", path.display()))
    }

    fn folder(&mut self, folder: &Folder, inside: &Path, except: &[&str], depth: usize) -> io::Result<()> {
        let Most { of, files, depth: deepest, .. } = self.most;
        if depth == 0 {
            let words = format!("more than {deepest} folders within each other; lay them flatter");
            return Err(self.at(inside, words));
        }
        let mut names = names(folder, files + 1).map_err(|error| self.at(inside, error))?;
        names.sort();
        for name in names {
            if except.iter().any(|except| name == *except) {
                continue;
            }
            self.entries += 1;
            if self.entries > files {
                let words = format!("{of} has at most {files} files; leave out what it doesn't need");
                return Err(self.at(Path::new(""), words));
            }
            let path = inside.join(&name);
            let entered = look(folder, &name).and_then(|kind| self.enter(kind, &path));
            let below = entered.map_err(|error| match error.kind() {
                // These are known by their kind.
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ResourceBusy => error,
                _ => self.at(&path, error),
            })?;
            below.map_or(Ok(()), |below| self.folder(&below, &path, &[], depth - 1))?;
        }
        Ok(())
    }

    /// Visits what was found there; gives the folder that is to be entered.
    fn enter(&mut self, kind: Opened, path: &Path) -> io::Result<Option<Folder>> {
        let (entry, below) = match kind {
            Opened::Folder(folder) => (TreeEntry::Folder, Some(folder)),
            Opened::Link(target) if !stays(path, Path::new(&target)) => {
                self.out.push(shown(path.as_os_str().as_encoded_bytes()));
                return Ok(None);
            }
            Opened::Link(target) => (TreeEntry::Link(target), None),
            Opened::File(file) => {
                (TreeEntry::File(Reading { file, most: self.most, left: &mut self.left }), None)
            }
            Opened::Other => return Err(io::Error::other("it is no file, folder or link; remove it")),
        };
        (self.visit)(path, entry)?;
        Ok(below)
    }
}

/// Opens what lies at that path, in a folder that the operator named.
///
/// # Errors
/// It isn't there or can't be opened; [`ErrorKind::ResourceBusy`] if it changed meanwhile.
pub fn open(path: &Path) -> io::Result<Opened> {
    // A path that ends with `..` or is `.` has no name of its own.
    let whole = std::path::absolute(path)?;
    let (Some(holder), Some(name)) = (whole.parent(), whole.file_name()) else {
        return open_folder(&fs::canonicalize(path)?).map(Opened::Folder);
    };
    fs::symlink_metadata(&whole)?;
    look(&open_folder(&fs::canonicalize(holder)?)?, name)
}

/// The only folder in a folder, if what else lies there is left by no author's wish, as `is_left` says; so archives are unpacked.
///
/// # Errors
/// It can't be read.
pub fn only_folder(folder: &Folder, is_left: impl Fn(&OsStr) -> bool) -> io::Result<Option<Folder>> {
    let mut names = names(folder, Most::BOT.files + 1)?;
    names.retain(|name| !is_left(name));
    let [name] = &names[..] else { return Ok(None) };
    let named = |error: io::Error| match error.kind() {
        ErrorKind::ResourceBusy => error,
        _ => io::Error::other(format!("{}: {error}", shown(name.as_encoded_bytes()))),
    };
    let opened = look(folder, name).map_err(named)?;
    Ok(if let Opened::Folder(inside) = opened { Some(inside) } else { None })
}

/// The links in a bot's folder that no copy has, since they may lead out of it; none if it can't be read.
pub fn links_out(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).and_then(|folder| open_folder(&folder));
    let links = folder.and_then(|folder| walk(&folder, Path::new(""), Most::BOT, &[], &mut |_, _| Ok(())));
    links.unwrap_or_default()
}

/// Copies what lies in a bot's folder into another one, which is made if it isn't there and which no other user can enter then.
/// Gives the links that are left out, since they may lead out of the folder.
///
/// # Errors
/// Those of [`walk`], and when the copy can't be written.
pub fn copy(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    stage(&open_folder(from)?, to, Most::BOT, &[])
}

/// The same for what lies in a folder that is open, but for what is called so right in it.
///
/// # Errors
/// Those of [`walk`], and when the copy can't be written.
pub fn stage(from: &Folder, to: &Path, most: Most, except: &[&str]) -> io::Result<Vec<String>> {
    os::new_folder(to)?;
    walk(from, Path::new(""), most, except, &mut |path, entry| {
        let to = to.join(path);
        match entry {
            TreeEntry::Folder => {
                let mut folder = DirBuilder::new();
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut folder, OPEN);
                folder.create(to)
            }
            TreeEntry::Link(target) => os::link(Path::new(&target), &to),
            TreeEntry::File(mut reading) => {
                let mode = if os::is_executable(&reading.file.metadata()?) { PROGRAM } else { DATA };
                let mut copy =
                    files::with_rights(File::options().write(true).create_new(true), mode).open(to)?;
                io::copy(&mut reading, &mut copy)?;
                copy.flush()
            }
        }
    })
}
