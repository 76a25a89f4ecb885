//! Linux: from folder to folder by descriptors. Tested in this module.

use std::ffi::{CStr, OsStr};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};

/// Files, folders and links of a bot.
pub const MOST_FILES: usize = 2_000;
/// Bytes of all its files.
pub const MOST_BYTES: u64 = 64 << 20;
/// Folders within folders.
const DEPTH: usize = 16;

/// A folder that is open.
pub type Folder = OwnedFd;

/// Opens a folder, which must be one itself and no link to one.
pub fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(
        CWD,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// Copies what lies in that folder, but for the files of these names.
///
/// # Errors
/// Something can't be read, is too much, or is of a kind that no bot needs; with the path from that folder.
pub fn stage(from: &Folder, to: &Path, except: &[&str]) -> io::Result<()> {
    let mut stage = Stage { files: 0, bytes: MOST_BYTES, except };
    stage.folder(from, to, Path::new(""), DEPTH)
}

struct Stage<'a> {
    files: usize,
    /// Bytes that are left.
    bytes: u64,
    except: &'a [&'a str],
}

fn at(path: &Path, words: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {words}", path.display()))
}

impl Stage<'_> {
    fn folder(&mut self, from: &Folder, to: &Path, inside: &Path, depth: usize) -> io::Result<()> {
        if depth == 0 {
            return Err(at(inside, format!("more than {DEPTH} folders within each other; lay them flatter")));
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
            if std::str::from_utf8(bytes).is_err() {
                return Err(at(&path, "the name isn't UTF-8; rename it"));
            }
            self.files += 1;
            if self.files > MOST_FILES {
                return Err(io::Error::other(format!(
                    "a bot of a league has at most {MOST_FILES} files; leave out what it doesn't need"
                )));
            }
            self.entry(from, name, &to.join(OsStr::from_bytes(bytes)), &path, depth)
                .map_err(|error| if error.raw_os_error().is_some() { at(&path, error) } else { error })?;
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
                fs::create_dir(to)?;
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
        let mode = if stat.st_mode & 0o111 == 0 { 0o644 } else { 0o755 };
        let mut copy = File::options().write(true).create_new(true).mode(mode).open(to)?;
        let copied = io::copy(&mut file.take(self.bytes + 1), &mut copy)?;
        self.bytes = self.bytes.checked_sub(copied).ok_or_else(|| {
            let most = MOST_BYTES >> 20;
            io::Error::other(format!(
                "a bot of a league has at most {most} MiB of files; leave out what it doesn't need"
            ))
        })?;
        copy.flush()
    }
}

/// Writes a file into a folder that an author may change at any time: whatever goes by that name is replaced, and no link is
/// followed.
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
    use std::os::unix::fs::symlink;

    use super::*;

    fn staged(fill: impl FnOnce(&Path)) -> Result<tempfile::TempDir, String> {
        let [from, to] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        fill(from.path());
        stage(&open_folder(from.path()).unwrap(), to.path(), &["report"])
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
            ("the name isn't UTF-8", &|from| fs::write(from.join(OsStr::from_bytes(b"\xff")), "").unwrap()),
            ("at most 64 MiB", &|from| File::create(from.join("huge")).unwrap().set_len(1 << 40).unwrap()),
            ("at most 2000 files", &|from| {
                (0..=MOST_FILES).for_each(|i| fs::create_dir(from.join(i.to_string())).unwrap());
            }),
            ("folders within each other", &|from| {
                fs::create_dir_all(from.join("d/".repeat(DEPTH + 1))).unwrap();
            }),
        ] {
            let refused = staged(fill).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
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
