//! What bots noted beside a record, in its place among the record's lines.
//!
//! Reads the folder `notes` beside the record, bounded, and follows no link. Without notes nothing is shown of them. Tested
//! in `tests/debugging.rs`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use zappy_protocol::Tick;
use zappy_protocol::record::notes::{Margin, NOTES_BYTES, Note, Noted, Notes};

use super::ShowArgs;

/// The folder of notes beside a match's record.
const FOLDER: &str = "notes";
/// Files of notes that are read.
const MOST_FILES: usize = 2_000;
/// What is read of one: its notes, and lines that say whose they are.
const FILE_BYTES: u64 = NOTES_BYTES + 4096;

/// Whose notes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// One player's.
    One,
    /// Many players', who are named.
    All,
    /// The markers of all players alone.
    AllInShort,
}

/// The notes of one player, or of all.
#[derive(Debug)]
pub struct Beside {
    margin: Margin,
    /// What was left out, a line for each player.
    left_out: Vec<String>,
    of: Of,
    last: Tick,
}

impl Beside {
    /// The notes beside that record that are asked for: all of these players, or the markers of all players; with `--all`
    /// all of all.
    #[must_use]
    pub fn read(record: &Path, args: &ShowArgs, players: Option<&[u32]>) -> Beside {
        let folder = record.parent().unwrap_or(Path::new("")).join(FOLDER);
        let is_asked = |player: u32| players.is_none_or(|players| players.contains(&player));
        let wanted = |notes: &Notes| notes.player.map_or(players.is_none(), is_asked);
        let all: Vec<Notes> = files(&folder).into_iter().filter(wanted).collect();
        let complaint = |notes: &Notes| {
            let of = notes
                .player
                .map_or_else(|| format!("a player of {}", notes.team), |player| format!("#{player}"));
            notes.left_out.as_ref().map(|words| format!("of the notes of {of} was left out: {words}"))
        };
        let left_out = all.iter().filter_map(complaint).collect();
        let of = match players {
            Some([_]) => Of::One,
            None if !args.all => Of::AllInShort,
            _ => Of::All,
        };
        Beside { left_out, margin: Margin::new(all), of, last: 0 }
    }

    /// The notes before that line of the record, as lines for people or programs.
    pub fn before(&mut self, line: &[u8], args: &ShowArgs) -> Option<String> {
        if self.margin.is_empty() {
            return None;
        }
        let (tick, player, notes) = self.margin.before(line)?;
        self.last = tick;
        tell(tick, player, notes, self.of, args)
    }

    /// What has no place in the record, and what was left out.
    pub fn rest(&self, args: &ShowArgs) -> String {
        let mut text: String = self
            .margin
            .rest()
            .filter_map(|(player, notes)| tell(self.last, player, notes, self.of, args))
            .collect();
        if !args.json && !self.left_out.is_empty() {
            text += &format!("\n{}\n", self.left_out.join("\n"));
        }
        text
    }
}

fn tell(tick: Tick, player: u32, notes: &[Note], of: Of, args: &ShowArgs) -> Option<String> {
    if !(args.from.unwrap_or(0)..=args.to.unwrap_or(Tick::MAX)).contains(&tick) {
        return None;
    }
    let told = notes.iter().filter(|note| of != Of::AllInShort || matches!(note.what, Noted::Marker(_)));
    let text: String = told
        .map(|note| match (args.json, of) {
            (true, _) => format!("{}\n", as_json(tick, player, note)),
            (false, Of::One) => {
                format!("{:>9} : {:>6}  {}\n", zappy_protocol::text::thousands(tick), "", note.what)
            }
            (false, Of::All | Of::AllInShort) => {
                format!("{:>11}  #{player} notes: {}\n", zappy_protocol::text::thousands(tick), note.what)
            }
        })
        .collect();
    (!text.is_empty()).then_some(text)
}

fn as_json(tick: Tick, player: u32, note: &Note) -> Value {
    let (kind, text, place) = match &note.what {
        Noted::Text(text) => ("text", text, None),
        Noted::Marker(word) => ("marker", word, None),
        Noted::Tile { x, y, word } => ("tile", word, Some([x, y])),
    };
    json!({ "type": "note", "tick": tick, "player": player, "sent": note.sent, "kind": kind, "text": text, "at": place })
}

/// The notes in that folder, in the order of their files' names.
fn files(folder: &Path) -> Vec<Notes> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut paths: Vec<_> = entries.filter(is_file).map(|entry| entry.path()).take(MOST_FILES).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    let read = |path: &std::path::PathBuf| zappy_server::files::read(path, FILE_BYTES).ok();
    paths.iter().filter_map(read).map(|bytes| Notes::parse(&bytes)).collect()
}
