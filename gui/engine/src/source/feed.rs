//! Makes of the lines of a live match everything that is known of it: messages with estimated ticks, the
//! history, and the past as an archive.
//!
//! Lines that are no messages are counted and never fatal. Reads no clock and no socket itself. Tested in
//! `gui/zappy/tests/live/` and in this module.

use std::time::Duration;

use zappy_protocol::{BadMessage, Tick};

use super::clock::TickClock;
use super::live::NewsBatch;
use super::trouble::cut;
use crate::instant::Instant;
use crate::timeline::archive::Archive;
use crate::timeline::fold::{Fold, History, Odd, Oddities, Role};
use crate::timeline::spool::Spool;
use crate::timeline::tempo::Tempo;

/// When no line came for this long, the dump is over: the lines that bring an observer up to date have no line for
/// their end.
const DUMP_PAUSE: Duration = Duration::from_millis(100);
/// A dump that lasts longer than this counts as over although lines still come.
const LONGEST_DUMP: Duration = Duration::from_secs(3);

/// The most kinds of unknown lines that are counted separately.
const MAX_KINDS: usize = 16;

/// A dump that is under way.
#[derive(Debug)]
struct Dump<F> {
    since: Instant,
    /// When its last line came.
    last: Instant,
    /// The match as it was known before the connection was lost, if there was one.
    before: Option<F>,
}

/// Everything that is known of a live match.
#[derive(Debug)]
pub struct Feed<H: History> {
    /// The state at the newest tick, and the match so far.
    pub history: H,
    pub spool: Spool,
    pub clock: TickClock,
    tempo: Tempo,
    /// The oddities of the lines that came.
    pub counts: Oddities,
    dump: Option<Dump<H::Fold>>,
    /// The match as it was known before the connection was lost, if the dump of the next connection was cut off too.
    before: Option<H::Fold>,
    /// How many different matches were watched through this feed.
    pub matches: u32,
}

impl<H: History> Feed<H> {
    pub fn new(now: Instant) -> Feed<H> {
        Feed {
            history: H::default(),
            spool: Spool::new(0),
            clock: TickClock::new(now),
            tempo: Tempo::new(H::Fold::TURN),
            counts: Oddities::default(),
            dump: None,
            before: None,
            matches: 0,
        }
    }

    /// Whether the dump at the beginning of this connection is still under way.
    pub fn is_in_dump(&self) -> bool {
        self.dump.is_some()
    }

    /// A connection begins: the server sends a dump.
    pub fn begin(&mut self, at: Instant) {
        let tick = self.tempo.at(self.clock.stamp(at));
        self.clock.hold(at);
        let known = self.matches > 0;
        let now = || known.then(|| self.history.newest().clone());
        let before = self.before.take().or_else(now);
        if known {
            self.history.restore(tick, &[]);
            self.spool.begin_anew(tick, &H::Fold::default());
        } else {
            self.matches = 1;
        }
        self.dump = Some(Dump { since: at, last: at, before });
    }

    /// The match had reached this tick at the moment `at`; to be called before [`begin`](Feed::begin). Ignored for
    /// games in turns, as their lines carry their time themselves.
    pub fn reach(&mut self, tick: Tick, at: Instant) {
        if H::Fold::TURN > 0 {
            return;
        }
        self.clock.reach(tick, at);
        if self.matches == 0 {
            self.spool = Spool::new(self.clock.stamp(at));
        }
    }

    pub fn take(&mut self, batch: &NewsBatch) {
        self.counts.too_long += u64::from(batch.too_long);
        for line in batch.lines() {
            self.counts.lines += 1;
            match H::Fold::parse(line) {
                Ok(message) => self.take_message(&message, line, batch.at),
                Err(bad) => {
                    let counts = &mut self.counts;
                    counts.last_bad = Some(H::Fold::explain(line).unwrap_or_else(|| cut(line)));
                    if bad == BadMessage::Parameter {
                        counts.malformed += 1;
                        continue;
                    }
                    // An unknown line counts by its first word.
                    counts.unknown += 1;
                    let first = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
                    let kind = first.map_or_else(|| "empty".to_owned(), cut);
                    match counts.kinds.iter().position(|(known, _)| *known == kind) {
                        Some(index) => counts.kinds[index].1 += 1,
                        None if counts.kinds.len() < MAX_KINDS => counts.kinds.push((kind, 1)),
                        None => {}
                    }
                }
            }
        }
    }

    fn take_message(&mut self, message: &<H::Fold as Fold>::Message, line: &[u8], at: Instant) {
        let role = H::role(message);
        self.tend(at);
        // All of a dump happens at one tick, however long it takes.
        if let Some(dump) = &mut self.dump {
            dump.last = at;
            // Other news end the dump, once it has said how the match stands: before that a server that lagged may send
            // news of the end.
            if !matches!(role, Role::Dump | Role::Rate(_)) && self.history.is_told() {
                self.end_dump(at);
            }
        }
        if self.dump.is_none() && self.history.newest().knows(message) {
            return;
        }
        if let Role::Rate(rate) = role {
            self.clock.set_rate(rate, at);
        }
        let beat = self.history.newest().beat(message);
        let tick = self.tempo.take(self.clock.stamp(at), beat);
        if let Err(odd) = self.history.take(tick, message) {
            self.counts.misfits += 1;
            self.counts.last_misfit = Some(match odd {
                Odd::Misfit(why) => why,
                Odd::Beyond => H::Fold::explain(line).unwrap_or_else(|| format!("too much: {}", cut(line))),
            });
        }
        self.spool.append(tick, line, self.history.newest());
        if role == Role::End {
            self.clock.hold(at);
        }
    }

    /// Lets time pass, and ends a dump that is over; to be called once per frame.
    pub fn tend(&mut self, now: Instant) {
        if let Some(dump) = &self.dump
            && self.history.is_told()
            && (now.saturating_duration_since(dump.last) > DUMP_PAUSE
                || now.saturating_duration_since(dump.since) > LONGEST_DUMP)
        {
            let last = dump.last;
            self.end_dump(last);
        }
        if self.dump.is_none() && !self.clock.held {
            let tick = self.tempo.at(self.clock.stamp(now));
            self.history.advance(tick);
            self.spool.reach(tick);
        }
    }

    /// The connection is lost: time stands still until there is another one.
    pub fn lose(&mut self, at: Instant) {
        self.tend(at);
        self.before = self.dump.take().and_then(|dump| dump.before);
        self.clock.hold(at);
    }

    fn end_dump(&mut self, at: Instant) {
        let Some(dump) = self.dump.take() else { return };
        let tick = self.spool.last_tick();
        if let Some(before) = dump.before
            && !self.history.resume(tick, &before)
        {
            // Another match began while the connection was lost: all that is known of the old match is dropped.
            let mut snapshot = Vec::new();
            self.history.newest().snapshot(&mut |line| snapshot.extend(H::Fold::parse(line)));
            self.matches += 1;
            self.history = H::default();
            self.history.restore(tick, &snapshot);
            self.spool = Spool::new(tick);
            self.spool.begin_anew(tick, self.history.newest());
        }
        self.history.after_dump(self.spool.last_tick());
        self.clock.release(at);
    }

    /// Ticks that passed since the running part of a turn began.
    pub fn since_part(&self, now: Instant) -> f64 {
        self.clock.tick_at(now) - self.tempo.began as f64
    }

    /// The newest tick that can be shown.
    pub fn last_tick(&self) -> Tick {
        self.spool.last_tick()
    }
}
