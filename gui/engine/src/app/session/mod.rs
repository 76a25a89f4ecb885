//! The match that is watched: where it comes from, what is known of it, and which tick is shown.
//!
//! One interface for a live match and for a record, so that nothing else in the window asks which of them it is.
//! Never draws. Tested in `gui/zappy/tests/session.rs`.

mod live;
mod record;

use std::path::Path;

use zappy_protocol::Tick;
use zappy_protocol::record::dialogue::Spoken;

use super::origin::Origin;
use crate::instant::Instant;
use crate::timeline::archive::Archive;
use crate::timeline::dialogue::{DialogueReader, SpeakerSeats};
use crate::timeline::fold::{Fold, History, Oddities};
use crate::timeline::notes::Notebook;
use crate::timeline::playhead::{Arrival, Playhead};
use crate::timeline::record_file::{OpenError, WatchedRecord};
use crate::timeline::scan::Scan;

use live::LiveSession;
pub use live::NewLive;
use record::RecordSession;

#[derive(Debug)]
enum Source<H: History> {
    Nothing,
    Live(Box<LiveSession<H>>),
    Record(Box<RecordSession<H>>),
}

/// The match that is watched.
#[derive(Debug)]
pub struct Session<H: History> {
    source: Source<H>,
    playhead: Playhead<H::Fold>,
    /// Whether the tick that [`Session::show`] was last called with is shown.
    pub arrived: bool,
    /// A record's overview, as far as a scan has found it.
    overview: H::Overview,
    /// The oddities of a record's lines.
    oddities: Oddities,
    /// Where the match comes from.
    pub origin: Origin,
    /// What went wrong when the shown tick was read, in words.
    trouble: Option<String>,
    /// The notes of a record's bots.
    pub notes: Notebook,
}

impl<H: History> Session<H> {
    fn of(source: Source<H>) -> Session<H> {
        let mut session = Session {
            source,
            playhead: Playhead::new(),
            arrived: false,
            overview: H::Overview::default(),
            oddities: Oddities::default(),
            origin: Origin::Nothing,
            trouble: None,
            notes: Notebook::default(),
        };
        session.refresh_origin();
        session
    }

    pub fn nothing() -> Session<H> {
        Session::of(Source::Nothing)
    }

    /// Watches a server: connects in the background, and again whenever the connection is lost.
    ///
    /// # Errors
    /// When the system can't start a thread.
    pub fn live(host: &str, port: u16) -> std::io::Result<Session<H>> {
        Ok(Session::watch(NewLive::connect(host, port)?))
    }

    /// Watches what comes through this connection.
    pub fn watch(new: NewLive) -> Session<H> {
        Session::of(Source::Live(Box::new(LiveSession::of(new))))
    }

    /// Opens a record.
    ///
    /// # Errors
    /// When the file is no record that can be shown.
    pub fn record(path: &Path) -> Result<Session<H>, OpenError> {
        Ok(Session::show_record(WatchedRecord::open(path)?))
    }

    pub fn show_record(file: WatchedRecord) -> Session<H> {
        Session::of(Source::Record(Box::new(RecordSession::of(file))))
    }

    /// The connection, if its server plays another game now; after that this session watches nothing.
    pub fn take_other_game(&mut self) -> Option<NewLive> {
        match std::mem::replace(&mut self.source, Source::Nothing) {
            Source::Live(live) if live.other_game => Some(live.connection),
            source => {
                self.source = source;
                None
            }
        }
    }

    /// Waits until a record is read to its end, so that every picture of it is the same; returns at once for a live
    /// match.
    pub fn read_all(&mut self) {
        if let Source::Record(record) = &mut self.source {
            record.read_all();
        }
        self.update(Instant::now());
    }

    /// Takes in what came since the last call; returns whether another match began at the same server.
    pub fn update(&mut self, now: Instant) -> bool {
        let mut another = false;
        match &mut self.source {
            Source::Nothing => {}
            Source::Live(live) => {
                another = live.update(now);
                if another {
                    self.playhead.reset();
                }
            }
            Source::Record(record) => {
                if let Some(findings) = record.update(now) {
                    self.oddities.unknown = findings.broken;
                    (self.overview, self.notes) = (findings.overview, findings.notes);
                }
            }
        }
        self.refresh_origin();
        another
    }

    fn refresh_origin(&mut self) {
        self.origin = match &self.source {
            Source::Nothing => Origin::Nothing,
            Source::Live(live) => live.origin(),
            Source::Record(record) => record.origin(self.trouble.as_deref()),
        };
    }

    /// Shows this tick; one far away may take several calls, until [`Session::arrived`] is `true`.
    pub fn show(&mut self, tick: Tick) {
        let archive: &mut dyn Archive = match &mut self.source {
            Source::Nothing => return,
            Source::Live(live) => &mut live.feed.spool,
            Source::Record(record) => &mut record.file,
        };
        match self.playhead.go_to(archive, tick) {
            Ok(arrival) => {
                self.arrived = arrival == Arrival::There;
                self.trouble = None;
            }
            Err(error) => {
                self.arrived = true;
                self.trouble = Some(format!("can't read on: {error}"));
            }
        }
    }

