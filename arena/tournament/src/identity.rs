//! The ids of bots and matches: hashes of what they are made of.
//!
//! A bot with a changed file is another bot; one with another name isn't. Changes no file. Reaches files below a
//! folder only through the folder that it has opened, since what lies at a path may change meanwhile. Tested in this module.

use std::fmt;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zappy_play::os;
use zappy_server::files;

use super::copies::{Folder, MOST_BYTES, MOST_FILES, TreeEntry, WalkLimits, open_folder, walk};

/// How much of a file is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// The first 64 bits of a SHA-256: enough to tell thousands of bots and millions of matches apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Id {
    /// Reads an id: 16 hexadecimal digits, in lower case.
    pub fn parse(text: &str) -> Option<Id> {
        u64::from_str_radix(text, 16).ok().map(Id).filter(|id| id.to_string() == text)
    }

    /// The hash of these parts.
    pub fn of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Id {
        let mut hasher = IdHasher::default();
        parts.into_iter().for_each(|part| hasher.add(part.as_ref()));
        hasher.id()
    }

    /// The bytes of its text, which stand for it in another hash.
    pub fn bytes(self) -> Vec<u8> {
        self.to_string().into_bytes()
    }
}

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        let text = String::deserialize(deserializer)?;
        Id::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no id of 16 hex digits")))
    }
}

/// Hashes parts one after the other; where one part ends and the next begins counts.
#[derive(Default)]
pub struct IdHasher(Sha256);

impl IdHasher {
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The hash of all parts.
    pub fn id(self) -> Id {
        let hash = self.0.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        Id(u64::from_be_bytes(first))
    }

    /// Adds a file, or all files below a folder in the order of their paths: the path, whether the file can be run, and
    /// the content. Of a link the path that it names is added; only if `root` itself is a link to a folder it is
    /// followed. Links that may lead out of the folder don't count, since no copy has them.
    ///
    /// # Errors
    /// When something can't be read, or is too much.
    pub fn add_files(&mut self, root: &Path) -> io::Result<()> {
        if let Some(folder) = folder_at(root)? {
            return self.add_folder(&folder, root, &[]).map(|_| ());
        }
        self.add(b"");
        if let Ok(target) = fs::read_link(root) {
            self.add(b"link");
            self.add(target.as_os_str().as_encoded_bytes());
            return Ok(());
        }
        let mut file = files::open(root).map_err(|error| with_path(root, &error))?;
        self.add_file(&file.metadata()?, &mut (&mut file).take(MOST_BYTES))
    }

    /// Adds all files below an open folder, except those with these names directly in it, and returns how many it added.
    /// Errors name a file by `called`, the path of the folder, and its path in there.
    ///
    /// # Errors
    /// When something can't be read, or is too much; [`io::ErrorKind::ResourceBusy`] if something changed meanwhile.
    pub fn add_folder(&mut self, folder: &Folder, called: &Path, except: &[&str]) -> io::Result<usize> {
        let mut count = 0;
        walk(folder, called, WalkLimits::BOT, except, &mut |path, entry| {
            if matches!(entry, TreeEntry::Folder) {
                return Ok(());
            }
            count += 1;
            if count > MOST_FILES {
                return Err(io::Error::other(format!("a bot has at most {MOST_FILES} files")));
            }
            self.add(path.as_os_str().as_encoded_bytes());
            match entry {
                TreeEntry::Folder => {}
                TreeEntry::Link(target) => {
                    self.add(b"link");
                    self.add(target.as_encoded_bytes());
                }
                TreeEntry::File(file) => self.add_file(&file.get_ref().metadata()?, file)?,
            }
            Ok(())
        })?;
        Ok(count)
    }

    fn add_file(&mut self, meta: &Metadata, from: &mut dyn Read) -> io::Result<()> {
        self.add(if os::is_executable(meta) { b"program" } else { b"data" });
        let (mut content, mut chunk) = (Sha256::default(), vec![0; CHUNK]);
        loop {
            match from.read(&mut chunk)? {
                0 => break,
                count => content.update(&chunk[..count]),
            }
        }
        self.add(&content.finalize());
        Ok(())
    }

    /// Adds what the file system says of a file (times, inode, size), which changes when the file does.
    fn add_stamp(&mut self, meta: &Metadata) {
        self.add(&os::stamp(meta));
        self.add(&meta.len().to_le_bytes());
    }
}

