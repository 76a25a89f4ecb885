//! What bots noted and printed beside a record, and where they were late, each in its place among the record's lines.
//!
//! Reads the folder `notes` and the logs beside the record, bounded, and follows no link. Notes and logs that are
//! missing are left out without a word. Tested in `arena/cli/tests/debugging.rs`.

use std::fs;
use std::path::Path;

use serde_json::json;
use zappy_play::notes::stands_before;
use zappy_protocol::Tick;
use zappy_protocol::record::notes::{
    MOST_NOTES, Margin, NOTE_CHARACTERS, NOTES_BYTES, Note, Noted, Notes, PlacedNotes,
};
use zappy_protocol::text::{shortened, shown, thousands};
use zappy_server::result::LateMoment;

use super::ShowArgs;
use super::players::Programs;

/// The folder of notes beside a match's record.
const NOTES_FOLDER: &str = "notes";
/// The folder of logs beside a match's record.
const LOGS_FOLDER: &str = "logs/";
/// The most files of notes that are read.
const MOST_FILES: usize = 2_000;
/// The most bytes that are read of a file of notes or of a log: the notes, and room for the lines that name the player.
const FILE_BYTES: u64 = NOTES_BYTES + 4096;

/// Which notes are shown, and how a note names its player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The notes of one player, which is not named.
    One,
    /// The notes of several players, each named with its notes.
    All,
    /// The markers and late moments of all players.
    Markers,
}

/// The notes of one player, or of all.
#[derive(Debug)]
pub struct Annotations {
    margin: Margin,
    /// What was left out, a line for each player.
    left_out: Vec<String>,
    scope: Scope,
}

impl Annotations {
    /// Reads the notes that were asked for from beside the record: all notes of `players`; with `None` the markers and
    /// late moments of all players, or with `--all` all their notes.
    pub fn read(record: &Path, args: &ShowArgs, players: Option<&[u32]>, programs: &Programs) -> Annotations {
        let beside = record.parent().unwrap_or(Path::new(""));
        let folder = beside.join(NOTES_FOLDER);
        let is_asked = |player: u32| players.is_none_or(|players| players.contains(&player));
        let wanted = |notes: &Notes| notes.player.map_or(players.is_none(), is_asked);
        let mut all: Vec<Notes> = files(&folder).into_iter().filter(wanted).collect();
        for late in programs.late.iter().filter(|late| is_asked(late.player)) {
            let place = all.iter().position(|notes| notes.player == Some(late.player)).unwrap_or(all.len());
            if place == all.len() {
                all.push(Notes { player: Some(late.player), ..Notes::default() });
            }
            // Each late moment comes right behind the last note that the player had written by then. Notes that it
            // wrote later come after that moment, even if they answer the same line.
            let notes = &mut all[place].notes;
            for moment in &late.moments {
                let LateMoment { sent, read, after, noted, .. } = moment;
                let is_last = |note: &Note| {
                    stands_before(note, moment)
                        && noted.as_ref().is_some_and(|noted| note.what.to_string() == *noted)
                };
                let earlier = |note: &Note| (note.sent, note.read.unwrap_or(u64::MAX)) < (*sent, *read);
                let last = notes.iter().rposition(is_last).map(|place| place + 1);
                let place = last.unwrap_or_else(|| notes.partition_point(earlier));
                let after = after.as_ref().map(|line| format!(" after {line:?}")).unwrap_or_default();
                let noted =
                    noted.as_ref().map(|noted| format!("; it had noted {noted:?}")).unwrap_or_default();
                let words = format!("late: no line came within the think time{after}{noted}");
                let note = Note { sent: *sent, read: Some(*read), at: None, what: Noted::Late(words) };
                notes.insert(place, note);
            }
        }
        all.extend(players.into_iter().flatten().filter_map(|&player| printed(beside, player, programs)));
        let complaint = |notes: &Notes| {
            let unnamed = || format!("a player of {}", notes.team);
            let of = notes.player.map_or_else(unnamed, |player| format!("#{player}"));
            notes.left_out.as_ref().map(|words| format!("of the notes of {of} was left out: {words}"))
        };
        let left_out = all.iter().filter_map(complaint).collect();
        let scope = match players {
            Some([_]) => Scope::One,
            None if !args.all => Scope::Markers,
            _ => Scope::All,
        };
        Annotations { left_out, margin: Margin::new(all), scope }
    }

