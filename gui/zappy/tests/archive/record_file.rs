//! Opening records: whole, cut off, growing, lying, and what is no record at all.

use std::io::Write;
use std::path::Path;

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::dialogue::{DialogueReader, SpeakerSeats};
use zappy_observer::timeline::playhead::Arrival;
use zappy_observer::timeline::record_file::{OpenError, WatchedRecord};
use zappy_protocol::record::RecordLevel;
use zappy_screen_zappy::timeline::{ZappyPlayhead, ZappyScan};

use crate::support::{Dice, Match, file, opened, record};

fn refusal(bytes: &[u8]) -> String {
    WatchedRecord::open(file(bytes).path()).unwrap_err().to_string()
}

#[test]
fn what_is_no_record_is_refused_with_the_remedy() {
    let whole = record(&Match { ticks: 50, ..Match::small(1) });
    let text = String::from_utf8_lossy(&whole).into_owned();
    for (bytes, word) in [
        (&b""[..], "is empty"),
        (b"hello\x07\nworld", "begins with \"hello\\x07\", a record with \"zrec 3\"; zappy_server --record"),
        (&[0xff; 100_000], "is no record"),
        (b"zrec 4\ngame zappy 1\n", "format 4, this observer reads format 3"),
        (b"zrec 1\nrules-version 1\n", "take another copy"),
        (text.replacen("map 6 6", "map 6 0", 1).as_bytes(), "header: map is missing or bad"),
        (text.replacen("begin\n", "", 1).as_bytes(), "take another copy"),
    ] {
        let found = refusal(bytes);
        assert!(found.contains(word) && !found.contains('\n'), "{found}");
    }
    let inputs = record(&Match { ticks: 50, level: RecordLevel::Inputs, ..Match::small(1) });
    assert!(
        refusal(&inputs).contains("zappy_arena expand ") && refusal(&inputs).contains("--record-level full")
    );
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(WatchedRecord::open(folder.path()), Err(OpenError::NoFile(_))));
    assert!(matches!(WatchedRecord::open(&folder.path().join("none")), Err(OpenError::Unreadable { .. })));
    assert!(matches!(WatchedRecord::open(Path::new("")), Err(OpenError::Unreadable { .. })));
}

#[test]
fn a_whole_record_opens_from_its_tail() {
    let bytes = record(&Match::small(2));
    let archive = opened(&bytes);
    assert!(archive.keyframes.len() > 1);
    assert_eq!((archive.first_tick(), archive.last_tick()), (0, 9_000));
    let footer = archive.footer.as_ref().unwrap();
    assert_eq!((footer.reason.as_str(), footer.tick), ("time", 9_000));
    assert_eq!(archive.header.map.width(), 6);
    assert!(archive.has_dialogue());
}

/// Every prefix opens, or is refused as a spoilt head; what opens can be played to its end.
#[test]
fn a_record_that_was_cut_off_anywhere_opens_up_to_its_last_whole_line() {
    let bytes = record(&Match { ticks: 120, ..Match::small(3) });
    let begin = bytes.windows(7).position(|window| window == b"\nbegin\n").unwrap() + 7;
    for length in (0..bytes.len()).step_by(13).chain(bytes.len() - 60..bytes.len()) {
        let opened = WatchedRecord::open(file(&bytes[..length]).path());
        if length < begin {
            assert!(opened.is_err());
            continue;
        }
        let mut archive = opened.unwrap();
        let whole = bytes[..length].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        assert!(archive.end() <= whole as u64 && archive.footer.is_none(), "cut at {length}");
        let mut playhead = ZappyPlayhead::new();
        let last = archive.last_tick();
        assert_eq!(playhead.go_to(&mut archive, last).unwrap(), Arrival::There);
        assert_eq!(playhead.tick(), last);
    }
}

#[test]
fn a_record_that_grows_is_followed_to_its_end() {
    let bytes = record(&Match { ticks: 600, ..Match::small(3) });
    let mut growing = file(&bytes[..bytes.len() / 2]);
    let mut archive = WatchedRecord::open(growing.path()).unwrap();
    let (mut playhead, before) = (ZappyPlayhead::new(), archive.last_tick());
    assert!(!archive.refresh().unwrap());
    playhead.go_to(&mut archive, before).unwrap();
    let middle = bytes.len() * 3 / 4;
    growing.write_all(&bytes[bytes.len() / 2..middle]).unwrap();
    assert!(archive.refresh().unwrap());
    let later = archive.last_tick();
    assert!(later > before && archive.footer.is_none());
    playhead.go_to(&mut archive, later).unwrap();
    growing.write_all(&bytes[middle..]).unwrap();
    assert!(archive.refresh().unwrap());
    assert_eq!(archive.last_tick(), 600);
    playhead.go_to(&mut archive, 600).unwrap();
    let mut fresh = ZappyPlayhead::new();
    fresh.go_to(&mut opened(&bytes), 600).unwrap();
    assert!(playhead.fold() == fresh.fold());
}

