//! Notes are read as they are written, and stand where they belong.

use super::*;

fn text(sent: u64, text: &str) -> Note {
    Note { sent, read: None, at: None, what: Noted::Text(text.to_owned()) }
}

#[test]
fn each_kind_is_read_and_what_is_no_such_kind_is_text() {
    let tile = |x, y, word: &str| Note {
        sent: 3,
        read: None,
        at: None,
        what: Noted::Tile { x, y, word: word.to_owned() },
    };
    for (line, note) in [
        ("0 born", text(0, "born")),
        ("3 tile -2 4 food here", tile(-2, 4, "food here")),
        ("3 marker meet", Note { sent: 3, read: None, at: None, what: Noted::Marker("meet".to_owned()) }),
        ("3/12 went", Note { read: Some(12), ..text(3, "went") }),
        ("3 tile 2 food", text(3, "tile 2 food")),
        ("3 tile 2 9999999 far", text(3, "tile 2 9999999 far")),
        ("3 tile 1 1 ", text(3, "tile 1 1")),
        ("3 marker", text(3, "marker")),
        ("3 markers", text(3, "markers")),
    ] {
        assert_eq!(Note::parse(line.as_bytes()), Some(note.clone()), "{line}");
        assert_eq!(Note::parse(format!("{line}\r").as_bytes()), Some(note), "{line}");
    }
    for bad in
        ["", "x", "3", "3 ", "3/ x", "/3 x", "3/x y", "3/4/5 x", "-1 a", "# 3", "99999999999999999999 a"]
    {
        assert_eq!(Note::parse(bad.as_bytes()), None, "{bad}");
    }
    let Some(Note { what: Noted::Text(long), .. }) =
        Note::parse(format!("1 {}", "x".repeat(5000)).as_bytes())
    else {
        panic!("text")
    };
    assert_eq!(long.chars().count(), NOTE_CHARACTERS + 1, "with the mark of what is left out");
}

#[test]
fn what_was_kept_comes_back() {
    let mut notes =
        Notes::written(b"2/7 later\n\nnonsense\n1 sooner\n\xff\xfe\n1 tile 0 -1 \xff\n3 marker x");
    assert_eq!(notes.notes.len(), 4);
    assert_eq!(notes.notes[0], text(1, "sooner"));
    let left_out = "lines that don't begin with the number of commands sent: 2, the first \"nonsense\"";
    assert_eq!(notes.left_out.as_deref(), Some(left_out));
    (notes.player, notes.team, notes.log) = (Some(4), "red".to_owned(), Some("logs/red-1.log".to_owned()));
    assert_eq!(Notes::parse(notes.to_string().as_bytes()), notes);
    let bare = Notes { team: "red".to_owned(), ..Notes::default() };
    assert_eq!(Notes::parse(bare.to_string().as_bytes()), bare);
}

#[test]
fn garbage_without_end_is_bounded() {
    let many = Notes::written("1 a\n".repeat(MOST_NOTES + 1).as_bytes());
    assert_eq!(many.notes.len(), MOST_NOTES);
    assert!(many.left_out.unwrap().starts_with("all beyond 20000 notes or 1024 KiB"));
    let long = Notes::written(&vec![0; usize::try_from(NOTES_BYTES).unwrap() + 1]);
    assert!(long.notes.is_empty() && long.left_out.unwrap().len() < 600);
}

#[test]
fn a_note_stands_before_the_command_that_was_sent_after_it() {
    let notes = |player, lines: &str| Notes { player: Some(player), ..Notes::written(lines.as_bytes()) };
    let mut margin = Margin::new([
        notes(4, "0 born\n1 saw it\n1 go\n14 late\n99 never"),
        Notes { player: None, ..Notes::written(b"0 whose?") },
        notes(7, "5 no command"),
    ]);
    let mut placed = Vec::new();
    for line in [
        "0 + 4 red",
        "0 < 4 Look",
        "7 > 4 [ player ]",
        "7 < 5 Look",
        "7 < 4 Forward",
        "9 # 4 12",
        "14 < 4 Left",
        "20 x 4 it starved",
        "20 x 7 gone",
        "end",
    ] {
        placed.extend(margin.before(line.as_bytes()).iter().map(words_of));
    }
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        placed,
        [
            (0, 4, words(&["born"])),
            (7, 4, words(&["saw it", "go"])),
            (14, 4, words(&["late"])),
            (20, 4, words(&["never"])),
            (20, 7, words(&["no command"])),
        ]
    );
    assert_eq!(margin.rest().len(), 0);
}

fn words_of(placed: &PlacedNotes) -> (Tick, u32, Vec<String>) {
    (placed.tick, placed.player, placed.notes.iter().map(|note| note.what.to_string()).collect())
}

#[test]
fn a_note_that_tells_what_was_read_stands_there_however_late_the_next_command_is_taken() {
    let lines = "1/3 sees\n2/4 frozen\n3/4 still frozen\n3/5 free\n3/6 risen\n9/99 miscounted";
    let late = Note { sent: 2, read: Some(4), at: None, what: Noted::Late("late".to_owned()) };
    let mut margin = Margin::new([
        Notes { player: Some(4), ..Notes::written(lines.as_bytes()) },
        Notes { player: Some(4), notes: vec![late], ..Notes::default() },
        Notes {
            player: Some(7),
            notes: vec![Note::at(12, Noted::Printed("hm".to_owned()))],
            ..Notes::default()
        },
    ]);
    let mut placed = Vec::new();
    for line in [
        "0 + 4 red",
        "0 > 4 3",
        "0 > 4 8 8",
        "0 < 4 Look",
        "7 > 4,7 [ player ]",
        "7 < 4 Forward",
        "9 > 4 Elevation underway",
        "9 * pic 0 0",
        "12 < 7 Look",
        "13 < 7 Look",
        "309 > 4 Current level: 2",
        "312 < 4 Look",
        "316 > 4 ok",
        "930 < 7 Look",
    ] {
        placed.extend(margin.before(line.as_bytes()).iter().map(words_of));
    }
    placed.extend(margin.rest().iter().map(words_of));
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        placed,
        [
            (7, 4, words(&["sees"])),
            (9, 4, words(&["frozen", "still frozen", "late"])),
            (12, 7, words(&["hm"])),
            (309, 4, words(&["free"])),
            (316, 4, words(&["risen"])),
            (930, 4, words(&["miscounted"])),
        ]
    );
}
