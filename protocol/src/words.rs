//! A line of a dialect, read word by word.
//!
//! Takes any bytes. Tested through the dialects.

use std::str::FromStr;

use crate::text::{leading_number, number, split_first, trim};
use crate::types::Position;

/// Reads a line word by word. A method that reads moves on behind what it has read, and gives `None` if the line holds
/// something else there.
#[derive(Debug)]
pub(crate) struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Words<'a> {
        Words(trim(line))
    }

    /// The next word, if `read` makes something of it.
    pub(crate) fn next<T>(&mut self, read: impl FnOnce(&'a [u8]) -> Option<T>) -> Option<T> {
        let (word, rest) = split_first(self.0);
        self.0 = rest;
        read(word)
    }

    /// Reads the next word, which must be `word`.
    pub(crate) fn literal(&mut self, word: &str) -> Option<()> {
        self.next(|found| (found == word.as_bytes()).then_some(()))
    }

    /// Reads the word `key` and the value behind it.
    pub(crate) fn keyed<T>(&mut self, key: &str, read: impl FnOnce(&'a [u8]) -> Option<T>) -> Option<T> {
        self.literal(key)?;
        self.next(read)
    }

    /// Whether `word` comes next; reads nothing.
    pub(crate) fn starts_with(&self, word: &str) -> bool {
        split_first(self.0).0 == word.as_bytes()
    }

    pub(crate) fn number<T: FromStr>(&mut self) -> Option<T> {
        self.next(number)
    }

    /// A number; `u32::MAX` stands for all that are greater.
    pub(crate) fn saturated(&mut self) -> Option<u32> {
        self.next(|word| {
            let digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
            digits.then(|| leading_number(word))
        })
    }

    pub(crate) fn position(&mut self) -> Option<Position> {
        Some(Position { x: self.number()?, y: self.number()? })
    }

    /// `1` or `0`.
    pub(crate) fn switch(&mut self) -> Option<bool> {
        self.next(|word| match word {
            b"1" => Some(true),
            b"0" => Some(false),
            _ => None,
        })
    }

    /// All that is left of the line.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads a number that may be negative.
pub(crate) fn signed(word: &[u8]) -> Option<i64> {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    number::<u64>(digits)?;
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Reads a word, or `-` for none.
pub(crate) fn or_none<'a, T>(
    read: impl FnOnce(&'a [u8]) -> Option<T>,
) -> impl FnOnce(&'a [u8]) -> Option<Option<T>> {
    |word| if word == b"-" { Some(None) } else { read(word).map(Some) }
}
