//! Rebuilds a match from a record that was cut off, so that it can go on.
//!
//! The record is written anew while its inputs are played again, so what is left behind at the end is one record of
//! one match. Reads and names no files. Tested in `tests/rules/resume.rs`.

use std::io::Write;

use zappy_protocol::record::{RecordLevel, whole_lines};

use super::replay::play;
use super::verify::{match_of, read, spelled};
use super::{BadMatch, Recorder};
use crate::config::Observers;
use crate::game::{Game, GameSpec, MatchSpec, Stand};

/// A match that was rebuilt.
pub struct Resumed<W> {
    /// What is played.
    pub spec: MatchSpec,
    /// The match, whose inputs so far stand in the new record.
    pub game: Recorder<Box<dyn Game>, W>,
    /// Where it stands.
    pub stand: Stand,
}

/// Plays what is whole of a record again, and writes its inputs to `out`.
///
/// # Errors
/// The record holds a whole match, or a line makes no sense.
pub fn resume<W: Write>(
    bytes: &[u8],
    games: &'static [GameSpec],
    observers: Observers,
    out: W,
) -> Result<Resumed<W>, BadMatch> {
    let (found, lines) = read(bytes)?;
    let mut spec = match_of(&found, games)?;
    (spec.config.observers, spec.config.publish) = (observers, false);
    let mut game = Recorder::new(spec.begin()?, out, &spelled(&found, &spec, RecordLevel::Inputs));
    let stand = play(&mut game, lines, |_| false)?.stand;
    if game.finished {
        return Err(BadMatch::Ended { line: whole_lines(bytes).count() });
    }
    Ok(Resumed { spec, game, stand })
}
