//! Where the match comes from, in words for people.

/// Where the match comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// Nowhere yet: the start screen.
    Nothing,
    Live {
        address: String,
        /// In plain words what the connection does, when it isn't simply there; the start screen before anything came.
        trouble: Option<String>,
        connected: bool,
        /// Ticks per second that the server last told; 0 before.
        rate: u32,
        /// Whether the server takes wishes: of a match that a page shows only the site knows it.
        asks: bool,
        /// A frequency that was asked for and not confirmed yet.
        asked: Option<u32>,
    },
    Record {
        name: String,
        /// The share that was read for marks, charts and feed, 0 to 1.
        read: f32,
        /// What is wrong with the file, if anything: it ends early, lines were skipped.
        trouble: Option<String>,
    },
}
