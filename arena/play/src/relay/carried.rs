//! Which team a relay is for, and what it may carry.

/// Connections that a team may open in a match, whether they last or not.
pub const MOST_CONNECTIONS: u32 = 1_000;

/// A team that has a relay.
#[derive(Debug, Clone)]
pub struct Carried {
    pub name: String,
    /// Connections that it may have at one time; `None`: as many as it likes, at one time and in all.
    pub most: Option<u32>,
}
