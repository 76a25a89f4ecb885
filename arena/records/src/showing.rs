//! The record that `show` shows, the room of its game, and the output; and the bad lines that were left out.
//!
//! Knows no game. Tested in `arena/cli/tests/records/`.

use std::io::{self, BufWriter, Read, StdoutLock, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;
use zappy_protocol::Tick;
use zappy_protocol::record::BadRecord;
use zappy_protocol::text::shown_json;

use super::ShowArgs;
use super::files::Error;
use super::players::Programs;
use super::source::Source;

const BUFFER_BYTES: usize = 64 * 1024;

/// A record that is shown.
pub(crate) struct Showing<'a> {
    pub(crate) source: &'a Source,
    pub(crate) args: &'a ShowArgs,
    pub(crate) programs: &'a Programs,
    pub(crate) out: &'a mut ShowOutput,
    pub(crate) faults: &'a mut Faults,
}

/// A game's room in this crate: what can be done with the records of that game.
pub struct RecordRoom {
    pub(crate) game: &'static str,
    /// Shows a record: its story, its dialogues, what a player saw.
    pub(crate) show: fn(Showing<'_>) -> Result<(), Error>,
    /// Whether the first place was drawn by lot; `None` if the record doesn't say.
    pub(crate) by_lot: fn(&Source) -> Option<bool>,
    /// What the teams of a full record in that folder were refused, in lines; empty if the record can't be read.
    pub(crate) refusals: fn(&Source, &Path) -> String,
}

/// The rooms of those games that have one.
pub type RecordRooms = &'static [&'static RecordRoom];

/// The room for a record.
pub(crate) fn room(rooms: RecordRooms, source: &Source) -> Option<&'static RecordRoom> {
    rooms.iter().find(|room| room.game == source.header.game).copied()
}

impl ShowArgs {
    /// The ticks that are wanted.
    pub(crate) fn ticks(&self) -> RangeInclusive<Tick> {
        self.from.unwrap_or(0)..=self.to.unwrap_or(Tick::MAX)
    }
}

/// Standard output, buffered, until it fails.
pub(crate) struct ShowOutput {
    to: BufWriter<StdoutLock<'static>>,
    failed: Option<io::Error>,
}

impl ShowOutput {
    pub(crate) fn new() -> ShowOutput {
        ShowOutput { to: BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock()), failed: None }
    }

    /// Writes, and returns whether more can be written.
    pub(crate) fn put(&mut self, text: &str) -> bool {
        if self.failed.is_none() {
            self.failed = self.to.write_all(text.as_bytes()).err();
        }
        self.failed.is_none()
    }

    pub(crate) fn put_json(&mut self, value: &Value) -> bool {
        self.put(&format!("{}\n", shown_json(&value.to_string())))
    }

    /// Copies the rest of `from`.
    pub(crate) fn copy(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut chunk = vec![0; BUFFER_BYTES];
        while self.failed.is_none() {
            let taken = from.read(&mut chunk)?;
            if taken == 0 {
                break;
            }
            self.failed = self.to.write_all(&chunk[..taken]).err();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.failed.map_or(flushed, Err)
    }
}

/// Lines that make no sense: what is wrong with the first, and how many more there are.
#[derive(Default)]
pub(crate) struct Faults {
    first: Option<String>,
    more: usize,
}

impl Faults {
    pub(crate) fn note(&mut self, number: usize, error: &BadRecord) {
        match self.first {
            None => self.first = Some(format!("line {number}: {error}")),
            Some(_) => self.more += 1,
        }
    }

    pub(crate) fn words(self) -> Option<String> {
        let more = match self.more {
            0 => "it was left out".to_owned(),
            more => format!("it and {more} more bad lines were left out"),
        };
        self.first.map(|first| format!("{first}; {more}"))
    }
}
