//! What happened in a match of Zappy, from the lines of its record.
//!
//! `story` makes happenings of them, `story_text` a text of reasonable length, `dialogue` what one player and the server said to each
//! other, and `sight` draws what a player saw; `tally` counts for all of them what came from players. `show` writes them, with
//! `tables` around them or as `json`, `verdict` says what put the first team there, and `refusals` tells in short what was refused to each team. Changes nothing. Tested in
//! `arena/cli/tests/records/`.

mod dialogue;
mod json;
mod refusals;
mod show;
mod sight;
mod story;
mod story_text;
mod tables;
mod tally;
mod verdict;

use crate::showing::RecordRoom;

/// What there is for records of Zappy.
pub static ROOM: RecordRoom = RecordRoom {
    game: zappy_game_zappy::SPEC.name,
    show: show::show,
    by_lot: verdict::by_lot,
    refusals: refusals::refusals,
};
