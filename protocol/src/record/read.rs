//! Reading records: the head, the footer, and what one line says at a glance.
//!
//! All programs that read records use this module, so that they agree. Works on bytes that are handed in and never
//! reads more of them than its limits allow; takes any bytes. Tested in this module.

use std::borrow::Cow;

use super::{BadRecord, CHECK_LINE_BYTES, Header, RecordLine, escaped, unescaped};
use crate::types::{TeamName, Tick};

/// The longest head of a record, in bytes: a hundred teams with the longest names take a tenth of it.
pub const HEAD_BYTES: usize = 256 * 1024;
/// The longest footer, in bytes: an entry of the index takes less than 50, and keyframes stand 256 KiB apart in a
/// file of at most 2 GiB.
pub const FOOTER_BYTES: u64 = 1 << 20;
/// The last tick that a record may hold: no match is longer, and a floating-point tick is exact up to here.
pub const MAX_TICK: Tick = 1 << 53;
/// Bytes of a line that an error quotes.
const QUOTED_BYTES: usize = 60;

/// The beginning of a record, up to and with the line `begin`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub header: Header,
    /// The head's length in bytes: where the opening snapshot begins.
    pub bytes: usize,
    /// How many lines the head has.
    pub lines: usize,
}

/// Why bytes are not the beginning of a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHead {
    #[error("it is empty")]
    Empty,
    /// The first line is not that of a record.
    #[error("{}", BadRecord::Format(.0.clone()))]
    Foreign(String),
    /// A line makes no sense.
    #[error("line {line}: {error}")]
    Line {
        line: usize,
        /// What is wrong with the line.
        error: BadRecord,
    },
    /// The bytes end before the head does.
    #[error("line {0}: the header is cut off, and no match is in it; play it from the start")]
    CutOff(usize),
    /// Another line stands where a header line or `begin` should be.
    #[error("line {0}: the header has no end; it ends with \"begin\"")]
    NoEnd(usize),
    /// A value is missing or bad, or the format is unknown.
    #[error(transparent)]
    Header(#[from] BadRecord),
}

/// Reads the head of a record; bytes after the head are ignored.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_head(bytes: &[u8]) -> Result<Head, BadHead> {
    if bytes.is_empty() {
        return Err(BadHead::Empty);
    }
    if !bytes.starts_with(b"zrec ") {
        let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        return Err(BadHead::Foreign(escaped(&first[..first.len().min(QUOTED_BYTES)])));
    }
    let (mut pairs, mut read) = (Vec::new(), 0);
    for (text, line) in whole_lines(bytes).zip(1..) {
        read += text.len() + 1;
        match RecordLine::parse(text).map_err(|error| BadHead::Line { line, error })? {
            RecordLine::Header(key, value) => pairs.push((key, value)),
            RecordLine::Begin => {
                return Ok(Head { header: Header::parse(&pairs)?, bytes: read, lines: line });
            }
            _ => return Err(BadHead::NoEnd(line)),
        }
        if line == 1 {
            // The lines of another format can't be understood, so this is said first.
            Header::known_format(&pairs)?;
        }
        if read > HEAD_BYTES {
            return Err(BadHead::NoEnd(line));
        }
    }
    Err(BadHead::CutOff(pairs.len() + 1))
}

/// The lines without their ends; a last line without an end is left out.
pub fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&b| b == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// The end of a complete record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    /// The tick at which the match ended.
    pub tick: Tick,
    /// Why the match ended, one word of the game's.
    pub reason: String,
    /// The winners; empty if no team won.
    pub winners: Vec<TeamName>,
    /// The tick of each keyframe and the byte at which it begins, in the order of the file.
    pub keyframes: Vec<(Tick, u64)>,
    /// Where the footer begins in the file, in bytes.
    pub at: u64,
}

