//! Where the match comes from, and what couldn't be understood of it.

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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Lines that are no messages of the dialect.
    pub unknown: u64,
    /// Their first words with how many came of each, where that is known.
    pub kinds: Vec<(String, u64)>,
    /// Lines that were too long to be read; the last one may still come.
    pub too_long: u64,
    /// Messages with parameters that make no sense.
    pub malformed: u64,
    /// Messages that do not fit what was told before.
    pub misfits: u64,
    /// The last of these, escaped and cut.
    pub last: Option<String>,
}

impl Oddities {
    pub fn total(&self) -> u64 {
        self.unknown + self.too_long + self.malformed + self.misfits
    }
}
