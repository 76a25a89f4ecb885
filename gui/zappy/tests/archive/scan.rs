//! The scan: what it finds in whole, cut off and broken records, and that it ends when it is dropped.

use std::io::Write;
use std::time::{Duration, Instant};

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::dialogue::{DialogueReader, SpeakerSeats};
use zappy_observer::timeline::record_file::WatchedRecord;
use zappy_protocol::record::{Entry, RecordLine, Seat};
use zappy_protocol::zappy::PlayerId;
use zappy_screen_zappy::timeline::{ZappyFindings, ZappyPlayhead, ZappyScan};

use crate::support::{Match, file, opened, record};

/// Asks until there is an answer.
fn patiently<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::yield_now();
    }
    panic!("no answer")
}

#[test]
fn it_knows_everybody_and_how_the_match_ended() {
    let bytes = record(&Match::small(2));
    let archive = opened(&bytes);
    let found = ZappyScan::start(&archive).unwrap().finish();
    assert!(found.done && found.broken == 0 && found.trouble.is_none(), "{:?}", found.trouble);
    assert_eq!((found.read, found.progress()), (archive.bytes(), 1.0));
    assert_eq!(found.overview.roster.teams().len(), 2);
    let admitted = String::from_utf8_lossy(&bytes).lines().filter(|line| line.contains(" * pnw ")).count();
    assert_eq!(found.overview.roster.lives().count(), admitted);
    assert!(found.overview.roster.life(PlayerId(0)).is_some());
    let ending = found.overview.chronicle.finish.as_ref().unwrap();
    assert_eq!((ending.tick, ending.reason.as_deref()), (9_000, Some("time")));
    assert!(found.overview.chronicle.entries.len() > 100);
}

#[test]
fn keyframes_of_a_record_without_an_index_are_those_of_the_index() {
    let bytes = record(&Match::small(2));
    let whole = opened(&bytes);
    let cut = opened(&bytes[..bytes.len() - 500]);
    assert!(cut.keyframes.is_empty() && !whole.keyframes.is_empty());
    for archive in [&cut, &whole] {
        assert_eq!(ZappyScan::start(archive).unwrap().finish().keyframes, whole.keyframes);
    }
}

#[test]
fn slices_of_a_record_in_memory_find_what_a_thread_finds_in_its_file() {
    let bytes = record(&Match::small(2));
    for bytes in [bytes.clone(), bytes[..bytes.len() - 500].to_vec()] {
        let (file, memory) = (opened(&bytes), WatchedRecord::in_memory("a.zrec", bytes.clone()).unwrap());
        assert_eq!((memory.bytes(), &memory.keyframes), (file.bytes(), &file.keyframes));
        let by_thread = ZappyScan::start(&file).unwrap().finish();
        let mut scan: ZappyScan = ZappyScan::in_slices(&memory);
        let (mut slices, mut last) = (0, ZappyFindings::default());
        while scan.wants_work() {
            assert!(!scan.is_finished());
            scan.work(1);
            slices += 1;
            last = scan.news().unwrap_or(last);
        }
        assert!(slices > 3 && scan.is_finished(), "{slices} slices");
        assert_eq!(
            (last.read, last.broken, last.done, &last.keyframes),
            (by_thread.read, by_thread.broken, true, &by_thread.keyframes)
        );
        assert_eq!(format!("{:?}", last.overview), format!("{:?}", by_thread.overview));
        assert_eq!(ZappyScan::in_slices(&memory).finish().read, by_thread.read);
    }
}

#[test]
fn a_player_that_the_server_ended_is_understood() {
    let bytes = record(&Match { ticks: 300, ..Match::small(6) });
    let mut text = String::from_utf8(bytes).unwrap();
    let expelled = RecordLine::Event(60, Entry::Expelled(Seat::Number(0), "it was late 3 times".to_owned()));
    text.insert_str(text.find("\n60 ").unwrap(), &format!("\n{}", expelled.print()));
    let mut archive = opened(text.as_bytes());
    let found = ZappyScan::start(&archive).unwrap().finish();
    assert!(found.done && found.broken == 0, "{} lines not understood", found.broken);
    let mut dialogue = DialogueReader::new(SpeakerSeats::at(0));
    while !dialogue.complete {
        dialogue.show(&mut archive, 60).unwrap();
    }
    let reasons: Vec<_> = dialogue.lines().filter_map(|line| line.why.as_deref()).collect();
    assert!(reasons.contains(&"it was late 3 times"), "{reasons:?}");
}

