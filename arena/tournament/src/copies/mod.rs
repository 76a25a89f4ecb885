//! Other people's files: a walk through a folder, and copies of folders: of a submission, of a bot of a league, of what
//! a build has made, and of a bot for one match, so that no other match sees what the bot's programs write.
//!
//! The folder may change meanwhile, so each step starts from an open folder, never from a path again. No link is followed: links
//! stay links, and those that may lead out of the folder are left out. No read waits, and no more is read than a bot may have. A
//! copy belongs to the arena's user and has no rights but to be read and run, whatever rights the original has. Tested in `linux`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Take};
use std::path::{Component, Path};

use zappy_play::os;
use zappy_protocol::text::shown;
use zappy_server::files;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;

/// The most files of a bot.
pub const MOST_FILES: usize = 20_000;
/// The most bytes that all files of a bot have together.
pub const MOST_BYTES: u64 = 1 << 30;
/// The most folders within each other in a bot's folder.
const MOST_DEPTH: usize = 32;
/// The most files, folders and links of what is handed in to a league, where each version is kept.
const HANDED_FILES: usize = 2_000;
/// The most bytes of all files together that are handed in.
const HANDED_BYTES: u64 = 64 << 20;
/// The most folders within each other in the folder that is handed in.
const HANDED_DEPTH: usize = 16;
/// The rights of folders in a copy, of programs and of other files; the user's umask lessens them.
const FOLDER_MODE: u32 = 0o755;
const PROGRAM_MODE: u32 = 0o755;
const DATA_MODE: u32 = 0o644;

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkLimits {
    /// The name of what is walked through, in errors.
    pub of: &'static str,
    /// The most files, folders and links in all.
    pub files: usize,
    pub bytes: u64,
    pub depth: usize,
}

impl WalkLimits {
    /// The limits of any bot: [`MOST_FILES`] files and as many folders.
    pub const BOT: Self = Self { of: "a bot", files: 2 * MOST_FILES, bytes: MOST_BYTES, depth: MOST_DEPTH };
    /// The limits of a bot that is handed in to a league.
    pub const HANDED_IN: Self =
        Self { of: "a bot of a league", files: HANDED_FILES, bytes: HANDED_BYTES, depth: HANDED_DEPTH };
}

/// An entry of a folder, opened.
#[derive(Debug)]
pub enum Opened {
    Folder(Folder),
    /// A link, and the path that it names.
    Link(OsString),
    File(File),
    Other,
}

/// An entry that a walk visits.
#[derive(Debug)]
pub enum TreeEntry<'a> {
    /// A folder; its entries come next.
    Folder,
    /// A link to something in the same folder, and the path that it names.
    Link(OsString),
    /// A file, cut one byte behind what the limit of all files together leaves for it.
    File(&'a mut Take<File>),
}

/// Visits an entry at its path, which starts in the folder of the walk.
type Visit<'a> = dyn FnMut(&Path, TreeEntry<'_>) -> io::Result<()> + 'a;

struct Walk<'a> {
    /// The folder's name in errors.
    called: &'a Path,
    limits: WalkLimits,
    /// How many entries were visited.
    entries: usize,
    /// The bytes that all further files may have together.
    bytes_left: u64,
    /// The paths of the links that may lead out of the folder, as they are shown.
    outward: Vec<String>,
    visit: &'a mut Visit<'a>,
}

/// Walks through a folder, in the order of the paths, except for entries with the names `except` directly in it. Gives the links
/// that may lead out of the folder, which aren't visited. Errors name entries by their paths behind `called`, the name of the
/// folder.
///
/// # Errors
/// Something can't be read, or is too much, or is of a kind that no bot needs; [`ErrorKind::ResourceBusy`] if something
/// changed meanwhile; and the errors of `visit`.
pub fn walk(
    folder: &Folder,
    called: &Path,
    limits: WalkLimits,
    except: &[&str],
    visit: &mut Visit<'_>,
) -> io::Result<Vec<String>> {
    let mut walk = Walk { called, limits, entries: 0, bytes_left: limits.bytes, outward: Vec::new(), visit };
    walk.enter(folder, Path::new(""), except, limits.depth)?;
    Ok(walk.outward)
}

/// Whether a link at that path surely leads to something in the folder in which the path starts. It isn't sure of a
/// target with `..` behind a name, since the name may be that of a link.
fn leads_inside(link: &Path, target: &Path) -> bool {
    let up = target.components().take_while(|part| matches!(part, Component::ParentDir | Component::CurDir));
    let up = up.filter(|part| *part == Component::ParentDir).count();
    let all = target.components().filter(|part| *part == Component::ParentDir).count();
    target.is_relative() && up == all && up < link.components().count()
}

