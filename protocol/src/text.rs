//! What every parser of this crate uses (blanks, words, numbers), and bytes and numbers as text for people.
//!
//! All functions take any bytes. The functions for parsers are tested through the dialects, the others in this module.

use std::fmt::Write as _;
use std::str::FromStr;

/// Whether the byte separates words; a line's end doesn't.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The bytes without blanks (spaces, tabs) at both ends.
pub fn trim(mut bytes: &[u8]) -> &[u8] {
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

/// The first word and the rest, both without the blanks around them; the word is empty if the text is blank.
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

/// Appends a number, faster than formatting does.
pub(crate) fn push_number(number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let (mut place, mut rest) = (digits.len(), number);
    loop {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[place..]);
}

/// Appends a blank and a number.
pub(crate) fn put_number(number: u32, out: &mut Vec<u8>) {
    out.push(b' ');
    push_number(number, out);
}

/// Reads a number as C's `strtoul` does: an optional sign, then digits, 0 if there are none. A negative or too large
/// one is `u32::MAX`.
pub(crate) fn leading_number(word: &[u8]) -> u32 {
    let (negative, word) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let digits = word.iter().take_while(|digit| digit.is_ascii_digit());
    let add = |number: u32, digit| number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    match digits.fold(0, add) {
        1.. if negative => u32::MAX,
        number => number,
    }
}

/// A number that may carry the `#` of an id.
pub(crate) fn id(word: &[u8]) -> Option<u32> {
    number(word.strip_prefix(b"#").unwrap_or(word))
}

/// Control characters, bidirectional marks and line separators: a terminal obeys them instead of showing them.
pub fn is_terminal_control(c: char) -> bool {
    let bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || bidi || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The same JSON, with terminal control characters as `\uNNNN`.
pub fn shown_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_terminal_control(c) {
            // All are in the basic plane, so one `\u` is enough; and writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Bytes for people: text stays text; terminal control characters and bytes that are no UTF-8 become `\xNN`.
pub fn shown(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let escape = |bytes: &[u8], out: &mut String| {
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_terminal_control(c) {
                escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut out);
            } else {
                out.push(c);
            }
        }
        escape(chunk.invalid(), &mut out);
    }
    out
}

/// The first `limit` characters, then `…` if any were cut.
pub fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", text[..cut].trim_end()),
        None => text.to_owned(),
    }
}

/// A name cut to at most `limit` characters (but 6 at least), with `…` before its last four: names often differ there.
pub fn short_name(name: &str, limit: usize) -> String {
    const END: usize = 4;
    let (length, limit) = (name.chars().count(), limit.max(END + 2));
    if length <= limit {
        return name.to_owned();
    }
    let start: String = name.chars().take(limit - END - 1).collect();
    let end: String = name.chars().skip(length - END).collect();
    format!("{start}…{end}")
}

/// What belongs to a team of that name: `red’s`, `wolves’`.
pub fn possessive(name: &str) -> String {
    if name.ends_with('s') { format!("{name}’") } else { format!("{name}’s") }
}

/// The time at which a tick begins at `rate` ticks per second: `37.2 s`, and from a minute on `2:05`.
pub fn clock(tick: u64, rate: u32) -> String {
    let rate = u64::from(rate.max(1));
    match tick / rate {
        seconds @ 0..60 => format!("{seconds}.{} s", tick % rate * 10 / rate),
        seconds => format!("{}:{:02}", thousands(seconds / 60), seconds % 60),
    }
}

/// How long `ticks` ticks last at `rate` ticks per second: `42 s`, `2 min 5 s`.
pub fn duration(ticks: u64, rate: u32) -> String {
    match ticks / u64::from(rate.max(1)) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// A number with its thousands set apart: `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and its noun: `1 tick`, `12,000 ticks`, `3 matches`.
pub fn many(number: u64, one: &str) -> String {
    let is_sibilant = ["s", "x", "ch", "sh"].iter().any(|end| one.ends_with(end));
    let plural = match number {
        1 => "",
        _ if is_sibilant => "es",
        _ => "s",
    };
    format!("{} {one}{plural}", thousands(number))
}

/// Names in a sentence: `red`, `red and blue`, `red, blue and green`.
pub fn listed(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_commands_no_terminal() {
        assert_eq!(shown("höhö \u{1b}[2J\u{9b}x".as_bytes()), "höhö \\x1b[2J\\xc2\\x9bx");
        assert_eq!(shown(b"a\xffb\\n"), "a\\xffb\\n");
        assert_eq!(shown("a\u{202e}b\u{2028}".as_bytes()), "a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8");
        assert_eq!(shown_json("{\"höhö\":\"\u{9b}2J\u{202e}\"}"), "{\"höhö\":\"\\u009b2J\\u202e\"}");
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let counted = [many(1, "tick"), many(2_000, "tick"), many(1, "push"), many(3, "match")];
        assert_eq!(counted, ["1 tick", "2,000 ticks", "1 push", "3 matches"]);
    }

    #[test]
    fn long_names_keep_their_ends_apart() {
        let name = |number: u32| format!("a_team_with_a_very_long_name_{number}");
        assert_eq!(
            (short_name("wolves", 24), shortened("höhöhö", 3)),
            ("wolves".to_owned(), "höh…".to_owned())
        );
        assert_eq!(short_name(&name(12), 24).chars().count(), 24);
        assert_ne!(short_name(&name(12), 24), short_name(&name(13), 24));
    }
}
