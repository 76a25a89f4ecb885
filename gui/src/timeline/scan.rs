//! Reads a whole record once beside everything else: what is told of the whole match comes from here, and the
//! places of keyframes of a record without an index. A record that is still written is followed as it grows.
//!
//! One thread, which ends soon after its [`Scan`] is dropped. Asking for news never waits for it. Tested in
//! `tests/archive/scan.rs`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use zappy_protocol::Tick;
use zappy_protocol::record::notes::Margin;
use zappy_protocol::record::{Entry, Glance, RecordLine, Seat};

use super::archive::Keyframe;
use super::fold::{Fold, History, SNAPSHOT_MESSAGES};
use super::notes::{self, Notebook};
use super::record_file::{RecordFile, Section};
use super::tape::Cursor;
use super::tempo::{Pace, Tempo};

/// Bytes after which findings are first handed over; the distance then doubles up to [`NEWS_BYTES`].
const FIRST_NEWS_BYTES: u64 = 1 << 20;
/// The greatest distance between two hand-overs, in bytes: each copies all findings so far.
const NEWS_BYTES: u64 = 32 << 20;
/// How often the file is looked at while the record is still being written.
const GROWTH_PAUSE: Duration = Duration::from_millis(250);
/// How the reason begins of lines that are left out because there are too many of them.
const DROPPED: &str = "dropped";
/// Bytes between two looks whether the rest is still wanted.
const LOOK_BYTES: u64 = 64 * 1024;

/// What a scan knows so far.
#[derive(Debug, Clone, Default)]
pub struct Findings<O> {
    /// The match up to where the scan is.
    pub overview: O,
    /// Bytes that were read.
    pub read: u64,
    /// Bytes there are.
    pub total: u64,
    /// Lines that are none of a record, or no message of the game.
    pub broken: u64,
    /// Whether all there is was read.
    pub done: bool,
    /// Why the rest was not read, in the system's words.
    pub trouble: Option<String>,
    /// How ticks are shown, of a game whose turns have a pace of their own.
    pub pace: Option<Pace>,
    /// What bots noted.
    pub notes: Notebook,
}

impl<O> Findings<O> {
    /// The part that was read, 0 to 1.
    pub fn progress(&self) -> f32 {
        if self.done || self.total == 0 { 1.0 } else { (self.read as f64 / self.total as f64) as f32 }
    }
}

#[derive(Debug)]
struct Shared<O> {
    news: Option<Findings<O>>,
    keyframes: Option<Vec<Keyframe>>,
}

/// A scan under way.
#[derive(Debug)]
pub struct Scan<H: History> {
    shared: Arc<Mutex<Shared<H::Overview>>>,
    /// The caller no longer wants the rest.
    unwanted: Arc<AtomicBool>,
    /// The scan doesn't wait for a record that is still being written to grow.
    hurried: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<H: History> Scan<H> {
    /// Begins to read the record.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(record: &RecordFile) -> io::Result<Scan<H>> {
        let shared = Arc::new(Mutex::new(Shared { news: None, keyframes: None }));
        let (unwanted, hurried) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let mut worker: Worker<H> = Worker {
            section: record.section(),
            shared: Arc::clone(&shared),
            unwanted: Arc::clone(&unwanted),
            hurried: Arc::clone(&hurried),
            history: H::default(),
            findings: Findings {
                total: record.bytes(),
                pace: (H::Fold::TURN > 0).then(Pace::default),
                ..Findings::default()
            },
            keyframes: Vec::new(),
            looked: record.section().begin,
            opening: Some(Vec::new()),
            ended: false,
            tempo: Tempo::new(H::Fold::TURN),
            margin: Margin::default(),
        };
        let notes = record.notes().to_path_buf();
        let indexed = record.is_indexed();
        let thread = std::thread::Builder::new().name("scan".to_owned()).spawn(move || {
            worker.margin = notes::read(&notes);
            // If the rest is unwanted, it ends early.
            let _ = worker.run(indexed);
        })?;
        Ok(Scan { shared, unwanted, hurried, thread: Some(thread) })
    }

    /// What was found since the last call, if there are news. Never waits.
    pub fn news(&self) -> Option<Findings<H::Overview>> {
        self.shared.try_lock().ok()?.news.take()
    }

