//! A record as an archive: opened at once whatever its size, read a chunk at a time.
//!
//! At opening only the head and the tail are read. A record without a footer opens up to its last whole line,
//! and [`WatchedRecord::refresh`] looks whether more was written; its keyframes come from the scan, as
//! those of an index that lies, which is forgotten. Tested in `gui/zappy/tests/archive/record_file.rs`.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use zappy_protocol::Tick;
use zappy_protocol::record::{
    BadHead, BadRecord, FORMAT_VERSION, Footer, HEAD_BYTES, Head, Header, RecordLevel, read_head,
};

use super::archive::{Archive, Keyframe, READ_BYTES, keep_whole_lines};
use super::medium::Medium;
use super::tape::Tape;
use super::tempo::TurnPace;
use super::{index, notes};

/// Why a file can't be watched.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file, or it can't be read.
    #[error("{path}: {error}; give the path of a record (.zrec) that you may read")]
    Unreadable { path: PathBuf, error: io::Error },
    /// It is a folder or something else than a file.
    #[error("{0} is no file; give the path of a record (.zrec)")]
    NoFile(PathBuf),
    #[error(
        "{0} is empty; a server writes its record while it plays, so wait for the match to begin or record it again"
    )]
    Empty(PathBuf),
    /// Its first line is another one.
    #[error(
        "{path} is no record: it begins with \"{first}\", a record with \"zrec {FORMAT_VERSION}\"; \
             zappy_server --record FILE --record-level full writes one"
    )]
    NoRecord {
        path: PathBuf,
        /// How it begins, escaped and cut.
        first: String,
    },
    /// Another version of the format.
    #[error(
        "{path} is a record of format {found}, this observer reads format {FORMAT_VERSION}; \
             watch it with the observer of the version that wrote it"
    )]
    Version {
        path: PathBuf,
        /// Its version, escaped and cut.
        found: String,
    },
    /// It holds no messages to observers.
    #[error(
        "{0} holds inputs alone, as with --record-level inputs or while its match is played, and nothing to watch; \
             zappy_arena expand {0} --out full.zrec makes a full record of it, and --record-level full records one"
    )]
    InputsOnly(PathBuf),
    /// The head is cut off or spoilt.
    #[error("{path}: {error}; the head of the record is spoilt, so take another copy of it")]
    Head { path: PathBuf, error: BadHead },
}

/// The part of a record's file that a reader may share with others.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub file: Arc<Medium>,
    pub begin: u64,
    pub end: u64,
}

impl Section {
    /// Looks whether more was written; returns whether there was.
    pub(super) fn grow(&mut self) -> io::Result<bool> {
        let length = self.file.length()?;
        if length <= self.end {
            return Ok(false);
        }
        let tail = index::tail(&self.file, self.begin, length)?;
        let more = tail.end > self.end || tail.footer.is_some();
        self.end = self.end.max(tail.end);
        Ok(more)
    }
}

impl Tape for Section {
    fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        if at < self.begin {
            return Err(io::ErrorKind::NotFound.into());
        }
        let length = usize::try_from(self.end.saturating_sub(at)).unwrap_or(READ_BYTES).min(READ_BYTES);
        out.resize(length, 0);
        let filled = self.file.read_at(at, out)?;
        out.truncate(filled);
        keep_whole_lines(out);
        Ok(())
    }
}

/// A record that can be watched.
#[derive(Debug)]
pub struct WatchedRecord {
    pub path: PathBuf,
    /// The folder of the notes of its bots.
    pub notes: PathBuf,
    /// The settings of the match.
    pub header: Header,
    pub(super) section: Section,
    length: u64,
    last_tick: Tick,
    /// How the match ended; `None` in a record that was cut off or is still written.
    pub footer: Option<Footer>,
    /// Whether lines were changed after the match, so that its index points elsewhere.
    pub changed: bool,
    /// In their order, without the opening snapshot.
    pub keyframes: Vec<Keyframe>,
    /// How ticks are shown, where a game's turns have a pace of their own.
    pace: Option<TurnPace>,
}

