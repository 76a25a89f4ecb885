//! Reads a whole record once beside everything else: the overview of the whole match comes from here, and the
//! places of the keyframes. A record that is still written is followed as it grows.
//!
//! One thread, which ends soon after its [`Scan`] is dropped; where there are no threads the caller lends its own for a
//! slice at a time. Asking for news never waits. Tested in `gui/zappy/tests/archive/scan.rs`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use zappy_protocol::Tick;
use zappy_protocol::record::notes::Margin;
use zappy_protocol::record::{Entry, Glance, RecordLine, Seat};

use super::archive::Keyframe;
use super::fold::{Fold, History, SNAPSHOT_MESSAGES};
use super::notes::{self, Notebook};
use super::record_file::{Section, WatchedRecord};
use super::tape::Cursor;
use super::tempo::{Tempo, TurnPace};

/// Bytes after which findings are first handed over; the distance then doubles up to [`NEWS_BYTES`].
const FIRST_NEWS_BYTES: u64 = 1 << 20;
/// The greatest distance between two hand-overs, in bytes: each copies all findings so far.
const NEWS_BYTES: u64 = 32 << 20;
/// How often the file is looked at while the record is still being written.
const GROWTH_PAUSE: Duration = Duration::from_millis(250);
/// How the reason begins of lines that are left out because there are too many of them.
const DROPPED: &str = "dropped";
/// Bytes that are read at once, before a look whether the rest is still wanted.
const LOOK_BYTES: u64 = 64 * 1024;

/// The findings of a scan so far.
#[derive(Debug, Clone, Default)]
pub struct ScanFindings<O> {
    /// The match up to where the scan is.
    pub overview: O,
    pub read: u64,
    pub total: u64,
    /// Lines that are none of a record, or no message of the game.
    pub broken: u64,
    /// Whether all there is was read.
    pub done: bool,
    /// Why the rest was not read, in the system's words.
    pub trouble: Option<String>,
    /// How ticks are shown, where a game's turns have a pace of their own.
    pub pace: Option<TurnPace>,
    pub notes: Notebook,
    /// The keyframes that were passed, in their order.
    pub keyframes: Vec<Keyframe>,
}

impl<O> ScanFindings<O> {
    /// The part that was read, 0 to 1.
    pub fn progress(&self) -> f32 {
        if self.done || self.total == 0 { 1.0 } else { (self.read as f64 / self.total as f64) as f32 }
    }
}

/// The newest findings that the caller hasn't taken yet.
type Shared<O> = Arc<Mutex<Option<ScanFindings<O>>>>;

fn lock<O>(shared: &Shared<O>) -> MutexGuard<'_, Option<ScanFindings<O>>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub struct Scan<H: History> {
    shared: Shared<H::Overview>,
    /// The caller no longer wants the rest.
    unwanted: Arc<AtomicBool>,
    /// The scan doesn't wait for a record that is still being written to grow.
    hurried: Arc<AtomicBool>,
    by: By<H>,
}

#[derive(Debug)]
enum By<H: History> {
    Thread(JoinHandle<()>),
    /// The caller, slice by slice.
    Caller(Box<Worker<H>>),
    Nothing,
}

impl<H: History> Scan<H> {
    /// Begins to read the record in a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(record: &WatchedRecord) -> io::Result<Scan<H>> {
        let mut worker = Worker::<H>::of(record);
        let shared = Arc::clone(&worker.shared);
        let (unwanted, hurried): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
        let flags = (Arc::clone(&unwanted), Arc::clone(&hurried));
        let notes = record.notes.clone();
        let thread = std::thread::Builder::new().name("scan".to_owned()).spawn(move || {
            worker.margin = notes::read(&notes);
            worker.run(&flags.0, &flags.1);
        })?;
        Ok(Scan { shared, unwanted, hurried, by: By::Thread(thread) })
    }

    /// Reads the record only while [`Scan::work`] is called; without notes, and a record that is still being written up to
    /// where it ends now.
    pub fn in_slices(record: &WatchedRecord) -> Scan<H> {
        let worker = Worker::of(record);
        let shared = Arc::clone(&worker.shared);
        Scan { shared, unwanted: Arc::default(), hurried: Arc::default(), by: By::Caller(Box::new(worker)) }
    }

    /// Whether the scan goes on only while [`Scan::work`] is called.
    pub fn wants_work(&self) -> bool {
        matches!(self.by, By::Caller(_))
    }

    /// Reads about `bytes` bytes on; does nothing where a thread reads.
    pub fn work(&mut self, bytes: u64) {
        let By::Caller(worker) = &mut self.by else { return };
        let mut left = bytes;
        while left > 0 {
            left = left.saturating_sub(LOOK_BYTES);
            if worker.work() != Left::More {
                self.by = By::Nothing;
                return;
            }
        }
    }

    /// The findings, if there are new ones since the last call. Never waits.
    pub fn news(&self) -> Option<ScanFindings<H::Overview>> {
        self.shared.try_lock().ok()?.take()
    }

    /// Whether the scan has ended: no findings come after those that wait.
    pub fn is_finished(&self) -> bool {
        match &self.by {
            By::Thread(thread) => thread.is_finished(),
            By::Caller(_) => false,
            By::Nothing => true,
        }
    }

    /// Waits until all is read and gives it; for pictures without a window.
    pub fn finish(mut self) -> ScanFindings<H::Overview> {
        self.hurried.store(true, Ordering::Relaxed);
        self.work(u64::MAX);
        self.join();
        lock(&self.shared).take().unwrap_or_default()
    }

    fn join(&mut self) {
        if let By::Thread(thread) = std::mem::replace(&mut self.by, By::Nothing) {
            thread.thread().unpark();
            // A thread that panicked has left what it knew.
            let _ = thread.join();
        }
    }
}

