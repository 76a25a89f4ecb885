//! From the lines of a live match to everything that is known of it: messages with estimated ticks, the
//! chronicle, and the past as an archive.
//!
//! What is no message is counted and never fatal. Reads no clock and no socket itself. Tested in `tests/live/`
//! and in this module.

use std::time::{Duration, Instant};

use zappy_protocol::Tick;
use zappy_protocol::zappy::PlayerId;
use zappy_protocol::zappy::mirror::{Mirror, MirrorPlayer};
use zappy_protocol::zappy::observer::{BadMessage, Message};

use super::clock::TickClock;
use super::live::Batch;
use super::trouble::cut;
use crate::timeline::archive::Archive;
use crate::timeline::chronicle::Chronicler;
use crate::timeline::spool::Spool;

/// A dump is over when nothing came for that long: nothing in the dialect ends one.
const DUMP_PAUSE: Duration = Duration::from_millis(100);
/// And after that long in any case.
const LONGEST_DUMP: Duration = Duration::from_secs(3);

/// What was wrong with the lines that came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Lines that came.
    pub lines: u64,
    /// Lines that are no message of the dialect.
    pub unknown: u64,
    /// Messages with wrong parameters.
    pub malformed: u64,
    /// Lines that were too long to be read.
    pub too_long: u64,
    /// Messages that don't fit what was told before.
    pub misfits: u64,
    /// The last line that was unknown or malformed, escaped and cut.
    pub last_bad: Option<String>,
    /// Why the last message that didn't fit didn't.
    pub last_misfit: Option<String>,
}

/// A dump under way.
#[derive(Debug)]
struct Dump {
    since: Instant,
    last: Instant,
    /// The world before the connection was lost, if there was one.
    before: Option<Mirror>,
}

/// Everything that is known of a live match.
#[derive(Debug)]
pub struct Feed {
    /// What is known at the newest tick, and the match so far.
    pub chronicler: Chronicler,
    /// The past.
    pub spool: Spool,
    /// Game time.
    pub clock: TickClock,
    counts: Counts,
    dump: Option<Dump>,
    /// The world before the connection was lost, if the dump after it was cut off too.
    before: Option<Mirror>,
    /// How many different matches were seen.
    matches: u32,
}

impl Feed {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(now: Instant) -> Feed {
        Feed {
            chronicler: Chronicler::new(),
            spool: Spool::new(0),
            clock: TickClock::new(now),
            counts: Counts::default(),
            dump: None,
            before: None,
            matches: 0,
        }
    }

    /// What was wrong with the lines that came.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many different matches were seen: when it rises, places in the archive mean nothing any more.
    #[must_use]
    pub fn matches(&self) -> u32 {
        self.matches
    }

    /// Whether the world is still being told for the first time on this connection.
    #[must_use]
    pub fn is_in_dump(&self) -> bool {
        self.dump.is_some()
    }

    /// A server begins to tell, with a dump.
    pub fn begin(&mut self, at: Instant) {
        let tick = self.clock.stamp(at);
        self.clock.hold(at);
        let known = self.matches > 0;
        let now = || known.then(|| self.chronicler.stage.mirror().clone());
        let before = self.before.take().or_else(now);
        if known {
            self.chronicler.restore(tick, &[]);
            self.spool.begin_anew(tick, &Mirror::new());
        } else {
            self.matches = 1;
        }
        self.dump = Some(Dump { since: at, last: at, before });
    }

    /// Takes lines in.
    pub fn take(&mut self, batch: &Batch) {
        self.counts.too_long += u64::from(batch.too_long);
        for line in batch.lines() {
            self.counts.lines += 1;
            match Message::parse(line) {
                Ok(message) => self.take_message(&message, line, batch.at),
                Err(bad) => {
                    let count = match bad {
                        BadMessage::Unknown => &mut self.counts.unknown,
                        BadMessage::Parameter => &mut self.counts.malformed,
                    };
                    *count += 1;
                    self.counts.last_bad = Some(cut(line));
                }
            }
        }
    }

