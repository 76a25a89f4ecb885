//! What one player and the server said to each other, as the record has it, each refusal with its reason.
//!
//! Reads a bounded piece of the tape per call, outwards from the tick asked for, and keeps a bounded number of
//! lines. Tested in `tests/archive/dialogue.rs`.

use std::collections::VecDeque;
use std::io;

use zappy_protocol::Tick;
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::zappy::PlayerId;

use crate::timeline::archive::{Archive, READ_BYTES};
use crate::timeline::tape::{Cursor, Line};

/// Lines shown at most.
pub const MAX_LINES: usize = 400;
/// Bytes of the tape that one call reads at most: a few milliseconds.
const WORK_BYTES: u64 = 4 << 20;
/// Bytes that are read at once when going backwards.
const BLOCK_BYTES: u64 = READ_BYTES as u64;
/// Bytes of a line that are kept; what a player of a high level sees is longer.
const TEXT_BYTES: usize = 2_000;

/// What a line of the dialogue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// The line with which the player came in.
    Admitted,
    /// The player said it.
    Asked,
    /// The server said it.
    Answered,
    /// The player sent a line that was too long.
    TooLong,
    /// The player sends nothing more.
    Ended,
    /// The player's connection is gone.
    Gone,
    /// The server closed the connection.
    Closed,
    /// A reason without the line it belongs to.
    Reason,
}

/// One line of the dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// When, in ticks.
    pub tick: Tick,
    /// Who, or what happened.
    pub speech: Speech,
    /// The words; what is no text is replaced.
    pub text: String,
    /// Why it was refused or not even taken, or why the connection was closed.
    pub why: Option<String>,
    /// Where it stands on the tape, in bytes.
    pub at: u64,
}

impl Spoken {
    /// Whether it only says what somebody else said to everybody.
    #[must_use]
    pub fn is_broadcast(&self) -> bool {
        self.speech == Speech::Answered && self.text.starts_with("message ")
    }
}

/// The dialogue of one player with the server.
#[derive(Debug)]
pub struct Dialogue {
    player: PlayerId,
    lines: VecDeque<Spoken>,
    /// Everything from here
    low: u64,
    /// up to here was read.
    high: u64,
    begun: bool,
    /// Whether the player came in after `low`, so that there is nothing before.
    whole: bool,
    tick: Tick,
    complete: bool,
}

impl Dialogue {
    /// The dialogue of that player; nothing is read yet.
    #[must_use]
    pub fn new(player: PlayerId) -> Dialogue {
        let lines = VecDeque::new();
        Dialogue { player, lines, low: 0, high: 0, begun: false, whole: false, tick: 0, complete: false }
    }

    /// Whose it is.
    #[must_use]
    pub fn player(&self) -> PlayerId {
        self.player
    }

