//! Reads a whole record once beside everything else: roster and chronicle come from here, and the places of
//! keyframes of a record without an index.
//!
//! One thread, which ends soon after its [`Scan`] is dropped. Whoever asks never waits for it. Tested in
//! `tests/archive/scan.rs`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use zappy_protocol::Tick;
use zappy_protocol::observer::Message;
use zappy_protocol::record::RecordLine;

use super::archive::Keyframe;
use super::chronicle::{Chronicle, Chronicler};
use super::record_file::{RecordFile, Section};
use super::roster::Roster;
use super::tape::{Cursor, Line};

/// Bytes after which news are handed over for the first time; each time after twice as many,
const FIRST_NEWS_BYTES: u64 = 1 << 20;
/// up to so many: handing over copies all that is known so far.
const NEWS_BYTES: u64 = 32 << 20;
/// Bytes between two looks whether anybody still wants the rest.
const LOOK_BYTES: u64 = 64 * 1024;

/// What a scan knows so far.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// What stays true of players, eggs and teams.
    pub roster: Roster,
    /// The match up to where the scan is.
    pub chronicle: Chronicle,
    /// Bytes that were read.
    pub read: u64,
    /// Bytes there are.
    pub total: u64,
    /// Lines that are none of a record, or no message of the observers' dialect.
    pub broken: u64,
    /// Whether all of it was read.
    pub done: bool,
    /// Why the rest was not read, in the system's words.
    pub trouble: Option<String>,
}

impl Findings {
    /// The part that was read, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f32 {
        if self.done || self.total == 0 { 1.0 } else { (self.read as f64 / self.total as f64) as f32 }
    }
}

#[derive(Debug, Default)]
struct Shared {
    news: Option<Findings>,
    keyframes: Option<Vec<Keyframe>>,
}

/// A scan under way.
#[derive(Debug)]
pub struct Scan {
    shared: Arc<Mutex<Shared>>,
    unwanted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Scan {
    /// Begins to read the record.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(record: &RecordFile) -> io::Result<Scan> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let unwanted = Arc::new(AtomicBool::new(false));
        let mut worker = Worker {
            section: record.section(),
            shared: Arc::clone(&shared),
            unwanted: Arc::clone(&unwanted),
            chronicler: Chronicler::new(),
            findings: Findings { total: record.bytes(), ..Findings::default() },
        };
        let indexed = record.is_indexed();
        let thread = std::thread::Builder::new().name("scan".to_owned()).spawn(move || {
            if !indexed {
                worker.find_keyframes();
            }
            worker.run();
        })?;
        Ok(Scan { shared, unwanted, thread: Some(thread) })
    }

    /// What was found since the last call, if there are news. Never waits.
    pub fn news(&self) -> Option<Findings> {
        self.shared.try_lock().ok()?.news.take()
    }

    /// The places of keyframes, once, as soon as they are known; only of a record without an index.
    pub fn keyframes(&self) -> Option<Vec<Keyframe>> {
        self.shared.try_lock().ok()?.keyframes.take()
    }

    /// Waits until all is read and gives it, with the places of keyframes if the record has no index; for
    /// pictures without a window.
    #[must_use]
    pub fn finish(mut self) -> (Findings, Option<Vec<Keyframe>>) {
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has left what it knew.
            let _ = thread.join();
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        (shared.news.take().unwrap_or_default(), shared.keyframes.take())
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker {
    section: Section,
    shared: Arc<Mutex<Shared>>,
    unwanted: Arc<AtomicBool>,
    chronicler: Chronicler,
    findings: Findings,
}

impl Worker {
    fn wanted(&self) -> bool {
        !self.unwanted.load(Ordering::Relaxed)
    }

    /// A first look at the lines' beginnings alone, so that seeking works long before all is understood.
    fn find_keyframes(&mut self) {
        let (mut cursor, mut found, mut unlooked) = (Cursor::new(self.section.begin), Vec::new(), 0);
        let mut newest: Tick = 0;
        while let Ok(Some(line)) = cursor.line(&mut self.section) {
            if let [.., b' ', b'k'] = line
                && let Line::Keyframe(tick) = Line::glance(line)
                && tick >= newest
            {
                newest = tick;
                found.push(Keyframe { tick, at: cursor.place() });
            }
            unlooked += cursor.step() as u64;
            if unlooked > LOOK_BYTES {
                unlooked = 0;
                if !self.wanted() {
                    return;
                }
            }
        }
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).keyframes = Some(found);
    }

    fn run(&mut self) {
        let mut cursor = Cursor::new(self.section.begin);
        let mut opening = Some(Vec::new());
        let (mut unlooked, mut untold, mut tell_after) = (0, 0, FIRST_NEWS_BYTES);
        loop {
            match cursor.line(&mut self.section) {
                Ok(Some(line)) => {
                    take(line, &mut self.chronicler, &mut self.findings, &mut opening);
                }
                Ok(None) => break,
                Err(error) => {
                    self.findings.trouble = Some(error.to_string());
                    break;
                }
            }
            let bytes = cursor.step() as u64;
            self.findings.read += bytes;
            unlooked += bytes;
            untold += bytes;
            if unlooked < LOOK_BYTES {
                continue;
            }
            unlooked = 0;
            if !self.wanted() {
                return;
            }
            if untold >= tell_after {
                (untold, tell_after) = (0, (tell_after * 2).min(NEWS_BYTES));
                self.tell();
            }
        }
        finish_opening(&mut self.chronicler, &mut opening);
        self.end();
    }

    /// The footer stands behind the events.
    fn end(&mut self) {
        let mut foot = Section { end: u64::MAX, ..self.section.clone() };
        let mut cursor = Cursor::new(self.section.end);
        if let Ok(Some(line)) = cursor.line(&mut foot)
            && let Ok(RecordLine::End(tick, reason, winner)) = RecordLine::parse(line)
        {
            self.chronicler.end(tick, &reason, winner);
        }
        self.findings.done = true;
        self.tell();
    }

    fn tell(&mut self) {
        self.findings.roster = self.chronicler.roster.clone();
        self.findings.chronicle = self.chronicler.chronicle.clone();
        let news = self.findings.clone();
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).news = Some(news);
    }
}

/// Folds one line in. Of all snapshots only the first tells anything new.
fn take(line: &[u8], to: &mut Chronicler, findings: &mut Findings, opening: &mut Option<Vec<Message>>) {
    match Line::glance(line) {
        Line::Snapshot(text) => {
            if let Some(snapshot) = opening {
                match Message::parse(&text) {
                    Ok(message) => snapshot.push(message),
                    Err(_) => findings.broken += 1,
                }
            }
        }
        Line::Published(tick, text) => {
            finish_opening(to, opening);
            match Message::parse(&text) {
                Ok(message) => {
                    to.take(tick, &message);
                }
                Err(_) => findings.broken += 1,
            }
        }
        Line::Seat(tick) | Line::Keyframe(tick) => {
            finish_opening(to, opening);
            to.advance(tick);
        }
        Line::Other => {}
        Line::Broken => findings.broken += 1,
    }
}

fn finish_opening(chronicler: &mut Chronicler, opening: &mut Option<Vec<Message>>) {
    if let Some(snapshot) = opening.take() {
        chronicler.restore(0, &snapshot);
    }
}
