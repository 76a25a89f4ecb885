//! A record that is watched: the file, and what a scan beside it finds.

use std::path::Path;

use zappy_protocol::Tick;

use crate::app::shown::Origin;
use crate::timeline::archive::Archive;
use crate::timeline::record_file::{OpenError, RecordFile};
use crate::timeline::scan::{Findings, Scan};

/// A record that is watched.
#[derive(Debug)]
pub struct RecordSession {
    name: String,
    file: RecordFile,
    scan: Option<Scan>,
    finished: Option<Findings>,
    read: f32,
    trouble: Option<String>,
}

impl RecordSession {
    /// Opens the file and begins to read all of it beside everything else.
    pub fn open(path: &Path) -> Result<RecordSession, OpenError> {
        let file = RecordFile::open(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (scan, trouble) = match Scan::start(&file) {
            Ok(scan) => (Some(scan), None),
            Err(error) => (None, Some(format!("no events and charts: {error}"))),
        };
        Ok(RecordSession { name, file, scan, finished: None, read: 0.0, trouble })
    }

    /// Waits until all of it is read.
    pub fn read_all(&mut self) {
        let Some(scan) = self.scan.take() else { return };
        let (findings, keyframes) = scan.finish();
        if let Some(keyframes) = keyframes {
            self.file.adopt(keyframes);
        }
        self.finished = Some(findings);
    }

    /// What was found since the last call.
    pub fn update(&mut self) -> Option<Findings> {
        let mut news = self.finished.take();
        if let Some(scan) = &self.scan {
            if let Some(keyframes) = scan.keyframes() {
                self.file.adopt(keyframes);
            }
            news = scan.news();
        }
        if let Some(findings) = &news {
            self.read = findings.progress();
            self.trouble = findings.trouble.as_ref().map(|why| format!("read in part only: {why}"));
            if findings.done {
                self.scan = None;
            }
        }
        news
    }

    /// Whether the scan goes on.
    pub fn is_reading(&self) -> bool {
        self.scan.is_some()
    }

    /// The past.
    pub fn archive(&mut self) -> &mut dyn Archive {
        &mut self.file
    }

    /// The first and the last tick.
    pub fn range(&self) -> (Tick, Tick) {
        (self.file.first_tick(), self.file.last_tick())
    }

    /// Where it comes from, with what is wrong.
    pub fn origin(&self, trouble: Option<&str>) -> Origin {
        let unfinished = || {
            let whole = self.file.footer().is_some();
            (!whole).then(|| "this record ends before its match did".to_owned())
        };
        let trouble = trouble.map(str::to_owned).or_else(|| self.trouble.clone()).or_else(unfinished);
        Origin::Record { name: self.name.clone(), read: self.read, trouble }
    }
}
