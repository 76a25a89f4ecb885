//! Bytes in any chunks to bounded lines.
//!
//! A line ends with `\n`; a `\r` right before it is dropped unless it is to be kept. A line longer than the limit comes
//! out once, as [`Decoded::Overflow`], when its end is reached, and its bytes are not kept. Memory is bounded by the
//! limit plus what was pushed and not yet taken. Tested in this module.

#[derive(Debug, PartialEq, Eq)]
pub enum Decoded<'a> {
    /// A whole line without its end.
    Line(&'a [u8]),
    /// A line that was longer than the limit.
    Overflow,
}

/// Cuts a stream of bytes into lines of at most `limit` bytes, the end not counted.
#[derive(Debug, Default)]
pub struct LineDecoder {
    buffer: Vec<u8>,
    /// Bytes at the start of the buffer that were taken as lines.
    taken: usize,
    /// Bytes at the start of the buffer in which no further line ends.
    scanned: usize,
    limit: usize,
    overflowing: bool,
    keeps_returns: bool,
}

impl LineDecoder {
    /// A decoder for lines of up to `limit` bytes.
    pub fn new(limit: usize) -> LineDecoder {
        LineDecoder { limit, ..LineDecoder::default() }
    }

    /// From now on a `\r` right before a line's end belongs to the line.
    pub fn keep_returns(&mut self) {
        self.keeps_returns = true;
    }

    /// Adds bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.compact();
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes that were pushed and are not part of a line taken so far.
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.taken
    }

    /// Whether the unfinished line is too long already.
    pub fn is_overflowing(&self) -> bool {
        self.overflowing
    }

    /// The next whole line, if there is one.
    pub fn next_line(&mut self) -> Option<Decoded<'_>> {
        let start = self.taken;
        let Some(end) = self.buffer[self.scanned..].iter().position(|&b| b == b'\n') else {
            self.scanned = self.buffer.len();
            // A line that is already too long need not be kept until its end comes. A line of one byte more than the
            // limit may end with a `\r`, which doesn't count.
            if self.pending() > self.limit + 1 {
                self.overflowing = true;
                // A `\r` at the very end of the forgotten part belongs to a line that overflows anyway.
                self.taken = self.buffer.len();
                self.compact();
            }
            return None;
        };
        let end = self.scanned + end;
        self.taken = end + 1;
        self.scanned = self.taken;
        let line = &self.buffer[start..end];
        let stripped = if self.keeps_returns { None } else { line.strip_suffix(b"\r") };
        let line = stripped.unwrap_or(line);
        if std::mem::take(&mut self.overflowing) || line.len() > self.limit {
            return Some(Decoded::Overflow);
        }
        Some(Decoded::Line(line))
    }

    /// Removes the bytes that were taken from the buffer.
    fn compact(&mut self) {
        if self.taken == 0 {
            return;
        }
        self.buffer.drain(..self.taken);
        self.scanned -= self.taken;
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(chunks: &[&[u8]], limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut decoder = LineDecoder::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            decoder.push(chunk);
            while let Some(line) = decoder.next_line() {
                found.push(match line {
                    Decoded::Line(bytes) => Some(bytes.to_vec()),
                    Decoded::Overflow => None,
                });
            }
        }
        found
    }

    #[test]
    fn carriage_returns_before_the_end_are_dropped() {
        assert_eq!(lines(&[b"a\r\nb\n\r\n\n"], 9), [&b"a"[..], b"b", b"", b""].map(|l| Some(l.to_vec())));
        assert_eq!(lines(&[b"a\r", b"\nx\ry\n"], 9), [&b"a"[..], b"x\ry"].map(|l| Some(l.to_vec())));
    }

    #[test]
    fn carriage_returns_can_be_kept() {
        let mut decoder = LineDecoder::new(4);
        decoder.keep_returns();
        decoder.push(b"a\r\n1234\r\n");
        assert_eq!(decoder.next_line(), Some(Decoded::Line(b"a\r")));
        assert_eq!(decoder.next_line(), Some(Decoded::Overflow), "the return counts");
    }

    #[test]
    fn the_limit_is_the_last_length_that_passes() {
        assert_eq!(lines(&[b"1234\n"], 4), [Some(b"1234".to_vec())]);
        assert_eq!(lines(&[b"1234\r", b"\n"], 4), [Some(b"1234".to_vec())]);
        assert_eq!(lines(&[b"12345\nok\n"], 4), [None, Some(b"ok".to_vec())]);
        let mut decoder = LineDecoder::new(4);
        for (bytes, overflows) in [(&b"1234"[..], false), (b"56", true), (b"\n", false)] {
            decoder.push(bytes);
            while decoder.next_line().is_some() {}
            assert_eq!(decoder.is_overflowing(), overflows, "{bytes:?}");
        }
    }

    #[test]
    fn an_endless_line_takes_no_memory() {
        let mut decoder = LineDecoder::new(100);
        for _ in 0..1000 {
            decoder.push(&[b'x'; 1000]);
            assert_eq!(decoder.next_line(), None);
            assert!(decoder.pending() <= 101 && decoder.buffer.capacity() < 5000);
        }
        decoder.push(b"\nfine\n");
        assert_eq!(decoder.next_line(), Some(Decoded::Overflow));
        assert_eq!(decoder.next_line(), Some(Decoded::Line(b"fine")));
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'x')], 0..60),
            cuts in proptest::collection::vec(0usize..60, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|c| c % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(lines(&chunks, 4), lines(&[&bytes], 4));
        }
    }
}
