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

/// Bytes of a player's notes that are read.
pub const NOTES_BYTES: u64 = 1 << 20;
/// Notes of a player that are kept.
pub const MOST_NOTES: usize = 20_000;
/// Characters of a note that are kept.
pub const NOTE_CHARACTERS: usize = 300;
/// Characters of the word on a tile or on the timeline.
pub const WORD_CHARACTERS: usize = 40;
/// Characters of a wrong line that the warning quotes.
const QUOTED: usize = 60;
/// The farthest that a tile may be from where its player was born.
const FAR: i32 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// How many commands its player had sent.
    pub sent: u64,
    /// How many lines it had read since it said its name; `None` if the note doesn't say.
    pub read: Option<u64>,
    /// The tick, where that is known instead.
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
    /// What the bot printed; no bot notes that.
    Printed(String),
    /// That it was late, in words; no bot notes that.
    Late(String),
}

impl Note {
    /// What stands at that tick.
    pub fn at(tick: Tick, what: Noted) -> Note {
        Note { sent: 0, read: None, at: Some(tick), what }
    }

    /// Reads a line without its end; `None` if it doesn't begin with a number, or two with a `/` between them, and a blank.
    pub fn parse(line: &[u8]) -> Option<Note> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (sent, rest) = split_first(line);
        let rest = rest.trim_ascii();
        let mut counts = sent.splitn(2, |&byte| byte == b'/');
        let sent = number::<u64>(counts.next()?).filter(|_| !rest.is_empty())?;
        let read = counts.next().map(|read| number::<u64>(read).ok_or(())).transpose().ok()?;
        let (kind, of) = split_first(rest);
        let what = match kind {
            b"tile" => tile(of),
            b"marker" => Some(of.trim_ascii())
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
        text.parse().ok().filter(|place| (-FAR..=FAR).contains(place))
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
    /// Its number; `None` if that isn't known.
    pub player: Option<u32>,
    pub team: String,
    /// The log of its program, from the folder of the match.
    pub log: Option<String>,
    /// What was left out and why, in words.
    pub left_out: Option<String>,
    /// The notes, those with fewer commands before them first.
    pub notes: Vec<Note>,
}

impl Notes {
    /// Reads what a bot wrote, of any length and content.
    pub fn written(bytes: &[u8]) -> Notes {
        let whole = usize::try_from(NOTES_BYTES).unwrap_or(usize::MAX);
        let too_long = bytes.len() > whole;
        let bytes = &bytes[..bytes.len().min(whole)];
        let (mut notes, mut bad, mut surplus) = (Vec::new(), None, false);
        let mut wrong = 0_u32;
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match Note::parse(line) {
                Some(_) if notes.len() == MOST_NOTES => surplus = true,
                Some(note) => notes.push(note),
                None => {
                    wrong += 1;
                    bad.get_or_insert_with(|| cut(&line[..line.len().min(4 * QUOTED)], QUOTED));
                }
            }
        }
        notes.sort_by_key(|note: &Note| note.sent);
        let mut left_out = Vec::new();
        if too_long || surplus {
            left_out.push(format!("all beyond {MOST_NOTES} notes or {} KiB", NOTES_BYTES >> 10));
        }
        if let Some(line) = bad {
            left_out.push(format!(
                "lines that don't begin with the number of commands sent: {wrong}, the first {line:?}"
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
/// A note that counts the lines that its player had read stands after the last of them. One that counts only the commands
/// stands before the command that was sent after it, which is taken later if the player was busy or frozen meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Margin {
    columns: Vec<Column>,
    of: BTreeMap<u32, Vec<usize>>,
    /// The columns with a next note that may belong before the next line of the record.
    open: BTreeSet<usize>,
    tick: Tick,
}

#[derive(Debug, Clone, Default)]
struct Column {
    player: u32,
    /// Commands taken from the player, lines that it was sent, and the tick of the last of either.
    sent: u64,
    read: u64,
    tick: Tick,
    notes: VecDeque<Note>,
}

/// Notes of a player that stand at the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub tick: Tick,
    pub player: u32,
    /// What was noted, in the order in which it was.
    pub notes: Vec<Note>,
}

/// What a line of the record says of the player that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It said this many lines.
    Said(u64),
    /// The player was sent a line.
    Heard,
    Ended,
}

impl Column {
    /// Whether the lines that the next note names were read.
    fn is_open(&self) -> bool {
        let due = |note: &Note| note.at.map_or(note.read.is_some_and(|read| read <= self.read), |_| true);
        self.notes.front().is_some_and(due)
    }

    /// The notes that stand before a line of that tick, which is the player's if there is a step, with their own ticks.
    fn release(&mut self, tick: Tick, step: Option<Step>, told: &mut Vec<Told>) {
        while let Some(note) = self.notes.front() {
            let is_read = note.read.is_some_and(|read| read <= self.read);
            let goes = match (note.at, step) {
                (_, Some(Step::Ended)) => true,
                (Some(at), Some(Step::Said(_))) => at <= tick,
                (Some(at), _) => at < tick,
                (None, Some(Step::Said(_))) => note.sent <= self.sent,
                (None, Some(Step::Heard)) => is_read,
                (None, None) => is_read && self.tick < tick,
            };
            if !goes {
                return;
            }
            let tick = note.at.unwrap_or(if is_read { self.tick } else { tick });
            let Some(note) = self.notes.pop_front() else { return };
            match told.last_mut().filter(|last| last.player == self.player && last.tick == tick) {
                Some(last) => last.notes.push(note),
                None => told.push(Told { tick, player: self.player, notes: vec![note] }),
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
            margin.of.entry(player).or_default().push(place);
        }
        margin
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The notes that belong before that line of the record.
    pub fn before(&mut self, line: &[u8]) -> Vec<Told> {
        let mut told = Vec::new();
        let mut words = line.splitn(5, |&byte| byte == b' ');
        let (tick, mark) = (words.next().and_then(number::<Tick>), words.next().unwrap_or_default());
        let Some(tick) = tick.filter(|_| mark.len() == 1) else { return told };
        if tick > self.tick {
            self.tick = tick;
            for place in std::mem::take(&mut self.open) {
                self.columns[place].release(tick, None, &mut told);
                self.open.extend(Some(place).filter(|_| self.columns[place].is_open()));
            }
        }
        let (seats, count) = (words.next().unwrap_or_default(), words.next());
        let step = match mark {
            b"<" | b"~" => Step::Said(1),
            b"#" => Step::Said(count.and_then(number).unwrap_or(0)),
            b">" => Step::Heard,
            b"." | b"-" | b"!" | b"x" => Step::Ended,
            _ => return told,
        };
        for player in seats.split(|&byte| byte == b',').filter_map(number::<u32>) {
            for &place in self.of.get(&player).into_iter().flatten() {
                let column = &mut self.columns[place];
                column.release(tick, Some(step), &mut told);
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
        told
    }

    /// The notes that stand behind the last line of the record.
    pub fn rest(&self) -> Vec<Told> {
        let rest = |column: &Column| {
            let tick = column.notes.front()?.at.unwrap_or(self.tick);
            Some(Told { tick, player: column.player, notes: column.notes.iter().cloned().collect() })
        };
        self.columns.iter().filter_map(rest).collect()
    }
}

#[cfg(test)]
mod tests;
