//! The news of a live match: how the connection stands, and which lines came.
//!
//! Plain values. Tested through `live`.

use std::time::Duration;

use zappy_protocol::types::Tick;

use super::trouble::SourceTrouble;
use crate::instant::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceState {
    /// The host's address is being looked up.
    Resolving,
    /// The connection is being made.
    Connecting,
    /// The first words are exchanged.
    Greeting,
    Watching,
    /// There is no connection; it is tried again.
    Lost {
        why: SourceTrouble,
        /// When it is tried again.
        retry_at: Instant,
    },
    /// The match was won and the server left; nothing is tried again by itself.
    Ended,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewsBatch {
    /// The moment at which these lines were received.
    pub at: Instant,
    /// The lines with their ends.
    pub text: Vec<u8>,
    /// Lines that were too long and are left out.
    pub too_long: u32,
}

impl NewsBatch {
    /// Lines that came at that moment, each with its end.
    pub fn new(at: Instant, text: Vec<u8>) -> NewsBatch {
        NewsBatch { at, text, too_long: 0 }
    }

    /// The lines without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceNews {
    State(SourceState),
    /// A server begins to send lines, from a dump on: lines before these may be of another match. With the name of the
    /// game, if the server's first line gives one.
    Began(Instant, Option<String>),
    /// The match had reached that tick at that moment, as a site says before the lines of its server.
    Reached(Instant, Tick),
    Lines(NewsBatch),
}

/// How long things are waited for; tests wait less.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionWaits {
    /// For each of the server's first two lines.
    pub greeting: Duration,
    /// The first pause before another try; it doubles each time up to [`super::reader::LONGEST_PAUSE`].
    pub pause: Duration,
    /// After lines came for that long, pauses begin anew; longer than the longest pause.
    pub steady: Duration,
}

impl Default for ConnectionWaits {
    fn default() -> ConnectionWaits {
        let [greeting, pause, steady] = [5_000, 500, 10_000].map(Duration::from_millis);
        ConnectionWaits { greeting, pause, steady }
    }
}
