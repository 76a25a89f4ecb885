//! What a program sees and reaches inside its containment: which files, by which links, and which server. The two
//! implementations are `bubblewrap` and `fence`.
//!
//! Decides where things lie and what is shut; makes and opens nothing. A file that the grader named is in sight
//! wherever it lies, unless it is hidden from all bots. Links in a bot's folder open nothing. Tested in `bubblewrap` and
//! in `arena/cli/tests/tournament/sandbox.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::programs::limits::Limits;

/// The system's folders that every program may read and run.
pub(super) const SYSTEM: [&str; 9] =
    ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix", "/sys"];
/// The system's settings, of which every program may read what is no secret.
pub(super) const SETTINGS: &str = "/etc";
/// Where people's secrets are, which root's programs could read.
pub(super) const SECRETS: [&str; 5] =
    ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh"];
/// Where any program keeps temporary files, and memory that programs share.
pub(crate) const TEMPORARY: &str = "/tmp";
pub(super) const MEMORY: &str = "/dev/shm";
/// Where services listen, and where people keep what is theirs.
pub(super) const PRIVATE: [&str; 5] = ["/run", "/root", "/home", "/var/run", "/var/tmp"];
/// Where services listen; nothing in there is ever in sight.
const SERVICES: [&str; 2] = ["/run", "/var/run"];
/// The kernel follows no more links than this on the way to a file.
const LINKS: usize = 40;

/// What a contained program may connect to.
#[derive(Debug)]
pub enum MayReach<'a> {
    Nothing,
    /// The server at that port; where there is no network, a relay carries connections over that socket.
    Server {
        port: u16,
        socket: &'a Path,
    },
}

/// The files that a program finds inside.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// The folder that it works in, without a link on its way.
    pub works_in: &'a Path,
    /// The folder into which it may write; `None`: nowhere but in `/tmp`.
    pub folder: Option<&'a Path>,
    /// Folders that are empty for it, without links on their ways.
    pub hidden: &'a [PathBuf],
    /// Files and folders that it can't run without, by absolute paths.
    pub needed: &'a [PathBuf],
    pub limits: Limits,
    /// Whether the program becomes another user inside, as only root's programs can. Namespaces of users are then
    /// refused by a filter of system calls, not by bubblewrap.
    pub drops: bool,
}

impl Room<'_> {
    /// The first of these paths that no bot may see, by whatever name: it is hidden, a secret of the system, or where
    /// services listen, or it leads through a hidden folder.
    pub fn forbidden<'p>(&self, paths: &'p [PathBuf]) -> Option<&'p PathBuf> {
        let shut: Vec<PathBuf> = SECRETS.into_iter().chain(SERVICES).map(PathBuf::from).collect();
        paths.iter().find(|path| {
            let (real, links) = follow(path);
            is_within(&real, &shut)
                || is_within(&real, self.hidden)
                || links.iter().any(|(link, _)| is_within(link, self.hidden))
        })
    }

    /// The folders outside of the system's that are in sight, none of them within another: the one in which the program
    /// works, if it has none of its own, and those of the files that it needs, since a program needs what lies beside
    /// it, too. A bot with a folder of its own gets no folder with a hidden one in it.
    pub(super) fn open(&self) -> Vec<PathBuf> {
        let mut folders = if self.folder.is_none() { vec![self.works_in.to_path_buf()] } else { Vec::new() };
        for needed in self.needed {
            let (real, links) = follow(needed);
            folders.extend(links.iter().filter_map(|(link, _)| program_folder(link)));
            folders.extend(if real.is_dir() { Some(real) } else { program_folder(&real) });
        }
        let services = SERVICES.map(PathBuf::from);
        folders.retain(|folder| {
            !is_system(folder)
                && !is_made(folder)
                && !is_shared(folder)
                && !is_personal(Some(folder))
                && !is_within(folder, self.hidden)
                && !is_within(folder, &services)
                && (self.folder.is_none() || !self.hides(folder))
        });
        folders.sort();
        folders.dedup_by(|inner, outer| inner.starts_with(outer));
        folders
    }

    /// Whether a hidden folder lies in that one.
    pub(super) fn hides(&self, folder: &Path) -> bool {
        self.hidden.iter().any(|hidden| hidden.starts_with(folder))
    }

    /// Whether a program finds that path inside, where these folders are open and nothing is hidden.
    pub(super) fn in_sight(&self, path: &Path, open: &[PathBuf]) -> bool {
        self.folder.is_some_and(|folder| path.starts_with(folder))
            || is_within(path, open)
            || is_system(path)
            || is_made(path)
    }
}

/// The folder of a program with all that belongs to it: a program in `bin` has its libraries beside `bin`.
fn program_folder(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    // A program that a version manager has installed, as in `/root/.pyenv/shims`, needs the manager's whole folder.
    let mut above: Vec<&Path> = file.ancestors().skip(1).collect();
    above.reverse();
    let managed = above.into_iter().find(|folder| {
        folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
            && is_personal(folder.parent())
    });
    if let Some(managed) = managed {
        return Some(managed.to_path_buf());
    }
    let opens = |prefix: &&Path| !is_shared(prefix) && !is_personal(Some(prefix));
    let prefix = folder.parent().filter(|prefix| folder.ends_with("bin") && opens(prefix));
    Some(prefix.unwrap_or(folder).to_path_buf())
}

/// Whether that path lies in one of those folders, or is one.
pub(super) fn is_within(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Whether that path is the system's, which every program may read.
pub(super) fn is_system(path: &Path) -> bool {
    SYSTEM.into_iter().chain([SETTINGS]).any(|place| path.starts_with(place))
}

/// Whether that path is in `/proc` or `/dev`, which are made anew inside.
fn is_made(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/dev") && !path.starts_with(MEMORY)
}

/// Whether many people's files lie in that folder: it is `/tmp`, `/home` or the like, or one of these lies in it.
fn is_shared(folder: &Path) -> bool {
    [TEMPORARY, MEMORY].into_iter().chain(PRIVATE).any(|place| Path::new(place).starts_with(folder))
}

/// Whether a folder at that path has to be made inside so that something below it is in sight: it is neither the
/// system's nor made anew inside.
pub(super) fn is_emptied(path: &Path) -> bool {
    path != Path::new("/") && !is_system(path) && !is_made(path)
}

/// Whether that is a person's home.
fn is_personal(folder: Option<&Path>) -> bool {
    folder.is_some_and(|folder| folder == Path::new("/root") || folder.parent() == Some(Path::new("/home")))
}

/// Where a path leads, and the links on the way there: where each lies, and what it names.
pub(super) fn follow(path: &Path) -> (PathBuf, Vec<(PathBuf, PathBuf)>) {
    let (mut path, mut links) = (path.to_path_buf(), Vec::new());
    for _ in 0..LINKS {
        let mut prefixes: Vec<&Path> = path.ancestors().collect();
        prefixes.reverse();
        let Some((link, target)) = prefixes.into_iter().find_map(|at| Some((at, fs::read_link(at).ok()?)))
        else {
            break;
        };
        let (Some(name), Some(Ok(folder))) = (link.file_name(), link.parent().map(fs::canonicalize)) else {
            break;
        };
        let rest = path.strip_prefix(link).unwrap_or(Path::new(""));
        let real = folder.join(&target);
        let next = if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        links.push((folder.join(name), target));
        path = next;
    }
    (fs::canonicalize(&path).unwrap_or(path), links)
}
