//! The notes that bots made for their authors, at the ticks of the record's lines.
//!
//! Notes are files in the folder `notes` beside the record, as `zappy_arena match` leaves them. Reads a bounded number
//! of files of a bounded length, follows no link; what can't be read isn't shown. Tested in this module and in
//! `gui/zappy/tests/archive/scan.rs`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use zappy_protocol::Tick;
use zappy_protocol::record::notes::{Margin, NOTES_BYTES, Note, Noted, Notes};

/// The name of the folder of notes.
const FOLDER: &str = "notes";
/// The most words on tiles that are drawn at the same time.
pub const WORDS: usize = 400;
/// The most notes of a bot that are listed.
pub const MAX_LISTED: usize = 6;
/// The most files of notes that are read; each player has one.
const MAX_FILES: usize = 2_000;
/// The bytes of such a file that are read, including the lines that name the player.
const FILE_BYTES: u64 = NOTES_BYTES + 4_096;

/// The default folder for the notes of a record.
pub fn beside(record: &Path) -> PathBuf {
    record.parent().unwrap_or(Path::new("")).join(FOLDER)
}

/// The notes in a folder, before it is known to which lines of the record they belong.
pub fn read(folder: &Path) -> Margin {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).take(MAX_FILES);
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    let notes = paths.iter().filter_map(|path| {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(FILE_BYTES).read_to_end(&mut bytes).ok()?;
        Some(Notes::parse(&bytes))
    });
    Margin::new(notes)
}

/// A note at its tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedNote {
    /// The tick at which the bot wrote the note.
    pub tick: Tick,
    /// The place of the record's line that follows the note, in bytes from the record's beginning.
    pub place: u64,
    pub what: Noted,
}

/// The notes of a match by player, each player's oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notebook {
    players: BTreeMap<u32, Vec<PlacedNote>>,
}

impl Notebook {
    /// Adds what a player noted at `tick`, before the line at `place`.
    pub fn add(&mut self, player: u32, (tick, place): (Tick, u64), notes: &[Note]) {
        let placed = notes.iter().map(|note| PlacedNote { tick, place, what: note.what.clone() });
        self.players.entry(player).or_default().extend(placed);
    }

    /// The notes of a player up to that tick, the newest first.
    pub fn of(&self, player: u32, until: Tick) -> impl Iterator<Item = &PlacedNote> {
        let all = self.players.get(&player).map(Vec::as_slice).unwrap_or_default();
        all[..all.partition_point(|placed| placed.tick <= until)].iter().rev()
    }

    /// The last notes of a bot, which may have had several players, up to that tick, the newest first; words on tiles
    /// come after the other notes of their tick.
    pub fn latest(&self, players: &[u32], until: Tick) -> Vec<&PlacedNote> {
        let mut all: Vec<&PlacedNote> =
            players.iter().flat_map(|&player| self.of(player, until).take(4 * MAX_LISTED)).collect();
        all.sort_by_key(|placed| (Reverse(placed.tick), matches!(placed.what, Noted::Tile { .. })));
        all.truncate(MAX_LISTED);
        all
    }

    /// The players that noted anything.
    pub fn players(&self) -> impl Iterator<Item = u32> {
        self.players.keys().copied()
    }

    /// The words that bots noted for the timeline, each with its tick and its player.
    pub fn markers(&self) -> impl Iterator<Item = (Tick, u32, &str)> {
        self.players.iter().flat_map(|(player, all)| {
            all.iter().filter_map(|placed| match &placed.what {
                Noted::Marker(word) => Some((placed.tick, *player, word.as_str())),
                _ => None,
            })
        })
    }

    /// A player's last word on each tile up to that tick, by the tile's column and row as the player counts them.
    pub fn tiles(&self, player: u32, until: Tick) -> BTreeMap<(i32, i32), &str> {
        let mut tiles = BTreeMap::new();
        for placed in self.of(player, until) {
            if let Noted::Tile { x, y, word } = &placed.what {
                tiles.entry((*x, *y)).or_insert(word.as_str());
            }
        }
        tiles
    }

    /// A text with up to three words for the timeline at most `reach` ticks from a tick, with their players; empty for
    /// none.
    pub fn near(&self, tick: Tick, reach: Tick) -> String {
        let near = self.markers().filter(|(at, ..)| at.abs_diff(tick) <= reach).take(3);
        let words: Vec<String> = near.map(|(_, player, word)| format!("#{player} notes {word}")).collect();
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_last_comes_first_and_only_the_last_word_on_a_tile_counts() {
        let mut book = Notebook::default();
        let notes = |lines: &str| Notes::written(lines.as_bytes()).notes;
        book.add(4, (10, 0), &notes("1 born\n1 tile 0 -1 food\n1 marker start"));
        book.add(4, (20, 0), &notes("2 tile 0 -1 taken\n2 tile 3 0 stone"));
        book.add(7, (15, 0), &notes("1 marker meet"));
        let words: Vec<String> = book.of(4, 15).map(|placed| placed.what.to_string()).collect();
        assert_eq!(words, ["marker start", "tile 0 -1 food", "born"]);
        assert_eq!(book.tiles(4, 15), BTreeMap::from([((0, -1), "food")]));
        assert_eq!(book.tiles(4, 99), BTreeMap::from([((0, -1), "taken"), ((3, 0), "stone")]));
        assert_eq!(book.markers().collect::<Vec<_>>(), [(10, 4, "start"), (15, 7, "meet")]);
        assert_eq!(book.near(14, 2), "#7 notes meet");
        assert_eq!((book.near(99, 2).as_str(), book.of(5, 99).count()), ("", 0));
    }
}
