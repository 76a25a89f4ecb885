//! The file of a record: inputs while the match is played, and afterwards the full record made of them.
//!
//! The full record takes the place of the inputs at once, when it is whole and on the disk; where it can't be made, the
//! inputs stay. As long as a record is written, no other server writes it.
//! Tested in this module and in `tests/sockets.rs`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::files::{self, Bounded};
use crate::games::GameTable;
use crate::record::{self, RecordFile};
use anyhow::{Context, Result, ensure};
use zappy_protocol::record::{RecordLevel, read_footer};

/// The longest record of inputs of which the server makes the full one, in bytes: both must be done within the time that
/// a server may take to end.
const FULL_INPUTS: u64 = 64 << 20;
/// The longest full record that it makes of them, in bytes.
const FULL_BYTES: u64 = 512 << 20;

/// Records of one name that were cut off and lie aside.
const MOST_ASIDE: usize = 100;

/// Opens the record of a match that is about to begin, as the one server that writes it. Its contents stay.
///
/// # Errors
/// As [`RecordFile::open`].
pub fn open(path: &Path) -> io::Result<RecordFile> {
    let file = RecordFile::open(path)?;
    // A server that was killed while it made the full record may have left that behind.
    let _ = fs::canonicalize(path).and_then(|place| fs::remove_file(part_of(&place)));
    Ok(file)
}

/// The match begins, and its file holds another match. A record that was cut off is put aside, since its match
/// could go on.
///
/// # Errors
/// The older one can't be put aside, or the file can't be emptied.
pub fn begin(path: &Path, mut file: RecordFile) -> Result<RecordFile> {
    if !is_cut_off(path).context("the record that stands there can't be read")? {
        file.empty().context("the record can't be emptied")?;
        return Ok(file);
    }
    let place = fs::canonicalize(path)?;
    let named = || format!("{} was cut off, and can't be put aside", place.display());
    let mut names = (1..=MOST_ASIDE).map(|number| beside(&place, "", &format!(".cut-off-{number}")));
    let aside = names.find(|name| !name.exists());
    let aside =
        aside.context("there are too many beside it; remove what isn't needed").with_context(named)?;
    fs::rename(&place, &aside).with_context(named)?;
    log::warn!(
        "{} held a match whose server was killed: it lies in {} now, and goes on with --resume",
        path.display(),
        aside.display()
    );
    Ok(RecordFile::new(files::create(&place).with_context(named)?))
}

/// Whether that is a record without its end.
fn is_cut_off(path: &Path) -> io::Result<bool> {
    let mut file = files::open(path)?;
    let length = file.metadata()?.len();
    let mut read = |from: u64, to: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        (&mut file).take(to - from).read_to_end(&mut bytes)?;
        io::Result::Ok(bytes)
    };
    Ok(read(0, record::MAGIC.len() as u64)? == record::MAGIC && read_footer(length, read)?.is_none())
}

/// A new record that is written beside an older one, which the caller holds. When it is ready it replaces the older one.
#[derive(Debug)]
pub struct Part {
    file: File,
    part: PathBuf,
    /// What a link leads to is replaced, not the link.
    place: PathBuf,
    put: bool,
}

impl Part {
    /// A file beside that one. It has a name of its own, so that one which was left behind there is replaced.
    ///
    /// # Errors
    /// It can't be made.
    pub fn beside(path: &Path) -> Result<Part> {
        let place = fs::canonicalize(path)?;
        let part = part_of(&place);
        let file = match fs::remove_file(&part) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => files::create(&part),
        };
        let part_name = part.display();
        let file = file.with_context(|| {
            format!("{part_name} can't be made, into which the new record goes first; let new files be made there, or remove what is in its place")
        })?;
        Ok(Part { file, part, place, put: false })
    }

    /// The new file, to be written. It stays this program's until this is closed, too.
    ///
    /// # Errors
    /// The system's.
    pub fn record(&self) -> io::Result<RecordFile> {
        Ok(RecordFile::new(self.file.try_clone()?))
    }

    /// Puts it into the place of the older one, which is no longer held then, once the disk has all of it.
    ///
    /// # Errors
    /// The system's; then the older one stays.
    pub fn put<T>(mut self, held: T) -> Result<()> {
        let put = || {
            fs::set_permissions(&self.part, fs::metadata(&self.place)?.permissions())?;
            // Windows may refuse to replace a file that is open.
            let held = Some(held).filter(|_| !cfg!(windows));
            files::put(&self.file, &self.part, &self.place)?;
            drop(held);
            io::Result::Ok(())
        };
        put().context("the new record can't be put in its place, and the old one stays as it is")?;
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

/// Puts the full record in the place of its inputs, which are held.
///
/// # Errors
/// It would be too long, or can't be written. Then the inputs stay.
pub fn make_full(path: &Path, held: RecordFile, games: GameTable) -> Result<()> {
    let inputs = files::read(path, FULL_INPUTS)?;
    let part = Part::beside(path)?;
    let mut out = Bounded::new(BufWriter::new(part.record()?), FULL_BYTES);
    let made = record::expand(&inputs, games, RecordLevel::Full, &mut out)?;
    out.flush()?;
    ensure!(made.complete, "its inputs have no end");
    drop(out);
    part.put(held)
}

/// Where it is made: in the same folder, and hidden.
fn part_of(path: &Path) -> PathBuf {
    beside(path, ".", ".part")
}

fn beside(path: &Path, before: &str, behind: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(behind);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> GameTable {
        crate::games::GAMES
    }

    #[test]
    fn what_is_no_record_of_inputs_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        fs::write(&path, "zrec 3\n").unwrap();
        make_full(&path, open(&path).unwrap(), games()).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"zrec 3\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left over");
    }

    #[test]
    fn what_a_killed_server_left_behind_is_replaced_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, left) = (folder.path().join("match.zrec"), folder.path().join(".match.zrec.part"));
        fs::write(&path, "old").unwrap();
        fs::write(&left, "left behind, and longer").unwrap();
        let part = Part::beside(&path).unwrap();
        part.record().unwrap().write_all(b"new").unwrap();
        part.put(()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::write(&left, "left behind").unwrap();
        drop(open(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!left.exists());
    }

    #[test]
    fn what_stands_in_the_way_is_named_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, way) = (folder.path().join("match.zrec"), folder.path().join(".match.zrec.part"));
        fs::write(&path, "old").unwrap();
        fs::create_dir(&way).unwrap();
        let error = format!("{:#}", Part::beside(&path).unwrap_err());
        assert!(error.starts_with(&format!("{} can't be made", way.display())), "{error}");
        assert!(way.is_dir() && fs::read(&path).unwrap() == b"old");
    }

    #[test]
    fn a_record_stays_its_server_s_when_a_new_one_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.zrec");
        fs::write(&path, "old").unwrap();
        let held = files::hold(&path).unwrap();
        let part = Part::beside(&path).unwrap();
        let record = part.record().unwrap();
        part.put(held).unwrap();
        assert_eq!(open(&path).unwrap_err().kind(), ErrorKind::ResourceBusy);
        drop(record);
        drop(open(&path).unwrap());
    }
}
