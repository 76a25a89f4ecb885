//! The small pieces that every parser here uses: blanks, words, numbers. They take any bytes. Tested through the
//! dialects.

use std::str::FromStr;

/// Whether the byte separates words; a line's end doesn't.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The bytes without the blanks at both ends.
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_blank(*first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_blank(*last)
    {
        bytes = rest;
    }
    bytes
}

/// The first word and the rest, both without the blanks around them; the word is empty if there is none.
pub(crate) fn split_first(bytes: &[u8]) -> (&[u8], &[u8]) {
    let bytes = trim(bytes);
    match bytes.iter().position(|&b| is_blank(b)) {
        Some(at) => (&bytes[..at], trim(&bytes[at..])),
        None => (bytes, &[]),
    }
}

/// The words of a line.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    bytes.split(|&b| is_blank(b)).filter(|w| !w.is_empty())
}

/// A decimal number written with digits alone.
pub(crate) fn number<T: FromStr>(word: &[u8]) -> Option<T> {
    if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A number that may carry the `#` of an id.
pub(crate) fn id(word: &[u8]) -> Option<u32> {
    number(word.strip_prefix(b"#").unwrap_or(word))
}