/// Reads the footer of a record of `length` bytes; `None` if it has none. `read(from, to)` fetches the bytes between
/// two places of the file.
///
/// # Errors
/// The errors of `read`.
pub fn read_footer<E>(
    length: u64,
    mut read: impl FnMut(u64, u64) -> Result<Vec<u8>, E>,
) -> Result<Option<Footer>, E> {
    let Some(check) = length.checked_sub(CHECK_LINE_BYTES as u64) else { return Ok(None) };
    let last = read(check, length)?;
    let Some(Ok(RecordLine::Check(_, at))) = last.strip_suffix(b"\n").map(RecordLine::parse) else {
        return Ok(None);
    };
    if at > check || check - at > FOOTER_BYTES {
        return Ok(None);
    }
    let bytes = read(at, check)?;
    let mut lines = whole_lines(&bytes).map(RecordLine::parse);
    let Some(Ok(RecordLine::End(tick, reason, winners))) = lines.next() else { return Ok(None) };
    if tick > MAX_TICK {
        return Ok(None);
    }
    let keyframes = lines.filter_map(|line| match line {
        Ok(RecordLine::Index(tick, place)) => Some((tick, place)),
        _ => None,
    });
    Ok(Some(Footer { tick, reason, winners, keyframes: keyframes.collect(), at }))
}

/// What one line says, found out with as little work as possible.
#[derive(Debug, PartialEq, Eq)]
pub enum Glance<'a> {
    /// A message to all observers, or one that the rule set withholds from them: both are true of the match.
    Published(Tick, Cow<'a, [u8]>),
    /// A line of a snapshot, withheld or not.
    Snapshot(Cow<'a, [u8]>),
    /// A snapshot of that tick follows.
    Keyframe(Tick),
    /// An event of one or more seats; [`RecordLine::parse`] reads which.
    Seat(Tick),
    /// A line of the head or the footer; [`RecordLine::parse`] reads which.
    Other,
    /// No line of a record.
    Broken,
}

impl Glance<'_> {
    /// What a line says, given without its end.
    pub fn at(line: &[u8]) -> Glance<'_> {
        if let Some(text) = line.strip_prefix(b"= ").or_else(|| line.strip_prefix(b"w ")) {
            return plain(text).map_or(Glance::Broken, Glance::Snapshot);
        }
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return if RecordLine::parse(line).is_ok() { Glance::Other } else { Glance::Broken };
        }
        let Some(tick) = tick(&line[..digits]) else { return Glance::Broken };
        match &line[digits..] {
            [b' ', b'*' | b'w', b' ', text @ ..] => {
                plain(text).map_or(Glance::Broken, |text| Glance::Published(tick, text))
            }
            b" k" => Glance::Keyframe(tick),
            [b' ', b'<' | b'>' | b'+' | b'-' | b'.' | b'?' | b'x' | b'~' | b'!' | b'#', b' ', ..] => {
                Glance::Seat(tick)
            }
            [b' ', b'e', ..] if RecordLine::parse(line).is_ok() => Glance::Other,
            _ => Glance::Broken,
        }
    }

    /// The line's tick, if it has one.
    pub const fn tick(&self) -> Option<Tick> {
        match self {
            Glance::Published(tick, _) | Glance::Keyframe(tick) | Glance::Seat(tick) => Some(*tick),
            Glance::Snapshot(_) | Glance::Other | Glance::Broken => None,
        }
    }
}

/// The tick of the last whole line that has one; an unfinished line at the end doesn't count.
pub fn last_tick(tail: &[u8]) -> Option<Tick> {
    let mut lines = tail.rsplit(|&byte| byte == b'\n').skip(1);
    lines.find_map(|line| Glance::at(line).tick())
}

fn tick(digits: &[u8]) -> Option<Tick> {
    let add = |tick: Tick, &digit: &u8| tick.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    digits.iter().try_fold(0, add).filter(|&tick| tick <= MAX_TICK)
}

/// Unescapes a text. Most texts hold no escapes, and are borrowed.
fn plain(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if text.contains(&b'\\') { unescaped(text).map(Cow::Owned) } else { Some(Cow::Borrowed(text)) }
}

#[cfg(test)]
mod tests {
    use super::super::{Entry, RecordPrinter, Seat};
    use super::*;
    use proptest::prelude::*;

