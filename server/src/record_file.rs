//! The file of a record: it replaces an older one only when there is something to write.
//!
//! So a server that can't start, because its port is taken say, leaves the record of the last match as it was.

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
        // What is no regular file, such as /dev/stdout, can't be emptied and need not be.
        if !std::mem::replace(&mut self.begun, true) && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
