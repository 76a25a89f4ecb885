//! The file of the match that is played: a write that fails takes nothing of what was written before with it.
//!
//! Never decides what is written. Tested in this module, in `simulation` and in `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::files;

/// Where a record is written: a file, or something that behaves as one.
pub trait Medium: Write {
    /// How many bytes were written so far.
    ///
    /// # Errors
    /// The system's.
    fn length(&mut self) -> io::Result<u64>;

    /// Leaves so many bytes of what was written.
    ///
    /// # Errors
    /// The system's.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Medium for File {
    fn length(&mut self) -> io::Result<u64> {
        self.stream_position()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// The file of the match that is played. Only whole lines are written to it at once.
#[derive(Debug)]
pub struct RecordFile<M = File> {
    medium: M,
    /// Bytes that were written without an error.
    whole: u64,
}

impl RecordFile {
    /// Opens the file, or makes it, as the one program that writes it; its contents stay until
    /// [`RecordFile::empty`].
    ///
    /// # Errors
    /// It can't be written, another server writes it, or it is no file: a pipe that isn't read would hold the match up.
    pub fn open(path: &Path) -> io::Result<RecordFile> {
        Ok(RecordFile::new(files::open_to_write(path)?))
    }

    /// The same file, once the disk has all of it.
    ///
    /// # Errors
    /// The system's.
    pub fn synced(self) -> io::Result<RecordFile> {
        self.medium.sync_all().map(|()| self)
    }
}

impl<M: Medium> RecordFile<M> {
    /// A record on a medium to which nothing was written yet.
    pub const fn new(medium: M) -> RecordFile<M> {
        RecordFile { medium, whole: 0 }
    }

    /// The match is about to begin: the contents of the file belong to another match and go.
    ///
    /// # Errors
    /// The system's.
    pub fn empty(&mut self) -> io::Result<()> {
        self.medium.cut(0)
    }
}

impl<M: Medium> Write for RecordFile<M> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.medium.write_all(bytes) {
            // A line that was begun goes again, so that the record ends with a whole one.
            let written = self.medium.length().unwrap_or(0).saturating_sub(self.whole);
            let written = bytes.len().min(usize::try_from(written).unwrap_or(0));
            let lines = bytes[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let _ = self.medium.cut(self.whole + lines as u64);
            return Err(error);
        }
        self.whole += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.medium.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_older_record_stays_until_the_match_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        fs::write(&path, "an older record").unwrap();
        let mut file = RecordFile::open(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"an older record");
        file.empty().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        file.write_all(b"new").unwrap();
        file.write_all(b"er").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
    }
}
