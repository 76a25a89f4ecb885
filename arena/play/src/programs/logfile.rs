//! A program's output on its way into a file that stays small.
//!
//! The arena drains the program's pipe, so that a program with a moderate output never blocks on it. Beyond the limit
//! nothing is written any more and the pipe is drained slowly, so that a program that floods its output only slows
//! itself. A disk that is full costs the log, never the match. Tested in this module.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::path::PathBuf;

use zappy_protocol::Tick;

use crate::os::{Pipe, Source};

/// The longest log of a bot's process, in bytes.
pub const BOT_LOG_LIMIT: u64 = 1 << 20;
/// The longest log of a server, in bytes.
pub const SERVER_LOG_LIMIT: u64 = 16 << 20;
/// The most places in a log of which the tick is noted.
const MOST_STAMPS: usize = 5_000;
/// Bytes that are read at once; a pipe usually holds no more.
const CHUNK: usize = 64 * 1024;
/// Bytes of an output's beginning, and of its end, that are kept in memory.
const KEPT_BYTES: usize = 4096;
/// Chunks that are read at most after a program has ended.
const FINISH_CHUNKS: usize = 16;

/// A file that is cut at a number of bytes.
#[derive(Debug)]
pub struct LogFile {
    pub path: PathBuf,
    /// `None` after a write has failed.
    file: Option<File>,
    /// Bytes of output in the file, at most `limit`.
    written: u64,
    limit: u64,
    /// Whether a part of the output was left out.
    pub cut: bool,
    /// How many bytes the log had at which tick, as far as that was noted; ascending.
    pub ticks: Vec<(u64, Tick)>,
}

impl LogFile {
    /// An empty file at that path; `limit` in bytes.
    pub fn create(path: PathBuf, limit: u64) -> io::Result<LogFile> {
        let file = Some(File::create(&path)?);
        Ok(LogFile { path, file, written: 0, limit, cut: false, ticks: Vec::new() })
    }

    /// Notes that what was written since the last call was printed at that tick.
    pub fn stamp(&mut self, tick: Tick) {
        let known = self.ticks.last().map_or(0, |(end, _)| *end);
        if self.written > known && self.ticks.len() < MOST_STAMPS {
            self.ticks.push((self.written, tick));
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.cut {
            return;
        }
        let room = usize::try_from(self.limit - self.written).unwrap_or(usize::MAX);
        let fits = &bytes[..bytes.len().min(room)];
        self.write(fits);
        self.written += fits.len() as u64;
        if fits.len() < bytes.len() {
            let limit = self.limit;
            self.write(format!("\n[cut by the arena: a log holds at most {limit} bytes]\n").as_bytes());
            self.cut = true;
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(bytes) {
            log::warn!("{}: {error}; the rest of this log is lost", self.path.display());
            self.file = None;
            self.cut = true;
        }
    }
}

/// The reading end of a program's output.
#[derive(Debug)]
pub struct Drain {
    pipe: Option<Pipe>,
    /// The first bytes and the last ones, for callers that look for something in them.
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
}

impl Drain {
    /// Reads from `pipe` without ever waiting, and keeps its first and last bytes at hand.
    pub fn new(pipe: PipeReader) -> io::Result<Drain> {
        Ok(Drain { pipe: Some(Pipe::new(pipe)?), head: Vec::new(), tail: Vec::new() })
    }

    /// The pipe as a source to wait for; `None` once it has ended, and where pipes can't be waited for.
    pub fn pollable(&self) -> Option<Source<'_>> {
        self.pipe.as_ref().and_then(Pipe::source)
    }

    /// Reads one chunk into the log. Gives whether there may be more.
    pub fn read(&mut self, log: &mut LogFile) -> bool {
        let Some(pipe) = &mut self.pipe else { return false };
        let mut chunk = [0; CHUNK];
        match pipe.read(&mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(n) => {
                let bytes = &chunk[..n];
                let room = KEPT_BYTES - self.head.len();
                self.head.extend_from_slice(&bytes[..n.min(room)]);
                self.tail.extend_from_slice(&bytes[n.saturating_sub(KEPT_BYTES)..]);
                let surplus = self.tail.len().saturating_sub(KEPT_BYTES);
                self.tail.drain(..surplus);
                log.append(bytes);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(_) => self.pipe = None,
        }
        false
    }

    /// Reads what an ended program left in the pipe, but not without end: programs that it started may still be writing.
    pub fn finish(&mut self, log: &mut LogFile) {
        if let Some(pipe) = &mut self.pipe {
            pipe.expect_end();
        }
        for _ in 0..FINISH_CHUNKS {
            if !self.read(log) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_and_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = LogFile::create(folder.path().join("a.log"), 10).unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        let mut drain = Drain::new(reader).unwrap();
        writer.write_all(b"0123456789").unwrap();
        assert!(drain.read(&mut log) && !log.cut);
        assert!(!drain.read(&mut log), "nothing more is there");
        for _ in 0..100 {
            writer.write_all(b"more").unwrap();
            drain.finish(&mut log);
        }
        assert!(log.cut);
        assert!(drain.head.starts_with(b"0123456789more") && drain.tail.ends_with(b"more"));
        let text = std::fs::read_to_string(&log.path).unwrap();
        assert_eq!(text, "0123456789\n[cut by the arena: a log holds at most 10 bytes]\n");
    }

    #[test]
    fn an_ended_pipe_is_no_longer_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let mut log = LogFile::create(folder.path().join("a.log"), 10).unwrap();
        let mut drain = Drain::new(reader).unwrap();
        drop(writer);
        assert!(!drain.read(&mut log) && drain.pollable().is_none());
    }
}
