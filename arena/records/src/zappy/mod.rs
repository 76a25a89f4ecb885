//! What happened in a match of Zappy, from the lines of its record.
//!
//! `story` makes happenings of them, `telling` a text of reasonable length, `dialogue` what one player and the server said to each
//! other, and `sight` draws what a player saw; `tally` counts for all of them what came from players. Changes nothing. Tested in
//! `arena/cli/tests/records/`.

pub mod dialogue;
pub mod sight;
pub mod story;
pub mod tally;
pub mod telling;
