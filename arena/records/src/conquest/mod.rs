//! What happened in a match of conquest, turn by turn, from the lines of its record.
//!
//! `story` makes a story of the record's lines, with what `sides` knows of alliances and ranks; `tables` says how the
//! factions stood, and `show` writes it all, as text or JSON. What players and the server said to each other is shown
//! as for any game. Changes nothing. Tested in `arena/cli/tests/records/`.

mod show;
mod sides;
mod story;
mod tables;

use crate::showing::RecordRoom;

/// What there is for records of conquest.
pub static ROOM: RecordRoom = RecordRoom {
    game: zappy_game_conquest::SPEC.name,
    show: show::show,
    by_lot: |_| Some(false),
    refusals: |_, _| String::new(),
};