impl Walk<'_> {
    /// An error that names the path `inside` the folder.
    fn error_at(&self, inside: &Path, words: impl Display) -> io::Error {
        let path = self.called.join(inside);
        let parted = if path.as_os_str().is_empty() { "" } else { ": " };
        io::Error::other(format!("{}{parted}{words}", path.display()))
    }

    /// Visits the entries of the folder at the path `inside`, and all below them; `depth` is how many folders deep it
    /// may go.
    fn enter(&mut self, folder: &Folder, inside: &Path, except: &[&str], depth: usize) -> io::Result<()> {
        let WalkLimits { of, files, depth: deepest, .. } = self.limits;
        if depth == 0 {
            let words = format!("more than {deepest} folders within each other; lay them flatter");
            return Err(self.error_at(inside, words));
        }
        let mut names = names(folder, files + 1).map_err(|error| self.error_at(inside, error))?;
        names.sort();
        for name in names {
            if except.iter().any(|except| name == *except) {
                continue;
            }
            self.entries += 1;
            if self.entries > files {
                let words = format!("{of} has at most {files} files; leave out what it doesn't need");
                return Err(self.error_at(Path::new(""), words));
            }
            let path = inside.join(&name);
            let entered = open_entry(folder, &name).and_then(|entry| self.visit_entry(entry, &path));
            let below = entered.map_err(|error| match error.kind() {
                // Callers recognise these by their kind.
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ResourceBusy => error,
                _ => self.error_at(&path, error),
            })?;
            below.map_or(Ok(()), |below| self.enter(&below, &path, &[], depth - 1))?;
        }
        Ok(())
    }

    /// Visits an entry; if it is a folder, gives it, so that it is visited next.
    fn visit_entry(&mut self, entry: Opened, path: &Path) -> io::Result<Option<Folder>> {
        match entry {
            Opened::Folder(folder) => {
                (self.visit)(path, TreeEntry::Folder)?;
                return Ok(Some(folder));
            }
            Opened::Link(target) if !leads_inside(path, Path::new(&target)) => {
                self.outward.push(shown(path.as_os_str().as_encoded_bytes()));
            }
            Opened::Link(target) => (self.visit)(path, TreeEntry::Link(target))?,
            Opened::File(file) => {
                let mut file = file.take(self.bytes_left + 1);
                (self.visit)(path, TreeEntry::File(&mut file))?;
                let WalkLimits { of, bytes, .. } = self.limits;
                self.bytes_left = file.limit().checked_sub(1).ok_or_else(|| {
                    let most = bytes >> 20;
                    io::Error::other(format!(
                        "{of} has at most {most} MiB of files; leave out what it doesn't need"
                    ))
                })?;
            }
            Opened::Other => return Err(io::Error::other("it is no file, folder or link; remove it")),
        }
        Ok(None)
    }
}

/// Opens the entry at a path that the operator named.
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
    open_entry(&open_folder(&fs::canonicalize(holder)?)?, name)
}

/// The only entry of a folder if that is a folder itself, as an unpacked archive has it. Entries for which `is_ignored`
/// is true, which systems leave without the author's wish, don't count.
///
/// # Errors
/// It can't be read.
pub fn only_folder(folder: &Folder, is_ignored: impl Fn(&OsStr) -> bool) -> io::Result<Option<Folder>> {
    let mut names = names(folder, WalkLimits::BOT.files + 1)?;
    names.retain(|name| !is_ignored(name));
    let [name] = &names[..] else { return Ok(None) };
    let named = |error: io::Error| match error.kind() {
        ErrorKind::ResourceBusy => error,
        _ => io::Error::other(format!("{}: {error}", shown(name.as_encoded_bytes()))),
    };
    let opened = open_entry(folder, name).map_err(named)?;
    Ok(if let Opened::Folder(inside) = opened { Some(inside) } else { None })
}

/// The links in a bot's folder that no copy has, since they may lead out of it; empty if the folder can't be read.
pub fn links_out(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).and_then(|folder| open_folder(&folder));
    let links =
        folder.and_then(|folder| walk(&folder, Path::new(""), WalkLimits::BOT, &[], &mut |_, _| Ok(())));
    links.unwrap_or_default()
}

/// Copies a bot's folder to `to`, a folder which is made if it isn't there and which no other user can enter then. Gives the links
/// that are left out, since they may lead out of the folder.
///
/// # Errors
/// Those of [`walk`], and when the copy can't be written.
pub fn copy(from: &Path, to: &Path) -> io::Result<Vec<String>> {
    copy_open(&open_folder(from)?, to, WalkLimits::BOT, &[])
}

/// Copies an open folder as [`copy`] does, except for entries with the names `except` directly in it.
///
/// # Errors
/// Those of [`walk`], and when the copy can't be written.
pub fn copy_open(from: &Folder, to: &Path, limits: WalkLimits, except: &[&str]) -> io::Result<Vec<String>> {
    os::new_folder(to)?;
    walk(from, Path::new(""), limits, except, &mut |path, entry| {
        let to = to.join(path);
        match entry {
            TreeEntry::Folder => {
                let mut folder = DirBuilder::new();
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut folder, FOLDER_MODE);
                folder.create(to)
            }
            TreeEntry::Link(target) => os::link(Path::new(&target), &to),
            TreeEntry::File(file) => {
                let mode =
                    if os::is_executable(&file.get_ref().metadata()?) { PROGRAM_MODE } else { DATA_MODE };
                let mut copy =
                    files::with_rights(File::options().write(true).create_new(true), mode).open(to)?;
                io::copy(file, &mut copy).map(|_| ())
            }
        }
    })
}
