//! The past of a match, live or recorded: one long tape of lines that a reader may begin to read in many places.
//!
//! The lines are those of a record (`zappy_protocol::record`). A place on the tape is a number of bytes from
//! its beginning that never changes, also when the oldest part is dropped. At each [`Keyframe`] the tape has a
//! snapshot of the world. A reader goes forward line by line with a [`super::tape::Cursor`]. Tested
//! through the two archives, [`super::record_file::WatchedRecord`] and [`super::spool::Spool`].

use zappy_protocol::Tick;

use super::tape::Tape;

/// Bytes that are read at once: few enough for one frame, and so many that reads are seldom.
pub const READ_BYTES: usize = 1 << 20;

/// A place on the tape where there is a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keyframe {
    /// The tick at which the snapshot is shown. Later lines may be of the same tick.
    pub tick: Tick,
    /// The place of the snapshot, in bytes.
    pub at: u64,
}

/// The past of a match.
pub trait Archive: Tape + Send {
    /// The oldest place at which a reader may begin.
    fn first(&self) -> Keyframe;

    /// The latest keyframe of a tick before `tick`; the oldest keyframe if there is none.
    fn keyframe_before(&self, tick: Tick) -> Keyframe;

    /// Whether the world began anew at this place, so that a reader that comes to it must take in the snapshot.
    fn begins_anew(&self, _at: u64) -> bool {
        false
    }

    /// The tick at which a line at this place, of the tick `tick`, is shown; `Tick::MAX` if that isn't known yet.
    fn shown(&self, _at: u64, tick: Tick) -> Tick {
        tick
    }

    /// Where the tape ends so far, in bytes.
    fn end(&self) -> u64;

    /// The oldest tick that can be shown.
    fn first_tick(&self) -> Tick {
        self.first().tick
    }

    /// The newest tick that can be shown.
    fn last_tick(&self) -> Tick;

    /// Whether the archive holds the lines between players and server.
    fn has_dialogue(&self) -> bool;
}

/// Removes what follows the last line feed; without any, as within a very long line, all bytes stay.
pub(super) fn keep_whole_lines(bytes: &mut Vec<u8>) {
    if let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') {
        bytes.truncate(end + 1);
    }
}
