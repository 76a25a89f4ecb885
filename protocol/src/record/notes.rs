//! What a bot noted for its author while it played: lines that lie beside the record, and their places in it.
//!
//! A bot counts the commands that it has sent and the lines that it has read, so that its notes depend on no clock:
//! `N/R text`, `N/R tile X Y word`, `N/R marker word`; `/R` may be left out. In the file that a match leaves behind,
//! lines that begin with `#` name the author of the notes and say what was left out. Nothing here reads or writes
//! files. Tested in this module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::text::{number, shortened, shown, split_first};
use crate::types::Tick;

/// The most bytes of a player's notes that are read.
pub const NOTES_BYTES: u64 = 1 << 20;
/// The most notes of a player that are kept.
pub const MOST_NOTES: usize = 20_000;
/// The most characters of a note that are kept.
pub const NOTE_CHARACTERS: usize = 300;
/// The most characters of the word on a tile or on the timeline.
pub const WORD_CHARACTERS: usize = 40;
/// The most characters of a wrong line that the warning quotes.
const QUOTED_CHARACTERS: usize = 60;
/// The greatest coordinate of a noted tile, in either direction.
const FARTHEST_TILE: i32 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// How many commands its player had sent.
    pub sent: u64,
    /// How many lines the player had read since it said its name; `None` if the note doesn't say.
    pub read: Option<u64>,
    /// The tick, for what the arena places by its tick; `None`: the two counts give the place.
    pub at: Option<Tick>,
    pub what: Noted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    Text(String),
    /// A word on a tile. In a game that doesn't say where players are, tiles are counted from where the player
    /// was born: `x` to the right of the way it faced then, `y` behind it.
    Tile {
        /// To the right, or the tile's column.
        x: i32,
        /// Backwards, or the tile's row.
        y: i32,
        word: String,
    },
    /// A word on the timeline.
    Marker(String),
    /// A line that the bot printed: added by the arena, not noted by the bot.
    Printed(String),
    /// That the bot was late, in words: added by the arena, not noted by the bot.
    Late(String),
}

impl Note {
    /// A note of the arena at that tick.
    pub fn at(tick: Tick, what: Noted) -> Note {
        Note { sent: 0, read: None, at: Some(tick), what }
    }

    /// Reads a line without its end; `None` if it doesn't begin with a number, or two with a `/` between them, and a
    /// blank.
    pub fn parse(line: &[u8]) -> Option<Note> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (sent, rest) = split_first(line);
        let rest = rest.trim_ascii();
        let mut counts = sent.splitn(2, |&byte| byte == b'/');
        let sent = number::<u64>(counts.next()?).filter(|_| !rest.is_empty())?;
        let read = counts.next().map(|read| number::<u64>(read).ok_or(())).transpose().ok()?;
        let (kind, argument) = split_first(rest);
        let what = match kind {
            b"tile" => tile(argument),
            b"marker" => Some(argument.trim_ascii())
                .filter(|word| !word.is_empty())
                .map(|word| Noted::Marker(cut(word, WORD_CHARACTERS))),
            _ => None,
        };
        Some(Note {
            sent,
            read,
            at: None,
            what: what.unwrap_or_else(|| Noted::Text(cut(rest, NOTE_CHARACTERS))),
        })
    }
}

fn tile(text: &[u8]) -> Option<Noted> {
    let (x, rest) = split_first(text);
    let (y, word) = split_first(rest);
    let place = |text: &[u8]| -> Option<i32> {
        let text = std::str::from_utf8(text).ok()?;
        text.parse().ok().filter(|place| (-FARTHEST_TILE..=FARTHEST_TILE).contains(place))
    };
    let (x, y, word) = (place(x)?, place(y)?, cut(word.trim_ascii(), WORD_CHARACTERS));
    (!word.is_empty()).then_some(Noted::Tile { x, y, word })
}

fn cut(text: &[u8], characters: usize) -> String {
    shortened(&shown(text), characters)
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noted::Text(text) | Noted::Printed(text) | Noted::Late(text) => f.write_str(text),
            Noted::Tile { x, y, word } => write!(f, "tile {x} {y} {word}"),
            Noted::Marker(word) => write!(f, "marker {word}"),
        }
    }
}

