//! Bytes to lines, and bytes to what people read.
//!
//! Run by `tests/corpus.rs`.

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::record::{escaped, unescaped};
use zappy_protocol::text::{is_terminal_control, short_name, shortened, shown, shown_json, trim};
use zappy_protocol::{TeamName, Text};

/// The lines are those that a simple reader of the whole finds, in whatever pieces they come; what is kept is bounded.
pub fn decoder(input: &[u8]) {
    let [limit, pieces, keeps, bytes @ ..] = input else { return };
    let (limit, keeps) = (usize::from(*limit), keeps % 2 == 1);
    let mut decoder = LineDecoder::new(limit);
    if keeps {
        decoder.keep_returns();
    }
    let mut found: Vec<Option<Vec<u8>>> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let size = 1 + (usize::from(*pieces) + rest.len()) % 31;
        let (piece, behind) = rest.split_at(size.min(rest.len()));
        rest = behind;
        decoder.push(piece);
        while let Some(line) = decoder.next_line() {
            found.push(match line {
                Decoded::Line(line) => Some(line.to_vec()),
                Decoded::Overflow => None,
            });
        }
        assert!(decoder.pending() <= limit + 1, "{} bytes are kept of a line of {limit}", decoder.pending());
    }
    let whole = bytes.split_inclusive(|&byte| byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
    let expected = whole.map(|line| if keeps { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    let expected = expected.map(|line| (line.len() <= limit).then(|| line.to_vec()));
    assert_eq!(found, expected.collect::<Vec<_>>());
    let last = bytes.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    assert_eq!(decoder.is_overflowing(), last.len() > limit + 1, "{} bytes of {limit}", last.len());
}

/// Words for people say something and command no terminal.
pub fn assert_plain(words: &impl ToString) {
    let words = words.to_string();
    assert!(!words.trim().is_empty() && !words.contains(is_terminal_control), "{words:?}");
}

/// Nothing that people are shown commands their terminal, and what a record escapes comes back.
pub fn text(input: &[u8]) {
    let printed = shown(input);
    assert!(!printed.contains(is_terminal_control), "{printed:?}");
    let lossy = String::from_utf8_lossy(input);
    assert!(!shown_json(&lossy).contains(is_terminal_control));
    let limit = usize::from(input.first().copied().unwrap_or_default());
    assert!(shortened(&lossy, limit).chars().count() <= limit + 1);
    assert!(short_name(&lossy, limit).chars().count() <= limit.max(6));
    let line = escaped(input);
    assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{line:?}");
    assert_eq!(unescaped(line.as_bytes()).as_deref(), Some(input));
    let text = Text::new(input);
    assert_eq!(Text::new(text.as_bytes()), text);
    assert!(!text.as_bytes().contains(&b'\n') && trim(text.as_bytes()) == text.as_bytes());
    if let Some(name) = TeamName::parse(input) {
        assert!(input == name.as_str().as_bytes() && input.len() <= TeamName::LIMIT);
    }
}
