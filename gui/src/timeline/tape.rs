//! Reading an archive's tape: line by line, and what a line says at a glance.
//!
//! Holds one chunk of the tape in memory and never more. Takes any bytes: what is no line of a record is
//! [`Line::Broken`]. Tested in this module.

use std::borrow::Cow;
use std::io::{self, BufRead as _};

use zappy_protocol::Tick;
use zappy_protocol::record::{RecordLine, unescaped};

/// Ticks beyond this one are nonsense: no match is that long, and a fractional tick could not name them.
pub const MAX_TICK: Tick = 1 << 53;

/// Lines one after the other, each at a place that never changes.
pub trait Tape {
    /// Replaces `out` with whole lines from the place `at` on, at most [`READ_BYTES`](super::archive::READ_BYTES)
    /// of them; with nothing at the end. A line that is longer comes in pieces.
    ///
    /// # Errors
    /// `NotFound` when this part of the past was forgotten or was never there; else what the disk says.
    fn read(&mut self, at: u64, out: &mut Vec<u8>) -> io::Result<()>;
}

/// What a line of the tape says, with as little work as possible.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A message to all observers.
    Published(Tick, Cow<'a, [u8]>),
    /// A line of the snapshot that stands here.
    Snapshot(Cow<'a, [u8]>),
    /// A snapshot of that tick follows.
    Keyframe(Tick),
    /// Something between the server and one seat; [`RecordLine::parse`] says what.
    Seat(Tick),
    /// Part of a record's head or foot; [`RecordLine::parse`] says which.
    Other,
    /// No line of a record.
    Broken,
}

impl Line<'_> {
    /// What a line without its end says.
    #[must_use]
    pub fn glance(line: &[u8]) -> Line<'_> {
        if let Some(text) = line.strip_prefix(b"= ") {
            return plain(text).map_or(Line::Broken, Line::Snapshot);
        }
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return if RecordLine::parse(line).is_ok() { Line::Other } else { Line::Broken };
        }
        let Some(tick) = tick(&line[..digits]) else { return Line::Broken };
        match &line[digits..] {
            [b' ', b'*', b' ', text @ ..] => {
                plain(text).map_or(Line::Broken, |text| Line::Published(tick, text))
            }
            b" k" => Line::Keyframe(tick),
            [b' ', b'<' | b'>' | b'+' | b'-' | b'.' | b'?' | b'x' | b'~', b' ', ..] => Line::Seat(tick),
            [b' ', b'e', ..] if RecordLine::parse(line).is_ok() => Line::Other,
            _ => Line::Broken,
        }
    }
}

fn tick(digits: &[u8]) -> Option<Tick> {
    let tick = digits
        .iter()
        .try_fold(0, |tick: Tick, &digit| tick.checked_mul(10)?.checked_add(u64::from(digit - b'0')))?;
    Some(tick).filter(|&tick| tick <= MAX_TICK)
}

/// Most lines hold nothing escaped and are taken as they are.
fn plain(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if text.contains(&b'\\') { unescaped(text).map(Cow::Owned) } else { Some(Cow::Borrowed(text)) }
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
    #[must_use]
    pub fn new(at: u64) -> Cursor {
        Cursor { base: at, ..Cursor::default() }
    }

    /// The place of the line at hand, in bytes from the tape's beginning.
    #[must_use]
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
    use zappy_protocol::record::{Entry, Seat};

    fn text(line: &str) -> Line<'_> {
        Line::glance(line.as_bytes())
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(text("= msz 2 2"), Line::Snapshot(Cow::Borrowed(b"msz 2 2")));
        assert_eq!(text("12 * pbc #0 \\x5c"), Line::Published(12, Cow::Borrowed(b"pbc #0 \\")));
        assert_eq!(text("12 k"), Line::Keyframe(12));
        for seat in ["1 < 0 Look", "1 ? 0 why", "1 . 3", "1 + c x"] {
            assert_eq!(text(seat), Line::Seat(1), "{seat}");
        }
        for other in ["9 end time", "digest 0123456789abcdef", "keyframe 1 2", "begin", "team red"] {
            assert_eq!(text(other), Line::Other, "{other}");
        }
        for broken in [
            "",
            "12",
            "12 ",
            "x",
            "12 * \\x",
            "99999999999999999999 k",
            "9999999999999999 k",
            "1 k 2",
            "1 endless",
        ] {
            assert_eq!(text(broken), Line::Broken, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in any::<Vec<u8>>()) {
            let _ = Line::glance(&bytes);
        }

        #[test]
        fn a_glance_agrees_with_the_format(tick in 0..=MAX_TICK, mut bytes in any::<Vec<u8>>()) {
            // No message is empty.
            bytes.push(b'x');
            let line = RecordLine::Event(tick, Entry::Published(bytes.clone())).print();
            prop_assert_eq!(text(&line), Line::Published(tick, Cow::Owned(bytes.clone())));
            let line = RecordLine::Event(tick, Entry::Sent(Seat::Number(4), bytes)).print();
            prop_assert_eq!(text(&line), Line::Seat(tick));
        }
    }
}
