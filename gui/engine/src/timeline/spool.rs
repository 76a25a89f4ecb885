//! The past of a live match as an archive: the newest part in memory, an older part in a temporary file; what is
//! older still is dropped.
//!
//! Never fails: on a full disk only the past becomes shorter. Tested in `gui/zappy/tests/archive/spool.rs`.

use std::collections::VecDeque;
use std::fs::File;
use std::io;

use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RecordLine};

use super::archive::{Archive, Keyframe, READ_BYTES, keep_whole_lines};
use super::fold::Fold;
use super::medium;
use super::tape::Tape;

/// How much of the past is kept.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes in memory: some minutes of a crowded match.
    pub memory: u64,
    /// Bytes in the temporary file: hours of a crowded match, and as much as the longest record.
    pub disk: u64,
    /// The least length of a segment, in bytes, as in a record.
    pub segment: u64,
    /// A segment is also at least this many times as long as its snapshot, so that snapshots stay a small
    /// part.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 64 << 20, disk: 2 << 30, segment: 256 * 1024, ratio: 8 }
    }
}

/// Where segments are written that are too old to stay in memory.
pub trait Store: Send {
    /// Writes all bytes at place `at`.
    ///
    /// # Errors
    /// When they can't be written, as the disk is full for example.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Fills the buffer with the bytes from place `at` on.
    ///
    /// # Errors
    /// When there are fewer bytes.
    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// A file without a name, made when it is first needed; the system removes it when the program ends.
#[derive(Debug, Default)]
struct TemporaryFile(Option<File>);

impl Store for TemporaryFile {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        use io::{Seek, Write};
        let file = match &mut self.0 {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(io::SeekFrom::Start(at))?;
        file.write_all(bytes)
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let file = self.0.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let filled = medium::read_at(file, at, bytes)?;
        if filled == bytes.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// A piece of the past; it begins with a snapshot.
#[derive(Debug)]
struct Segment {
    start: Keyframe,
    /// Whether the world began anew with this segment.
    anew: bool,
    /// Its length in bytes, also while it is in the store.
    length: u64,
    bytes: Vec<u8>,
    /// The segment's place in the store, in bytes; then `bytes` is empty.
    stored: Option<u64>,
}

impl Segment {
    /// Where it ends on the tape, in bytes.
    fn end(&self) -> u64 {
        self.start.at + self.length
    }
}

/// The past of a live match.
pub struct Spool {
    limits: Limits,
    store: Box<dyn Store>,
    /// The most bytes that the store can hold, as far as is known.
    capacity: u64,
    /// The place in the store for the next segment; after the capacity it is 0 again.
    next_stored: u64,
    /// Never empty; the last one grows.
    segments: VecDeque<Segment>,
    /// Bytes of all segments in memory.
    in_memory: u64,
    last_tick: Tick,
    /// Bytes of the snapshot with which the last segment begins.
    snapshot_bytes: u64,
    /// Whether the log says already that the store takes no more.
    has_warned: bool,
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (from, to) = (self.first_tick(), self.last_tick);
        write!(f, "Spool of {} segments, ticks {from} to {to}", self.segments.len())
    }
}

impl Spool {
    /// The past of a match that begins now, at that tick, with nothing known of its world.
    pub fn new(tick: Tick) -> Spool {
        Spool::with(tick, Limits::default(), Box::new(TemporaryFile::default()))
    }

    /// As [`Spool::new`], with other limits and another store.
    pub fn with(tick: Tick, limits: Limits, store: Box<dyn Store>) -> Spool {
        let mut spool = Spool {
            limits,
            store,
            capacity: limits.disk,
            next_stored: 0,
            segments: VecDeque::new(),
            in_memory: 0,
            last_tick: tick,
            snapshot_bytes: 0,
            has_warned: false,
        };
        spool.open_segment(tick, true, |_| {});
        spool
    }

    /// Takes in a line that came at that tick; `fold` is what is known after the line.
    pub fn append(&mut self, tick: Tick, line: &[u8], fold: &impl Fold) {
        self.last_tick = self.last_tick.max(tick);
        self.extend(&RecordLine::Event(self.last_tick, Entry::Published(line.to_vec())));
        let length = self.segments.back().map_or(0, |segment| segment.length);
        let full = self.limits.segment.max(self.limits.ratio * self.snapshot_bytes) + self.snapshot_bytes;
        if length > full {
            self.open_segment(self.last_tick, false, |line| fold.snapshot(line));
            self.shrink();
        }
    }

    /// The world begins anew at that tick, with what the fold knows, which doesn't follow from the lines before.
    pub fn begin_anew(&mut self, tick: Tick, fold: &impl Fold) {
        self.last_tick = self.last_tick.max(tick);
        self.open_segment(self.last_tick, true, |line| fold.snapshot(line));
        self.shrink();
    }

    /// Time passed up to that tick without lines.
    pub fn reach(&mut self, tick: Tick) {
        self.last_tick = self.last_tick.max(tick);
    }