#[test]
fn an_index_that_lies_is_not_believed() {
    let bytes = record(&Match::small(5));
    let text = String::from_utf8(bytes.clone()).unwrap();
    let line = text.lines().filter(|line| line.starts_with("keyframe ")).nth(1).unwrap();
    let (head, offset) = line.rsplit_once(' ').unwrap();
    let mut expected = ZappyPlayhead::new();
    expected.go_to(&mut opened(&bytes), 8_000).unwrap();
    for lie in ["0".to_owned(), "99999999999".to_owned(), (offset.parse::<u64>().unwrap() + 5).to_string()] {
        // The footer's place doesn't move, the index is behind it.
        let mut archive = opened(text.replacen(line, &format!("{head} {lie}"), 1).as_bytes());
        assert!(archive.keyframes.is_empty());
        assert_eq!(archive.last_tick(), 9_000);
        let mut playhead = ZappyPlayhead::new();
        playhead.go_to(&mut archive, 8_000).unwrap();
        assert!(playhead.fold() == expected.fold());
    }
}

#[test]
fn a_keyframe_that_turns_out_wrong_in_use_is_no_harm() {
    let bytes = record(&Match::small(5));
    let mut archive = opened(&bytes);
    archive.keyframes.iter_mut().for_each(|keyframe| keyframe.at -= 3);
    let (mut playhead, mut expected) = (ZappyPlayhead::new(), ZappyPlayhead::new());
    while playhead.go_to(&mut archive, 8_000).unwrap() == Arrival::OnTheWay {}
    expected.go_to(&mut opened(&bytes), 8_000).unwrap();
    assert!(archive.keyframes.is_empty() && playhead.fold() == expected.fold());
}

#[test]
fn broken_lines_in_the_middle_stop_nothing() {
    let bytes = record(&Match { ticks: 300, ..Match::small(6) });
    let mut text = String::from_utf8(bytes).unwrap();
    let at = text.find("\n60 ").unwrap();
    text.insert_str(at, "\n\n12\nzzz \\\n60 * bct nonsense\n60 ? ");
    let mut archive = opened(text.as_bytes());
    let mut playhead = ZappyPlayhead::new();
    playhead.go_to(&mut archive, 300).unwrap();
    assert!(playhead.fold().mirror().players.len() > 3);
}

/// Bytes changed, lines lost, doubled, swapped: whatever opens can be played, scanned and searched.
#[test]
fn spoilt_records_stop_nobody() {
    let bytes = record(&Match { ticks: 150, seats: 6, ..Match::small(7) });
    let mut dice = Dice(31);
    let mut opened = 0;
    for _ in 0..300 {
        let mut spoilt = bytes.clone();
        for _ in 0..=dice.below(4) {
            let length = spoilt.len() as u64;
            let mut place = || usize::try_from(dice.below(length)).unwrap();
            let (at, other) = (place(), place());
            match dice.below(5) {
                0 => spoilt[at] = b"\n 9#kx\\\xff"[usize::try_from(dice.below(8)).unwrap()],
                1 => drop(spoilt.drain(at.min(other)..at.max(other).min(at.min(other) + 80))),
                2 => spoilt.swap(at, other),
                3 => drop(spoilt.splice(at..at, *b"99999999999999999999")),
                _ => drop(spoilt.splice(at..at, *b"\n18446744073709551615 * msz 3 3\n")),
            }
        }
        let kept = file(&spoilt);
        let Ok(mut archive) = WatchedRecord::open(kept.path()) else { continue };
        opened += 1;
        let mut playhead = ZappyPlayhead::new();
        for tick in [archive.last_tick(), 70, 150, u64::MAX, 10] {
            while playhead.go_to(&mut archive, tick).unwrap() == Arrival::OnTheWay {}
        }
        let mut dialogue = DialogueReader::new(SpeakerSeats::at(1));
        for tick in [100, u64::MAX, 20] {
            dialogue.show(&mut archive, tick).unwrap();
        }
        assert!(ZappyScan::start(&archive).unwrap().finish().done);
    }
    assert!(opened > 100, "only {opened} could be opened at all");
}

#[test]
fn a_record_whose_lines_were_changed_ends_where_its_match_did_and_says_so() {
    let whole = record(&Match::small(2));
    let text = String::from_utf8(whole).unwrap();
    let end = opened(text.as_bytes()).last_tick();
    for (from, to) in [("\n= ", "\n= #"), ("\n= msz ", "\n= m "), ("\n= msz", "\n= mszmszmszmszmszmszmszmsz")]
    {
        assert!(text.contains(from), "{from}");
        let changed = opened(text.replacen(from, to, 1).as_bytes());
        assert!(changed.changed && changed.keyframes.is_empty(), "{to}: its index points elsewhere");
        assert_eq!(
            (changed.last_tick(), changed.footer.as_ref().map(|footer| footer.tick)),
            (end, Some(end)),
            "{to}"
        );
    }
    assert!(!opened(text.as_bytes()).changed);
}
