//! The file of a record: an older record is replaced only when the first bytes are written.
//!
//! So a server that can't start, for example because its port is taken, leaves the record of the last match as it
//! was. Tested in this module.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A file that is emptied by the first write.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    begun: bool,
}

impl RecordFile {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn open(path: &Path) -> io::Result<RecordFile> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        Ok(RecordFile { file, begun: false })
    }
}

impl Write for RecordFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only a regular file can be emptied; /dev/stdout, for example, can't and need not be.
        if !std::mem::replace(&mut self.begun, true) && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_record_stays_until_the_first_bytes_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        std::fs::write(&path, "an older record").unwrap();
        let mut file = RecordFile::open(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"an older record");
        file.write_all(b"new").unwrap();
        file.write_all(b"er").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
    }
}