    /// Adds a line to the last segment.
    fn extend(&mut self, line: &RecordLine) {
        if let Some(last) = self.segments.back_mut() {
            last.bytes.extend_from_slice(line.print().as_bytes());
            last.bytes.push(b'\n');
            self.in_memory += last.bytes.len() as u64 - last.length;
            last.length = last.bytes.len() as u64;
        }
    }

    /// Begins a new segment; `snapshot` hands over the lines of the snapshot with which it begins.
    fn open_segment(&mut self, tick: Tick, anew: bool, snapshot: impl FnOnce(&mut dyn FnMut(&[u8]))) {
        let start = Keyframe { tick, at: self.end() };
        self.segments.push_back(Segment { start, anew, length: 0, bytes: Vec::new(), stored: None });
        self.extend(&RecordLine::Keyframe(tick));
        snapshot(&mut |line| self.extend(&RecordLine::Snapshot(line.to_vec())));
        self.snapshot_bytes = self.segments.back().map_or(0, |segment| segment.length);
    }

    /// Moves the oldest segments in memory to the store until the memory's limit holds, but never the last segment.
    fn shrink(&mut self) {
        while self.in_memory > self.limits.memory {
            let oldest = self.segments.iter().position(|segment| segment.stored.is_none());
            let Some(number) = oldest.filter(|&number| number + 1 < self.segments.len()) else { return };
            let bytes = std::mem::take(&mut self.segments[number].bytes);
            self.in_memory -= bytes.len() as u64;
            // The oldest segments must go first, so that no gap is left.
            match self.store_segment(&bytes) {
                Some(at) => {
                    let oldest = self.segments.iter_mut().find(|segment| segment.stored.is_none());
                    if let Some(segment) = oldest {
                        segment.stored = Some(at);
                    }
                }
                None => {
                    let gone = self.segments.iter().take_while(|segment| segment.stored.is_some()).count();
                    self.segments.drain(..=gone);
                }
            }
        }
    }

    /// Writes a segment's bytes to the store, if need be over the oldest segments, and returns their place; `None` if
    /// they don't fit.
    fn store_segment(&mut self, bytes: &[u8]) -> Option<u64> {
        let length = bytes.len() as u64;
        for _ in 0..2 {
            if self.next_stored + length > self.capacity {
                self.next_stored = 0;
            }
            if length > self.capacity {
                return None;
            }
            let (from, to) = (self.next_stored, self.next_stored + length);
            let overlaps =
                |segment: &Segment| segment.stored.is_some_and(|at| at < to && from < at + segment.length);
            while self.segments.iter().any(overlaps) {
                self.segments.pop_front();
            }
            match self.store.write_at(from, bytes) {
                Ok(()) => {
                    self.next_stored = to;
                    return Some(from);
                }
                Err(error) if !std::mem::replace(&mut self.has_warned, true) => log::warn!(
                    "the past of the match can't all be kept in a temporary file: {error}; the oldest is forgotten"
                ),
                Err(_) => {}
            }
            // The store takes no more bytes: this is its capacity, and from now on the oldest segments are
            // overwritten.
            self.capacity = from;
        }
        None
    }

    /// The index of the segment at that place on the tape.
    fn segment_at(&self, at: u64) -> Option<usize> {
        let after = self.segments.partition_point(|segment| segment.start.at <= at);
        let number = after.checked_sub(1)?;
        (at <= self.segments[number].end()).then_some(number)
    }
}

impl Tape for Spool {
    fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let number = self.segment_at(at).ok_or(io::ErrorKind::NotFound)?;
        let segment = &self.segments[number];
        let offset = at - segment.start.at;
        let length = usize::try_from(segment.length - offset).unwrap_or(READ_BYTES).min(READ_BYTES);
        if let Some(stored) = segment.stored {
            out.resize(length, 0);
            self.store.read_at(stored + offset, out)?;
        } else {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let rest = segment.bytes.get(offset..).unwrap_or_default();
            out.extend_from_slice(&rest[..rest.len().min(length)]);
        }
        keep_whole_lines(out);
        Ok(())
    }
}

impl Archive for Spool {
    fn first(&self) -> Keyframe {
        self.segments.front().map_or(Keyframe { tick: self.last_tick, at: 0 }, |segment| segment.start)
    }

    fn keyframe_before(&self, tick: Tick) -> Keyframe {
        let after = self.segments.partition_point(|segment| segment.start.tick < tick);
        after.checked_sub(1).map_or(self.first(), |number| self.segments[number].start)
    }

    fn begins_anew(&self, at: u64) -> bool {
        self.segment_at(at).is_some_and(|number| {
            let segment = &self.segments[number];
            segment.start.at == at && segment.anew
        })
    }

    fn end(&self) -> u64 {
        self.segments.back().map_or(0, Segment::end)
    }

    fn last_tick(&self) -> Tick {
        self.last_tick
    }

    fn has_dialogue(&self) -> bool {
        false
    }
}
