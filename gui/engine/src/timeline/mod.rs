//! The past of a match, kept so that any tick can be shown again.
//!
//! Works for every game that implements the traits in [`fold`], and names none. Never draws, never knows a window.
//! Tested in `gui/zappy/tests/archive/` and in its modules.

pub mod archive;
pub mod dialogue;
pub mod fold;
mod index;
mod medium;
pub mod notes;
pub mod playhead;
pub mod record_file;
pub mod scan;
pub mod spool;
pub mod tape;
pub mod tempo;

use std::collections::VecDeque;

/// The most samples of a match that are kept: more than a chart has pixels to show.
pub const SAMPLE_LIMIT: usize = 2_048;

/// Drops every second sample if there are [`SAMPLE_LIMIT`] of them; `first`: the first one stays. Returns whether any
/// were dropped.
pub fn thin<T>(samples: &mut Vec<T>, first: bool) -> bool {
    let full = samples.len() == SAMPLE_LIMIT;
    if full {
        let mut keep = !first;
        samples.retain(|_| {
            keep = !keep;
            keep
        });
    }
    full
}

/// Adds an item to a list of at most `limit` items; drops the oldest one if the list is full.
pub fn push_bounded<T>(list: &mut VecDeque<T>, limit: usize, item: T) {
    if list.len() == limit {
        list.pop_front();
    }
    list.push_back(item);
}
