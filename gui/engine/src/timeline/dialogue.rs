//! The lines between one program and the server, as the record has them, each refusal with its reason.
//!
//! Reads forwards up to the tick asked for, a bounded piece of the tape per call, and begins anew farther back where too few
//! lines were found. Keeps a bounded number of lines. Tested in `gui/zappy/tests/archive/dialogue.rs`.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::{Speech, Spoken, is_of};
use zappy_protocol::record::{Glance, RecordLine};
use zappy_protocol::text::shortened;

use super::archive::Archive;
use super::notes::{self, Notebook};
use super::tape::Cursor;

pub const MAX_LINES: usize = 400;
/// Bytes of the tape that one call reads at most: a few milliseconds.
const WORK_BYTES: u64 = 4 << 20;
/// How many times farther back reading begins anew.
const FARTHER: u64 = 4;
/// Characters of a line that are kept; what a program sees may be longer.
const TEXT_CHARACTERS: usize = 2_000;

/// A line of the dialogue at its place on the tape, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedLine {
    pub spoken: Spoken,
    at: u64,
}

#[derive(Debug, Clone)]
pub struct SpeakerSeats {
    /// The seats of the program, in the order in which they came in.
    pub seats: Vec<u32>,
    /// Whether a line is kept; the others are dropped.
    pub keeps: fn(&str) -> bool,
}

impl SpeakerSeats {
    /// The program at that seat, with all its lines.
    pub fn at(seat: u32) -> SpeakerSeats {
        SpeakerSeats { seats: vec![seat], keeps: |_| true }
    }
}

/// The dialogue of one program with the server.
#[derive(Debug)]
pub struct DialogueReader {
    pub speaker: SpeakerSeats,
    lines: VecDeque<PlacedLine>,
    /// The part of the record that was read, in bytes, but for the lines before the kept ones.
    read: Range<u64>,
    /// How many bytes before the tick shown reading began; 0 before it did.
    reach: u64,
    /// Whether the program came in within that part, so that there is nothing before.
    whole: bool,
    tick: Tick,
    /// Whether all lines for that tick were found; otherwise [`DialogueReader::show`] is to be called again.
    pub complete: bool,
}

impl DialogueReader {
    /// The dialogue of that program; nothing is read yet.
    pub fn new(speaker: SpeakerSeats) -> DialogueReader {
        let (lines, whole, complete) = (VecDeque::new(), false, false);
        DialogueReader { speaker, lines, read: 0..0, reach: 0, whole, tick: 0, complete }
    }