    /// The places of all keyframes, as soon as they are known and when there are more; only of a record without
    /// an index.
    pub fn keyframes(&self) -> Option<Vec<Keyframe>> {
        self.shared.try_lock().ok()?.keyframes.take()
    }

    /// Whether it has come to its end, so that no news will come after those that wait.
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until all is read and gives it, with the places of keyframes if the record has no index; for
    /// pictures without a window.
    pub fn finish(mut self) -> (Findings<H::Overview>, Option<Vec<Keyframe>>) {
        self.hurried.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A thread that panicked has left what it knew.
            let _ = thread.join();
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        (shared.news.take().unwrap_or_default(), shared.keyframes.take())
    }
}

impl<H: History> Drop for Scan<H> {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// The rest is not wanted any more.
struct Unwanted;

struct Worker<H: History> {
    section: Section,
    shared: Arc<Mutex<Shared<H::Overview>>>,
    unwanted: Arc<AtomicBool>,
    hurried: Arc<AtomicBool>,
    history: H,
    /// All but the overview, which the history keeps.
    findings: Findings<()>,
    keyframes: Vec<Keyframe>,
    /// Keyframes up to this place are known, in bytes.
    looked: u64,
    /// The opening snapshot while it is read.
    opening: Option<Vec<<H::Fold as Fold>::Message>>,
    /// Whether the line that says how the match ended was read.
    ended: bool,
    tempo: Tempo,
    /// The notes that have no place yet.
    margin: Margin,
}

impl<H: History> Worker<H> {
    fn run(&mut self, indexed: bool) -> Result<(), Unwanted> {
        let mut cursor = Cursor::new(self.section.begin);
        loop {
            if !indexed {
                self.find_keyframes()?;
            }
            self.read(&mut cursor)?;
            let ended = self.end();
            self.findings.done = true;
            self.tell();
            if ended || self.findings.trouble.is_some() {
                return Ok(());
            }
            self.wait_for_more()?;
        }
    }

    fn check(&self) -> Result<(), Unwanted> {
        if self.unwanted.load(Ordering::Relaxed) { Err(Unwanted) } else { Ok(()) }
    }

    /// A first look at the lines' ends alone, so that seeking works long before all is understood.
    fn find_keyframes(&mut self) -> Result<(), Unwanted> {
        let (mut cursor, mut unlooked) = (Cursor::new(self.looked), 0);
        while let Ok(Some(line)) = cursor.line(&mut self.section) {
            if line.ends_with(b" k")
                && let Glance::Keyframe(tick) = Glance::at(line)
                && self.keyframes.last().is_none_or(|last| last.tick <= tick)
            {
                self.keyframes.push(Keyframe { tick, at: cursor.place() });
            }
            unlooked += cursor.step() as u64;
            if unlooked > LOOK_BYTES {
                unlooked = 0;
                self.check()?;
            }
        }
        self.looked = cursor.place();
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).keyframes = Some(self.keyframes.clone());
        Ok(())
    }

    /// Reads to the end of what there is.
    fn read(&mut self, cursor: &mut Cursor) -> Result<(), Unwanted> {
        let (mut unlooked, mut untold, mut tell_after) = (0, 0, FIRST_NEWS_BYTES);
        loop {
            let place = cursor.place();
            let tick = match cursor.line(&mut self.section) {
                Ok(Some(line)) => {
                    let noted = self.margin.before(line);
                    let (history, findings) = (&mut self.history, &mut self.findings);
                    let (ended, tick) = take(line, history, findings, (&mut self.opening, &mut self.tempo));
                    if let Some((tick, player, notes)) = noted {
                        self.findings.notes.add(player, self.tempo.at(tick), notes);
                    }
                    self.ended |= ended;
                    tick
                }
                Ok(None) => break,
                Err(error) => {
                    self.findings.trouble = Some(error.to_string());
                    break;
                }
            };
            let bytes = cursor.step() as u64;
            if let Some(pace) = &mut self.findings.pace {
                pace.note((place, cursor.place()), tick, &self.tempo);
            }
            self.findings.read += bytes;
            unlooked += bytes;
            untold += bytes;
            if unlooked < LOOK_BYTES {
                continue;
            }
            unlooked = 0;
            self.check()?;
            if untold >= tell_after {
                (untold, tell_after) = (0, (tell_after * 2).min(NEWS_BYTES));
                self.tell();
            }
        }
        finish_opening(&mut self.history, &mut self.opening);
        Ok(())
    }

