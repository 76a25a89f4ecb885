//! Files that people name: opened without waiting, and read up to a limit.
//!
//! Files that are named on a command line, or lie where another program could have put them, are read through here. A pipe could wait without end and a device has no end, so neither is a file. Tested in this module.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// Opens a file to be read; never waits for the other end of a pipe.
///
/// # Errors
/// It can't be opened, or is a folder, a pipe or a device.
pub fn open(path: &Path) -> io::Result<File> {
    only_file(OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?)
}

/// Opens a file to be written, or makes it; what stands in it stays there.
///
/// # Errors
/// It can't be opened or made, or is a folder, a pipe or a device.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).custom_flags(OFlag::O_NONBLOCK.bits());
    match options.open(path) {
        // A pipe that no program reads.
        Err(error) if error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32) => Err(no_file()),
        opened => only_file(opened?),
    }
}

fn only_file(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
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
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [&pipe, Path::new("/dev/zero"), folder.path()] {
            for refused in [open(path), open_to_write(path)] {
                let kind = refused.unwrap_err().kind();
                assert!(
                    matches!(kind, ErrorKind::InvalidInput | ErrorKind::IsADirectory),
                    "{path:?}: {kind}"
                );
            }
        }
    }
}