    fn take_message(&mut self, message: &Message, line: &[u8], at: Instant) {
        self.follow_dump(message, at);
        if let Message::Rate(rate) = message {
            self.clock.set_rate(*rate, at);
        }
        let tick = self.clock.stamp(at);
        let told = self.chronicler.take(tick, message);
        let why = told.misfit.map(|misfit| misfit.to_string());
        if let Some(why) = why.or_else(|| told.beyond.then(|| format!("too much: {}", cut(line)))) {
            self.counts.misfits += 1;
            self.counts.last_misfit = Some(why);
        }
        self.spool.append(tick, line, self.chronicler.stage.mirror());
        if matches!(message, Message::Won(_)) {
            self.clock.hold(at);
        }
    }

    /// All of a dump happens at one tick, however long it takes.
    fn follow_dump(&mut self, message: &Message, at: Instant) {
        self.tend(at);
        let Some(dump) = &mut self.dump else { return };
        dump.last = at;
        let part = matches!(
            message,
            Message::MapSize(_)
                | Message::Tile { .. }
                | Message::Rate(_)
                | Message::Team(_)
                | Message::PlayerJoined { .. }
                | Message::PlayerInventory { .. }
                | Message::PlayerLevel { .. }
                | Message::EggLaid { .. }
                | Message::IncantationBegan { .. }
        );
        // Before its `msz` a server that lagged may tell what ended.
        if !part && self.chronicler.stage.mirror().size.is_some() {
            self.end_dump(at);
        }
    }

    /// Lets time pass; to be called once per frame.
    pub fn tend(&mut self, now: Instant) {
        if let Some(dump) = &self.dump
            && self.chronicler.stage.mirror().size.is_some()
            && (now.saturating_duration_since(dump.last) > DUMP_PAUSE
                || now.saturating_duration_since(dump.since) > LONGEST_DUMP)
        {
            let last = dump.last;
            self.end_dump(last);
        }
        if self.dump.is_none() && !self.clock.is_held() {
            let tick = self.clock.stamp(now);
            self.chronicler.advance(tick);
            self.spool.reach(tick);
        }
    }

    /// The connection is gone: nothing is known of what happens now.
    pub fn lose(&mut self, at: Instant) {
        self.tend(at);
        self.before = self.dump.take().and_then(|dump| dump.before);
        self.clock.hold(at);
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.spool.finish();
    }

    fn end_dump(&mut self, at: Instant) {
        let Some(dump) = self.dump.take() else { return };
        if let Some(before) = dump.before {
            self.compare(&before);
        }
        self.chronicler.after_dump(self.spool.last_tick());
        self.clock.release(at);
    }

    /// After a loss: the same match goes on, or another one began meanwhile.
    fn compare(&mut self, before: &Mirror) {
        let tick = self.spool.last_tick();
        let mirror = self.chronicler.stage.mirror();
        if self.is_same_match(before, mirror) {
            let gone = before.players.keys().filter(|player| !mirror.players.contains_key(player));
            let gone: Vec<Message> = gone.map(|&player| Message::Died(player)).collect();
            gone.iter().for_each(|message| self.chronicler.roster.apply(tick, message));
            return;
        }
        let mirror = mirror.clone();
        self.matches += 1;
        self.chronicler = Chronicler::new();
        self.chronicler.restore(tick, &mirror.snapshot());
        self.spool = Spool::new(tick);
        self.spool.begin_anew(tick, &mirror);
    }

    /// Numbers rise and are never used again within a match: who is known must be who it was and alive, and
    /// who isn't must have come last.
    fn is_same_match(&self, before: &Mirror, now: &Mirror) -> bool {
        let roster = &self.chronicler.roster;
        let newest = before.players.keys().next_back();
        let fits = |(player, found): (&PlayerId, &MirrorPlayer)| match before.players.get(player) {
            Some(old) => old.team == found.team && old.level <= found.level,
            None => newest < Some(player) && roster.life(*player).is_none_or(|life| life.until.is_none()),
        };
        before.winner.is_none()
            && (before.size, &before.teams) == (now.size, &now.teams)
            && now.players.iter().all(fits)
    }

    /// The newest tick that can be shown.
    #[must_use]
    pub fn last_tick(&self) -> Tick {
        self.spool.last_tick()
    }
}
