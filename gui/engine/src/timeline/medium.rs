//! The bytes of a record, wherever they lie: in a file, or in memory where there is none.
//!
//! Read at any place by any number of readers; what lies in memory never grows. Tested through `record_file`.

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

    /// When they were written last, where that is known.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        let Medium::File(file) = self else { return None };
        file.metadata().and_then(|data| data.modified()).ok()
    }

    /// Fills the buffer from that place on, as far as they go.
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

/// Fills the buffer from that place of a file on, as far as it goes.
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
