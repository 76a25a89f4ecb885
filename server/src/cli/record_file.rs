//! The file of a record: inputs while the match is played, and afterwards the full record made of them.
//!
//! The full record takes the place of the inputs at once, when it is whole; where it can't be made, the inputs stay. A
//! failed write takes nothing of what was written before with it. Tested in this module and in `tests/sockets.rs`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use zappy_protocol::record::RecordLevel;
use zappy_server::files;
use zappy_server::game::GameSpec;
use zappy_server::record;

/// The longest record of inputs of which the server makes the full one, in bytes: both must be done within the time that
/// a server may take to end.
const FULL_INPUTS: u64 = 64 << 20;
/// The longest full record that it makes of them, in bytes.
const FULL_BYTES: u64 = 512 << 20;

/// The file of the match that is played. Only whole lines are written to it at once.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    /// Bytes that were written without an error.
    whole: u64,
}

impl RecordFile {
    /// Opens the file, or makes it; what stands in it stays until [`RecordFile::empty`].
    ///
    /// # Errors
    /// It can't be written, or is no file: a pipe that isn't read would hold the match up.
    pub fn open(path: &Path) -> io::Result<RecordFile> {
        Ok(RecordFile { file: files::open_to_write(path)?, whole: 0 })
    }

    /// The match is about to begin: what stands in the file is of another one.
    ///
    /// # Errors
    /// The system's.
    pub fn empty(&self) -> io::Result<()> {
        self.file.set_len(0)
    }
}

impl Write for RecordFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.file.write_all(bytes) {
            // A line that was begun goes again, so that the record ends with a whole one.
            let written = self.file.stream_position().unwrap_or(0).saturating_sub(self.whole);
            let written = bytes.len().min(usize::try_from(written).unwrap_or(0));
            let lines = bytes[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let _ = self.file.set_len(self.whole + lines as u64);
            return Err(error);
        }
        self.whole += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A new record that is written beside an older one. When it is ready it replaces the older one.
#[derive(Debug)]
pub struct Part {
    part: PathBuf,
    /// What a link leads to is replaced, not the link.
    place: PathBuf,
    put: bool,
}

impl Part {
    /// A file beside that one.
    ///
    /// # Errors
    /// There is no such file.
    pub fn beside(path: &Path) -> io::Result<Part> {
        let place = fs::canonicalize(path)?;
        Ok(Part { part: beside(&place), place, put: false })
    }

    /// The new file.
    ///
    /// # Errors
    /// It can't be made.
    pub fn file(&self) -> io::Result<RecordFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(&self.part)?;
        Ok(RecordFile { file, whole: 0 })
    }

    /// Puts it into its place.
    ///
    /// # Errors
    /// The system's; then the other one stays.
    pub fn put(mut self) -> io::Result<()> {
        fs::set_permissions(&self.part, fs::metadata(&self.place)?.permissions())?;
        fs::rename(&self.part, &self.place)?;
        self.put = true;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.put {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Puts the full record in the place of its inputs.
///
/// # Errors
/// It would be too long, or can't be written. Then the inputs stay.
pub fn make_full(path: &Path, games: &'static [GameSpec]) -> Result<()> {
    let inputs = files::read(path, FULL_INPUTS)?;
    let part = Part::beside(path)?;
    write_full(&inputs, part.file()?, games)?;
    part.put().context("it can't be put in its place")
}

/// Where it is made: in the same folder, and hidden.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

fn write_full(inputs: &[u8], file: RecordFile, games: &'static [GameSpec]) -> Result<()> {
    let mut out = Bounded { out: BufWriter::new(file), left: FULL_BYTES };
    let made = record::expand(inputs, games, RecordLevel::Full, &mut out)?;
    out.flush()?;
    ensure!(made.complete, "its inputs have no end");
    Ok(())
}

/// Takes no more than a number of bytes.
struct Bounded<W> {
    out: W,
    left: u64,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::other(format!("it would be longer than {FULL_BYTES} bytes")));
        };
        self.left = left;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn what_is_no_record_of_inputs_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        fs::write(&path, "zrec 3\n").unwrap();
        make_full(&path, zappy_server::games::GAMES).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"zrec 3\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
    }
}