#[test]
fn broken_lines_are_counted() {
    let bytes = record(&Match { ticks: 300, ..Match::small(6) });
    let mut text = String::from_utf8(bytes).unwrap();
    let at = text.find("\n60 ").unwrap();
    text.insert_str(at, "\n60 * bct nonsense\nzzz\n\n60 ? 0 fine");
    let found = ZappyScan::start(&opened(text.as_bytes())).unwrap().finish();
    assert_eq!(found.broken, 3);
    assert!(found.done && found.overview.roster.lives().count() > 3);
}

#[test]
fn a_record_that_grows_is_followed() {
    let bytes = record(&Match::small(3));
    let half = bytes.len() / 2;
    let mut growing = file(&bytes[..half]);
    let archive = WatchedRecord::open(growing.path()).unwrap();
    let scan = ZappyScan::start(&archive).unwrap();
    let wait = |passes: &dyn Fn(&ZappyFindings) -> bool| patiently(|| scan.news().filter(passes));
    let before = wait(&|news| news.done);
    assert!(before.overview.chronicle.finish.is_none());
    growing.write_all(&bytes[half..]).unwrap();
    let after = wait(&|news| news.done && news.overview.chronicle.finish.is_some());
    assert!(after.read > before.read && after.broken == 0);
    assert_eq!(after.overview.chronicle.until, 9_000);
    assert_eq!(after.keyframes, opened(&bytes).keyframes);
}

#[test]
fn a_scan_that_nobody_wants_ends() {
    let bytes = record(&Match::small(3));
    for _ in 0..20 {
        drop(ZappyScan::start(&opened(&bytes)).unwrap());
    }
}

#[test]
fn the_scan_and_the_playhead_agree_on_the_last_tick() {
    let bytes = record(&Match { ticks: 700, ..Match::small(8) });
    let kept = file(&bytes);
    let mut archive = WatchedRecord::open(kept.path()).unwrap();
    let found = ZappyScan::start(&archive).unwrap().finish();
    let last = archive.last_tick();
    let mut playhead = ZappyPlayhead::new();
    playhead.go_to(&mut archive, last).unwrap();
    let alive =
        |player: &PlayerId| found.overview.roster.life(*player).is_some_and(|life| life.until.is_none());
    assert!(playhead.fold().mirror().players.keys().all(alive));
    assert_eq!(found.overview.chronicle.until, last);
}

#[test]
fn what_bots_noted_beside_a_record_is_found_at_its_ticks() {
    let bytes = record(&Match::small(2));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.zrec");
    std::fs::write(&path, &bytes).unwrap();
    let said = |seat: u32| {
        let lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let of = move |line: &Vec<u8>| match RecordLine::parse(line) {
            Ok(RecordLine::Event(tick, Entry::Received(Seat::Number(of), _))) if of == seat => Some(tick),
            _ => None,
        };
        lines.iter().filter_map(of).take(3).collect::<Vec<_>>()
    };
    let seat = (0..24).find(|seat| said(*seat).len() == 3).unwrap();
    let ticks = said(seat);
    let notes = format!("# player {seat}\n# team red\n0 born\n2 marker third\nnonsense\n");
    let noted = |folder: &std::path::Path| {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("red-1.txt"), &notes).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", folder.join("link.txt")).unwrap();
    };
    let found = |file: &WatchedRecord| ZappyScan::start(file).unwrap().finish().notes;
    assert_eq!(found(&WatchedRecord::open(&path).unwrap()).players().count(), 0);
    noted(&folder.path().join("notes"));
    let book = found(&WatchedRecord::open(&path).unwrap());
    let placed: Vec<_> = book.of(seat, u64::MAX).map(|one| (one.tick, one.what.to_string())).collect();
    assert_eq!(placed, [(ticks[2], "marker third".to_owned()), (ticks[0], "born".to_owned())]);
    assert_eq!(book.markers().collect::<Vec<_>>(), [(ticks[2], seat, "third")]);
    // They may lie elsewhere.
    let (elsewhere, mut file) = (tempfile::tempdir().unwrap(), WatchedRecord::open(&path).unwrap());
    file.notes = elsewhere.path().to_path_buf();
    assert_eq!(found(&file).players().count(), 0);
}