    /// The notes before that line of the record, as text, or as JSON with `--json`, with their ticks.
    pub fn lines_before(&mut self, line: &[u8], args: &ShowArgs) -> Vec<(Tick, String)> {
        if self.margin.is_empty() {
            return Vec::new();
        }
        let placed = self.margin.before(line);
        placed
            .iter()
            .filter_map(|placed| Some((placed.tick, print_notes(placed, self.scope, args)?)))
            .collect()
    }

    /// The notes before that line, as text.
    pub fn text_before(&mut self, line: &[u8], args: &ShowArgs) -> String {
        self.lines_before(line, args).into_iter().map(|(_, text)| text).collect()
    }

    /// The notes that stand behind the last line of the record, and what was left out, as text.
    pub fn unplaced(&self, args: &ShowArgs) -> String {
        let mut text: String =
            self.margin.rest().iter().filter_map(|placed| print_notes(placed, self.scope, args)).collect();
        if !args.json && !self.left_out.is_empty() {
            text += &format!("\n{}\n", self.left_out.join("\n"));
        }
        text
    }
}

/// What a player's program printed, each line at the tick at which it was printed; `None` if no tick is known.
fn printed(folder: &Path, player: u32, programs: &Programs) -> Option<Notes> {
    let log = programs.log(player)?;
    let (last, name) = (log.ticks.last()?.1, log.path.strip_prefix(LOGS_FOLDER)?);
    let path = folder.join(LOGS_FOLDER).join(Path::new(name).file_name()?);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file());
    let bytes = zappy_server::files::read(&path, FILE_BYTES).ok().filter(|_| is_file)?;
    let (mut at, mut notes) = (0, Vec::new());
    for line in bytes.split(|&byte| byte == b'\n').take(MOST_NOTES) {
        let known = log.ticks.get(log.ticks.partition_point(|(end, _)| *end <= at));
        at += line.len() as u64 + 1;
        if !line.trim_ascii().is_empty() {
            let words = shortened(&shown(line), NOTE_CHARACTERS);
            notes.push(Note::at(known.map_or(last, |(_, tick)| *tick), Noted::Printed(words)));
        }
    }
    Some(Notes { player: Some(player), notes, ..Notes::default() })
}

/// The notes that stand at one place, as text or JSON lines; `None` if none of them is asked for.
fn print_notes(
    PlacedNotes { tick, player, notes }: &PlacedNotes,
    scope: Scope,
    args: &ShowArgs,
) -> Option<String> {
    let (tick, player) = (*tick, *player);
    if !args.ticks().contains(&tick) {
        return None;
    }
    let is_marker = |what: &Noted| matches!(what, Noted::Marker(_) | Noted::Late(_));
    let placed = notes.iter().filter(|note| scope != Scope::Markers || is_marker(&note.what));
    let text: String = placed
        .map(|note| match (args.json, scope) {
            (true, _) => {
                let (kind, text, place) = match &note.what {
                    Noted::Printed(text) => ("printed", text, None),
                    Noted::Late(text) => ("late", text, None),
                    Noted::Text(text) => ("text", text, None),
                    Noted::Marker(word) => ("marker", word, None),
                    Noted::Tile { x, y, word } => ("tile", word, Some([x, y])),
                };
                let object = match note.what {
                    Noted::Printed(_) | Noted::Late(_) => {
                        json!({ "type": kind, "tick": tick, "player": player, "text": text })
                    }
                    _ => json!({ "type": "note", "tick": tick, "player": player, "sent": note.sent,
                                 "read": note.read, "kind": kind, "text": text, "at": place }),
                };
                format!("{object}\n")
            }
            (false, Scope::One) => {
                let mark = match note.what {
                    Noted::Printed(_) => '|',
                    Noted::Late(_) => '?',
                    _ => ':',
                };
                format!("{:>9} {mark} {:>6}  {}\n", thousands(tick), "", note.what)
            }
            (false, Scope::All | Scope::Markers) => {
                let does = match note.what {
                    Noted::Printed(_) => " prints:",
                    Noted::Late(_) => " is",
                    _ => " notes:",
                };
                format!("{:>11}  #{player}{does} {}\n", thousands(tick), note.what)
            }
        })
        .collect();
    (!text.is_empty()).then_some(text)
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