    fn glance(line: &str) -> Glance<'_> {
        Glance::at(line.as_bytes())
    }

    const HEAD: &str = "zrec 2\ngame zappy 1\nseed 1\nmap 2 3\nfrequency 100\nmax-frequency 100\nauto-start on\n\
                        max-ticks none\nclock real\nlevel full\nteam red\noption clients 6\nbegin\n";

    #[test]
    fn a_head_is_read_and_what_spoils_it_is_named() {
        let head = read_head(format!("{HEAD}1 k\n").as_bytes()).unwrap();
        assert_eq!((head.bytes, head.lines), (HEAD.len(), 13));
        assert_eq!((head.header.game.as_str(), head.header.option("clients")), ("zappy", Some("6")));
        let said = |text: &str| read_head(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(said(""), "it is empty");
        assert!(said("hello\n").contains("it is \"hello\""));
        assert!(said("zrec 4\nunheard of\n").contains("it is \"zrec 4\""));
        assert_eq!(
            said(&HEAD[..20]),
            "line 3: the header is cut off, and no match is in it; play it from the start"
        );
        assert!(said("zrec 2\n1 k\n").starts_with("line 2: the header has no end"));
        assert_eq!(said("zrec 2\nnonsense\n"), "line 2: \"nonsense\" is no line of a record");
        assert_eq!(said(&HEAD.replace("seed 1\n", "")), "header: seed is missing or bad");
    }

    #[test]
    fn a_footer_is_found_from_the_end() {
        let mut printer = RecordPrinter::default();
        printer.push(&RecordLine::Keyframe(12));
        let winners = vec![TeamName::parse(b"red").unwrap(), TeamName::parse(b"blue").unwrap()];
        printer.finish(&RecordLine::End(99, "time".to_owned(), winners.clone()), 5);
        let bytes = printer.waiting();
        let read = |bytes: &[u8]| {
            let part = |from: u64, to: u64| {
                Ok::<_, std::convert::Infallible>(bytes[from as usize..to as usize].to_vec())
            };
            read_footer(bytes.len() as u64, part).unwrap()
        };
        let footer = read(bytes).unwrap();
        assert_eq!((footer.tick, footer.reason.as_str(), footer.winners), (99, "time", winners));
        assert_eq!((footer.keyframes, footer.at), (vec![(12, 0)], 5));
        assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        assert_eq!(read(b""), None);
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(glance("= msz 2 2"), Glance::Snapshot(Cow::Borrowed(b"msz 2 2")));
        assert_eq!(glance("12 * pbc #0 \\x5c"), Glance::Published(12, Cow::Borrowed(b"pbc #0 \\")));
        assert_eq!(glance("w pic 1 1 1 #0"), Glance::Snapshot(Cow::Borrowed(b"pic 1 1 1 #0")));
        assert_eq!(glance("12 w sgt 5"), Glance::Published(12, Cow::Borrowed(b"sgt 5")));
        assert_eq!(glance("12 k"), Glance::Keyframe(12));
        for seat in
            ["1 < 0 Look", "1 > 0,2 ok", "1 # 0 7", "1 ? 0 why", "1 . 3", "1 + c x", "1 ! 0 it was late"]
        {
            assert_eq!(glance(seat), Glance::Seat(1), "{seat}");
        }
        for other in ["9 end time", "digest 0123456789abcdef", "keyframe 1 2", "begin", "team red"] {
            assert_eq!(glance(other), Glance::Other, "{other}");
        }
        let long = "99999999999999999999 k";
        for broken in ["", "12", "12 ", "x", "12 * \\x", long, "9999999999999999 k", "1 k 2", "1 endless"] {
            assert_eq!(glance(broken), Glance::Broken, "{broken}");
        }
    }

    #[test]
    fn the_last_tick_is_that_of_the_last_whole_line() {
        assert_eq!(last_tick(b"12 < 0 Look\n15 > 0 ok\n99 > 0 o"), Some(15));
        assert_eq!(last_tick(b"= msz 3 3\n"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in any::<Vec<u8>>()) {
            let _ = (Glance::at(&bytes), read_head(&bytes), last_tick(&bytes));
            let _ = read_head(&[b"zrec 2\n", &bytes[..]].concat());
        }

        #[test]
        fn a_glance_agrees_with_the_format(tick in 0..=MAX_TICK, mut bytes in any::<Vec<u8>>()) {
            // No message is empty.
            bytes.push(b'x');
            let line = RecordLine::Event(tick, Entry::Published(bytes.clone())).print();
            prop_assert_eq!(glance(&line), Glance::Published(tick, Cow::Owned(bytes.clone())));
            let seats = [
                Entry::Sent(Seat::Number(4), bytes.clone()),
                Entry::Expelled(Seat::Number(4), "late".to_owned()),
                Entry::Overflow(Seat::Console),
            ];
            for entry in seats {
                let line = RecordLine::Event(tick, entry).print();
                prop_assert_eq!(glance(&line), Glance::Seat(tick));
            }
        }
    }
}
