//! Linux: from folder to folder by descriptors. Tested in this module.

use std::ffi::{CStr, OsStr};
use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};

use super::Most;

/// The rights of a copy itself, of the folders in it, of programs and of other files, from which the system takes what its user
/// wants it to.
const CLOSED: u32 = 0o700;
const OPEN: u32 = 0o755;
const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;

/// A folder that is open.
pub type Folder = OwnedFd;

const AS_FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a folder, which must be one itself and no link to one.
///
/// # Errors
/// The system's.
pub fn open_folder(path: &Path) -> io::Result<Folder> {
    Ok(openat(CWD, path, AS_FOLDER, Mode::empty())?)
}

/// Opens a folder within one, which must be one itself and no link to one.
///
/// # Errors
/// The system's.
pub fn open_inside(folder: &Folder, name: &str) -> io::Result<Folder> {
    Ok(openat(folder, name, AS_FOLDER, Mode::empty())?)
}

/// Copies what lies in a bot's folder into another one, which is made if it isn't there and which no other user can enter then.
///
/// # Errors
/// Something can't be read or written, or is too much, or is of a kind that no bot needs; with the path from that folder.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(CLOSED).create(to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    stage(&open_folder(from)?, to, Most::BOT, &[])
}

/// Copies what lies in that folder into one that is there, but for the files of these names.
///
/// # Errors
/// Something can't be read or written, or is too much, or is of a kind that no bot needs; with the path from that folder.
pub fn stage(from: &Folder, to: &Path, most: Most, except: &[&str]) -> io::Result<()> {
    let mut stage = Stage { files: 0, bytes: most.bytes, most, except };
    stage.folder(from, to, Path::new(""), most.depth)
}

struct Stage<'a> {
    files: usize,
    /// Bytes that are left.
    bytes: u64,
    most: Most,
    except: &'a [&'a str],
}

fn at(path: &Path, words: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {words}", path.display()))
}

impl Stage<'_> {
    fn folder(&mut self, from: &Folder, to: &Path, inside: &Path, depth: usize) -> io::Result<()> {
        if depth == 0 {
            let most = self.most.depth;
            return Err(at(inside, format!("more than {most} folders within each other; lay them flatter")));
        }
        for entry in Dir::read_from(from)? {
            let entry = entry.map_err(|error| at(inside, io::Error::from(error)))?;
            let name = entry.file_name();
            let bytes = name.to_bytes();
            if bytes == b"." || bytes == b".." {
                continue;
            }
            let path = inside.join(OsStr::from_bytes(bytes));
            if inside.as_os_str().is_empty() && self.except.iter().any(|except| bytes == except.as_bytes()) {
                continue;
            }
            self.files += 1;
            let Most { of, files, .. } = self.most;
            if self.files > files {
                return Err(io::Error::other(format!(
                    "{of} has at most {files} files; leave out what it doesn't need"
                )));
            }
            self.entry(from, name, &to.join(OsStr::from_bytes(bytes)), &path, depth).map_err(|error| {
                // A full disk is known by its kind, and what isn't the system's own has the path in its words.
                let full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
                if error.raw_os_error().is_some() && !full { at(&path, error) } else { error }
            })?;
        }
        Ok(())
    }

    fn entry(&mut self, from: &Folder, name: &CStr, to: &Path, path: &Path, depth: usize) -> io::Result<()> {
        let kind = FileType::from_raw_mode(statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        let open = |more| {
            openat(from, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | more, Mode::empty())
        };
        match kind {
            FileType::Directory => {
                DirBuilder::new().mode(OPEN).create(to)?;
                self.folder(&open(OFlags::DIRECTORY)?, to, path, depth - 1)
            }
            FileType::Symlink => {
                let target = readlinkat(from, name, Vec::new())?;
                std::os::unix::fs::symlink(OsStr::from_bytes(target.to_bytes()), to)
            }
            FileType::RegularFile => self.file(open(OFlags::NONBLOCK)?.into(), to, path),
            _ => Err(at(path, "it is no file, folder or link; remove it")),
        }
    }

    fn file(&mut self, file: File, to: &Path, path: &Path) -> io::Result<()> {
        let stat = fstat(&file)?;
        // It may be another one by now.
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(at(path, "it is no file, folder or link; remove it"));
        }
        let mode = if stat.st_mode & 0o111 == 0 { DATA } else { PROGRAM };
        let mut copy = File::options().write(true).create_new(true).mode(mode).open(to)?;
        let copied = io::copy(&mut file.take(self.bytes + 1), &mut copy)?;
        self.bytes = self.bytes.checked_sub(copied).ok_or_else(|| {
            let Most { of, bytes, .. } = self.most;
            io::Error::other(format!(
                "{of} has at most {} MiB of files; leave out what it doesn't need",
                bytes >> 20
            ))
        })?;
        copy.flush()
    }
}

