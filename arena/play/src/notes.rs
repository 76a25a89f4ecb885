//! What bots note for their authors: where they write it, and what the match's folder keeps of it.
//!
//! A program writes the notes of its first player into the file that `ZAPPY_NOTES` names, those of its second player
//! into the file of that name with `.2` behind it, and so on. While the program plays, it may put anything there. When
//! all programs have ended, the notes in these files are kept, each with the player that made it. Never fails the
//! match, never waits, follows no link. Tested in this module and in `arena/cli/tests/debugging.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use zappy_protocol::Tick;
use zappy_protocol::record::notes::{NOTES_BYTES, Note, Noted, Notes};
use zappy_server::result::{LateMoment, MatchResult};

use crate::folder::{Folder, NOTES, remove_folder};
use crate::os;

/// The environment variable that names the file into which a bot writes its notes.
pub const NOTES_VARIABLE: &str = "ZAPPY_NOTES";
/// The most players of one program of which notes are kept.
const MOST_PLAYERS: usize = 64;

/// A program that may have noted something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    pub name: String,
    pub team: String,
    /// The path of its log from the match's folder; `None` if people started it themselves.
    pub log: Option<String>,
    /// Its players, in the order in which it opened their connections.
    pub players: Vec<u32>,
}

/// The file into which a program's player at that place, from 1, writes its notes.
fn draft(folder: &Folder, program: &str, place: usize) -> PathBuf {
    let mut path = folder.notes_file(program, 1).into_os_string();
    if place > 1 {
        path.push(format!(".{place}"));
    }
    path.into()
}

/// Replaces the folder of notes by the notes of these programs in their final form, and gives them.
pub fn write_notes(folder: &Folder, writers: &[Writer]) -> Vec<Notes> {
    let (mut kept, mut complaints) = (Vec::new(), Vec::new());
    for writer in writers {
        for place in 1..=MOST_PLAYERS {
            let path = draft(folder, &writer.name, place);
            let mut notes = match read(&path) {
                Ok(None) => continue,
                Ok(Some(bytes)) => Notes::written(&bytes),
                Err(error) => Notes { left_out: Some(error.to_string()), ..Notes::default() },
            };
            complaints.extend(notes.left_out.as_ref().map(|words| format!("{}: {words}", path.display())));
            if notes.notes.is_empty() && notes.left_out.is_none() {
                continue;
            }
            notes.player = writer.players.get(place - 1).copied();
            (notes.team, notes.log) = (writer.team.clone(), writer.log.clone());
            kept.push((folder.notes_file(&writer.name, place), notes));
        }
    }
    if let Some((first, rest)) = complaints.split_first() {
        let more = if rest.is_empty() { String::new() } else { format!("; and of {} more", rest.len()) };
        log::warn!("of what bots noted something was left out: {first}{more}");
    }
    let write = || {
        let old = folder.path().join(NOTES);
        match fs::symlink_metadata(&old) {
            Err(_) => {}
            Ok(found) if found.is_dir() => remove_folder(&old)?,
            Ok(_) => fs::remove_file(old)?,
        }
        if !kept.is_empty() {
            folder.make_notes_folder()?;
        }
        kept.iter().try_for_each(|(path, notes)| fs::write(path, notes.to_string()))
    };
    if let Err(error) = write() {
        log::warn!("what bots noted can't be kept: {error}");
    }
    kept.into_iter().map(|(_, notes)| notes).collect()
}

/// The last note of each late player at the moment when it was late, by the player and the tick. It is read at that
/// moment: what the program notes afterwards, until its next command, has the same counts of lines.
pub type Thoughts = BTreeMap<(u32, Tick), Option<String>>;

/// Reads what the program's player at that place, from 1, has noted by now.
pub fn notes_so_far(folder: &Folder, program: &str, place: usize) -> Vec<Note> {
    let bytes = read(&draft(folder, program, place)).ok().flatten().unwrap_or_default();
    Notes::written(&bytes).notes
}

/// Reads the last text or marker that the program's player at that place, from 1, has noted by now.
pub fn last_thought(folder: &Folder, program: &str, place: usize) -> Option<String> {
    notes_so_far(folder, program, place).iter().rev().find(is_thought).map(|note| note.what.to_string())
}

fn is_thought(note: &&Note) -> bool {
    matches!(note.what, Noted::Text(_) | Noted::Marker(_))
}

/// Whether that note was made before the moment at which its player was late. A note without a count of the lines read
/// was made before the player's next command, which came later.
pub fn stands_before(note: &Note, moment: &LateMoment) -> bool {
    match note.read {
        Some(read) => note.sent <= moment.sent && read <= moment.read,
        None => note.sent < moment.sent,
    }
}