    fn live_match(&self) -> Option<&LiveSession<H>> {
        if let Source::Live(live) = &self.source { Some(live) } else { None }
    }

    /// The past of a record, to be searched; `None` of a live match, which holds published lines alone.
    pub fn record_archive(&mut self) -> Option<&mut dyn Archive> {
        if let Source::Record(record) = &mut self.source { Some(&mut record.file) } else { None }
    }

    /// Sets what went wrong with the source, in words for the spectator.
    pub fn complain(&mut self, trouble: String) {
        self.trouble = Some(trouble);
    }

    /// The state at the tick shown.
    pub fn fold(&self) -> &H::Fold {
        self.playhead.fold()
    }

    /// The overview of the whole match, as far as it is known.
    pub fn overview(&self) -> &H::Overview {
        self.live_match().map_or(&self.overview, |live| live.feed.history.overview())
    }

    /// The oddities of the lines so far.
    pub fn oddities(&self) -> &Oddities {
        self.live_match().map_or(&self.oddities, |live| &live.feed.counts)
    }

    /// The record's file; `None` of a live match.
    pub fn record_path(&self) -> Option<&Path> {
        if let Source::Record(record) = &self.source { Some(&record.file.path) } else { None }
    }

    /// The first and the last tick that can be shown.
    pub fn range(&self) -> (Tick, Tick) {
        match &self.source {
            Source::Nothing => (0, 0),
            Source::Live(live) => (live.feed.spool.first_tick(), live.feed.last_tick()),
            Source::Record(record) => (record.file.first_tick(), record.file.last_tick()),
        }
    }

    /// Whether the match goes on elsewhere.
    pub fn is_live(&self) -> bool {
        self.live_match().is_some()
    }

    /// Whether something may come by itself, without a key or a click.
    pub fn is_waiting(&self) -> bool {
        self.is_live() || matches!(&self.source, Source::Record(record) if record.scan.is_some())
    }

    /// Whether something is read on only while frames are drawn.
    pub fn wants_frames(&self) -> bool {
        let Source::Record(record) = &self.source else { return false };
        record.scan.as_ref().is_some_and(Scan::wants_work)
    }

    /// The moment that counts as now: a little behind the newest message live, so that motion is smooth; the
    /// end of a record.
    pub fn now(&self) -> f64 {
        self.live_match().map_or(self.range().1 as f64, |live| live.head)
    }

    /// Ticks for which a turn is shown; 0 for a game without turns.
    pub fn turn(&self) -> Tick {
        <H::Fold as Fold>::TURN
    }

    /// Ticks that passed since the running part of a turn began; `None` unless the match is live.
    pub fn since_part(&self) -> Option<f64> {
        self.live_match().map(|live| live.since_part)
    }

    /// Ticks per second at speed 1.
    pub fn base_rate(&self) -> f64 {
        if self.is_live() && self.turn() == 0 { f64::from(self.rate()) } else { H::Fold::RECORD_RATE }
    }

    /// The frequency that the server published last, in ticks per second; 0 before that, and without a server.
    pub fn rate(&self) -> u32 {
        self.live_match().map_or(0, |live| live.feed.clock.rate)
    }

    /// Asks the server for another frequency; does nothing without a server.
    pub fn ask_rate(&mut self, rate: u32) {
        let before = self.rate();
        if let Source::Live(live) = &mut self.source
            && live.is_connected()
            && rate != before
        {
            live.asked = Some((rate, before, Instant::now()));
            live.connection.live.ask_rate(rate);
        }
    }

    /// Connects again now, unless there is a connection.
    pub fn retry(&self) {
        if let Some(live) = self.live_match().filter(|live| !live.is_connected()) {
            live.connection.live.retry_now();
        }
    }
}

/// The dialogue of a program with the server, with the program's own notes among the lines, up to the tick shown.
#[derive(Debug, Default)]
pub struct Conversation {
    dialogue: Option<DialogueReader>,
    spoken: Vec<Spoken>,
}

impl Conversation {
    /// Reads the dialogue of `speaker` (`None`: of no program) up to `tick`, and keeps the lines that are `wanted`.
    /// Returns whether all of it was found; if not, the next call reads on.
    pub fn show<H: History>(
        &mut self,
        session: &mut Session<H>,
        speaker: Option<SpeakerSeats>,
        tick: Tick,
        wanted: impl Fn(&Spoken) -> bool,
    ) -> bool {
        let (Some(speaker), Some(archive)) = (speaker, session.record_archive()) else {
            *self = Conversation::default();
            return true;
        };
        let dialogue = match &mut self.dialogue {
            Some(known) if known.speaker.seats == speaker.seats => known,
            other => other.insert(DialogueReader::new(speaker)),
        };
        if let Err(error) = dialogue.show(archive, tick) {
            session.complain(format!("can't read the dialogue: {error}"));
        }
        self.spoken = dialogue.with_notes(&session.notes, wanted);
        dialogue.complete
    }

    /// The lines that were asked for, the oldest first.
    pub fn spoken(&self) -> &[Spoken] {
        &self.spoken
    }
}
