//! The words for the end of a match.
//!
//! A closed list. Tested in `tests/conquest.rs`.

use zappy_turns::engine::Ending;

/// The word for the end of a match that is won by land.
pub(super) const DOMINION: &str = "dominion";

/// The words for the end of a match, and what they mean to people.
pub(in super::super) const REASONS: &[(&str, &str)] = &[
    ("conquest", "one faction or alliance was left"),
    ("extinction", "no faction was left"),
    (DOMINION, "a faction or alliance held enough of the land for enough turns"),
    ("turns", "the last turn was over"),
    ("time", "time was over"),
    ("stopped", "the operator ended the match"),
];

/// The word for that ending.
pub(super) const fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Decided(word) => word,
        Ending::Last => "conquest",
        Ending::Draw => "extinction",
        Ending::Turns => "turns",
        Ending::Time => "time",
        Ending::Stopped => "stopped",
    }
}

/// Whether rank 1 wins at that ending.
pub(super) const fn decides(ending: Ending) -> bool {
    matches!(ending, Ending::Decided(_) | Ending::Last | Ending::Turns | Ending::Time)
}
