//! Zappy's own options: the rule set and two values.
//!
//! Plain values. Tested in `spec`, which reads them from text.

use super::rules::RuleSet;

/// The most slots per team at the start.
pub const MAX_SLOTS: u32 = 1_000;
/// Slots per team at the start, by default.
pub const DEFAULT_SLOTS: u32 = 6;

/// Zappy's own options, beside what every game's match has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZappyOptions {
    pub rules: RuleSet,
    /// Slots per team at the start, 1 to [`MAX_SLOTS`].
    pub slots: u32,
    /// Whether `Look` shows eggs. Under some rules `Eject` breaks only eggs that are shown.
    pub display_eggs: bool,
}

impl Default for ZappyOptions {
    fn default() -> ZappyOptions {
        ZappyOptions { rules: RuleSet::SUBJECT, slots: DEFAULT_SLOTS, display_eggs: false }
    }
}
