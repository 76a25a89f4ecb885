//! The folder that is served, and the paths in it that an address may name.
//!
//! Every look goes name by name from the folder's own descriptor and follows no link, so that nothing outside can be
//! reached, whatever is exchanged meanwhile. Only files and folders are opened: a pipe or a device never. Tested in this module.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::percent_decode_str;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};
use zappy_play::signature::Key;

/// The most entries of a folder that are looked at.
pub const FOLDER_ENTRIES: usize = 100_000;
/// The longest path of an address, in bytes, as it is written there.
const PATH_BYTES: usize = 2048;
/// The most names in a path of an address.
const PATH_NAMES: usize = 16;

/// How files are opened: no link is followed, and no pipe waited for.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const FOLDER: OFlags = FILE.union(OFlags::DIRECTORY);

/// What decides which results are shown: the key that signed them, or that the operator named them.
#[derive(Debug, Default)]
pub struct Trust {
    /// The key of the arena's user; without it nothing is shown but what is named.
    pub key: Option<Key>,
    /// What the operator named: outputs and records, by their paths from the folder.
    pub named: Vec<PathBuf>,
    pub grades: bool,
}

/// The served folder. Paths in it are relative to it.
#[derive(Debug)]
pub struct Root {
    top: OwnedFd,
    /// What of the folder is shown.
    pub trust: Trust,
}

/// A file or folder in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub name: OsString,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// What is known of a file or folder without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Facts {
    /// In bytes; of no use for a folder.
    pub length: u64,
    /// When it was last written.
    pub when: SystemTime,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Root {
    /// Opens the folder to serve.
    ///
    /// # Errors
    /// There is no folder at that path, or it can't be read.
    pub fn open(path: &Path, trust: Trust) -> io::Result<Root> {
        // The folder itself may be a link: its operator named it.
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        Ok(Root { top: open(path, flags, Mode::empty())?, trust })
    }

    fn folder(&self, at: &Path) -> io::Result<OwnedFd> {
        let mut folder = self.top.try_clone()?;
        for part in at.components() {
            let Component::Normal(name) = part else { return Err(ErrorKind::InvalidInput.into()) };
            folder = openat(&folder, name, FOLDER, Mode::empty())?;
        }
        Ok(folder)
    }

    /// The inode number of a folder.
    ///
    /// # Errors
    /// There is no folder at that path.
    pub fn number(&self, at: &Path) -> io::Result<u64> {
        Ok(fstat(self.folder(at)?)?.st_ino)
    }

    /// The folder that holds the entry at that path, and the entry's name in it.
    fn holder<'a>(&self, at: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = at.file_name().ok_or(ErrorKind::InvalidInput)?;
        Ok((self.folder(at.parent().unwrap_or(Path::new("")))?, name))
    }

    /// Opens a file.
    ///
    /// # Errors
    /// It isn't there, or is no file, or a link leads to it.
    pub fn file(&self, at: &Path) -> io::Result<File> {
        let (holder, name) = self.holder(at)?;
        // A device may act when it is opened, so the kind is asked for before; and again after that, since the file may
        // have been exchanged.
        let is_file = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !is_file(statat(&holder, name, AtFlags::SYMLINK_NOFOLLOW)?) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let file = openat(&holder, name, FILE, Mode::empty())?;
        if is_file(fstat(&file)?) { Ok(file.into()) } else { Err(ErrorKind::InvalidInput.into()) }
    }

    /// All of a file, if it has at most `most` bytes.
    ///
    /// # Errors
    /// It can't be opened or read, or is longer ([`ErrorKind::FileTooLarge`]).
    pub fn read(&self, at: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(at)?.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// The files and folders in a folder, by their names, at most [`FOLDER_ENTRIES`] of them.
    ///
    /// # Errors
    /// It isn't there, or a link leads to it, or it can't be read.
    pub fn list(&self, at: &Path) -> io::Result<Vec<Entry>> {
        let folder = self.folder(at)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder)?.take(FOLDER_ENTRIES + 2) {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                known => known,
            };
            if matches!(kind, FileType::Directory | FileType::RegularFile) {
                entries.push(Entry { name: name.to_owned(), is_folder: kind == FileType::Directory });
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// What is known of a file or folder.
    ///
    /// # Errors
    /// There is neither at that path.
    pub fn facts(&self, at: &Path) -> io::Result<Facts> {
        let (holder, name) = self.holder(at)?;
        let stat = statat(&holder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_folder = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => true,
            FileType::RegularFile => false,
            _ => return Err(ErrorKind::InvalidInput.into()),
        };
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        let nanos = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
        let when = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        Ok(Facts { length: u64::try_from(stat.st_size).unwrap_or(0), when, is_folder })
    }

    /// Whether there is a file at that path.
    #[must_use]
    pub fn has_file(&self, at: &Path) -> bool {
        self.facts(at).is_ok_and(|facts| !facts.is_folder)
    }
}

/// The path in the served folder that a part of an address names; `None` if it leads out of the folder, has a hidden
/// name, or is too long.
#[must_use]
pub fn path_of(part: &str) -> Option<PathBuf> {
    if part.len() > PATH_BYTES || part.split('/').count() > PATH_NAMES {
        return None;
    }
    let mut path = PathBuf::new();
    for name in part.split('/') {
        let name: Vec<u8> = percent_decode_str(name).collect();
        let is_plain = !name.is_empty() && name.len() <= 255 && !name.starts_with(b".");
        if !is_plain || name.iter().any(|&byte| byte == b'/' || byte == 0) {
            return None;
        }
        path.push(OsString::from_vec(name));
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn an_address_leads_nowhere_else() {
        assert_eq!(path_of("a/b%20c"), Some("a/b c".into()));
        assert_eq!(path_of("%E9"), Some(OsString::from_vec(vec![0xe9]).into()));
        let long = "x".repeat(256);
        let deep = ["x"; 17].join("/");
        let bad =
            ["", "/", "/etc", "a//b", "..", "a/../b", "%2e%2e/x", "a%2fb", "a%00", ".hidden", "a/.b", "."];
        for bad in bad.into_iter().chain([&*long, &*deep, &*"x/".repeat(1100)]) {
            assert_eq!(path_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_link_is_followed_and_only_files_are_opened() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("in")).unwrap();
        fs::write(at("in/file"), "12345").unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink(outside.path().join("secret"), at("in/link")).unwrap();
        symlink("in", at("last")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("in/pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .unwrap();
        let root = Root::open(folder.path(), Trust::default()).unwrap();
        assert_eq!(root.read(Path::new("in/file"), 5).unwrap(), b"12345");
        assert_eq!(root.read(Path::new("in/file"), 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        for refused in [
            "out/secret",
            "in/link",
            "last/file",
            "in/pipe",
            "in",
            "../x",
            "/etc/passwd",
            "in/../in/file",
            "none",
        ] {
            assert!(root.file(Path::new(refused)).is_err(), "{refused}");
        }
        let names: Vec<_> = root.list(Path::new("in")).unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["file"]);
        let entries = root.list(Path::new("")).unwrap();
        assert_eq!(entries, [Entry { name: "in".into(), is_folder: true }]);
        for refused in ["out", "last", "in/file"] {
            assert!(root.list(Path::new(refused)).is_err(), "{refused}");
        }
    }
}