/// Writes a file into a folder that an author may change at any time: whatever goes by that name is replaced, and no link is
/// followed.
///
/// # Errors
/// The system's.
pub fn leave(folder: &Folder, name: &str, text: &str) -> io::Result<()> {
    let unfinished = format!(".{name}.new");
    let _ = rustix::fs::unlinkat(folder, &unfinished, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, &unfinished, flags, Mode::from_raw_mode(0o644))?);
    file.write_all(text.as_bytes())?;
    Ok(rustix::fs::renameat(folder, &unfinished, folder, name)?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::identity::Identity;

    fn staged(fill: impl FnOnce(&Path)) -> Result<tempfile::TempDir, String> {
        let [from, to] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        fill(from.path());
        stage(&open_folder(from.path()).unwrap(), to.path(), Most::HANDED, &["report"])
            .map_err(|error| error.to_string())?;
        Ok(to)
    }

    #[test]
    fn files_folders_and_links_are_copied_and_a_report_is_not() {
        let to = staged(|from| {
            fs::create_dir_all(from.join("a/b")).unwrap();
            fs::write(from.join("a/b/c"), "content").unwrap();
            fs::write(from.join("a/report"), "its own").unwrap();
            fs::write(from.join("report"), "ours").unwrap();
            symlink("/etc/passwd", from.join("link")).unwrap();
        })
        .unwrap();
        assert_eq!(fs::read(to.path().join("a/b/c")).unwrap(), b"content");
        assert_eq!(fs::read_link(to.path().join("link")).unwrap(), Path::new("/etc/passwd"));
        assert!(to.path().join("a/report").exists() && !to.path().join("report").exists());
    }

    #[test]
    fn what_no_bot_needs_is_refused_by_name_and_costs_no_time() {
        let mkfifo = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        for (words, fill) in [
            ("pipe: it is no file", &(|from: &Path| mkfifo(&from.join("pipe"))) as &dyn Fn(&Path)),
            ("at most 64 MiB", &|from| File::create(from.join("huge")).unwrap().set_len(1 << 40).unwrap()),
            ("at most 2000 files", &|from| {
                (0..=Most::HANDED.files).for_each(|i| fs::create_dir(from.join(i.to_string())).unwrap());
            }),
            ("folders within each other", &|from| {
                fs::create_dir_all(from.join("d/".repeat(Most::HANDED.depth + 1))).unwrap();
            }),
        ] {
            let refused = staged(fill).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn a_copy_is_the_same_bot_and_bears_no_rights_but_to_be_run() {
        let [one, other] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let (from, to) = (one.path(), other.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        for (name, mode) in [("a/b/c", 0o600), ("s", 0o6755), ("t", 0o4777), (".x", 0o1111)] {
            fs::write(from.join(name), "content").unwrap();
            fs::set_permissions(from.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(from.join("a"), fs::Permissions::from_mode(0o7777)).unwrap();
        symlink("a/b/c", from.join("link")).unwrap();
        copy(from, &to).unwrap();
        let id = |root: &Path| {
            let mut identity = Identity::default();
            identity.add_files(root).unwrap();
            identity.id()
        };
        assert_eq!(id(&to), id(from));
        assert_eq!(fs::read(to.join("link")).unwrap(), b"content");
        let mode = |name: &str| fs::metadata(to.join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(""), 0o700);
        for name in ["a", "a/b", "a/b/c", "s", "t", ".x"] {
            assert_eq!(mode(name) & !0o755, 0, "{name}: {:o}", mode(name));
        }
    }

    /// Exchanges two names again and again until it is told to stop.
    fn exchange(folder: &Path, [one, other]: [&'static str; 2], stop: &AtomicBool) {
        use rustix::fs::{RenameFlags, renameat_with};
        while !stop.load(Ordering::Relaxed) {
            let (one, other) = (folder.join(one), folder.join(other));
            renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
        }
    }

    #[test]
    fn what_is_swapped_for_a_link_while_it_is_copied_is_not_followed() {
        const COPIES: usize = 500;
        let place = tempfile::tempdir().unwrap();
        let (bot, secret) = (place.path().join("bot"), place.path().join("secret"));
        for folder in [bot.join("inside"), secret.clone()] {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), folder.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        fs::write(bot.join("file"), "inside").unwrap();
        symlink(&secret, bot.join("way")).unwrap();
        symlink(secret.join("file"), bot.join("path")).unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| exchange(&bot, ["inside", "way"], &stop));
            scope.spawn(|| exchange(&bot, ["file", "path"], &stop));
            let mut told = 0;
            for i in 0..COPIES {
                let to = place.path().join(format!("to-{i}"));
                told += usize::from(copy(&bot, &to).is_err());
                for file in crate::identity::files(&to).unwrap() {
                    let is_link = fs::symlink_metadata(&file).unwrap().is_symlink();
                    assert!(is_link || fs::read(&file).unwrap() == b"inside", "{}", file.display());
                }
                fs::remove_dir_all(to).unwrap();
            }
            stop.store(true, Ordering::Relaxed);
            assert!(told < COPIES, "none was made");
        });
    }

    #[test]
    fn a_link_is_no_folder_and_a_report_follows_none() {
        let folder = tempfile::tempdir().unwrap();
        let [bot, link, victim] = ["bot", "link", "victim"].map(|name| folder.path().join(name));
        fs::create_dir(&bot).unwrap();
        symlink(&bot, &link).unwrap();
        assert!(open_folder(&link).is_err());
        fs::write(&victim, "untouched").unwrap();
        for name in ["report", ".report.new"] {
            symlink(&victim, bot.join(name)).unwrap();
        }
        leave(&open_folder(&bot).unwrap(), "report", "words").unwrap();
        assert_eq!(fs::read_to_string(bot.join("report")).unwrap(), "words");
        assert_eq!(fs::read_to_string(victim).unwrap(), "untouched");
    }
}
