//! Records: written while a match is played, and played again to prove them.
//!
//! [`Recorder`] stands between any game and its shell and notes what passes. It never fails the match: when the
//! file can't be written, it says so once and the match goes on. Observers leave no trace in a record, and a player
//! appears with the line that admits it. Tested by the transcripts and in `tests/rules/records.rs`.

use std::collections::BTreeMap;
use std::io::Write;

use zappy_protocol::record::{Entry, FORMAT_VERSION, Header, RecordLevel, RecordLine, RecordPrinter, Seat};
use zappy_protocol::{TeamName, Tick};

use crate::config::MAX_FREQUENCY;
use crate::game::{Admission, Game, Input, Line, MatchSpec, Output, Report, SeatId};

mod replay;
mod verify;
pub use verify::{BadMatch, Verified, expand, match_of, parse, verify};

/// How many bytes wait before they are written to the file: few enough to lose little, many enough to write seldom.
const BACKLOG_BYTES: usize = 64 * 1024;
/// The longest record, in bytes: a client that sends junk all night doesn't fill the disk.
pub const MAX_RECORD_BYTES: u64 = 2 << 30;
/// After how many ticks waiting bytes are written at the latest, so that little is lost when the server is killed.
const BACKLOG_TICKS: Tick = 100;
/// The least distance between two keyframes, in bytes.
const KEYFRAME_BYTES: u64 = 256 * 1024;
/// The least distance between two keyframes, in sizes of a keyframe, so that they stay a small part of the file.
const KEYFRAME_RATIO: u64 = 8;

/// The header of a match's record.
#[must_use]
pub fn header(spec: &MatchSpec, level: RecordLevel) -> Header {
    let MatchSpec { game, config, options } = spec;
    Header {
        format: FORMAT_VERSION,
        game: game.name.to_owned(),
        rules_version: game.rules_version,
        seed: config.seed,
        map: config.map,
        frequency: config.frequency.get(),
        max_frequency: MAX_FREQUENCY,
        auto_start: config.auto_start,
        max_ticks: config.max_ticks,
        clock: config.clock.name().to_owned(),
        level,
        teams: config.teams.clone(),
        options: options.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    }
}

/// A game whose inputs and outputs are noted as they pass.
#[derive(Debug)]
pub struct Recorder<G, W> {
    game: G,
    file: W,
    level: RecordLevel,
    printer: RecordPrinter,
    now: Tick,
    /// The numbers of admitted seats that are not closed.
    seats: BTreeMap<SeatId, Seat>,
    admitted: u32,
    /// The last line of a seat that isn't admitted yet: the line by which it may be admitted.
    first_line: Vec<u8>,
    /// Whether all outputs of the last step were taken.
    drained: bool,
    written_at: Tick,
    last_keyframe: u64,
    keyframe_bytes: u64,
    error: Option<std::io::Error>,
    finished: bool,
}

impl<G: Game, W: Write> Recorder<G, W> {
    /// Records `game`, which is new, to `file`.
    pub fn new(game: G, file: W, header: &Header) -> Recorder<G, W> {
        let mut recorder = Recorder {
            game,
            file,
            level: header.level,
            printer: RecordPrinter::default(),
            now: 0,
            seats: BTreeMap::from([(SeatId::CONSOLE, Seat::Console)]),
            admitted: 0,
            first_line: Vec::new(),
            drained: true,
            written_at: 0,
            last_keyframe: 0,
            keyframe_bytes: 0,
            error: None,
            finished: false,
        };
        for line in header.lines() {
            recorder.printer.push(&line);
        }
        recorder.note_snapshot();
        recorder
    }

    /// Writes what waits, and gives back the game and the file.
    ///
    /// # Errors
    /// The first error of writing; then the record is not whole.
    pub fn finish(mut self) -> (G, Result<W, std::io::Error>) {
        self.write_out();
        let flushed = match self.error.take() {
            Some(error) => Err(error),
            None => self.file.flush(),
        };
        (self.game, flushed.map(|()| self.file))
    }

    /// The file.
    pub const fn file(&self) -> &W {
        &self.file
    }

    /// The game.
    pub const fn game(&self) -> &G {
        &self.game
    }

    fn note(&mut self, entry: Entry) {
        self.printer.push(&RecordLine::Event(self.now, entry));
    }

    fn full(&self) -> bool {
        self.level == RecordLevel::Full
    }

    fn note_snapshot(&mut self) {
        if !self.full() {
            return;
        }
        let before = self.printer.printed();
        let mut lines = Vec::new();
        self.game.snapshot(None, &mut lines);
        for line in lines.iter().flat_map(Line::lines) {
            self.printer.push(&RecordLine::Snapshot(line.to_vec()));
        }
        self.last_keyframe = self.printer.printed();
        self.keyframe_bytes = self.last_keyframe - before;
    }