/// Opens the folder at that path, also behind a link; `None` if no folder lies there.
fn folder_at(root: &Path) -> io::Result<Option<Folder>> {
    if !root.is_dir() {
        return Ok(None);
    }
    fs::canonicalize(root)
        .and_then(|root| open_folder(&root))
        .map(Some)
        .map_err(|error| with_path(root, &error))
}

/// The path of the file itself, or the paths of all files below the folder, in order.
///
/// # Errors
/// When something can't be read, or is too much.
pub fn file_paths(root: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(folder) = folder_at(root)? else { return Ok(vec![root.to_path_buf()]) };
    let mut files = Vec::new();
    walk(&folder, root, WalkLimits::BOT, &[], &mut |path, entry| {
        if !matches!(entry, TreeEntry::Folder) {
            files.push(root.join(path));
        }
        Ok(())
    })?;
    Ok(files)
}

/// A hash that changes when a file does, made without reading content: of what the file system says of a file, or of
/// each file below a folder and its path.
///
/// # Errors
/// When something can't be looked at, or is too much.
pub fn stamp(root: &Path) -> io::Result<Id> {
    if let Some(folder) = folder_at(root)? {
        return stamp_folder(&folder, &[]);
    }
    let mut hasher = IdHasher::default();
    let meta = fs::symlink_metadata(root).map_err(|error| with_path(root, &error))?;
    hasher.add_stamp(&meta);
    Ok(hasher.id())
}

/// The hash of [`stamp`] for an open folder, except for files with these names directly in it.
///
/// # Errors
/// When something can't be looked at, or is too much.
pub fn stamp_folder(folder: &Folder, except: &[&str]) -> io::Result<Id> {
    let mut hasher = IdHasher::default();
    walk(folder, Path::new(""), WalkLimits::BOT, except, &mut |path, entry| {
        hasher.add(path.as_os_str().as_encoded_bytes());
        match entry {
            TreeEntry::Folder => {}
            TreeEntry::Link(target) => hasher.add(target.as_encoded_bytes()),
            TreeEntry::File(file) => hasher.add_stamp(&file.get_ref().metadata()?),
        }
        Ok(())
    })?;
    Ok(hasher.id())
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn id_of(root: &Path) -> Id {
        let mut hasher = IdHasher::default();
        hasher.add_files(root).unwrap();
        hasher.id()
    }

    #[test]
    fn an_id_comes_back() {
        let id = IdHasher::default().id();
        assert_eq!(id.to_string(), "e3b0c44298fc1c14", "the SHA-256 of nothing");
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        for bad in ["", "e3b0", "E3B0C44298FC1C14", "e3b0c44298fc1c1g", "+3b0c44298fc1c14"] {
            assert_eq!(Id::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn parts_are_told_apart() {
        let id = |parts: &[&str]| {
            let mut hasher = IdHasher::default();
            parts.iter().for_each(|part| hasher.add(part.as_bytes()));
            hasher.id()
        };
        assert_ne!(id(&["ab", "c"]), id(&["a", "bc"]));
        assert_ne!(id(&["a"]), id(&["a", ""]));
    }

    #[cfg(unix)]
    #[test]
    fn content_path_and_mode_count_and_the_place_does_not() {
        let [one, other] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        for folder in [&one, &other] {
            fs::create_dir(folder.path().join("lib")).unwrap();
            fs::write(folder.path().join("bot.py"), "play()").unwrap();
            fs::write(folder.path().join("lib/a.py"), "").unwrap();
        }
        let same = id_of(one.path());
        assert_eq!(id_of(other.path()), same);
        fs::set_permissions(other.path().join("bot.py"), fs::Permissions::from_mode(0o755)).unwrap();
        let runs = id_of(other.path());
        fs::rename(other.path().join("lib/a.py"), other.path().join("lib/b.py")).unwrap();
        let renamed = id_of(other.path());
        fs::write(other.path().join("bot.py"), "play( )").unwrap();
        let changed = id_of(other.path());
        let mut all = vec![same, runs, renamed, changed];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_counts_by_what_it_names_and_not_if_it_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
            id_of(folder.path())
        };
        let (inside, other) = (link("a", "all"), link("b", "other"));
        assert_ne!(inside, other);
        assert_eq!((link("/", "root"), link("../secret", "out")), (other, other), "no copy has these");
    }
}