/// Adds to each moment at which a player was late what the player had noted last: as it was read at that moment, or
/// else the last of the kept notes that was made before.
pub fn quote(result: &mut MatchResult, kept: &[Notes], thoughts: &Thoughts) {
    for late in result.lockstep.iter_mut().flat_map(|lockstep| &mut lockstep.late_players) {
        let of = |notes: &&Notes| notes.player == Some(late.player);
        let notes: Vec<&Note> =
            kept.iter().filter(of).flat_map(|notes| &notes.notes).filter(is_thought).collect();
        for moment in &mut late.moments {
            let last =
                || notes.iter().rfind(|note| stands_before(note, moment)).map(|note| note.what.to_string());
            moment.noted = thoughts.get(&(late.player, moment.tick)).cloned().unwrap_or_else(last);
        }
    }
}

/// The beginning of a file that a bot may have written; `None` if there is no file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let no_file = "the bot left no file there, but a link, a folder, a pipe or a device";
    let in_words = |error: io::Error| match error.kind() {
        ErrorKind::InvalidInput => io::Error::new(ErrorKind::InvalidInput, no_file),
        _ => error,
    };
    let Some(file) = os::open_plain(path).map_err(in_words)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(NOTES_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_without_lines_read_stands_before_the_next_command() {
        let moment = LateMoment { tick: 9, sent: 2, read: 4, after: None, noted: None };
        let stands = |text: &str| stands_before(&Note::parse(text.as_bytes()).unwrap(), &moment);
        assert_eq!(["1 x", "2/4 x", "2/3 x"].map(stands), [true; 3]);
        assert_eq!(["2 x", "2/5 x", "3 x", "3/4 x"].map(stands), [false; 4]);
    }

    #[test]
    fn only_notes_are_kept_whatever_lies_there() {
        let out = tempfile::tempdir().unwrap();
        let folder = Folder::prepare(out.path(), false).unwrap();
        folder.make_notes_folder().unwrap();
        fs::write(folder.notes_file("red-1", 1), "3 hello\n0 born\n").unwrap();
        fs::write(draft(&folder, "red-1", 2), "0 hatched\n").unwrap();
        fs::write(folder.notes_file("red-2", 1), [0_u8, 255, 10, 10].repeat(1 << 20)).unwrap();
        fs::write(folder.notes_file("red-3", 1), "").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.notes_file("blue-1", 1)).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.notes_file("blue-2", 1),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        fs::create_dir(folder.notes_file("blue-3", 1)).unwrap();
        fs::write(folder.notes_file("blue-3", 1).join("deep"), "1 x").unwrap();
        let writer = |name: &str, players: &[u32]| Writer {
            name: name.to_owned(),
            team: name[..name.len() - 2].to_owned(),
            log: Some(format!("logs/{name}.log")),
            players: players.to_vec(),
        };
        let names = ["red-1", "red-2", "red-3", "red-4", "blue-1", "blue-2", "blue-3"];
        let writers: Vec<Writer> =
            names.iter().map(|name| writer(name, if *name == "red-1" { &[4, 9] } else { &[] })).collect();
        write_notes(&folder, &writers);
        let read = |name: &str| fs::read_to_string(folder.notes_file(name, 1)).unwrap_or_default();
        assert_eq!(read("red-1"), "# player 4\n# team red\n# log logs/red-1.log\n0 born\n3 hello\n");
        assert_eq!(
            fs::read_to_string(out.path().join("notes/red-1.2.txt")).unwrap(),
            "# player 9\n# team red\n# log logs/red-1.log\n0 hatched\n"
        );
        assert!(
            read("red-2").starts_with("# team red\n# log logs/red-2.log\n# left-out all beyond 20000 notes"),
            "{}",
            read("red-2")
        );
        for name in ["blue-1", "blue-2", "blue-3"] {
            let text = read(name);
            assert!(
                text.ends_with(
                    "# left-out the bot left no file there, but a link, a folder, a pipe or a device\n"
                ),
                "{text}"
            );
        }
        assert!(!folder.notes_file("red-3", 1).exists() && !folder.notes_file("red-4", 1).exists());
        // The same once more changes nothing, and without any note there is no folder.
        assert_eq!(Notes::parse(read("red-1").as_bytes()).player, Some(4));
        write_notes(&folder, &[]);
        drop(folder);
        assert!(!out.path().join("notes").exists());
    }
}
