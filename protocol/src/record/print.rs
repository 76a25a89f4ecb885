//! Prints a record line by line and keeps what its footer needs.
//!
//! Writes to memory alone; the caller takes the bytes and writes them to its file. Tested in this module.

use super::RecordLine;
use crate::types::Tick;

/// A 64-bit fingerprint of bytes (FNV-1a). A single changed byte always changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn update_number(&mut self, number: u64) {
        self.update(&number.to_le_bytes());
    }

    /// The fingerprint of all that was taken in.
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// Prints a record's lines and keeps what its footer needs. Holds only the bytes that were not taken yet.
#[derive(Debug, Default)]
pub struct RecordPrinter {
    waiting: Vec<u8>,
    printed: u64,
    /// The tick of each keyframe, and the byte at which it begins.
    keyframes: Vec<(Tick, u64)>,
    fingerprint: Fingerprint,
}

impl RecordPrinter {
    /// Adds one line; keyframes are noted for the index.
    pub fn push(&mut self, line: &RecordLine) {
        if let RecordLine::Keyframe(tick) = line {
            self.keyframes.push((*tick, self.printed));
        }
        let mut text = line.print();
        text.push('\n');
        self.fingerprint.update(text.as_bytes());
        self.printed += text.len() as u64;
        self.waiting.extend_from_slice(text.as_bytes());
    }

    /// Adds the footer: the `end` line, the digest of the last state, the index of keyframes and the `check` line.
    pub fn finish(&mut self, end: &RecordLine, digest: u64) {
        let end_offset = self.printed;
        self.push(end);
        self.push(&RecordLine::Digest(digest));
        for (tick, offset) in std::mem::take(&mut self.keyframes) {
            self.push(&RecordLine::Index(tick, offset));
        }
        self.push(&RecordLine::Check(self.fingerprint.value(), end_offset));
    }

    /// The number of bytes printed so far, those that were taken included.
    pub const fn printed(&self) -> u64 {
        self.printed
    }

    /// Bytes that wait to be written.
    pub fn waiting(&self) -> &[u8] {
        &self.waiting
    }

    /// Drops the waiting bytes, which the caller has written.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHECK_LINE_BYTES;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_line_has_a_fixed_length() {
        let line = RecordLine::Check(u64::MAX, 7).print();
        assert_eq!(line.len() + 1, CHECK_LINE_BYTES);
    }

    #[test]
    fn the_footer_tells_where_the_keyframes_stand() {
        let mut printer = RecordPrinter::default();
        printer.push(&RecordLine::Begin);
        printer.push(&RecordLine::Keyframe(12));
        printer.finish(&RecordLine::End(99, "stopped".to_owned(), Vec::new()), 5);
        let text = String::from_utf8(printer.waiting().to_vec()).unwrap();
        let start = text.find("12 k").unwrap();
        let end = text.find("99 end").unwrap();
        assert!(text.contains(&format!("\nkeyframe 12 {start}\n")));
        let last = RecordLine::parse(text[text.len() - CHECK_LINE_BYTES..].trim_end().as_bytes());
        assert!(matches!(last, Ok(RecordLine::Check(_, place)) if place == end as u64));
    }

    proptest! {
        #[test]
        fn one_changed_byte_changes_the_fingerprint(mut bytes in proptest::collection::vec(any::<u8>(), 1..60), at in any::<usize>(), other in 1u8..) {
            let print = |bytes: &[u8]| { let mut f = Fingerprint::default(); f.update(bytes); f.value() };
            let before = print(&bytes);
            let at = at % bytes.len();
            bytes[at] ^= other;
            prop_assert_ne!(before, print(&bytes));
        }
    }
}
