//! Makes news of the bytes of one connection to a live match: its lines, and the name of the game.
//!
//! Sans-IO: bytes in, news out, however the bytes are cut. Reads no clock and no socket, so that a connection over TCP
//! and one of a page give the same news. Tested in `gui/zappy/tests/live/`.

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::published::{NO_WINNER, Published};

use super::news::{NewsBatch, SourceNews};
use crate::instant::Instant;

/// The longest line, in bytes: longer than any message of a game.
const LINE_BYTES: usize = 64 * 1024;
/// The first bytes of a connection, in which a server says which game is played.
const OPENING_BYTES: usize = 1024;

/// The state of one connection between two pieces of its bytes.
#[derive(Debug)]
pub(super) struct NewsDecoder {
    lines: LineDecoder,
    /// The lines so far, as long as it isn't known which game is played.
    opening: Option<Vec<u8>>,
    /// Whether [`SourceNews::Began`] was sent.
    begun: bool,
    /// Whether the line that is coming was already counted as too long.
    counted_too_long: bool,
    /// Whether a line said that the match is over.
    pub(super) over: bool,
}

impl NewsDecoder {
    /// A connection through which nothing has come after its greeting.
    pub(super) fn new() -> NewsDecoder {
        let (lines, opening) = (LineDecoder::new(LINE_BYTES), Some(Vec::new()));
        NewsDecoder { lines, opening, begun: false, counted_too_long: false, over: false }
    }

    /// The news in these bytes, which came at the moment `at`.
    pub(super) fn decode(&mut self, bytes: &[u8], at: Instant) -> Vec<SourceNews> {
        self.lines.push(bytes);
        let mut batch = self.whole_lines(at);
        self.over |= batch.lines().any(is_end);
        let mut news = Vec::new();
        if let Some(mut opening) = self.opening.take() {
            opening.extend_from_slice(&batch.text);
            // The game is named, if at all, by the first line that is neither the map's size nor the rate.
            let mut lines = opening.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
            let naming = lines.find(|line| !line.starts_with(b"msz ") && !line.starts_with(b"sgt "));
            let game = match naming.and_then(Published::parse) {
                Some(Published::Game { name, .. }) => Some(name.to_owned()),
                _ => None,
            };
            let waits = naming.is_none() && opening.len() < OPENING_BYTES;
            if !self.begun || game.is_some() {
                // When the name comes late, all lines so far are handed out once more, for that game.
                news.push(SourceNews::Began(at, game));
                batch.text.clone_from(&opening);
            }
            self.begun = true;
            self.opening = Some(opening).filter(|_| waits);
        }
        if !batch.text.is_empty() || batch.too_long > 0 {
            news.push(SourceNews::Lines(batch));
        }
        news
    }

    /// The whole lines that came.
    fn whole_lines(&mut self, at: Instant) -> NewsBatch {
        let mut batch = NewsBatch::new(at, Vec::new());
        while let Some(line) = self.lines.next_line() {
            match line {
                Decoded::Line(line) => {
                    batch.text.extend_from_slice(line);
                    batch.text.push(b'\n');
                }
                Decoded::Overflow if std::mem::take(&mut self.counted_too_long) => {}
                Decoded::Overflow => batch.too_long = batch.too_long.saturating_add(1),
            }
        }
        if self.lines.is_overflowing() && !std::mem::replace(&mut self.counted_too_long, true) {
            batch.too_long = batch.too_long.saturating_add(1);
        }
        batch
    }
}

/// Whether a line says that the match is over.
fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"seg ")
        || line.strip_prefix(b"smg ").is_some_and(|text| text.starts_with(NO_WINNER.as_bytes()))
}
