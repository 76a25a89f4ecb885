//! Linux: folders are entered by descriptors, never by a path again. Tested in this module.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::Opened;

/// A folder that is open.
pub type Folder = OwnedFd;

const FOLDER_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a folder, which must be one itself and no link to one.
///
/// # Errors
/// The system's.
pub fn open_folder(path: &Path) -> io::Result<Folder> {
    Ok(openat(CWD, path, FOLDER_FLAGS, Mode::empty())?)
}

/// The names in a folder, at most `most`.
pub(super) fn names(folder: &Folder, most: usize) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
        if names.len() == most {
            break;
        }
    }
    Ok(names)
}

/// Opens the entry of that name in a folder; [`ErrorKind::ResourceBusy`] if it is gone meanwhile, or has become another
/// kind.
pub(super) fn open_entry(folder: &Folder, name: &OsStr) -> io::Result<Opened> {
    let open = |kind: FileType, extra_flags| {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | extra_flags;
        let file = openat(folder, name, flags, Mode::empty())?;
        let is_same_kind = FileType::from_raw_mode(fstat(&file)?.st_mode) == kind;
        if is_same_kind { Ok(file) } else { Err(Errno::NOENT) }
    };
    let opened = || {
        let kind = FileType::from_raw_mode(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        Ok(match kind {
            FileType::Directory => Opened::Folder(open(kind, OFlags::DIRECTORY)?),
            FileType::Symlink => {
                let target = readlinkat(folder, name, Vec::new())?;
                Opened::Link(OsStr::from_bytes(target.to_bytes()).to_owned())
            }
            FileType::RegularFile => Opened::File(open(kind, OFlags::NONBLOCK)?.into()),
            _ => Opened::Other,
        })
    };
    opened().map_err(|error| match error {
        Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::INVAL | Errno::NXIO => {
            ErrorKind::ResourceBusy.into()
        }
        Errno::ACCESS => {
            io::Error::other("its rights don't let it be read; give them with chmod -R u+rX, or leave it out")
        }
        error => io::Error::from(error),
    })
}

/// Writes a file into a folder that an author may change at any time. Whatever has that name is replaced, and no link
/// is followed.
///
/// # Errors
/// The system's.
pub fn write_into(folder: &Folder, name: &str, text: &str) -> io::Result<()> {
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

    use super::super::{WalkLimits, copy, copy_open};
    use super::*;
    use crate::identity::IdHasher;

    fn copied(fill: impl FnOnce(&Path)) -> Result<tempfile::TempDir, String> {
        let [from, to] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        fill(from.path());
        copy_open(&open_folder(from.path()).unwrap(), to.path(), WalkLimits::HANDED_IN, &["report"])
            .map_err(|error| error.to_string())?;
        Ok(to)
    }

    #[test]
    fn files_folders_and_links_are_copied_and_a_report_is_not() {
        let to = copied(|from| {
            fs::create_dir_all(from.join("a/b")).unwrap();
            fs::write(from.join("a/b/c"), "content").unwrap();
            fs::write(from.join("a/report"), "its own").unwrap();
            fs::write(from.join("report"), "ours").unwrap();
            symlink("a/b/c", from.join("link")).unwrap();
        })
        .unwrap();
        assert_eq!(fs::read(to.path().join("a/b/c")).unwrap(), b"content");
        assert_eq!(fs::read_link(to.path().join("link")).unwrap(), Path::new("a/b/c"));
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
                (0..=WalkLimits::HANDED_IN.files)
                    .for_each(|i| fs::create_dir(from.join(i.to_string())).unwrap());
            }),
            ("folders within each other", &|from| {
                fs::create_dir_all(from.join("d/".repeat(WalkLimits::HANDED_IN.depth + 1))).unwrap();
            }),
        ] {
            let refused = copied(fill).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn what_may_not_be_read_is_named_with_the_remedy() {
        if zappy_play::os::is_root() {
            return eprintln!("root may read all, so nothing is refused");
        }
        let refused = copied(|from| {
            fs::create_dir(from.join("closed")).unwrap();
            fs::set_permissions(from.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
        });
        let refused = refused.unwrap_err();
        assert!(refused.starts_with("closed: its rights don't let it be read; give them"), "{refused}");
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
            let mut identity = IdHasher::default();
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

    #[test]
    fn a_copy_keeps_the_links_that_stay_in_it_and_names_the_others() {
        let place = tempfile::tempdir().unwrap();
        let (bot, to) = (place.path().join("bot"), place.path().join("copy"));
        fs::create_dir_all(bot.join("lib/deep")).unwrap();
        fs::write(bot.join("lib/a"), "a").unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        let stay = [
            ("b", "./lib/a"),
            ("lib/c", "../b"),
            ("lib/none", "later"),
            ("here", "."),
            ("lib/deep/d", "../../b"),
        ];
        let left_out = [
            ("lib/deep/all", "/etc"),
            ("lib/out", "../../secret"),
            ("none", "here/../later"),
            ("out", "../secret"),
            ("own", bot.join("lib/a").to_str().unwrap()),
            ("roundabout", "here/../secret"),
        ]
        .map(|(link, target)| symlink(target, bot.join(link)).map(|()| link).unwrap());
        for (link, target) in stay {
            symlink(target, bot.join(link)).unwrap();
        }
        assert_eq!(copy(&bot, &to).unwrap(), left_out);
        let is_there = |link: &str| fs::symlink_metadata(to.join(link)).is_ok();
        assert!(stay.iter().all(|(link, _)| is_there(link)) && !left_out.iter().any(|link| is_there(link)));
        assert_eq!(fs::read(to.join("lib/deep/d")).unwrap(), b"a");
    }

    /// Exchanges two names again and again until `stop` is true.
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
            let mut failed = 0;
            for i in 0..COPIES {
                let to = place.path().join(format!("to-{i}"));
                failed += usize::from(copy(&bot, &to).is_err());
                for file in crate::identity::file_paths(&to).unwrap() {
                    let is_link = fs::symlink_metadata(&file).unwrap().is_symlink();
                    assert!(is_link || fs::read(&file).unwrap() == b"inside", "{}", file.display());
                }
                fs::remove_dir_all(to).unwrap();
            }
            stop.store(true, Ordering::Relaxed);
            assert!(failed < COPIES, "none was made");
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
        write_into(&open_folder(&bot).unwrap(), "report", "words").unwrap();
        assert_eq!(fs::read_to_string(bot.join("report")).unwrap(), "words");
        assert_eq!(fs::read_to_string(victim).unwrap(), "untouched");
    }
}
