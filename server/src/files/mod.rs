//! Files that people name: opened without waiting, and read up to a limit.
//!
//! Files that are named on a command line, or lie where another program could have put them, are read through here. A pipe could wait without end and a device has no end, so neither is a file. How they are told is
//! the system's: `unix` and `windows`. Tested in this module.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Opens a file to be read; never waits for the other end of a pipe.
///
/// # Errors
/// It can't be opened, or is a folder, a pipe or a device.
pub fn open(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

/// Opens a file to be written, or makes it; what stands in it stays there.
///
/// # Errors
/// It can't be opened or made, or is a folder, a pipe or a device.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().write(true).create(true).truncate(false), path)
}

fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match system::open(options, path) {
        Err(error) if system::is_pipe(&error) => Err(no_file()),
        opened => {
            let file = opened?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
        }
    }
}

fn no_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "this is a folder, a pipe or a device; give a file")
}

/// All of a file, if it has at most so many bytes; of a longer one little more is read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("none"), 4).unwrap_err().kind(), ErrorKind::NotFound);
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
