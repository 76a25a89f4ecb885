//! Makes news of the bytes of one connection to a live match: its lines, and the game that they are of.
//!
//! Sans-IO: bytes in, news out, however they are cut. Reads no clock and no socket, so that a connection over TCP and one
//! of a page are heard alike. Tested in `gui/zappy/tests/live/`.

use zappy_protocol::line::{Decoded, LineDecoder};
use zappy_protocol::published::{NO_WINNER, Published};

use super::news::{NewsBatch, SourceNews};
use crate::instant::Instant;

/// The longest line: longer than any message of the dialect.
const LINE_BYTES: usize = 64 * 1024;
/// Bytes in which a server says which game is played.
const OPENING_BYTES: usize = 1024;

/// The state of one connection between two pieces of its bytes.
#[derive(Debug)]
pub(super) struct Hearing {
    decoder: LineDecoder,
    /// Lines that came before it is known which game is played.
    opening: Option<Vec<u8>>,
    begun: bool,
    /// Whether the line that comes was counted as too long before its end.
    endless: bool,
    /// Whether a line said that the match is over.
    pub(super) over: bool,
}

impl Hearing {
    /// A connection through which nothing came behind its greeting.
    pub(super) fn new() -> Hearing {
        let decoder = LineDecoder::new(LINE_BYTES);
        Hearing { decoder, opening: Some(Vec::new()), begun: false, endless: false, over: false }
    }

    /// The news in these bytes, which came at that moment.
    pub(super) fn hear(&mut self, bytes: &[u8], at: Instant) -> Vec<SourceNews> {
        self.decoder.push(bytes);
        let mut batch = self.decoded(at);
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
                // A name that comes late begins everything anew.
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
    fn decoded(&mut self, at: Instant) -> NewsBatch {
        let mut batch = NewsBatch::new(at, Vec::new());
        while let Some(line) = self.decoder.next_line() {
            match line {
                Decoded::Line(line) => {
                    batch.text.extend_from_slice(line);
                    batch.text.push(b'\n');
                }
                Decoded::Overflow if std::mem::take(&mut self.endless) => {}
                Decoded::Overflow => batch.too_long = batch.too_long.saturating_add(1),
            }
        }
        if self.decoder.is_overflowing() && !std::mem::replace(&mut self.endless, true) {
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
