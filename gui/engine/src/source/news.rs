//! What a live match's thread tells: how the connection stands, and which lines came.
//!
//! Plain values. Tested through `live`.

use std::time::Duration;

use zappy_protocol::types::Tick;

use super::trouble::SourceTrouble;
use crate::instant::Instant;

/// Trying again begins with this pause, which doubles each time up to 8 s.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// A connection that held for less is a try that failed: longer than the longest pause.
const STEADY: Duration = Duration::from_secs(10);

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
    pub at: Instant,
    pub(super) text: Vec<u8>,
    /// Lines that were too long and are left out.
    pub too_long: u32,
}

impl NewsBatch {
    /// Lines that came at that moment, each with its end.
    pub fn new(at: Instant, text: Vec<u8>) -> NewsBatch {
        NewsBatch { at, text, too_long: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The lines without their ends.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceNews {
    State(SourceState),
    /// A server begins to tell, from a dump on: what was told before may be of another match. With the name of the
    /// game, if the server's first line gives one.
    Began(Instant, Option<String>),
    /// The match had reached that tick at that moment, as a site says before its server begins to tell.
    Reached(Instant, Tick),
    Lines(NewsBatch),
}

/// How long things are waited for; tests wait less.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionWaits {
    /// For each of the server's first two lines; by default 5 s.
    pub greeting: Option<Duration>,
    /// The first pause before another try.
    pub pause: Duration,
    /// After lines came for that long, pauses begin anew; by default 10 s.
    pub steady: Duration,
}

impl Default for ConnectionWaits {
    fn default() -> ConnectionWaits {
        ConnectionWaits { greeting: None, pause: FIRST_PAUSE, steady: STEADY }
    }
}
