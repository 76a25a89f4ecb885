//! Files that people name: opened without waiting, read up to a limit, and written as a whole or not at all.
//!
//! Files that are named on a command line, or lie where another program could have put them, are read through here. A
//! pipe could wait without end and a device has no end, so neither counts as a file; `unix` and `windows` recognise
//! them. Tested in this module.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::with_rights;

/// How often locking is tried while other programs keep replacing the file.
const LOCK_TRIES: usize = 8;

/// Opens a file to be read; never waits for the other end of a pipe.
///
/// # Errors
/// It can't be opened, or is a folder, a pipe or a device.
pub fn open(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path)
}

/// Opens a file to be written, or makes it, as the one program that writes it: until the file is closed no other
/// program opens it by this function, by [`create`] or by [`hold`]. Other programs may read it meanwhile. Its contents
/// stay.
///
/// # Errors
/// It can't be opened or made, is a folder, a pipe or a device, or another program has it open by one of these
/// functions ([`ErrorKind::ResourceBusy`]).
pub fn open_to_write(path: &Path) -> io::Result<File> {
    open_locked(OpenOptions::new().write(true).create(true).truncate(false), path)
}

/// As [`open_to_write`], with a file that isn't there yet.
///
/// # Errors
/// It can't be made, or there is one.
pub fn create(path: &Path) -> io::Result<File> {
    open_locked(OpenOptions::new().write(true).create_new(true), path)
}

/// Keeps other programs from writing a file that is there, as [`open_to_write`] does, without writing it.
///
/// # Errors
/// As [`open_to_write`]; there may be no such file.
pub fn hold(path: &Path) -> io::Result<File> {
    // Some file systems, such as NFS, lock a file only for a process that may write it.
    open_locked(OpenOptions::new().read(true).write(true), path)
}

fn open_locked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    for _ in 0..LOCK_TRIES {
        let file = open_regular(system::deny_other_writers(options), path)?;
        system::lock(&file)?;
        // The program that had locked the file before may have put another file in its place meanwhile.
        if system::lies_at(&file, path) {
            return Ok(file);
        }
    }
    Err(ErrorKind::ResourceBusy.into())
}

/// Whether two names lead to one file.
pub fn are_same(one: &Path, other: &Path) -> bool {
    one == other || system::are_same(one, other)
}

fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match system::open(options, path) {
        Err(error) if system::is_pipe(&error) => Err(not_a_file()),
        opened => {
            let file = opened?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(not_a_file()) }
        }
    }
}

fn not_a_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "this is a folder, a pipe or a device; give a file")
}

/// All bytes of a file, if it has at most `most`; of a longer file only one byte more is read.
///
/// # Errors
/// It can't be opened or read, is no file, or is longer ([`ErrorKind::FileTooLarge`]).
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len().min(most)).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!("it is longer than {most} bytes; give another file");
        return Err(io::Error::new(ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// Writes a file as a whole or not at all, also if the power is cut: it is called `part` until it is whole. The mode is
/// reduced by the user's umask.
///
/// # Errors
/// When it can't be written; then an older file stays.
pub fn write_whole(place: &Path, part: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    // A file that a killed program left under the name `part` may have other rights.
    match fs::remove_file(part) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = with_rights(File::options().write(true).create_new(true), mode).open(part)?;
    file.write_all(bytes)?;
    put(&file, part, place)
}

/// Gives a file that is written to its end, and called `part` until now, its name `place`.
///
/// # Errors
/// The system's; then an older file of that name stays.
pub fn put(file: &File, part: &Path, place: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(part, place)?;
    flush_folder(place);
    Ok(())
}

/// Makes sure that the new name of a file survives a power cut. The file is in its place already, so a folder that
/// can't be flushed, as on some shared disks, is no error.
pub fn flush_folder(place: &Path) {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Err(error) = system::flush_folder(folder) {
        log::debug!("{} can't be flushed: {error}", folder.display());
    }
}

/// Passes on what is written, up to a number of bytes; a write that exceeds it fails.
#[derive(Debug)]
pub struct Bounded<W> {
    pub out: W,
    /// Bytes that were passed on.
    pub written: u64,
    most: u64,
}

impl<W> Bounded<W> {
    pub const fn new(out: W, most: u64) -> Bounded<W> {
        Bounded { out, written: 0, most }
    }
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written + bytes.len() as u64 > self.most {
            let words = format!("it would be longer than {} bytes", self.most);
            return Err(io::Error::new(ErrorKind::FileTooLarge, words));
        }
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (path, part) = (folder.path().join("file"), folder.path().join("part"));
        fs::write(&part, "a half that a killed program left").unwrap();
        for text in ["old", "new"] {
            write_whole(&path, &part, text.as_bytes(), 0o600).unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap(), part.exists()), (text.to_owned(), false));
        }
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777,
            0o600
        );
        // A folder has the name that the new file should have first.
        fs::create_dir(&part).unwrap();
        assert!(write_whole(&path, &part, b"newer", 0o600).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("none"), 4).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_file_has_one_writer_and_any_number_of_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let refused = |opened: io::Result<File>| opened.unwrap_err().kind();
        assert_eq!(refused(hold(&path)), ErrorKind::NotFound);
        let writer = open_to_write(&path).unwrap();
        assert_eq!(refused(open_to_write(&path)), ErrorKind::ResourceBusy);
        assert_eq!(refused(hold(&path)), ErrorKind::ResourceBusy);
        assert_eq!(read(&path, 9).unwrap(), b"");
        drop(writer);
        let holder = hold(&path).unwrap();
        assert_eq!(refused(open_to_write(&path)), ErrorKind::ResourceBusy);
        drop(holder);
        drop(hold(&path).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_takes_the_place_of_another_has_its_own_writer() {
        let folder = tempfile::tempdir().unwrap();
        let (path, part) = (folder.path().join("file"), folder.path().join("part"));
        fs::write(&path, "old").unwrap();
        let holder = hold(&path).unwrap();
        let writer = create(&part).unwrap();
        assert_eq!(create(&part).unwrap_err().kind(), ErrorKind::AlreadyExists);
        fs::rename(&part, &path).unwrap();
        drop(holder);
        assert_eq!(hold(&path).unwrap_err().kind(), ErrorKind::ResourceBusy);
        drop(writer);
        drop(hold(&path).unwrap());
    }

    #[test]
    fn one_file_is_known_under_each_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        fs::write(&path, "").unwrap();
        assert!(are_same(&path, &folder.path().join(".").join("file")));
        assert!(!are_same(&path, &other));
        fs::write(&other, "").unwrap();
        assert!(!are_same(&path, &other));
    }

    #[test]
    fn what_is_no_file_is_neither_waited_for_nor_read() {
        let folder = tempfile::tempdir().unwrap();
        for path in system::no_files(folder.path()) {
            for refused in [open(&path), open_to_write(&path)] {
                let kind = refused.unwrap_err().kind();
                assert!(
                    matches!(kind, ErrorKind::InvalidInput | ErrorKind::IsADirectory),
                    "{path:?}: {kind}"
                );
            }
        }
    }
}
