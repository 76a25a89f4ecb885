//! Records: written while a match is played, and played again to prove them.
//!
//! [`Recorder`] stands between any game and its shell and notes what passes. It never ends the match: when the
//! file can't be written, it logs that once and the match goes on. Observers leave no trace in a record, and a player
//! appears with the line that admits it. However many outputs a game has at one tick, only a small part of them is held
//! in memory. Tested by the transcripts and in `tests/rules/records.rs`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use zappy_protocol::record::{
    Entry, FORMAT_VERSION, Header, MAX_DROPPED, RecordLevel, RecordLine, RecordPrinter, Seat,
};
use zappy_protocol::{TeamName, Tick};

use crate::net::Hosted;
use zappy_game::config::MAX_FREQUENCY;
use zappy_game::{Game, Input, Line, MatchSpec, Output, SeatId, Words, hand_on};

mod file;
mod replay;
mod resume;
mod verify;
pub use file::{MAGIC, MAX_LINE_BYTES, MAX_RECORD_BYTES, Medium, RecordFile, read_file};
pub use replay::Touched;
pub use resume::{Growing, Resumed, resume};
pub use verify::{BadMatch, Verified, expand, judge, match_of, parse, standings, verify};

/// How many bytes may wait before they are written to the file: few enough to lose little, many enough to write seldom.
const BACKLOG_BYTES: usize = 64 * 1024;
/// After how many ticks waiting bytes are written at the latest, by default, so that little is lost when the server is
/// killed.
pub const BACKLOG_TICKS: Tick = 100;
/// How many different lines may wait for further seats that are sent the same line: a sound has nine directions.
const SHARED_LINES: usize = 16;
/// The first format that joins equal entries: the same line to several seats, and the lines of a seat that were
/// dropped.
const JOINING_FORMAT: u32 = 3;
/// The least distance between two keyframes, in bytes.
const KEYFRAME_BYTES: u64 = 256 * 1024;
/// The least distance between two keyframes, as a multiple of a keyframe's size, so that they stay a small part of the
/// file.
const KEYFRAME_RATIO: u64 = 8;

/// The header of a match's record.
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

/// A game, with a record of its inputs and outputs as they pass.
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
    /// Whether equal entries are joined, as formats from [`JOINING_FORMAT`] on have it.
    joins: bool,
    /// The line that was just handed in; the game's outputs decide whether it is noted as it is, shortened or only
    /// counted.
    input: Option<(Seat, Entry)>,
    /// The lines that were dropped since the last one that wasn't, by seat: how many, and why.
    dropped: BTreeMap<Seat, (u64, Words)>,
    /// The same lines to several seats, in the order of their first ones. No seat is among them twice.
    shared: Vec<(Line, Vec<Seat>)>,
    /// The last seat among those of `shared`.
    last_shared: Option<Seat>,
    /// Whether all outputs of the last step were taken.
    drained: bool,
    /// Whether the last step was a timeout, not an input.
    is_timeout: bool,
    written_at: Tick,
    /// After how many ticks waiting bytes are written at the latest.
    delay: Tick,
    keyframe: Keyframe,
    error: Option<io::Error>,
    finished: bool,
}