/// The notes of a player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The player's number; `None` if it isn't known.
    pub player: Option<u32>,
    pub team: String,
    /// The path of its program's log, relative to the folder of the match.
    pub log: Option<String>,
    /// What was left out and why, in words.
    pub left_out: Option<String>,
    /// The notes in the order of the commands sent before them.
    pub notes: Vec<Note>,
}

impl Notes {
    /// Reads what a bot wrote, of any length and content.
    pub fn written(bytes: &[u8]) -> Notes {
        let limit = usize::try_from(NOTES_BYTES).unwrap_or(usize::MAX);
        let too_long = bytes.len() > limit;
        let bytes = &bytes[..bytes.len().min(limit)];
        let (mut notes, mut first_bad, mut too_many) = (Vec::new(), None, false);
        let mut bad_count = 0_u32;
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match Note::parse(line) {
                Some(_) if notes.len() == MOST_NOTES => too_many = true,
                Some(note) => notes.push(note),
                None => {
                    bad_count += 1;
                    first_bad.get_or_insert_with(|| {
                        cut(&line[..line.len().min(4 * QUOTED_CHARACTERS)], QUOTED_CHARACTERS)
                    });
                }
            }
        }
        notes.sort_by_key(|note: &Note| note.sent);
        let mut left_out = Vec::new();
        if too_long || too_many {
            left_out.push(format!("all beyond {MOST_NOTES} notes or {} KiB", NOTES_BYTES >> 10));
        }
        if let Some(line) = first_bad {
            left_out.push(format!(
                "lines that don't begin with the number of commands sent: {bad_count}, the first {line:?}"
            ));
        }
        let left_out = (!left_out.is_empty()).then(|| left_out.join("; "));
        Notes { left_out, notes, ..Notes::default() }
    }

    /// Reads the file that a match left behind.
    pub fn parse(bytes: &[u8]) -> Notes {
        let heads = bytes.split(|&byte| byte == b'\n').map_while(|line| line.strip_prefix(b"# "));
        let (mut head, mut length) = (Notes::default(), 0);
        for line in heads {
            length += line.len() + 3;
            let (key, value) = split_first(line);
            let value = shown(value);
            match key {
                b"player" => head.player = value.parse().ok(),
                b"team" => head.team = value,
                b"log" => head.log = Some(value),
                b"left-out" => head.left_out = Some(value),
                _ => {}
            }
        }
        let Notes { notes, left_out, .. } = Notes::written(bytes.get(length..).unwrap_or_default());
        let left_out = head.left_out.or(left_out);
        Notes { left_out, notes, ..head }
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(player) = self.player {
            writeln!(f, "# player {player}")?;
        }
        writeln!(f, "# team {}", self.team)?;
        if let Some(log) = &self.log {
            writeln!(f, "# log {log}")?;
        }
        if let Some(left_out) = &self.left_out {
            writeln!(f, "# left-out {left_out}")?;
        }
        self.notes.iter().try_for_each(|note| {
            let read = note.read.map(|read| format!("/{read}")).unwrap_or_default();
            writeln!(f, "{}{read} {}", note.sent, note.what)
        })
    }
}

/// Puts the notes of players at their places in a record, line by line.
///
/// A note that counts the lines that its player had read stands after the last of them. A note that counts only
/// commands stands before the command that was sent after it, which the server takes later if the player was busy or
/// frozen.
#[derive(Debug, Clone, Default)]
pub struct Margin {
    columns: Vec<Column>,
    /// The indices of each player's columns.
    columns_of: BTreeMap<u32, Vec<usize>>,
    /// The indices of the columns with a next note that may belong before the next line of the record.
    open: BTreeSet<usize>,
    /// The tick of the last line of the record.
    tick: Tick,
}

/// Notes of one player that have no place yet.
#[derive(Debug, Clone, Default)]
struct Column {
    player: u32,
    /// Commands taken from the player so far.
    sent: u64,
    /// Lines that the player was sent so far.
    read: u64,
    /// The tick of the last line that was taken from the player or sent to it.
    tick: Tick,
    notes: VecDeque<Note>,
}

/// Notes of a player that stand at the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedNotes {
    pub tick: Tick,
    pub player: u32,
    /// The notes in the order in which they were noted.
    pub notes: Vec<Note>,
}