impl<H: History> Drop for Scan<H> {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
        self.join();
    }
}

/// The work that is left after a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    More,
    /// All there is was read, and the record may grow.
    Growth,
    Nothing,
}

struct Worker<H: History> {
    section: Section,
    shared: Shared<H::Overview>,
    history: H,
    /// All but the overview, which the history keeps.
    findings: ScanFindings<H::Overview>,
    /// The line that is read next.
    cursor: Cursor,
    /// Bytes since findings were handed over, and after how many they are next.
    unpublished: (u64, u64),
    /// The opening snapshot while it is read.
    opening: Option<Vec<<H::Fold as Fold>::Message>>,
    /// Whether the line that says how the match ended was read.
    ended: bool,
    tempo: Tempo,
    /// The notes that have no place yet.
    margin: Margin,
}

impl<H: History> std::fmt::Debug for Worker<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a scan at byte {}", self.cursor.place())
    }
}

impl<H: History> Worker<H> {
    fn of(record: &WatchedRecord) -> Worker<H> {
        let section = record.section.clone();
        Worker {
            cursor: Cursor::new(section.begin),
            section,
            shared: Arc::default(),
            history: H::default(),
            findings: ScanFindings {
                total: record.bytes(),
                pace: (H::Fold::TURN > 0).then(TurnPace::default),
                ..ScanFindings::default()
            },
            unpublished: (0, FIRST_NEWS_BYTES),
            opening: Some(Vec::new()),
            ended: false,
            tempo: Tempo::new(H::Fold::TURN),
            margin: Margin::default(),
        }
    }

    fn run(&mut self, unwanted: &AtomicBool, hurried: &AtomicBool) {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let mut left = Left::More;
        while !is(unwanted) {
            left = match left {
                Left::More => self.work(),
                Left::Growth if !is(hurried) => self.wait_for_more(),
                Left::Growth | Left::Nothing => return,
            };
        }
    }

    /// Does a slice of the work: about [`LOOK_BYTES`].
    fn work(&mut self) -> Left {
        if !self.read() {
            return Left::More;
        }
        let ended = self.end();
        self.findings.done = true;
        self.hand_over();
        if ended || self.findings.trouble.is_some() { Left::Nothing } else { Left::Growth }
    }

    /// Reads a slice and says whether all there is was read.
    fn read(&mut self) -> bool {
        let mut slice = 0;
        while slice < LOOK_BYTES {
            let place = self.cursor.place();
            let tick = match self.cursor.line(&mut self.section) {
                Ok(Some(line)) => {
                    let noted = self.margin.before(line);
                    let (history, findings) = (&mut self.history, &mut self.findings);
                    let (ended, tick) =
                        take((line, place), history, findings, (&mut self.opening, &mut self.tempo));
                    for group in noted {
                        let at = (self.tempo.at(group.tick), place);
                        self.findings.notes.add(group.player, at, &group.notes);
                    }
                    self.ended |= ended;
                    tick
                }
                end => {
                    self.findings.read += slice;
                    self.findings.trouble = end.err().map(|error| error.to_string());
                    finish_opening(&mut self.history, &mut self.opening);
                    return true;
                }
            };
            slice += self.cursor.step() as u64;
            if let Some(pace) = &mut self.findings.pace {
                pace.note((place, self.cursor.place()), tick, &self.tempo);
            }
        }
        self.findings.read += slice;
        self.unpublished.0 += slice;
        let (bytes, limit) = self.unpublished;
        if bytes >= limit {
            self.unpublished = (0, (limit * 2).min(NEWS_BYTES));
            self.hand_over();
        }
        false
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

    /// Waits a little for a record that has not ended to grow.
    fn wait_for_more(&mut self) -> Left {
        std::thread::park_timeout(GROWTH_PAUSE);
        let before = self.section.end;
        if !self.section.grow().unwrap_or(false) {
            return Left::Growth;
        }
        self.findings.total += self.section.end - before;
        self.findings.done = false;
        self.unpublished = (0, FIRST_NEWS_BYTES);
        Left::More
    }

    fn hand_over(&self) {
        let news = ScanFindings { overview: self.history.overview().clone(), ..self.findings.clone() };
        *lock(&self.shared) = Some(news);
    }
}

/// Folds one line in; returns whether it is the one that ends the match, and its tick as it passed. Of all snapshots only the
/// first holds anything new.
fn take<H: History>(
    (line, place): (&[u8], u64),
    to: &mut H,
    findings: &mut ScanFindings<H::Overview>,
    (opening, tempo): (&mut Option<Vec<<H::Fold as Fold>::Message>>, &mut Tempo),
) -> (bool, Tick) {
    let glance = Glance::at(line);
    match glance {
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
                    let _ = to.take(shown, &message);
                }
                Err(_) => findings.broken += 1,
            }
            return (false, tick);
        }
        Glance::Seat(tick) | Glance::Keyframe(tick) => {
            finish_opening(to, opening);
            let keyframes = &mut findings.keyframes;
            if matches!(glance, Glance::Keyframe(_)) && keyframes.last().is_none_or(|last| last.tick <= tick)
            {
                keyframes.push(Keyframe { tick, at: place });
            }
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
