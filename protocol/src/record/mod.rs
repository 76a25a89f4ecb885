//! The record: the text file a match leaves behind, line by line.
//!
//! ```text
//! zrec 3                      header: one `key value` per line, in this order
//! game zappy 1                the game, and the version of its rules
//! …
//! team red
//! option clients 6            an option of the game
//! begin
//! = msz 20 20                 opening snapshot: what an observer would be sent at tick 0
//! 0 + 0 red                   tick, mark, seat, bytes: seat 0 was admitted with this line
//! 0 > 0 5                     seat 0 was sent this line
//! 0 * pnw #0 3 4 1 1 red
//! 4 w bct 3 4 1 0 0 0 0 0 0   withheld: the rule set keeps this message from observers
//! 7 > 1,4 message 3, hello    several seats were sent this line
//! 9 # 4 12                    the game dropped 12 lines of seat 4 without reading them
//! 1200 k                      keyframe: a snapshot follows, so that a reader can begin here
//! 2400 end elevation red      footer
//! digest 0123456789abcdef
//! keyframe 1200 34567         where in the file the keyframe of that tick stands, in bytes
//! check 0123456789abcdef 00000000000000098765
//! ```
//!
//! Format 1, which knew one game and its options by name, and format 2, in which every line was about one seat and
//! every dropped line had a line of its own, are still read. Seats are numbered in the order of their admission; in
//! Zappy that is the player's number. Bytes that are not printable ASCII, and the backslash, are escaped as `\xNN`. The
//! line `check` has a fixed length: it holds a fingerprint of every byte before it and the place of the `end` line, so
//! that a reader finds the index from the file's tail. Nothing here reads or writes files. Tested in this module.

pub mod dialogue;
mod header;
pub mod notes;
mod print;
mod read;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::slice;

use crate::text::{number, split_first, words};
use crate::types::{TeamName, Tick};
use header::HEADER_KEYS;

pub use header::{Header, RecordLevel};
pub use print::{Fingerprint, RecordPrinter};
pub use read::{
    BadHead, FOOTER_BYTES, Footer, Glance, HEAD_BYTES, Head, MAX_TICK, last_tick, read_footer, read_head,
    whole_lines,
};

/// The version of the format, in the first line.
pub const FORMAT_VERSION: u32 = 3;
/// The most dropped lines that one line of a record counts; more of them take further lines. This limits the work of
/// playing one line again.
pub const MAX_DROPPED: u32 = 1_000;
/// The console line that marks in a record where a match went on after its server had been killed. No operator's line
/// reaches a record in these words, and no game is changed by it.
pub const RESUMED: &[u8] = b"/resume";
/// The text that the server sends observers where a match was resumed.
pub const RESUMED_WORDS: &str = "the match was resumed here, after its server had been killed";
/// Bytes of the last line: `check `, 16 digits, a blank, 20 digits and the line's end.
pub const CHECK_LINE_BYTES: usize = 6 + 16 + 1 + 20 + 1;

/// The seat to which a line belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seat {
    Console,
    /// A connection that plays, by the order of admission.
    Number(u32),
}

/// Something that happened, each kind with its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// `+`: the seat was admitted with this line.
    Admitted(Seat, Vec<u8>),
    /// `<`: a line came in.
    Received(Seat, Vec<u8>),
    /// `~`: a line came in that was too long.
    Overflow(Seat),
    /// `#`: the number of lines, 1 to [`MAX_DROPPED`], that came in and that the game dropped without reading them.
    Dropped(Seat, u32),
    /// `.`: the peer sends nothing more.
    Ended(Seat),
    /// `-`: the connection is gone.
    Gone(Seat),
    /// `!`: the server ended the seat, with the reason.
    Expelled(Seat, String),
    /// `>`: a line went out.
    Sent(Seat, Vec<u8>),
    /// `>`: the same line went out to several seats, which are separated by commas.
    SentTo(Vec<Seat>, Vec<u8>),
    /// `?`: the reason why the line before was a refusal, or why the seat ends.
    Why(Seat, String),
    /// `x`: the game closed the connection, with the reason.
    Closed(Seat, String),
    /// `*`: a message to all observers.
    Published(Vec<u8>),
    /// `w`: a message that the rule set withholds from observers. Readers of records treat it as published, so that
    /// what they show is true.
    Withheld(Vec<u8>),
}