/// What a line of the record says of the player that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The player sent this many lines.
    Said(u64),
    /// The player was sent a line.
    Heard,
    /// The player's client or its connection ended.
    Ended,
}

impl Column {
    /// Whether the next note has a tick, or counts no more lines than the player was sent.
    fn is_open(&self) -> bool {
        let may_be_due =
            |note: &Note| note.at.map_or(note.read.is_some_and(|read| read <= self.read), |_| true);
        self.notes.front().is_some_and(may_be_due)
    }

    /// Moves the notes that stand before a line of that tick to `placed`, with their own ticks. `step` is what the line
    /// says of the player; `None` if it is about others.
    fn release(&mut self, tick: Tick, step: Option<Step>, placed: &mut Vec<PlacedNotes>) {
        while let Some(note) = self.notes.front() {
            let is_read = note.read.is_some_and(|read| read <= self.read);
            let is_due = match (note.at, step) {
                (_, Some(Step::Ended)) => true,
                (Some(at), Some(Step::Said(_))) => at <= tick,
                (Some(at), _) => at < tick,
                (None, Some(Step::Said(_))) => note.sent <= self.sent,
                (None, Some(Step::Heard)) => is_read,
                (None, None) => is_read && self.tick < tick,
            };
            if !is_due {
                return;
            }
            let tick = note.at.unwrap_or(if is_read { self.tick } else { tick });
            let Some(note) = self.notes.pop_front() else { return };
            match placed.last_mut().filter(|last| last.player == self.player && last.tick == tick) {
                Some(last) => last.notes.push(note),
                None => placed.push(PlacedNotes { tick, player: self.player, notes: vec![note] }),
            }
        }
    }
}

impl Margin {
    /// The notes of these players; notes of a player without a number are left out.
    pub fn new(all: impl IntoIterator<Item = Notes>) -> Margin {
        let mut margin = Margin::default();
        for notes in all {
            let Some(player) = notes.player else { continue };
            let column = Column { player, notes: notes.notes.into(), ..Column::default() };
            let place = margin.columns.len();
            margin.open.extend(Some(place).filter(|_| column.is_open()));
            margin.columns.push(column);
            margin.columns_of.entry(player).or_default().push(place);
        }
        margin
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The notes that belong before that line of the record.
    pub fn before(&mut self, line: &[u8]) -> Vec<PlacedNotes> {
        let mut placed = Vec::new();
        let mut words = line.splitn(5, |&byte| byte == b' ');
        let (tick, mark) = (words.next().and_then(number::<Tick>), words.next().unwrap_or_default());
        let Some(tick) = tick.filter(|_| mark.len() == 1) else { return placed };
        if tick > self.tick {
            self.tick = tick;
            for place in std::mem::take(&mut self.open) {
                self.columns[place].release(tick, None, &mut placed);
                self.open.extend(Some(place).filter(|_| self.columns[place].is_open()));
            }
        }
        let (seats, count) = (words.next().unwrap_or_default(), words.next());
        let step = match mark {
            b"<" | b"~" => Step::Said(1),
            b"#" => Step::Said(count.and_then(number).unwrap_or(0)),
            b">" => Step::Heard,
            b"." | b"-" | b"!" | b"x" => Step::Ended,
            _ => return placed,
        };
        for player in seats.split(|&byte| byte == b',').filter_map(number::<u32>) {
            for &place in self.columns_of.get(&player).into_iter().flatten() {
                let column = &mut self.columns[place];
                column.release(tick, Some(step), &mut placed);
                column.tick = tick;
                match step {
                    Step::Said(lines) => column.sent += lines,
                    Step::Heard => column.read += 1,
                    Step::Ended => {}
                }
                if column.is_open() {
                    self.open.insert(place);
                }
            }
        }
        placed
    }

    /// The notes that stand behind the last line of the record.
    pub fn rest(&self) -> Vec<PlacedNotes> {
        let rest = |column: &Column| {
            let tick = column.notes.front()?.at.unwrap_or(self.tick);
            Some(PlacedNotes { tick, player: column.player, notes: column.notes.iter().cloned().collect() })
        };
        self.columns.iter().filter_map(rest).collect()
    }
}

#[cfg(test)]
mod tests;
