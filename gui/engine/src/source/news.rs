//! The news of a live match: how the connection stands, and which lines came.
//!
//! Plain values. Tested through `live`.

use std::time::Duration;

use zappy_protocol::types::Tick;

use super::trouble::SourceTrouble;
use crate::instant::Instant;

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceState {
    /// The host's address is being looked up.
    Resolving,
    /// The connection is being made.
    Connecting,
    /// The greeting is under way.
    Greeting,
    /// Lines come.
    Watching,
    /// There is no connection; another try will follow.
    Lost {
        why: SourceTrouble,
        /// When the next try begins.
        retry_at: Instant,
    },
    /// The match is over and the connection closed; there is no further try unless one is asked for.
    Ended,
}

/// Lines that were received together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewsBatch {
    /// The moment at which these lines were received.
    pub at: Instant,
    /// The lines, each with its line feed.
    pub text: Vec<u8>,
    /// How many further lines were too long and are left out.
    pub too_long: u32,
}

impl NewsBatch {
    /// Lines that came at the moment `at`, each with its line feed.
    pub fn new(at: Instant, text: Vec<u8>) -> NewsBatch {
        NewsBatch { at, text, too_long: 0 }
    }

    /// The lines without their line feeds.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceNews {
    State(SourceState),
    /// At this moment a server began to send lines, from a dump on: earlier lines may be of another match. With the
    /// name of the game, if the server's first line has one.
    Began(Instant, Option<String>),
    /// At this moment the match had reached this tick, as a site says before the lines of its server.
    Reached(Instant, Tick),
    Lines(NewsBatch),
}

/// Waiting times of a connection; tests have shorter ones.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionWaits {
    /// How long each of the server's first two lines is waited for.
    pub greeting: Duration,
    /// The first pause before another try; it doubles each time up to [`super::reader::LONGEST_PAUSE`].
    pub pause: Duration,
    /// A connection that lasted this long sets the pause back to the first one; longer than the longest pause.
    pub steady: Duration,
}

impl Default for ConnectionWaits {
    fn default() -> ConnectionWaits {
        let [greeting, pause, steady] = [5_000, 500, 10_000].map(Duration::from_millis);
        ConnectionWaits { greeting, pause, steady }
    }
}