    /// The newest lines up to the tick that was last asked for, at most [`MAX_LINES`], the oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &Spoken> {
        self.shown().map(|line| &line.spoken)
    }

    fn shown(&self) -> impl DoubleEndedIterator<Item = &PlacedLine> {
        let end = self.lines.partition_point(|line| line.spoken.tick <= self.tick);
        self.lines.range(end.saturating_sub(MAX_LINES)..end)
    }

    /// The `wanted` ones of these lines with what the program noted between them, at most [`MAX_LINES`] of either.
    pub fn with_notes(&self, notes: &Notebook, wanted: impl Fn(&Spoken) -> bool) -> Vec<Spoken> {
        let from = if self.whole { 0 } else { self.shown().next().map_or(u64::MAX, |line| line.at) };
        let mut noted: Vec<_> =
            self.speaker.seats.iter().flat_map(|&seat| notes.of(seat, self.tick)).collect();
        noted.sort_by_key(|note| note.place);
        let old = noted.len().saturating_sub(MAX_LINES);
        let mut noted = noted.into_iter().skip(old).skip_while(|note| note.place < from).peekable();
        let mut all = Vec::new();
        for line in self.shown().filter(|line| wanted(&line.spoken)) {
            while let Some(note) = noted.next_if(|note| note.place <= line.at) {
                all.push(spoken(note));
            }
            all.push(line.spoken.clone());
        }
        all.extend(noted.map(spoken));
        all
    }

    /// Shows the dialogue up to that tick; reads a bounded part of the archive.
    ///
    /// # Errors
    /// When the archive can't be read. The lines found before stay.
    pub fn show(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<()> {
        self.tick = tick;
        if !archive.has_dialogue() {
            self.complete = true;
            return Ok(());
        }
        let keyframe = archive.keyframe_before(tick.saturating_add(1)).at;
        // Where the end of what was read is nearer than `reach`, the rest is on the way.
        let far = keyframe.saturating_sub(self.read.end) > self.reach;
        if self.reach == 0 || far || keyframe < self.read.start {
            self.begin(archive, keyframe, WORK_BYTES)?;
        }
        let mut work = WORK_BYTES;
        loop {
            let arrived = self.read_on(archive, &mut work)?;
            let count = self.lines.partition_point(|line| line.spoken.tick <= self.tick);
            let enough = self.whole || count >= MAX_LINES || self.read.start <= archive.first().at;
            self.complete = arrived && enough;
            if self.complete || work == 0 {
                return Ok(());
            }
            // Older lines may have been there and have made room for later ones.
            let crowded = self.lines.len() >= 2 * MAX_LINES;
            let reach = if crowded { WORK_BYTES } else { self.reach.saturating_mul(FARTHER) };
            self.begin(archive, keyframe, reach)?;
        }
    }

    /// Forgets what was read, to read from `reach` bytes before that place on.
    fn begin(&mut self, archive: &mut dyn Archive, place: u64, reach: u64) -> io::Result<()> {
        let first = archive.first().at;
        let mut cursor = Cursor::new(place.saturating_sub(reach).max(first));
        // Amid a line, unless it is the first one.
        if cursor.place() > first && cursor.line(archive)?.is_some() {
            cursor.step();
        }
        self.lines.clear();
        (self.read, self.reach, self.whole) = (cursor.place()..cursor.place(), reach, false);
        Ok(())
    }

    /// Reads up to the tick shown and says whether it got there. Twice what is shown is kept, so that going a little back and
    /// forth reads nothing.
    fn read_on(&mut self, archive: &mut dyn Archive, work: &mut u64) -> io::Result<bool> {
        let mut cursor = Cursor::new(self.read.end);
        loop {
            let place = cursor.place();
            let Some(line) = cursor.line(archive)? else { break };
            if let Glance::Published(tick, _) | Glance::Seat(tick) | Glance::Keyframe(tick) = Glance::at(line)
            {
                if archive.shown(place, tick) > self.tick {
                    break;
                }
                self.whole |= take(&mut self.lines, &self.speaker, line, (archive, place));
            }
            *work = work.saturating_sub(cursor.step() as u64);
            self.read.end = cursor.place();
            while self.lines.len() > 2 * MAX_LINES {
                self.lines.pop_front();
                self.read.start = self.lines.front().map_or(self.read.start, |line| line.at);
                self.whole = false;
            }
            if *work == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A note, as a line of the dialogue.
fn spoken(note: &notes::PlacedNote) -> Spoken {
    Spoken { tick: note.tick, speech: Speech::Noted, text: note.what.to_string(), why: None }
}

/// Appends a line; a reason is joined to the line that it explains.
fn push(lines: &mut VecDeque<PlacedLine>, line: PlacedLine) {
    let explained = line.spoken.speech == Speech::Reason
        && lines.back_mut().is_some_and(|last| last.spoken.explain(&line.spoken.text));
    if !explained {
        lines.push_back(line);
    }
}

/// Takes in a line of the record, as people read it, cut where it gets too long. Returns whether with this line the program
/// came in for the first time.
fn take(
    lines: &mut VecDeque<PlacedLine>,
    speaker: &SpeakerSeats,
    line: &[u8],
    (archive, at): (&dyn Archive, u64),
) -> bool {
    let Some((place, &seat)) = speaker.seats.iter().enumerate().find(|(_, seat)| is_of(line, **seat)) else {
        return false;
    };
    let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { return false };
    let Some(mut spoken) = Spoken::of(archive.shown(at, tick), entry, seat) else { return false };
    if !(speaker.keeps)(&spoken.text) {
        return false;
    }
    spoken.text = shortened(&spoken.text, TEXT_CHARACTERS);
    let first = place == 0 && spoken.speech == Speech::Joined;
    push(lines, PlacedLine { spoken, at });
    first
}