/// One line of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordLine {
    /// A line of the header: key and value.
    Header(String, String),
    Begin,
    /// `=`: a line of the opening snapshot, or of the snapshot behind a keyframe.
    Snapshot(Vec<u8>),
    /// `w` in place of the tick: a line that the snapshot needs and that the rule set withholds from observers.
    WithheldSnapshot(Vec<u8>),
    /// Something happened at that tick.
    Event(Tick, Entry),
    /// A snapshot of that tick follows.
    Keyframe(Tick),
    /// The tick at which the match ended, the game's word for the reason, and the winners (none if no team won).
    End(Tick, String, Vec<TeamName>),
    /// The fingerprint of the game's last state.
    Digest(u64),
    /// The tick of a keyframe, and the byte of the file at which it begins.
    Index(Tick, u64),
    /// The fingerprint of every byte before this line, and the byte at which the `end` line begins.
    Check(u64, u64),
}

/// Why a line or a header is not that of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRecord {
    /// The line makes no sense.
    #[error("{0:?} is no line of a record")]
    Line(String),
    /// The first line is not that of a known format.
    #[error(
        "no record of format 1 to {FORMAT_VERSION}: the first line must be \"zrec {FORMAT_VERSION}\", it is {0:?}"
    )]
    Format(String),
    /// A header line is missing or bad.
    #[error("header: {0} is missing or bad")]
    Header(&'static str),
    /// A header line more than there should be.
    #[error("header: {0} is out of place")]
    Surplus(String),
}

impl BadRecord {
    fn line(line: &[u8]) -> BadRecord {
        let mut text = escaped(&line[..line.len().min(80)]);
        if line.len() > 80 {
            text.push('…');
        }
        BadRecord::Line(text)
    }
}

/// Appends bytes so that they stay on one line and are read back exactly.
fn escape(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        if byte != b'\\' && (b' '..=b'~').contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

/// The bytes as a record writes them.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    escape(bytes, &mut out);
    out
}

/// The bytes that a record writes as `text`; `None` if no record writes it.
pub fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [b'x', high, low, tail @ ..] = rest else { return None };
        let digit = |d: u8| char::from(d).to_digit(16).and_then(|d| u8::try_from(d).ok());
        out.push(digit(*high)? << 4 | digit(*low)?);
        rest = tail;
    }
    Some(out)
}

impl Seat {
    fn parse(word: &[u8]) -> Option<Seat> {
        if word == b"c" { Some(Seat::Console) } else { number(word).map(Seat::Number) }
    }
}

impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Seat::Console => f.write_str("c"),
            Seat::Number(n) => n.fmt(f),
        }
    }
}