    /// Takes the footer in, which stands behind the events, and says whether there is one.
    fn end(&mut self) -> bool {
        if self.ended {
            return true;
        }
        let mut foot = Section { end: u64::MAX, ..self.section.clone() };
        let mut cursor = Cursor::new(self.section.end);
        if let Ok(Some(line)) = cursor.line(&mut foot)
            && let Glance::Other = Glance::at(line)
            && let Ok(RecordLine::End(tick, reason, winners)) = RecordLine::parse(line)
        {
            self.history.end(self.tempo.until(tick), &reason, &winners);
            return true;
        }
        false
    }

    /// Waits until a record that has not ended grows.
    fn wait_for_more(&mut self) -> Result<(), Unwanted> {
        loop {
            self.check()?;
            if self.hurried.load(Ordering::Relaxed) {
                return Err(Unwanted);
            }
            std::thread::park_timeout(GROWTH_PAUSE);
            let before = self.section.end;
            if self.section.grow().unwrap_or(false) {
                self.findings.total += self.section.end - before;
                self.findings.done = false;
                return Ok(());
            }
        }
    }

    fn tell(&self) {
        let Findings { overview: (), read, total, broken, done, trouble, pace, notes } =
            self.findings.clone();
        let overview = self.history.overview().clone();
        let news = Findings { overview, read, total, broken, done, trouble, pace, notes };
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).news = Some(news);
    }
}

/// Folds one line in, and says whether it tells how the match ended, and its tick as it passed. Of all snapshots only the
/// first tells anything new.
fn take<H: History>(
    line: &[u8],
    to: &mut H,
    findings: &mut Findings<()>,
    (opening, tempo): (&mut Option<Vec<<H::Fold as Fold>::Message>>, &mut Tempo),
) -> (bool, Tick) {
    match Glance::at(line) {
        Glance::Snapshot(text) => {
            if let Some(snapshot) = opening {
                match H::Fold::parse(&text) {
                    Ok(message) if snapshot.len() < SNAPSHOT_MESSAGES => snapshot.push(message),
                    _ => findings.broken += 1,
                }
            }
        }
        Glance::Published(tick, text) => {
            finish_opening(to, opening);
            match H::Fold::parse(&text) {
                // A message that doesn't fit still counts as read: `broken` counts unreadable lines only.
                Ok(message) => {
                    let shown = tempo.take(tick, to.newest().beat(&message));
                    drop(to.take(shown, &message));
                }
                Err(_) => findings.broken += 1,
            }
            return (false, tick);
        }
        Glance::Seat(tick) | Glance::Keyframe(tick) => {
            finish_opening(to, opening);
            let mark = line.iter().position(|&byte| byte == b' ').and_then(|space| line.get(space + 1));
            if let Some(b'+' | b'?' | b'x') = mark
                && let Ok(RecordLine::Event(_, entry)) = RecordLine::parse(line)
            {
                match entry {
                    Entry::Admitted(Seat::Number(seat), text) => to.admitted(seat, &text),
                    // Lines beyond a limit are left out rather than refused.
                    Entry::Why(Seat::Number(seat), why) if !why.starts_with(DROPPED) => to.refused(seat),
                    Entry::Closed(Seat::Number(seat), why) => to.closed(seat, &why),
                    _ => {}
                }
            }
            to.advance(tempo.at(tick));
            return (false, tick);
        }
        // The rest of the footer may not be written yet, and then this line is taken for one of the match.
        Glance::Other => {
            if let Ok(RecordLine::End(tick, reason, winners)) = RecordLine::parse(line) {
                finish_opening(to, opening);
                to.end(tempo.until(tick), &reason, &winners);
                return (true, tick);
            }
        }
        Glance::Broken => findings.broken += 1,
    }
    (false, 0)
}

fn finish_opening<H: History>(history: &mut H, opening: &mut Option<Vec<<H::Fold as Fold>::Message>>) {
    if let Some(snapshot) = opening.take() {
        history.restore(0, &snapshot);
    }
}
