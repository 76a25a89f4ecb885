//! The match that is watched: where it comes from, what is known of it, and which tick is shown.
//!
//! One face for a live match and for a record, so that nothing else in the window asks which of them it is.
//! Never draws. Tested in `tests/session.rs`.

mod live;
mod record;

use std::path::Path;
use std::time::Instant;

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;

use super::action::Direction;
use super::shown::{Oddities, Origin};
use crate::timeline::chronicle::Chronicle;
use crate::timeline::dialogue::{Dialogue, Spoken};
use crate::timeline::playhead::{Arrival, Playhead};
use crate::timeline::record_file::OpenError;
use crate::timeline::refusal;
use crate::timeline::roster::Roster;
use crate::timeline::stage::Stage;

use live::LiveSession;
use record::RecordSession;

/// What is watched.
#[derive(Debug)]
enum Source {
    Nothing,
    Live(Box<LiveSession>),
    Record(Box<RecordSession>),
}

/// The match that is watched.
#[derive(Debug)]
pub struct Session {
    source: Source,
    playhead: Playhead,
    arrived: bool,
    dialogue: Option<Dialogue>,
    spoken: Vec<Spoken>,
    roster: Roster,
    chronicle: Chronicle,
    oddities: Oddities,
    origin: Origin,
    trouble: Option<String>,
    anew: bool,
}

impl Session {
    fn of(source: Source) -> Session {
        let mut session = Session {
            source,
            playhead: Playhead::new(),
            arrived: false,
            dialogue: None,
            spoken: Vec::new(),
            roster: Roster::new(),
            chronicle: Chronicle::default(),
            oddities: Oddities::default(),
            origin: Origin::Nothing,
            trouble: None,
            anew: false,
        };
        session.tell_origin();
        session
    }

    /// Nothing is watched.
    #[must_use]
    pub fn nothing() -> Session {
        Session::of(Source::Nothing)
    }

    /// Watches a server; connects by itself and again.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn live(host: &str, port: u16) -> std::io::Result<Session> {
        Ok(Session::of(Source::Live(Box::new(LiveSession::start(host, port)?))))
    }

    /// Shows a record.
    ///
    /// # Errors
    /// When the file is no record that can be shown.
    pub fn record(path: &Path) -> Result<Session, OpenError> {
        Ok(Session::of(Source::Record(Box::new(RecordSession::open(path)?))))
    }

    /// Waits until a record is read to its end, so that every picture of it is the same; nothing to wait for live.
    pub fn read_all(&mut self) {
        if let Source::Record(record) = &mut self.source {
            record.read_all();
        }
        self.update(Instant::now());
    }

    /// Takes in what came since the last call.
    pub fn update(&mut self, now: Instant) {
        match &mut self.source {
            Source::Nothing => {}
            Source::Live(live) => {
                if live.update(now, &mut self.oddities) {
                    self.playhead.reset();
                    self.anew = true;
                }
            }
            Source::Record(record) => {
                if let Some(findings) = record.update(now) {
                    self.oddities.unknown = findings.broken;
                    (self.roster, self.chronicle) = (findings.roster, findings.chronicle);
                }
            }
        }
        self.tell_origin();
    }

    /// Whether another match began at the same place since this was last asked.
    pub fn began_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn tell_origin(&mut self) {
        self.origin = match &self.source {
            Source::Nothing => Origin::Nothing,
            Source::Live(live) => live.origin(),
            Source::Record(record) => record.origin(self.trouble.as_deref()),
        };
    }

    /// Shows that tick; a far one may take several calls, see [`Session::arrived`].
    pub fn show(&mut self, tick: Tick) {
        let archive = match &mut self.source {
            Source::Nothing => return,
            Source::Live(live) => live.archive(),
            Source::Record(record) => record.archive(),
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

    /// Whether the tick that was asked for is shown.
    #[must_use]
    pub fn arrived(&self) -> bool {
        self.arrived
    }

    /// Shows the dialogue of that player, or of nobody, up to that tick; `heard`: with the broadcasts of others.
    /// Returns whether all of it was found.
    pub fn show_dialogue(&mut self, player: Option<PlayerId>, tick: Tick, heard: bool) -> bool {
        let (Some(player), Source::Record(record)) = (player, &mut self.source) else {
            self.dialogue = None;
            self.spoken.clear();
            return true;
        };
        let dialogue = match &mut self.dialogue {
            Some(known) if known.player() == player => known,
            other => other.insert(Dialogue::new(player)),
        };
        if let Err(error) = dialogue.show(record.archive(), tick) {
            self.trouble = Some(format!("can't read the dialogue: {error}"));
        }
        self.spoken.clear();
        let own = |line: &&Spoken| heard || !line.is_broadcast();
        self.spoken.extend(dialogue.lines().filter(own).cloned());
        dialogue.is_complete()
    }

    /// The next tick at which the player was refused something, or the one before; live nobody is told.
    pub fn refusal(&mut self, player: PlayerId, tick: Tick, direction: Direction) -> Option<Tick> {
        let Source::Record(record) = &mut self.source else { return None };
        let found = match direction {
            Direction::Next => refusal::next(record.archive(), player, tick),
            Direction::Previous => refusal::previous(record.archive(), player, tick),
        };
        found.unwrap_or_else(|error| {
            self.trouble = Some(format!("can't look for refusals: {error}"));
            None
        })
    }

    /// The stage at the tick shown.
    #[must_use]
    pub fn stage(&self) -> &Stage {
        self.playhead.stage()
    }

    /// What stays true.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        match &self.source {
            Source::Live(live) => live.roster(),
            _ => &self.roster,
        }
    }

    /// The match at a glance.
    #[must_use]
    pub fn chronicle(&self) -> &Chronicle {
        match &self.source {
            Source::Live(live) => live.chronicle(),
            _ => &self.chronicle,
        }
    }

    /// What couldn't be understood.
    #[must_use]
    pub fn oddities(&self) -> &Oddities {
        &self.oddities
    }

    /// Where the match comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The dialogue that was asked for.
    #[must_use]
    pub fn spoken(&self) -> &[Spoken] {
        &self.spoken
    }

    /// The first and the last tick that can be shown.
    #[must_use]
    pub fn range(&self) -> (Tick, Tick) {
        match &self.source {
            Source::Nothing => (0, 0),
            Source::Live(live) => live.range(),
            Source::Record(record) => record.range(),
        }
    }

    /// Whether the match goes on elsewhere.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self.source, Source::Live(_))
    }

    /// Whether something may come without anybody doing anything here.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        match &self.source {
            Source::Nothing => false,
            Source::Live(_) => true,
            Source::Record(record) => record.is_reading(),
        }
    }

    /// The moment that counts as now: a little behind the newest message live, so that motion is smooth; the
    /// end of a record.
    #[must_use]
    pub fn now(&self) -> f64 {
        match &self.source {
            Source::Live(live) => live.head(),
            _ => self.range().1 as f64,
        }
    }

    /// Ticks per second at speed 1.
    #[must_use]
    pub fn base_rate(&self) -> f64 {
        match &self.source {
            Source::Live(live) => live.rate(),
            _ => super::view::BASE_RATE,
        }
    }

    /// Asks the server for another frequency; nothing when there is none to ask.
    pub fn ask_rate(&mut self, rate: u32) {
        if let Source::Live(live) = &mut self.source {
            live.ask_rate(rate);
        }
    }

    /// Connects again without waiting.
    pub fn retry(&mut self) {
        if let Source::Live(live) = &mut self.source {
            live.retry();
        }
    }
}
