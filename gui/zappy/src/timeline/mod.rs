//! What is known of a match of Zappy at a tick, and of the whole match.
//!
//! Never draws, never knows a window. Tested in `tests/` and in its modules.

pub mod attempt;
pub mod chronicle;
pub mod moments;
pub mod refusal;
pub mod series;
pub mod state;
pub mod track;

/// A scan of a record of Zappy.
pub type ZappyScan = zappy_observer::timeline::scan::Scan<chronicle::Chronicler>;
/// What such a scan finds.
pub type ZappyFindings = zappy_observer::timeline::scan::ScanFindings<chronicle::Overview>;
/// Shows an archive of Zappy at any tick.
pub type ZappyPlayhead = zappy_observer::timeline::playhead::Playhead<state::ZappyState>;
/// What the lines of a live match of Zappy make known.
pub type ZappyFeed = zappy_observer::source::feed::Feed<chronicle::Chronicler>;
