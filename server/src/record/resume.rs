//! Rebuilds a match from a record that was cut off, so that it can go on.
//!
//! The record is written anew while its inputs are played again, so what is left behind at the end is one record of
//! one match. Reads and names no files. Tested in `tests/rules/resume.rs`.

use std::io::Write;

use crate::games::GameTable;
use zappy_protocol::record::{RecordLevel, whole_lines};

use super::replay::{mark_resumed, play};
use super::verify::{match_of, read, spelled, verify};
use super::{BadMatch, Recorder};
use zappy_game::config::Observers;
use zappy_game::{Game, MatchSpec, Stand};

/// A match that was rebuilt.
pub struct Resumed<W> {
    pub spec: MatchSpec,
    /// The match; its inputs so far stand in the new record. The match is over if nothing but the end of its record was
    /// cut off: then the new record is complete.
    pub recorder: Recorder<Box<dyn Game>, W>,
    pub stand: Stand,
}

/// Plays what is whole of a record again, and writes its inputs to `out`, all that there are. It is verified before that:
/// no match goes on from lines that no server has written. Where it goes on the new record says so.
///
/// # Errors
/// The record is whole, a line makes no sense or isn't what the rules say, or the new one can't be written.
pub fn resume<W: Write>(
    bytes: &[u8],
    games: GameTable,
    observers: Observers,
    out: W,
) -> Result<Resumed<W>, BadMatch> {
    if verify(bytes, games)?.complete {
        return Err(BadMatch::Ended { line: whole_lines(bytes).count() });
    }
    let (found, lines) = read(bytes)?;
    let mut spec = match_of(&found, games)?;
    (spec.config.observers, spec.config.publish) = (observers, false);
    let mut recorder = Recorder::new(spec.begin()?, out, &spelled(&found, &spec, RecordLevel::Inputs));
    let stand = play(&mut recorder, lines, |recorder| recorder.error.is_some())?.stand;
    let stand = mark_resumed(&mut recorder, stand, |recorder| recorder.finished)?;
    recorder.write_out();
    match recorder.error.take() {
        Some(error) => Err(error.into()),
        None => Ok(Resumed { spec, recorder, stand }),
    }
}