/// The last keyframe.
#[derive(Debug, Default)]
struct Keyframe {
    /// Bytes of the record up to the keyframe's end.
    ends_at: u64,
    bytes: u64,
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
            joins: header.format >= JOINING_FORMAT,
            input: None,
            dropped: BTreeMap::new(),
            shared: Vec::new(),
            last_shared: None,
            drained: true,
            is_timeout: false,
            written_at: 0,
            delay: BACKLOG_TICKS,
            keyframe: Keyframe::default(),
            error: None,
            finished: false,
        };
        for line in header.lines() {
            recorder.printer.push(&line);
        }
        recorder.note_snapshot();
        // From now on the file holds a record of this match.
        recorder.write_out();
        recorder
    }

    /// Has waiting bytes written after so many ticks at the latest; 0: with each step.
    #[must_use]
    pub fn with_delay(self, ticks: Tick) -> Recorder<G, W> {
        Recorder { delay: ticks, ..self }
    }

    /// Whether the match is over and the record has its footer. Its last bytes may still wait to be written.
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether the file didn't take what was written, so that the record won't be whole.
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what waits, and gives back the game and the file.
    ///
    /// # Errors
    /// The first error of writing; then the record is not whole.
    pub fn finish(mut self) -> (G, Result<W, io::Error>) {
        self.note_dropped();
        self.write_out();
        let flushed = match self.error.take() {
            Some(error) => Err(error),
            None => self.file.flush(),
        };
        (self.game, flushed.map(|()| self.file))
    }

    /// Lets the game run to that tick. Its outputs go into the record alone.
    pub fn run_to(&mut self, tick: Tick) {
        while let Some(due) = self.poll_timeout().filter(|&due| due <= tick) {
            self.handle_timeout(due);
            while self.poll_output().is_some() {}
        }
    }

    /// Lets the game run to that tick, and hands an input in. The outputs go into the record alone.
    pub fn hand_in(&mut self, tick: Tick, seat: SeatId, input: Input<'_>) {
        self.run_to(tick);
        self.handle_input(tick, seat, input);
        while self.poll_output().is_some() {}
    }

    pub const fn game(&self) -> &G {
        &self.game
    }

    /// Notes an entry, behind the lines that wait to be joined.
    fn note(&mut self, entry: Entry) {
        self.note_shared();
        self.note_dropped();
        self.print(entry);
    }

    fn print(&mut self, entry: Entry) {
        if self.error.is_none() {
            self.printer.push(&RecordLine::Event(self.now, entry));
        }
    }

    /// Notes the line that was handed in, unless the game dropped it.
    fn note_waiting_input(&mut self) {
        if let Some((_, entry)) = self.input.take() {
            self.note(entry);
        }
    }

    /// Notes how many lines of each seat were dropped. Neither the order of the seats nor the moment within the tick
    /// matters, as long as no other line came between: so records of both levels count the same.
    fn note_dropped(&mut self) {
        for (seat, (mut count, why)) in std::mem::take(&mut self.dropped) {
            while count > 0 {
                let part = u32::try_from(count).unwrap_or(u32::MAX).min(MAX_DROPPED);
                self.print(Entry::Dropped(seat, part));
                count -= u64::from(part);
            }
            if self.is_full() && !why.is_empty() {
                self.print(Entry::Why(seat, why.into_owned()));
            }
        }
    }

    /// Notes the lines that wait for further seats.
    fn note_shared(&mut self) {
        self.last_shared = None;
        for (line, seats) in std::mem::take(&mut self.shared) {
            let text = line.text().to_vec();
            self.print(match seats[..] {
                [seat] => Entry::Sent(seat, text),
                _ => Entry::SentTo(seats, text),
            });
        }
    }

    /// Keeps a line to a seat until it is known which further seats are sent the same line. Seats are joined as long as
    /// they come in ascending order, so that each seat's lines keep their order. Several lines in one text aren't
    /// joined.
    fn share(&mut self, seat: Seat, line: &Line) {
        if !self.joins || line.text().contains(&b'\n') {
            return line.lines().for_each(|line| self.note(Entry::Sent(seat, line.to_vec())));
        }
        self.note_dropped();
        if self.last_shared.is_some_and(|last| seat <= last) {
            self.note_shared();
        }
        self.last_shared = Some(seat);
        if let Some((_, seats)) =
            self.shared.iter_mut().find(|(there, _)| std::ptr::eq(there.bytes(), line.bytes()))
        {
            return seats.push(seat);
        }
        if self.shared.len() >= SHARED_LINES {
            self.note_shared();
            self.last_shared = Some(seat);
        }
        self.shared.push((line.clone(), vec![seat]));
    }

    fn is_full(&self) -> bool {
        self.level == RecordLevel::Full
    }

    /// Notes what a new observer would be sent, in full records.
    fn note_snapshot(&mut self) {
        if !self.is_full() {
            return;
        }
        let before = self.printer.printed();
        let mut lines = Vec::new();
        self.game.snapshot(None, &mut lines);
        for line in lines.iter().flat_map(Line::lines) {
            self.printer.push(&RecordLine::Snapshot(line.to_vec()));
        }
        lines.clear();
        self.game.withheld(&mut lines);
        for line in lines.iter().flat_map(Line::lines) {
            self.printer.push(&RecordLine::WithheldSnapshot(line.to_vec()));
        }
        self.keyframe.ends_at = self.printer.printed();
        self.keyframe.bytes = self.keyframe.ends_at - before;
    }

    fn note_input(&mut self, seat: SeatId, input: Input<'_>) {
        let Some(&number) = self.seats.get(&seat) else {
            if let Input::Line(line) = input {
                self.first_line = line.to_vec();
            }
            return;
        };
        let entry = match input {
            Input::Open => return,
            Input::Line(line) => Entry::Received(number, line.to_vec()),
            Input::Overflow => Entry::Overflow(number),
            Input::End => Entry::Ended(number),
            Input::Closed => Entry::Gone(number),
            Input::Expelled(why) => Entry::Expelled(number, why.to_owned()),
        };
        if self.joins && matches!(input, Input::Line(_) | Input::Overflow) {
            self.input = Some((number, entry));
        } else {
            self.note(entry);
        }
        if input == Input::Closed {
            self.seats.remove(&seat);
        }
    }

    fn note_output(&mut self, output: &Output) {
        match (output, &mut self.input) {
            (Output::Instead(_, Some(line)), Some((seat, entry))) => {
                *entry = Entry::Received(*seat, line.text().to_vec());
            }
            (Output::Instead(_, None), Some((seat, _))) => {
                self.dropped.entry(*seat).or_default().0 += 1;
                self.input = None;
            }
            (Output::Instead(..), None) => {}
            _ => self.note_waiting_input(),
        }
        // A record of inputs holds no outputs, and the console's answers are kept in no record.
        let number = |seat: &SeatId| self.seats.get(seat).copied().filter(|_| self.is_full());
        match output {
            Output::Admit(seat) => {
                let number = Seat::Number(self.admitted);
                self.admitted += 1;
                self.seats.insert(*seat, number);
                let line = std::mem::take(&mut self.first_line);
                self.note(Entry::Admitted(number, line));
            }
            Output::AsConsole(line) => self.note(Entry::Received(Seat::Console, line.text().to_vec())),
            Output::Publish(line) if self.is_full() => self.note(Entry::Published(line.text().to_vec())),
            Output::Withhold(line) if self.is_full() => self.note(Entry::Withheld(line.text().to_vec())),
            Output::Send(SeatId::CONSOLE, _)
            | Output::Publish(_)
            | Output::Withhold(_)
            | Output::Subscribe(_)
            | Output::Instead(..)
            | Output::Gate(_)
            | Output::SetTickRate(_) => {}
            Output::Send(seat, line) => {
                if let Some(number) = number(seat) {
                    self.share(number, line);
                }
            }
            Output::Why(seat, why) => {
                let number = number(seat);
                if let Some((_, known)) = number.and_then(|number| self.dropped.get_mut(&number)) {
                    *known = why.clone();
                } else if let Some(number) = number {
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
                self.note_shared();
                self.note_dropped();
                let winners = verdict.winners().filter_map(|name| TeamName::parse(name.as_bytes())).collect();
                let end = RecordLine::End(self.now, verdict.reason.to_owned(), winners);
                self.printer.finish(&end, self.game.digest());
                self.finished = true;
            }
        }
    }

    /// Notes that a step begins at that tick: a timeout, or an input.
    fn reach(&mut self, now: Tick, is_timeout: bool) {
        if is_timeout || now > self.now {
            self.note_dropped();
        }
        self.now = now.max(self.now);
        self.is_timeout = is_timeout;
    }

    /// Writes what waits. The first error is kept; afterwards nothing is written, so that the file ends with a whole
    /// line.
    pub fn write_out(&mut self) {
        self.written_at = self.now;
        let written = if self.error.is_some() {
            Ok(())
        } else if self.printer.printed() > MAX_RECORD_BYTES {
            Err(io::Error::other(format!("it would be longer than {MAX_RECORD_BYTES} bytes")))
        } else {
            self.file.write_all(self.printer.waiting())
        };
        if let Err(error) = written {
            log::error!("the record can't be written any more: {error}; it ends with its last whole line");
            self.error = Some(error);
        }
        self.printer.clear();
    }
}

