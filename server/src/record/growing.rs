//! A record of inputs that is still written, played again piece by piece for what the full one has more.
//!
//! Reads no file and verifies nothing. Tested in `tests/rules/records.rs`.

use crate::games::GameTable;
use zappy_protocol::record::{RecordLevel, read_head, whole_lines};

use super::replay::{Progress, Replay};
use super::verify::{match_of, spelled};
use super::{BadMatch, Recorder};
use zappy_game::Game;

/// A match that is played again from its record while the record is still written, as far as it has come.
pub struct Growing {
    game: Recorder<Box<dyn Game>, Vec<u8>>,
    progress: Progress,
    /// Lines of the record that were taken.
    lines: usize,
}

impl Growing {
    /// Begins the match of a record; gives with it how many of these bytes are its header.
    ///
    /// # Errors
    /// The header isn't whole, or these games can't play it.
    pub fn begin(bytes: &[u8], games: GameTable) -> Result<(Growing, usize), BadMatch> {
        let head = read_head(bytes)?;
        let mut spec = match_of(&head.header, games)?;
        spec.config.publish = true;
        let header = spelled(&head.header, &spec, RecordLevel::Full);
        let game = Recorder::new(spec.begin()?, Vec::new(), &header);
        let mut growing = Growing { game, progress: Progress::default(), lines: head.lines };
        Replay { game: &mut growing.game, progress: &mut growing.progress }.drain();
        Ok((growing, head.bytes))
    }

    /// Plays lines that were added to the record, and gives what the full record has more then.
    ///
    /// # Errors
    /// A line makes no sense.
    pub fn take(&mut self, lines: &[u8]) -> Result<Vec<u8>, BadMatch> {
        let numbered = whole_lines(lines).zip(self.lines + 1..);
        self.lines += whole_lines(lines).count();
        Replay { game: &mut self.game, progress: &mut self.progress }.play(numbered, |_| false)?;
        self.game.write_out();
        Ok(std::mem::take(&mut self.game.file))
    }
}
