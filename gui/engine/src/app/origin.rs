//! Where the match comes from, in words for people.

/// Where the match comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// Nowhere yet: the start screen.
    Nothing,
    Live {
        address: String,
        /// The state of the connection in plain words; `None` while lines come through it.
        trouble: Option<String>,
        connected: bool,
        /// Ticks per second that the server published last; 0 before.
        rate: u32,
        /// Whether the server can be asked for something; `false` in a page, which has no connection to it.
        can_ask: bool,
        /// A frequency that was asked for and not confirmed yet.
        asked: Option<u32>,
    },
    Record {
        name: String,
        /// The share of the file that was read for marks, charts and feed, 0 to 1.
        read: f32,
        /// The fault of the file, if any: it ends early, lines were skipped.
        trouble: Option<String>,
    },
}
