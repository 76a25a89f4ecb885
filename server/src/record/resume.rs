//! Records without an end: the match of a record that was cut off goes on, and a record that is still being written is
//! replayed as it grows.
//!
//! Where a match goes on, its record is written anew while its inputs are played again, so that one match leaves one
//! record. Reads and names no files. Tested in `tests/rules/resume.rs` and `tests/rules/records.rs`.

use std::io::Write;

use crate::games::GameTable;
use zappy_protocol::record::{RecordLevel, read_head, whole_lines};

use super::replay::{Progress, mark_resumed, play};
use super::verify::{header_like, match_of, read, verify};
use super::{BadMatch, Recorder};
use zappy_game::config::Observers;
use zappy_game::{Game, MatchSpec, Stand};

/// A match that was rebuilt from its record.
pub struct Resumed<W> {
    pub spec: MatchSpec,
    /// The match; its inputs so far stand in the new record. The match is over if nothing but the end of its record was
    /// cut off: then the new record is complete.
    pub recorder: Recorder<Box<dyn Game>, W>,
    pub stand: Stand,
}

/// Plays the whole lines of a record again, and writes all of its inputs to `out`. The record is verified before that:
/// no match goes on from lines that no server has written. The new record says where the match goes on.
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
    let mut recorder = Recorder::new(spec.begin()?, out, &header_like(&found, &spec, RecordLevel::Inputs));
    let stand = play(&mut recorder, lines, |recorder| recorder.error.is_some())?.stand;
    let stand = mark_resumed(&mut recorder, stand, |recorder| recorder.finished)?;
    recorder.write_out();
    match recorder.error.take() {
        Some(error) => Err(error.into()),
        None => Ok(Resumed { spec, recorder, stand }),
    }
}

/// A match that is played again from its record while the record is still written, as far as it has come.
pub struct Growing {
    game: Recorder<Box<dyn Game>, Vec<u8>>,
    progress: Progress,
    /// Lines of the record that were taken.
    lines: usize,
}

impl Growing {
    /// Begins the match of a record; returns with it how many of these bytes are the record's header.
    ///
    /// # Errors
    /// The header isn't whole, or these games can't play it.
    pub fn begin(bytes: &[u8], games: GameTable) -> Result<(Growing, usize), BadMatch> {
        let head = read_head(bytes)?;
        let mut spec = match_of(&head.header, games)?;
        spec.config.publish = true;
        let header = header_like(&head.header, &spec, RecordLevel::Full);
        let game = Recorder::new(spec.begin()?, Vec::new(), &header);
        let mut growing = Growing { game, progress: Progress::default(), lines: head.lines };
        growing.progress.drain(&mut growing.game);
        Ok((growing, head.bytes))
    }

    /// Plays lines that were added to the record, and returns the lines that this adds to the full record.
    ///
    /// # Errors
    /// A line makes no sense.
    pub fn take(&mut self, lines: &[u8]) -> Result<Vec<u8>, BadMatch> {
        let numbered = whole_lines(lines).zip(self.lines + 1..);
        self.lines += whole_lines(lines).count();
        self.progress.play(&mut self.game, numbered, |_| false)?;
        self.game.write_out();
        Ok(std::mem::take(&mut self.game.file))
    }
}