    /// Readers can begin at a keyframe, so it may only stand between two steps of the game.
    fn note_keyframe_when_due(&mut self) {
        let since = self.printer.printed() - self.last_keyframe;
        if self.full() && !self.finished && since > KEYFRAME_BYTES.max(KEYFRAME_RATIO * self.keyframe_bytes) {
            self.printer.push(&RecordLine::Keyframe(self.now));
            self.note_snapshot();
        }
    }

    fn note_input(&mut self, seat: SeatId, input: Input<'_>) {
        let Some(&number) = self.seats.get(&seat) else {
            if let Input::Line(line) = input {
                self.first_line = line.to_vec();
            }
            return;
        };
        self.note(match input {
            Input::Open => return,
            Input::Line(line) => Entry::Received(number, line.to_vec()),
            Input::Overflow => Entry::Overflow(number),
            Input::End => Entry::Ended(number),
            Input::Closed => Entry::Gone(number),
            Input::Expelled(why) => Entry::Expelled(number, why.to_owned()),
        });
        if input == Input::Closed {
            self.seats.remove(&seat);
        }
    }

    fn note_output(&mut self, output: &Output) {
        // A record of inputs holds no outputs, and the console's answers are kept in no record.
        let number = |seat: &SeatId| self.seats.get(seat).copied().filter(|_| self.full());
        match output {
            Output::Admit(seat) => {
                let number = Seat::Number(self.admitted);
                self.admitted += 1;
                self.seats.insert(*seat, number);
                let line = std::mem::take(&mut self.first_line);
                self.note(Entry::Admitted(number, line));
            }
            Output::AsConsole(line) => self.note(Entry::Received(Seat::Console, line.text().to_vec())),
            Output::Publish(line) if self.full() => self.note(Entry::Published(line.text().to_vec())),
            Output::Send(SeatId::CONSOLE, _)
            | Output::Publish(_)
            | Output::Subscribe(_)
            | Output::Gate(_)
            | Output::SetTickRate(_) => {}
            Output::Send(seat, line) => {
                if let Some(number) = number(seat) {
                    line.lines().for_each(|line| self.note(Entry::Sent(number, line.to_vec())));
                }
            }
            Output::Why(seat, why) => {
                if let Some(number) = number(seat) {
                    self.note(Entry::Why(number, why.to_string()));
                }
            }
            Output::Close(seat, why) => {
                if let Some(number) = number(seat) {
                    self.note(Entry::Closed(number, why.to_string()));
                }
                self.seats.remove(seat);
            }
            Output::Finished(verdict) => {
                let winners = verdict.winners().filter_map(|name| TeamName::parse(name.as_bytes())).collect();
                let end = RecordLine::End(self.now, verdict.reason.to_owned(), winners);
                self.printer.finish(&end, self.game.digest());
                self.finished = true;
            }
        }
    }

    /// The first error is kept; afterwards nothing is written, so that the file ends with a whole line.
    fn write_out(&mut self) {
        self.written_at = self.now;
        let written = if self.error.is_some() {
            Ok(())
        } else if self.printer.printed() > MAX_RECORD_BYTES {
            Err(std::io::Error::other(format!("it would be longer than {MAX_RECORD_BYTES} bytes")))
        } else {
            self.file.write_all(self.printer.waiting())
        };
        if let Err(error) = written {
            log::error!("the record can't be written any more: {error}; the match goes on without it");
            self.error = Some(error);
        }
        self.printer.clear();
    }
}

impl<G: Game, W: Write> Game for Recorder<G, W> {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.now = now.max(self.now);
        if !self.finished {
            self.note_input(seat, input);
        }
        self.game.handle_input(now, seat, input);
        self.drained = false;
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.now = now.max(self.now);
        self.game.handle_timeout(now);
        self.drained = false;
    }

    fn poll_timeout(&self) -> Option<Tick> {
        self.game.poll_timeout()
    }

    fn poll_output(&mut self) -> Option<Output> {
        let output = self.game.poll_output();
        match &output {
            Some(output) if !self.finished => self.note_output(output),
            Some(_) => {}
            None => {
                if !std::mem::replace(&mut self.drained, true) {
                    self.note_keyframe_when_due();
                }
                let old = self.now - self.written_at >= BACKLOG_TICKS;
                if old || self.printer.waiting().len() >= BACKLOG_BYTES || self.finished {
                    self.write_out();
                }
            }
        }
        output
    }

    fn owing(&self, out: &mut Vec<SeatId>) {
        self.game.owing(out);
    }

    fn admission(&self, line: &[u8]) -> Admission {
        self.game.admission(line)
    }

    fn room(&self, group: u32) -> usize {
        self.game.room(group)
    }

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.game.snapshot(missed_from, out);
    }

    fn digest(&self) -> u64 {
        self.game.digest()
    }

    fn report(&self) -> Report {
        self.game.report()
    }

    fn line_limit(&self, seat: SeatId) -> u32 {
        self.game.line_limit(seat)
    }
}
