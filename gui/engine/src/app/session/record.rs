//! A record that is watched: the file, and what a scan of the whole file finds meanwhile.

use std::time::Duration;

use crate::app::origin::Origin;
use crate::instant::Instant;
use crate::timeline::fold::{Fold as _, History};
use crate::timeline::record_file::WatchedRecord;
use crate::timeline::scan::{Scan, ScanFindings};
use crate::timeline::tempo::TurnPace;

/// A record that didn't grow for this long counts as no longer written.
const GROWTH_PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of a record that are read per frame where there are no threads: a few milliseconds.
const SLICE_BYTES: u64 = 1 << 20;

/// A record that is watched.
#[derive(Debug)]
pub struct RecordSession<H: History> {
    name: String,
    pub(super) file: WatchedRecord,
    /// Reads all of the record; `None` once there is no more to come.
    pub(super) scan: Option<Scan<H>>,
    /// What [`RecordSession::read_all`] found; the next update hands it out.
    finished: Option<ScanFindings<H::Overview>>,
    /// A record without a footer may still be written; up to this moment the session looks for more.
    growing_until: Option<Instant>,
    /// The share of the file that the scan has read, 0 to 1.
    read: f32,
    trouble: Option<String>,
}

impl<H: History> RecordSession<H> {
    /// Begins a scan of the whole record: on a thread of its own, or in the browser in a slice per frame.
    pub fn of(mut file: WatchedRecord) -> RecordSession<H> {
        if H::Fold::TURN > 0 {
            file.pace(TurnPace::default());
        }
        let path = &file.path;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        // In the browser there are no threads.
        let scan = if cfg!(target_arch = "wasm32") { Ok(Scan::in_slices(&file)) } else { Scan::start(&file) };
        let (scan, trouble) = match scan {
            Ok(scan) => (Some(scan), None),
            Err(error) => (None, Some(format!("no events and charts: {error}"))),
        };
        let fresh = file.modified().and_then(|at| at.elapsed().ok()).is_some_and(|age| age < GROWTH_PATIENCE);
        let growing_until = (file.footer.is_none() && fresh).then(|| Instant::now() + GROWTH_PATIENCE);
        RecordSession { name, file, scan, finished: None, growing_until, read: 0.0, trouble }
    }

    /// Waits until all of the record is read; the next update gives what was found.
    pub fn read_all(&mut self) {
        let Some(scan) = self.scan.take() else { return };
        self.finished = Some(scan.finish());
    }

    /// The findings of the scan since the last call.
    pub fn update(&mut self, now: Instant) -> Option<ScanFindings<H::Overview>> {
        if let Some(until) = self.growing_until {
            match self.file.refresh() {
                Ok(true) => self.growing_until = Some(now + GROWTH_PATIENCE),
                Ok(false) if now < until => {}
                // Nothing came for so long that the scan's thread need not wait for more either.
                Ok(false) => (self.growing_until, self.scan) = (None, None),
                Err(error) => {
                    self.growing_until = None;
                    self.trouble = Some(format!("can't read on: {error}"));
                }
            }
            self.growing_until = self.growing_until.filter(|_| self.file.footer.is_none());
        }
        let mut news = self.finished.take();
        if let Some(scan) = &mut self.scan {
            scan.work(SLICE_BYTES);
            // Whether the scan has finished is asked before its news, so that its last news aren't missed.
            let finished = scan.is_finished();
            news = scan.news();
            if finished {
                self.scan = None;
            }
        }
        if let Some(findings) = &news {
            if let Some(pace) = &findings.pace {
                self.file.pace(pace.clone());
            }
            // The record's own index may know more than was read so far.
            if findings.keyframes.len() > self.file.keyframes.len() {
                self.file.keyframes.clone_from(&findings.keyframes);
            }
            self.read = findings.progress();
            self.trouble = findings.trouble.as_ref().map(|why| format!("read in part only: {why}"));
            // A record that was cut off: nothing is to come, though the scan's thread still waits.
            if findings.done && self.growing_until.is_none() && self.file.footer.is_none() {
                self.scan = None;
            }
        }
        news
    }

    /// The record's name, with what is wrong with it.
    pub fn origin(&self, trouble: Option<&str>) -> Origin {
        let unfinished = match (&self.file.footer, self.growing_until) {
            (Some(_), _) if self.file.changed => {
                Some("this record was changed after its match: zappy_arena verify tells where")
            }
            (Some(_), _) => None,
            (None, Some(_)) => Some("still being written"),
            (None, None) => Some("this record ends before its match did"),
        };
        let trouble = trouble.or(self.trouble.as_deref()).or(unfinished).map(str::to_owned);
        Origin::Record { name: self.name.clone(), read: self.read, trouble }
    }
}