impl Entry {
    /// Whether the entry is an input, which playing the match again needs.
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            Entry::Sent(..)
                | Entry::SentTo(..)
                | Entry::Why(..)
                | Entry::Closed(..)
                | Entry::Published(_)
                | Entry::Withheld(_)
        )
    }

    /// Whether the entry marks that the match was resumed: [`RESUMED`].
    pub fn is_resumption(&self) -> bool {
        matches!(self, Entry::Received(Seat::Console, line) if line == RESUMED)
    }

    /// The entry's mark, the seats that it is about (none: it is for all observers), and the bytes behind them, if any.
    pub fn parts(&self) -> (char, &[Seat], Option<Cow<'_, [u8]>>) {
        // An empty reason is left out together with the blank before it.
        fn reason(why: &str) -> Option<&[u8]> {
            Some(why.as_bytes()).filter(|why| !why.is_empty())
        }
        let (mark, seat, bytes) = match self {
            Entry::Dropped(seat, count) => {
                return ('#', slice::from_ref(seat), Some(count.to_string().into_bytes().into()));
            }
            Entry::SentTo(seats, line) => return ('>', seats, Some(line.into())),
            Entry::Published(line) => return ('*', &[], Some(line.into())),
            Entry::Withheld(line) => return ('w', &[], Some(line.into())),
            Entry::Admitted(seat, line) => ('+', seat, Some(&line[..])),
            Entry::Received(seat, line) => ('<', seat, Some(&line[..])),
            Entry::Overflow(seat) => ('~', seat, None),
            Entry::Ended(seat) => ('.', seat, None),
            Entry::Gone(seat) => ('-', seat, None),
            Entry::Expelled(seat, why) => ('!', seat, reason(why)),
            Entry::Sent(seat, line) => ('>', seat, Some(&line[..])),
            Entry::Why(seat, why) => ('?', seat, reason(why)),
            Entry::Closed(seat, why) => ('x', seat, reason(why)),
        };
        (mark, slice::from_ref(seat), bytes.map(Cow::Borrowed))
    }

    fn print(&self, out: &mut String) {
        let (mark, seats, bytes) = self.parts();
        out.push(mark);
        for (number, seat) in seats.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}{seat}", if number == 0 { ' ' } else { ',' });
        }
        if let Some(bytes) = bytes {
            out.push(' ');
            escape(&bytes, out);
        }
    }

    fn parse(mark: u8, rest: &[u8]) -> Option<Entry> {
        let rest = rest.strip_prefix(b" ")?;
        match mark {
            b'*' => return unescaped(rest).map(Entry::Published),
            b'w' => return unescaped(rest).map(Entry::Withheld),
            _ => {}
        }
        let end = rest.iter().position(|&b| b == b' ').unwrap_or(rest.len());
        let bytes = unescaped(rest.get(end + 1..).unwrap_or_default())?;
        if mark == b'>' && rest[..end].contains(&b',') {
            let seats = rest[..end].split(|&byte| byte == b',').map(Seat::parse).collect::<Option<_>>()?;
            return Some(Entry::SentTo(seats, bytes));
        }
        let seat = Seat::parse(&rest[..end])?;
        let reason = || String::from_utf8(bytes.clone()).ok();
        Some(match mark {
            b'+' => Entry::Admitted(seat, bytes),
            b'<' => Entry::Received(seat, bytes),
            b'~' => Entry::Overflow(seat),
            b'#' => Entry::Dropped(seat, number(&bytes).filter(|count| (1..=MAX_DROPPED).contains(count))?),
            b'.' => Entry::Ended(seat),
            b'-' => Entry::Gone(seat),
            b'!' => Entry::Expelled(seat, reason()?),
            b'>' => Entry::Sent(seat, bytes),
            b'?' => Entry::Why(seat, reason()?),
            b'x' => Entry::Closed(seat, reason()?),
            _ => return None,
        })
    }
}

impl RecordLine {
    /// Reads a line, given without its end.
    ///
    /// # Errors
    /// When it is no line of a record.
    pub fn parse(line: &[u8]) -> Result<RecordLine, BadRecord> {
        RecordLine::read(line).ok_or_else(|| BadRecord::line(line))
    }

    fn read(line: &[u8]) -> Option<RecordLine> {
        let space = line.iter().position(|&b| b == b' ').unwrap_or(line.len());
        let (first, rest) = (&line[..space], line.get(space + 1..).unwrap_or_default());
        match first {
            b"=" => return unescaped(rest).map(RecordLine::Snapshot),
            b"w" => return unescaped(rest).map(RecordLine::WithheldSnapshot),
            _ => {}
        }
        if let Some(tick) = number(first) {
            return match rest {
                b"k" => Some(RecordLine::Keyframe(tick)),
                [mark, entry @ ..] if rest.len() == 1 || entry.first() == Some(&b' ') => {
                    Entry::parse(*mark, entry).map(|entry| RecordLine::Event(tick, entry))
                }
                _ => {
                    let (reason, winners) = split_first(rest.strip_prefix(b"end ")?);
                    let winner = |name: &[u8]| TeamName::parse(&unescaped(name)?);
                    let winners = words(winners).map(winner).collect::<Option<_>>()?;
                    Some(RecordLine::End(tick, String::from_utf8(reason.to_vec()).ok()?, winners))
                }
            };
        }
        let text = std::str::from_utf8(rest).ok()?;
        Some(match first {
            b"begin" => RecordLine::Begin,
            b"digest" => RecordLine::Digest(hexadecimal(text)?),
            b"keyframe" => {
                let (tick, offset) = split_first(rest);
                RecordLine::Index(number(tick)?, number(offset)?)
            }
            b"check" => {
                let (hash, offset) = text.split_once(' ')?;
                RecordLine::Check(hexadecimal(hash)?, offset.parse().ok()?)
            }
            _ => {
                let key = HEADER_KEYS.split(' ').find(|key| key.as_bytes() == first)?;
                RecordLine::Header(key.to_owned(), String::from_utf8(unescaped(rest)?).ok()?)
            }
        })
    }

