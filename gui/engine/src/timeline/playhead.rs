//! A match at any tick of an archive: forwards, backwards, however far.
//!
//! Whatever the way, the fold shown at a tick is the same: all messages up to that tick and none after it,
//! folded from a snapshot at least [`Fold::LOOKBACK`] earlier or from the very beginning. Each call does a bounded
//! piece of work. Tested in `gui/zappy/tests/archive/playhead.rs`.

use std::io;

use zappy_protocol::Tick;
use zappy_protocol::record::{Glance, MAX_TICK};

use super::archive::{Archive, Keyframe};
use super::fold::{Fold, SNAPSHOT_MESSAGES};
use super::tape::Cursor;

/// Bytes of the tape that are folded in one call: what a frame may take without being seen to stand still.
const FOLD_BYTES: usize = 12 << 20;
/// Messages between two checkpoints: folding them takes a few milliseconds.
const CHECKPOINT_MESSAGES: usize = 3_000;
/// Checkpoints kept: a segment's worth.
const MAX_CHECKPOINTS: usize = 24;
/// Checkpoints kept even of the largest maps.
const MIN_CHECKPOINTS: usize = 4;
/// Bytes that all checkpoints together may take, roughly.
const CHECKPOINT_BYTES: usize = 48 << 20;

/// Whether a tick was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The fold is that of the tick asked for.
    There,
    /// The way was too long for one call: call again.
    OnTheWay,
}

/// A fold that was passed, so that a way back to it is short.
#[derive(Debug, Clone)]
struct Checkpoint<F> {
    fold: F,
    /// Everything before this place is in the fold.
    place: u64,
    /// The fold is complete for ticks from this one on.
    sound_from: Tick,
}

/// Shows an archive at any tick.
#[derive(Debug, Default)]
pub struct Playhead<F: Fold> {
    fold: F,
    cursor: Cursor,
    sound_from: Tick,
    /// Whether it ever showed anything.
    begun: bool,
    /// Passed folds by their places.
    checkpoints: Vec<Checkpoint<F>>,
    /// Messages since the last checkpoint.
    since: usize,
}

impl<F: Fold> Playhead<F> {
    /// A playhead that shows nothing yet.
    pub fn new() -> Playhead<F> {
        Playhead::default()
    }

    /// The fold it shows; its own tick says which one.
    pub fn fold(&self) -> &F {
        &self.fold
    }

    pub fn tick(&self) -> Tick {
        self.fold.tick()
    }

    /// Forgets everything, because the archive is another one.
    pub fn reset(&mut self) {
        *self = Playhead::default();
    }

    /// Goes to a tick, forwards or backwards: afterwards all messages up to that tick are in the fold and no
    /// later ones. Before the oldest tick it shows the oldest, after the newest what is known then.
    ///
    /// # Errors
    /// When the archive can't be read. The fold is that of some earlier tick then.
    pub fn go_to(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<Arrival> {
        match self.try_to_go(archive, tick) {
            // That part of the past was dropped meanwhile, or the index was wrong: begin where the archive says now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.reset();
                self.try_to_go(archive, tick)
            }
            done => done,
        }
    }

    fn try_to_go(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<Arrival> {
        let tick = tick.clamp(archive.first_tick(), archive.first_tick().max(MAX_TICK));
        let keyframe = archive.keyframe_before(tick.saturating_sub(F::LOOKBACK));
        let mut budget = FOLD_BYTES;
        let here =
            (self.begun && self.fold.tick() <= tick && self.sound_from <= tick).then(|| self.cursor.place());
        let usable = |known: &&Checkpoint<F>| known.fold.tick() <= tick && known.sound_from <= tick;
        let passed = self.checkpoints.iter().rev().find(usable);
        match passed.filter(|known| here.is_none_or(|here| here < known.place)) {
            Some(known) if known.place > keyframe.at => {
                (self.fold, self.sound_from) = (known.fold.clone(), known.sound_from);
                self.cursor.go_to(known.place);
                self.since = 0;
            }
            _ if here.is_some_and(|here| here > keyframe.at) => {}
            _ => self.restore(archive, keyframe, &mut budget)?,
        }
        self.go_on(archive, tick, &mut budget)
    }

    fn restore(&mut self, archive: &mut dyn Archive, start: Keyframe, budget: &mut usize) -> io::Result<()> {
        self.begun = false;
        self.cursor.go_to(start.at);
        let mut snapshot = Vec::new();
        let mut first = true;
        while let Some(line) = self.cursor.line(archive)? {
            match Glance::at(line) {
                Glance::Keyframe(_) if first => {}
                Glance::Snapshot(text) if snapshot.len() < SNAPSHOT_MESSAGES => {
                    snapshot.extend(F::parse(&text));
                }
                _ => break,
            }
            first = false;
            *budget = budget.saturating_sub(self.cursor.step());
        }
        let whole = start == archive.first() || archive.begins_anew(start.at);
        self.sound_from = start.tick + if whole { 0 } else { F::LOOKBACK + 1 };
        self.fold = F::restored(start.tick, &snapshot);
        self.begun = true;
        self.note_checkpoint();
        Ok(())
    }

    fn go_on(&mut self, archive: &mut dyn Archive, target: Tick, budget: &mut usize) -> io::Result<Arrival> {
        loop {
            let place = self.cursor.place();
            let Some(line) = self.cursor.line(archive)? else { break };
            let glance = Glance::at(line);
            let tick = match glance {
                Glance::Published(tick, _) | Glance::Seat(tick) | Glance::Keyframe(tick) => {
                    archive.shown(place, tick)
                }
                // Lines without a tick are skipped.
                _ => 0,
            };
            if tick > target {
                break;
            }
            let anew = matches!(glance, Glance::Keyframe(_)) && archive.begins_anew(place);
            let message = if let Glance::Published(_, text) = glance { F::parse(&text).ok() } else { None };
            if let Some(message) = message {
                self.fold.apply(tick, &message);
                *budget = budget.saturating_sub(self.cursor.step());
                self.since += 1;
                if self.since >= CHECKPOINT_MESSAGES {
                    self.note_checkpoint();
                }
            } else if anew {
                self.fold.advance(tick);
                let keyframe = Keyframe { tick: self.fold.tick(), at: place };
                self.restore(archive, keyframe, budget)?;
            } else {
                let mut skipped = self.cursor.step();
                // In a live archive each keyframe has to be looked at, because the world may begin anew
                // there. A record has only one world, so unpublished lines can be skipped.
                if archive.has_dialogue() {
                    skipped += self.cursor.skip_unpublished();
                }
                *budget = budget.saturating_sub(skipped);
            }
            if *budget == 0 {
                return Ok(Arrival::OnTheWay);
            }
        }
        self.fold.advance(target);
        Ok(Arrival::There)
    }

    fn note_checkpoint(&mut self) {
        self.since = 0;
        let place = self.cursor.place();
        let Err(number) = self.checkpoints.binary_search_by_key(&place, |known| known.place) else { return };
        let (fold, sound_from) = (self.fold.clone(), self.sound_from);
        self.checkpoints.insert(number, Checkpoint { fold, place, sound_from });
        let limit = (CHECKPOINT_BYTES / self.fold.weight().max(1)).clamp(MIN_CHECKPOINTS, MAX_CHECKPOINTS);
        while self.checkpoints.len() > limit {
            // The farther away, the less likely it is needed soon.
            let last = self.checkpoints.len() - 1;
            let (before, after) = (place - self.checkpoints[0].place, self.checkpoints[last].place - place);
            self.checkpoints.remove(if before >= after { 0 } else { last });
        }
    }
}
