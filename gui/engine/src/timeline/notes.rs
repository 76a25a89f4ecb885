//! The notes that bots made for their authors beside a record, at the ticks of the record's lines.
//!
//! Notes lie in the folder `notes` beside the record, as `zappy_arena match` leaves them. Reads a bounded number of
//! files of a bounded length, follows no link; what can't be read isn't shown. Tested in this module and in
//! `gui/zappy/tests/archive/scan.rs`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use zappy_protocol::Tick;
use zappy_protocol::record::notes::{Margin, NOTES_BYTES, Note, Noted, Notes};

/// The folder of notes beside a record.
const FOLDER: &str = "notes";
/// Words on tiles that are drawn at most.
pub const WORDS: usize = 400;
/// Notes of a bot that are listed at most.
pub const LATEST: usize = 6;
/// Files of notes that are read: a player has one.
const FILES: usize = 2_000;
/// Bytes of such a file that are read, with the lines that name the player.
const FILE_BYTES: u64 = NOTES_BYTES + 4_096;

/// Where the notes of a record lie by default.
pub fn beside(record: &Path) -> PathBuf {
    record.parent().unwrap_or(Path::new("")).join(FOLDER)
}

/// The notes in that folder, before it is known where they belong.
pub fn read(folder: &Path) -> Margin {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).take(FILES);
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
    /// The line of the record that follows it, as a place on the tape in bytes.
    pub place: u64,
    pub what: Noted,
}

/// The notes of a match by their players, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notebook {
    players: BTreeMap<u32, Vec<PlacedNote>>,
}

impl Notebook {
    /// Adds what a player noted at that tick, before the line at that place on the tape.
    pub fn add(&mut self, player: u32, (tick, place): (Tick, u64), notes: &[Note]) {
        let placed = notes.iter().map(|note| PlacedNote { tick, place, what: note.what.clone() });
        self.players.entry(player).or_default().extend(placed);
    }

    /// The notes of a player up to that tick, the newest first.
    pub fn of(&self, player: u32, until: Tick) -> impl Iterator<Item = &PlacedNote> {
        let all = self.players.get(&player).map(Vec::as_slice).unwrap_or_default();
        all[..all.partition_point(|placed| placed.tick <= until)].iter().rev()
    }

    /// The last notes of a bot up to that tick, which may have had several players, the newest first; words on tiles stand behind
    /// the other notes of their tick.
    pub fn latest(&self, players: &[u32], until: Tick) -> Vec<&PlacedNote> {
        let mut all: Vec<&PlacedNote> =
            players.iter().flat_map(|&player| self.of(player, until).take(4 * LATEST)).collect();
        all.sort_by_key(|placed| (Reverse(placed.tick), matches!(placed.what, Noted::Tile { .. })));
        all.truncate(LATEST);
        all
    }

    /// The players that noted anything.
    pub fn players(&self) -> impl Iterator<Item = u32> {
        self.players.keys().copied()
    }

    /// The words on the timeline with their ticks and players.
    pub fn markers(&self) -> impl Iterator<Item = (Tick, u32, &str)> {
        self.players.iter().flat_map(|(player, all)| {
            all.iter().filter_map(|placed| match &placed.what {
                Noted::Marker(word) => Some((placed.tick, *player, word.as_str())),
                _ => None,
            })
        })
    }

    /// A player's last word on each tile up to that tick.
    pub fn tiles(&self, player: u32, until: Tick) -> BTreeMap<(i32, i32), &str> {
        let mut tiles = BTreeMap::new();
        for placed in self.of(player, until) {
            if let Noted::Tile { x, y, word } = &placed.what {
                tiles.entry((*x, *y)).or_insert(word.as_str());
            }
        }
        tiles
    }

    /// The words on the timeline near a tick, with their players; empty for none.
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