    /// The line without its end.
    pub fn print(&self) -> String {
        let mut out = String::new();
        let text = |out: &mut String, first: &str, text: &[u8]| {
            out.push_str(first);
            out.push(' ');
            escape(text, out);
            Ok(())
        };
        // Writing to a string cannot fail.
        let _ = match self {
            RecordLine::Header(key, value) => text(&mut out, key, value.as_bytes()),
            RecordLine::Begin => write!(out, "begin"),
            RecordLine::Snapshot(line) => text(&mut out, "=", line),
            RecordLine::WithheldSnapshot(line) => text(&mut out, "w", line),
            RecordLine::Event(tick, entry) => {
                let _ = write!(out, "{tick} ");
                entry.print(&mut out);
                Ok(())
            }
            RecordLine::Keyframe(tick) => write!(out, "{tick} k"),
            RecordLine::End(tick, reason, winners) => {
                let _ = write!(out, "{tick} end {reason}");
                for team in winners {
                    out.push(' ');
                    // A blank separates names.
                    out.push_str(&escaped(team.as_str().as_bytes()).replace(' ', "\\x20"));
                }
                Ok(())
            }
            RecordLine::Digest(digest) => write!(out, "digest {digest:016x}"),
            RecordLine::Index(tick, offset) => write!(out, "keyframe {tick} {offset}"),
            RecordLine::Check(hash, offset) => write!(out, "check {hash:016x} {offset:020}"),
        };
        out
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    let plain = text.len() == 16 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    plain.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = Entry> {
        let seat = prop_oneof![Just(Seat::Console), any::<u32>().prop_map(Seat::Number)];
        let words = "[a-z é]{0,20}";
        (seat, proptest::collection::vec(any::<u8>(), 0..20), words, 0..13, 1..=MAX_DROPPED).prop_map(
            |(seat, bytes, words, which, count)| match which {
                0 => Entry::Admitted(seat, bytes),
                1 => Entry::Received(seat, bytes),
                2 => Entry::Overflow(seat),
                3 => Entry::Ended(seat),
                4 => Entry::Gone(seat),
                5 => Entry::Sent(seat, bytes),
                6 => Entry::Why(seat, words),
                7 => Entry::Closed(seat, words),
                8 => Entry::Expelled(seat, words),
                9 => Entry::Dropped(seat, count),
                10 => Entry::SentTo(vec![seat, Seat::Number(count)], bytes),
                11 => Entry::Withheld(bytes.into_iter().chain([b'x']).collect()),
                _ => Entry::Published(bytes.into_iter().chain([b'x']).collect()),
            },
        )
    }

    proptest! {
        #[test]
        fn events_come_back(tick in any::<u64>(), entry in entry()) {
            let line = RecordLine::Event(tick, entry);
            prop_assert_eq!(RecordLine::parse(line.print().as_bytes()), Ok(line));
        }

        #[test]
        fn other_lines_come_back(tick in any::<u64>(), number in any::<u64>(), bytes in any::<Vec<u8>>()) {
            for line in [
                RecordLine::Snapshot(bytes.clone()),
                RecordLine::WithheldSnapshot(bytes),
                RecordLine::Keyframe(tick),
                RecordLine::End(tick, "elevation".to_owned(), vec![TeamName::parse("é t".as_bytes()).unwrap(); 2]),
                RecordLine::End(tick, "time".to_owned(), Vec::new()),
                RecordLine::Digest(number),
                RecordLine::Index(tick, number),
                RecordLine::Check(number, tick),
            ] {
                prop_assert_eq!(RecordLine::parse(line.print().as_bytes()), Ok(line));
            }
        }

        #[test]
        fn any_bytes_are_taken(bytes in any::<Vec<u8>>()) {
            let _ = RecordLine::parse(&bytes);
        }
    }
}
