//! The bytes of a record: in a file, or in memory.
//!
//! Any number of readers read at any place; bytes in memory never grow. Tested through `record_file`.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::time::SystemTime;

/// The bytes of a record.
#[derive(Debug)]
pub(super) enum Medium {
    /// In a file, which may grow.
    File(File),
    /// In memory: the sample, and every record in the browser.
    Memory(Cow<'static, [u8]>),
}

impl Medium {
    pub(super) fn length(&self) -> io::Result<u64> {
        match self {
            Medium::File(file) => Ok(file.metadata()?.len()),
            Medium::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// When the bytes were last written; `None` for memory, and if the system doesn't know.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        let Medium::File(file) = self else { return None };
        file.metadata().and_then(|data| data.modified()).ok()
    }

    /// Fills the buffer with the bytes from place `at` on, and returns how many there were; fewer only at the end.
    pub(super) fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Medium::File(file) => read_at(file, at, buffer),
            Medium::Memory(bytes) => {
                let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }
}

/// Fills the buffer with a file's bytes from place `at` on, and returns how many there were; fewer only at the file's
/// end.
pub(super) fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match positioned(file, at + filled as u64, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn positioned(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn positioned(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(not(any(unix, windows)))]
fn positioned(_file: &File, _at: u64, _buffer: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
