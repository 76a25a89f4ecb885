//! What the room of a game tells of its records.
//!
//! The program that reads records has the table of them. Knows no game. Tested in `arena/cli/tests/records/`.

use std::path::Path;

use super::files::Trouble;
use super::showing::Showing;
use super::source::Source;

/// Shows a record.
pub(crate) type Show = fn(Showing<'_>) -> Result<(), Trouble>;

/// What there is for the records of a game.
pub struct RecordRoom {
    pub(crate) game: &'static str,
    /// Shows one of them: its story, its dialogues, what a player saw.
    pub(crate) show: Show,
    /// Whether the first place was drawn by lot, as far as a record tells.
    pub(crate) by_lot: fn(&Source) -> Option<bool>,
    /// What the teams of a full record in that folder were refused, in lines; nothing if it can't be read.
    pub(crate) refusals: fn(&Source, &Path) -> String,
}

/// The rooms of those games that have one.
pub type RecordRooms = &'static [&'static RecordRoom];

/// The room for a record.
pub(crate) fn room(rooms: RecordRooms, source: &Source) -> Option<&'static RecordRoom> {
    rooms.iter().find(|room| room.game == source.header.game).copied()
}
