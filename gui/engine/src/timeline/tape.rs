//! Reading an archive's tape line by line.
//!
//! Holds one chunk of the tape in memory and never more. Takes any bytes; what a line says is read with
//! [`zappy_protocol::record::Glance`]. Tested in this module.

use std::io::{self, BufRead as _};

/// Lines one after the other, each at a place that never changes.
pub trait Tape {
    /// Replaces `out` with whole lines from the place `at` on, at most [`READ_BYTES`](super::archive::READ_BYTES)
    /// of them; with nothing at the end. A line that is longer comes in pieces.
    ///
    /// # Errors
    /// `NotFound` when this part of the past was forgotten or was never there; else what the disk says.
    fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()>;
}

/// A place on the tape from which lines are read one after the other.
#[derive(Debug, Clone, Default)]
pub struct Cursor {
    /// Where the chunk begins on the tape, in bytes.
    base: u64,
    chunk: Vec<u8>,
    used: usize,
    /// Bytes of the line at hand, its end included; 0 when it isn't known yet.
    line: usize,
}

impl Cursor {
    /// A cursor at the beginning of a line.
    pub fn new(at: u64) -> Cursor {
        Cursor { base: at, ..Cursor::default() }
    }

    /// The place of the line at hand, in bytes from the tape's beginning.
    pub fn place(&self) -> u64 {
        self.base + self.used as u64
    }

    /// Goes to the beginning of another line; what was read already isn't read again.
    pub fn go_to(&mut self, at: u64) {
        match at.checked_sub(self.base).and_then(|offset| usize::try_from(offset).ok()) {
            Some(offset) if offset <= self.chunk.len() => (self.used, self.line) = (offset, 0),
            _ => *self = Cursor::new(at),
        }
    }

    /// The line at hand without its end; nothing at the end of the tape. It stays at hand until
    /// [`Cursor::step`].
    ///
    /// # Errors
    /// As [`Tape::read`].
    pub fn line(&mut self, tape: &mut dyn Tape) -> io::Result<Option<&[u8]>> {
        if self.used == self.chunk.len() {
            self.base = self.place();
            (self.used, self.line) = (0, 0);
            self.chunk.clear();
            tape.read(self.base, &mut self.chunk)?;
        }
        let rest = &self.chunk[self.used..];
        if rest.is_empty() {
            return Ok(None);
        }
        // The standard library's fastest way to a line's end.
        let mut after = rest;
        self.line = after.skip_until(b'\n').unwrap_or(rest.len());
        Ok(Some(rest[..self.line].strip_suffix(b"\n").unwrap_or(rest)))
    }

    /// Steps over lines that hold no message to all observers, as far as they were read already, and says how
    /// many bytes those were. In the record of a crowded match that is nearly everything.
    pub fn skip_unpublished(&mut self) -> usize {
        let rest = &self.chunk[self.used..];
        let mut from = 0;
        // A search for the next star is faster than a walk line by line, because stars are rare.
        let skipped = loop {
            let mut after = &rest[from..];
            let count = after.skip_until(b'*').unwrap_or(0);
            from += count;
            if count == 0 || rest[from - 1] != b'*' {
                break rest.len();
            }
            // The star is a mark if a tick and a space stand before it at the beginning of a line.
            let before = rest[..from - 1].strip_suffix(b" ").unwrap_or_default();
            let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let start = before.len() - digits;
            if digits > 0 && (start == 0 || rest[start - 1] == b'\n') {
                break start;
            }
        };
        self.used += skipped;
        self.line = 0;
        skipped
    }

    /// Goes on to the next line and says how many bytes that was.
    pub fn step(&mut self) -> usize {
        self.used += self.line;
        std::mem::take(&mut self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zappy_protocol::Tick;
    use zappy_protocol::record::Glance;

    struct Bytes(Vec<u8>);

    impl Tape for Bytes {
        fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
            out.extend_from_slice(&self.0[usize::try_from(at).unwrap_or(usize::MAX)..]);
            Ok(())
        }
    }

    fn published(tape: &mut Bytes, skipping: bool) -> Vec<(u64, Tick)> {
        let (mut cursor, mut found) = (Cursor::new(0), Vec::new());
        while let Some(line) = cursor.line(tape).unwrap() {
            if let Glance::Published(tick, _) = Glance::at(line) {
                found.push((cursor.place(), tick));
            }
            cursor.step();
            if skipping {
                cursor.skip_unpublished();
            }
        }
        found
    }

    #[test]
    fn skipping_misses_no_message() {
        let text = "= bct * 1\n1 > 0 a * b\n*\n2 * smg *\n2 *\n3 * x\n * y\n4 > 4 4 * z\n12 * z\n5 k\n* ";
        let mut tape = Bytes(text.as_bytes().to_vec());
        assert_eq!(published(&mut tape, true).iter().map(|found| found.1).collect::<Vec<_>>(), [2, 3, 12]);
        assert_eq!(published(&mut tape, true), published(&mut tape, false));
    }

    proptest! {
        #[test]
        fn skipping_finds_what_reading_finds(words in proptest::collection::vec("[*1> \n]{0,3}|1 [*] x\n", 0..40)) {
            let mut tape = Bytes(words.concat().into_bytes());
            prop_assert_eq!(published(&mut tape, true), published(&mut tape, false));
        }
    }
}
