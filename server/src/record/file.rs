//! Files of records. They are written so that a failed write spoils nothing that was written before it; those that are
//! read may be too long, or no records at all.
//!
//! Doesn't decide what is written. Tested in this module, in `simulation`, `tests/rules/records.rs` and
//! `tests/sockets.rs`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::files;

/// The longest record, in bytes, so that no client can fill the disk with junk.
pub const MAX_RECORD_BYTES: u64 = 2 << 30;
/// The longest line of a record, in bytes, about: longer than any answer to `Look`.
pub const MAX_LINE_BYTES: usize = 16 << 20;
/// The first bytes of every record.
pub const MAGIC: &[u8] = b"zrec ";
/// Bytes that are read at a time, after which the length of the last line is checked.
const CHUNK_BYTES: u64 = 4 << 20;

/// Where a record is written: a file, or something that behaves as one.
pub trait Medium: Write {
    /// How many bytes were written so far.
    ///
    /// # Errors
    /// The system's.
    fn length(&mut self) -> io::Result<u64>;

    /// Cuts off everything behind the first `length` bytes.
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
    written: u64,
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
        RecordFile { medium, written: 0 }
    }

    /// Removes the contents of the file, which belong to another match. Called when this match is about to begin.
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
            // A line of which only a part was written is cut off, so that the record ends with a whole line.
            let written = self.medium.length().unwrap_or(0).saturating_sub(self.written);
            let written = bytes.len().min(usize::try_from(written).unwrap_or(0));
            let lines = bytes[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let _ = self.medium.cut(self.written + lines as u64);
            return Err(error);
        }
        self.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.medium.flush()
    }
}

/// Reads a whole record. Of a file without [`MAGIC`] only the first chunk is read.
///
/// # Errors
/// It can't be read, or it or one of its lines is longer than any record's.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let invalid = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    let file = files::open(path)?;
    let length = file.metadata()?.len();
    let (mut file, mut bytes, mut line_start) = (file.take(MAX_RECORD_BYTES + 1), Vec::new(), 0);
    loop {
        let before = bytes.len();
        file.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)?;
        if bytes.len() == before {
            return Ok(bytes);
        }
        if before == 0 {
            if !bytes.starts_with(MAGIC) {
                return Ok(bytes);
            }
            bytes.reserve_exact(
                usize::try_from(length.min(MAX_RECORD_BYTES)).unwrap_or(0).saturating_sub(bytes.len()),
            );
        }
        if bytes.len() as u64 > MAX_RECORD_BYTES {
            return Err(invalid(format!("no record is longer than {MAX_RECORD_BYTES} bytes")));
        }
        let newline = bytes[before..].iter().rposition(|&byte| byte == b'\n');
        line_start = newline.map_or(line_start, |newline| before + newline + 1);
        if bytes.len() - line_start > MAX_LINE_BYTES {
            return Err(invalid(format!(
                "this is no record: it holds a line of more than {MAX_LINE_BYTES} bytes"
            )));
        }
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
