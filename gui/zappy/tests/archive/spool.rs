//! The spool: what it keeps, what it forgets, and disks that take no more.

use std::io;
use std::sync::{Arc, Mutex};

use zappy_observer::timeline::archive::Archive;
use zappy_observer::timeline::spool::{Limits, Spool, Store};
use zappy_observer::timeline::tape::Cursor;
use zappy_protocol::record::Glance;
use zappy_screen_zappy::timeline::state::ZappyState;

/// A disk of that many bytes.
#[derive(Clone)]
pub struct Memory {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::of(usize::MAX)
    }
}

impl Memory {
    pub fn of(room: usize) -> Memory {
        Memory { bytes: Arc::default(), room }
    }

    fn used(&self) -> usize {
        self.bytes.lock().unwrap().len()
    }
}

impl Store for Memory {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let at = usize::try_from(at).unwrap();
        if at + bytes.len() > self.room {
            return Err(io::Error::other("no space left on device"));
        }
        let mut disk = self.bytes.lock().unwrap();
        let length = disk.len().max(at + bytes.len());
        disk.resize(length, 0);
        disk[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(at).unwrap();
        let disk = self.bytes.lock().unwrap();
        bytes.copy_from_slice(disk.get(at..at + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

const SMALL: Limits = Limits { memory: 3_000, disk: 10_000, segment: 1_000, ratio: 2 };

/// A spool that was told a number per tick.
fn told(limits: Limits, store: Memory, ticks: u64) -> Spool {
    let mut spool = Spool::with(0, limits, Box::new(store));
    let state = ZappyState::default();
    for tick in 0..ticks {
        spool.append(tick, format!("smg number {tick} \\").as_bytes(), &state);
    }
    spool
}

/// All numbers from the oldest place on, which must follow each other without a gap.
fn numbers(spool: &mut Spool) -> std::ops::Range<u64> {
    let mut cursor = Cursor::new(spool.first().at);
    let mut found: Option<std::ops::Range<u64>> = None;
    while let Some(line) = cursor.line(spool).unwrap() {
        if let Glance::Published(tick, text) = Glance::at(line) {
            assert_eq!(text, format!("smg number {tick} \\").as_bytes());
            let range = found.get_or_insert(tick..tick);
            assert_eq!(range.end, tick, "a gap");
            range.end += 1;
        }
        cursor.step();
    }
    found.unwrap_or_default()
}

#[test]
fn everything_is_kept_while_there_is_room() {
    let disk = Memory::default();
    let mut spool = told(Limits { disk: 1 << 20, ..SMALL }, disk.clone(), 1_000);
    assert_eq!(numbers(&mut spool), 0..1_000);
    assert_eq!((spool.first_tick(), spool.last_tick()), (0, 999));
    assert!(disk.used() > 20_000, "{} bytes went to the disk", disk.used());
}

#[test]
fn beyond_the_limits_the_oldest_is_forgotten_without_a_gap() {
    let disk = Memory::default();
    for ticks in [900, 1_000, 1_017, 1_100, 5_000] {
        let mut spool = told(SMALL, disk.clone(), ticks);
        let kept = numbers(&mut spool);
        assert_eq!(kept.end, ticks);
        assert!((200..600).contains(&(kept.end - kept.start)), "{kept:?}");
        assert!(spool.first_tick().abs_diff(kept.start) <= 1, "{} {kept:?}", spool.first_tick());
        assert!(disk.used() <= 10_000);
    }
}

#[test]
fn a_full_disk_shortens_the_past_and_nothing_else() {
    for room in [0, 500, 2_500, 6_000] {
        let disk = Memory::of(room);
        let mut spool = told(SMALL, disk, 2_000);
        let kept = numbers(&mut spool);
        assert_eq!(kept.end, 2_000);
        let least = 60 + room as u64 / 60;
        assert!(kept.end - kept.start > least, "{kept:?} with room for {room}");
    }
}

#[test]
fn a_real_temporary_file_gives_back_what_it_took() {
    let mut spool = Spool::new(0);
    let state = ZappyState::default();
    let long = "x".repeat(20_000);
    for tick in 0..5_000 {
        spool.append(tick, format!("smg {tick} {long}").as_bytes(), &state);
    }
    let mut cursor = Cursor::new(spool.first().at);
    let mut expected = 0;
    while let Some(line) = cursor.line(&mut spool).unwrap() {
        if let Glance::Published(tick, text) = Glance::at(line) {
            assert_eq!((tick, text.len()), (expected, 5 + long.len() + expected.to_string().len()));
            expected += 1;
        }
        cursor.step();
    }
    assert_eq!(expected, 5_000);
}

#[test]
fn places_that_never_were_are_not_found() {
    let mut spool = told(SMALL, Memory::default(), 2_000);
    let mut out = Vec::new();
    use zappy_observer::timeline::tape::Tape;
    assert_eq!(spool.read(0, &mut out).unwrap_err().kind(), io::ErrorKind::NotFound);
    assert_eq!(spool.read(u64::MAX, &mut out).unwrap_err().kind(), io::ErrorKind::NotFound);
    let end = spool.end();
    spool.read(end, &mut out).unwrap();
    assert!(out.is_empty());
    spool.reach(3_000);
    assert_eq!((spool.last_tick(), spool.has_dialogue()), (3_000, false));
}