impl<G: Game, W: Write> Game for Recorder<G, W> {
    fn handle_input(&mut self, now: Tick, seat: SeatId, input: Input<'_>) {
        self.reach(now, false);
        if !self.finished {
            self.note_input(seat, input);
        }
        self.game.handle_input(now, seat, input);
        self.drained = false;
    }

    fn handle_timeout(&mut self, now: Tick) {
        self.reach(now, true);
        self.game.handle_timeout(now);
        self.drained = false;
    }

    fn poll_output(&mut self) -> Option<Output> {
        let output = self.game.poll_output();
        match &output {
            Some(output) if !self.finished => {
                self.note_output(output);
                // Only whole lines wait, so a part of a step can be written.
                if self.printer.waiting().len() >= BACKLOG_BYTES {
                    self.write_out();
                }
            }
            Some(_) => {}
            None => {
                if !self.finished {
                    self.note_waiting_input();
                    self.note_shared();
                }
                // Readers can begin at a keyframe, so it may only stand between two steps of the game, and not amid
                // what is due at one tick.
                let since = self.printer.printed() - self.keyframe.ends_at;
                if !std::mem::replace(&mut self.drained, true)
                    && self.is_full()
                    && !self.finished
                    && self.error.is_none()
                    && since > KEYFRAME_BYTES.max(KEYFRAME_RATIO * self.keyframe.bytes)
                    && self.dropped.is_empty()
                    && !(self.is_timeout && self.game.poll_timeout().is_some_and(|tick| tick <= self.now))
                {
                    self.printer.push(&RecordLine::Keyframe(self.now));
                    self.note_snapshot();
                }
                // If nothing is due by `latest`, no later step would write in time.
                let latest = self.written_at + self.delay;
                let old = self.now >= latest || self.game.poll_timeout().is_none_or(|next| next > latest);
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

    fn snapshot(&self, missed_from: Option<u64>, out: &mut Vec<Line>) {
        self.game.snapshot(missed_from, out);
    }

    hand_on!(self => self.game);
}

impl<G: Game, W: Write> Hosted for Recorder<G, W> {
    fn has_backlog(&self) -> bool {
        !self.printer.waiting().is_empty()
    }

    fn write_backlog(&mut self) {
        self.write_out();
    }
}