impl WatchedRecord {
    /// Opens a record; reads little of it, whatever its size.
    ///
    /// # Errors
    /// Says what the file is instead, and the remedy.
    pub fn open(path: &Path) -> Result<WatchedRecord, OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_owned(), error };
        // Opening a pipe that no process writes to would wait without end.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(OpenError::NoFile(path.to_owned()));
        }
        let file = File::open(path).map_err(unreadable)?;
        WatchedRecord::of(path, Medium::File(file), notes::beside(path))
    }

    /// Opens a record that lies in memory under that name. It has no notes beside it and doesn't grow.
    ///
    /// # Errors
    /// As [`WatchedRecord::open`].
    pub fn in_memory(name: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Result<WatchedRecord, OpenError> {
        WatchedRecord::of(Path::new(name), Medium::Memory(bytes.into()), PathBuf::new())
    }

    fn of(path: &Path, file: Medium, notes: PathBuf) -> Result<WatchedRecord, OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_owned(), error };
        let length = file.length().map_err(unreadable)?;
        let mut first = vec![0; HEAD_BYTES];
        let filled = file.read_at(0, &mut first).map_err(unreadable)?;
        let Head { header, bytes, .. } = head(path, &first[..filled])?;
        let begin = bytes as u64;
        let tail = index::tail(&file, begin, length).map_err(unreadable)?;
        Ok(WatchedRecord {
            path: path.to_owned(),
            notes,
            header,
            section: Section { file: Arc::new(file), begin, end: tail.end },
            length,
            last_tick: tail.last_tick,
            changed: tail.footer.is_some() && tail.keyframes.is_none(),
            footer: tail.footer,
            keyframes: tail.keyframes.unwrap_or_default(),
            pace: None,
        })
    }

    /// When it was written last, where that is known.
    pub fn modified(&self) -> Option<SystemTime> {
        self.section.file.modified()
    }

    /// Bytes that can be watched.
    pub fn bytes(&self) -> u64 {
        self.section.end - self.section.begin
    }

    /// Shows turns at this pace, which a scan found so far.
    pub fn pace(&mut self, pace: TurnPace) {
        self.pace = Some(pace);
    }

    /// Looks whether more was written; returns whether there was. Costs one look at the file's length if not.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn refresh(&mut self) -> io::Result<bool> {
        if self.footer.is_some() {
            return Ok(false);
        }
        let length = self.section.file.length()?;
        if length <= self.length {
            return Ok(false);
        }
        let tail = index::tail(&self.section.file, self.section.begin, length)?;
        self.length = length;
        self.section.end = self.section.end.max(tail.end);
        self.last_tick = self.last_tick.max(tail.last_tick);
        self.footer = tail.footer;
        if let Some(keyframes) = tail.keyframes {
            self.keyframes = keyframes;
        }
        Ok(true)
    }
}

fn head(path: &Path, bytes: &[u8]) -> Result<Head, OpenError> {
    let path = || path.to_owned();
    let head = read_head(bytes).map_err(|error| match error {
        BadHead::Empty => OpenError::Empty(path()),
        BadHead::Foreign(first) => OpenError::NoRecord { path: path(), first },
        BadHead::Header(BadRecord::Format(first)) => {
            OpenError::Version { path: path(), found: first.trim_start_matches("zrec ").to_owned() }
        }
        error => OpenError::Head { path: path(), error },
    })?;
    if head.header.level == RecordLevel::Inputs {
        return Err(OpenError::InputsOnly(path()));
    }
    Ok(head)
}

impl Tape for WatchedRecord {
    fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
        self.section.read(at, out)?;
        let known = self.keyframes.binary_search_by_key(&at, |keyframe| keyframe.at);
        if let Ok(number) = known
            && !index::stands(&self.section.file, self.keyframes[number])
        {
            // One lie is enough: all of them go until a scan has found the true ones.
            self.keyframes.clear();
            return Err(io::Error::new(io::ErrorKind::NotFound, "the record's index is wrong"));
        }
        Ok(())
    }
}

impl Archive for WatchedRecord {
    fn first(&self) -> Keyframe {
        Keyframe { tick: 0, at: self.section.begin }
    }

    fn keyframe_before(&self, tick: Tick) -> Keyframe {
        let shown = |known: &Keyframe| self.shown(known.at, known.tick);
        let after = self.keyframes.partition_point(|known| shown(known) < tick);
        let found = after.checked_sub(1).map(|number| self.keyframes[number]);
        found.map_or(self.first(), |known| Keyframe { tick: shown(&known), ..known })
    }

    fn shown(&self, at: u64, tick: Tick) -> Tick {
        self.pace.as_ref().map_or(tick, |pace| pace.shown(at, tick))
    }

    fn end(&self) -> u64 {
        self.section.end
    }

    fn last_tick(&self) -> Tick {
        self.pace.as_ref().map_or(self.last_tick, |pace| pace.last)
    }

    fn has_dialogue(&self) -> bool {
        true
    }
}