    /// The newest lines up to the tick that was last asked for, at most [`MAX_LINES`], the oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &Spoken> {
        let end = self.lines.partition_point(|line| line.tick <= self.tick);
        self.lines.range(end.saturating_sub(MAX_LINES)..end)
    }

    /// Whether there may be more lines to find for that tick: then [`Dialogue::show`] is to be called again.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Shows the dialogue up to that tick; reads a bounded part of the archive.
    ///
    /// # Errors
    /// What the disk says. What was found before stays.
    pub fn show(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<()> {
        self.tick = tick;
        if !archive.has_dialogue() {
            self.complete = true;
            return Ok(());
        }
        let keyframe = archive.keyframe_before(tick.saturating_add(1));
        let near = self.begun && self.low <= keyframe.at && keyframe.at <= self.high;
        if !near {
            self.lines.clear();
            (self.low, self.high, self.begun, self.whole) = (keyframe.at, keyframe.at, true, false);
        }
        let mut work = WORK_BYTES;
        let forwards = self.read_forwards(archive, &mut work)?;
        let mut enough = self.enough();
        while forwards && !enough && work > 0 {
            self.read_backwards(archive, &mut work)?;
            enough = self.enough() || self.low <= archive.first().at;
        }
        self.complete = forwards && (enough || self.low <= archive.first().at);
        Ok(())
    }

    fn enough(&self) -> bool {
        self.whole || self.lines.partition_point(|line| line.tick <= self.tick) >= MAX_LINES
    }

    /// Reads up to the tick shown and says whether it got there.
    fn read_forwards(&mut self, archive: &mut dyn Archive, work: &mut u64) -> io::Result<bool> {
        let mut cursor = Cursor::new(self.high);
        loop {
            let place = cursor.place();
            let Some(line) = cursor.line(archive)? else { break };
            let (Line::Published(tick, _) | Line::Seat(tick) | Line::Keyframe(tick)) = Line::glance(line)
            else {
                *work = work.saturating_sub(cursor.step() as u64);
                continue;
            };
            if tick > self.tick {
                break;
            }
            if let Some(spoken) = spoken(line, self.player, place) {
                self.whole |= spoken.speech == Speech::Admitted;
                push(&mut self.lines, spoken);
            }
            *work = work.saturating_sub(cursor.step() as u64);
            self.high = cursor.place();
            self.trim();
            if *work == 0 {
                return Ok(false);
            }
        }
        self.high = cursor.place();
        Ok(true)
    }

    /// Twice what is shown is kept on both sides, so that going a little back and forth reads nothing.
    fn trim(&mut self) {
        let mut shown = self.lines.partition_point(|line| line.tick <= self.tick);
        while shown > 2 * MAX_LINES {
            self.lines.pop_front();
            self.low = self.lines.front().map_or(self.low, |line| line.at);
            self.whole = false;
            shown -= 1;
        }
        while self.lines.len() > shown + 2 * MAX_LINES {
            self.high = self.lines.pop_back().map_or(self.high, |gone| gone.at);
        }
    }

    /// Reads one block before what was read so far.
    fn read_backwards(&mut self, archive: &mut dyn Archive, work: &mut u64) -> io::Result<()> {
        let first = archive.first().at;
        let from = self.low.saturating_sub(BLOCK_BYTES).max(first);
        let mut block = Vec::new();
        archive.read(from, &mut block)?;
        block.truncate(usize::try_from(self.low - from).unwrap_or(usize::MAX));
        *work = work.saturating_sub(BLOCK_BYTES);
        // Amid a line: its rest belongs to the next block, unless the line is longer than a block.
        let skipped = if from == first {
            0
        } else {
            block.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1)
        };
        let mut at = from + skipped as u64;
        let low = at;
        let mut older = VecDeque::new();
        for line in block[skipped..].split_inclusive(|&byte| byte == b'\n') {
            if let Some(spoken) = spoken(line.strip_suffix(b"\n").unwrap_or(line), self.player, at) {
                self.whole |= spoken.speech == Speech::Admitted;
                push(&mut older, spoken);
            }
            at += line.len() as u64;
        }
        for line in std::mem::take(&mut self.lines) {
            push(&mut older, line);
        }
        self.lines = older;
        self.low = low.min(self.low.saturating_sub(1)).max(first);
        self.trim();
        Ok(())
    }
}

/// A reason joins the line it explains.
fn push(lines: &mut VecDeque<Spoken>, spoken: Spoken) {
    if spoken.speech == Speech::Reason
        && let Some(last) = lines.back_mut()
        && last.speech != Speech::Reason
        && last.why.is_none()
    {
        last.why = Some(spoken.text);
        return;
    }
    lines.push_back(spoken);
}

fn spoken(line: &[u8], player: PlayerId, at: u64) -> Option<Spoken> {
    if !is_of(line, player) {
        return None;
    }
    let Ok(RecordLine::Event(tick, entry)) = RecordLine::parse(line) else { return None };
    let is_seat = |seat: Seat| seat == Seat::Number(player.0);
    let (seat, speech, text, why) = match entry {
        Entry::Admitted(seat, text) => (seat, Speech::Admitted, shown(&text), None),
        Entry::Received(seat, text) => (seat, Speech::Asked, shown(&text), None),
        Entry::Sent(seat, text) => (seat, Speech::Answered, shown(&text), None),
        Entry::Overflow(seat) => (seat, Speech::TooLong, "a line that was too long".to_owned(), None),
        Entry::Ended(seat) => (seat, Speech::Ended, "sends nothing more".to_owned(), None),
        Entry::Gone(seat) => (seat, Speech::Gone, "the connection is gone".to_owned(), None),
        Entry::Expelled(seat, why) => (seat, Speech::Gone, "the server ended it".to_owned(), Some(why)),
        Entry::Closed(seat, why) => (seat, Speech::Closed, "closed by the server".to_owned(), Some(why)),
        Entry::Why(seat, why) => (seat, Speech::Reason, why, None),
        Entry::Published(_) => return None,
    };
    is_seat(seat).then_some(Spoken { tick, speech, text, why, at })
}

/// Whether `T m N` stands at the line's beginning with that number: most lines are somebody else's.
pub(super) fn is_of(line: &[u8], player: PlayerId) -> bool {
    let mut words = line.splitn(4, |&byte| byte == b' ');
    let number = words.nth(2).unwrap_or_default();
    let mut left = player.0;
    let digits = number.iter().rev().all(|&digit| {
        let same = digit == b'0' + (left % 10) as u8;
        left /= 10;
        same
    });
    digits && left == 0 && !number.is_empty()
}

/// A line as people read it, cut where it gets too long.
fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(TEXT_BYTES)];
    let text = String::from_utf8_lossy(cut);
    let mut text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}
