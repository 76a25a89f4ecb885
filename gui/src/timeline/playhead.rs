//! The stage at any tick of an archive: forwards, backwards, however far.
//!
//! Whatever the way, the stage shown at a tick is the same: all messages up to that tick and none after it,
//! folded from a snapshot at least [`LOOKBACK`] earlier or from the very beginning. Each call does a bounded
//! piece of work. Tested in `tests/archive/playhead.rs`.

use std::io;

use zappy_protocol::Tick;
use zappy_protocol::zappy::observer::Message;

use super::archive::{Archive, Keyframe};
use super::stage::{LOOKBACK, Stage};
use super::tape::{Cursor, Line, MAX_TICK};

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
/// Bytes of a tile and of a player in a stage, roughly.
const TILE_BYTES: usize = 28;
const PLAYER_BYTES: usize = 1_024;

/// Whether a tick was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The stage is that of the tick asked for.
    There,
    /// That was too much for one call: ask again.
    OnTheWay,
}

/// A stage that was passed, so that one can come back to it soon.
#[derive(Debug, Clone)]
struct Checkpoint {
    stage: Stage,
    /// Everything before this place is in the stage.
    place: u64,
    /// The stage is complete for ticks from this one on.
    sound_from: Tick,
}

/// Shows an archive at any tick.
#[derive(Debug, Default)]
pub struct Playhead {
    stage: Stage,
    cursor: Cursor,
    sound_from: Tick,
    /// Whether it ever showed anything.
    begun: bool,
    /// Passed stages by their places.
    checkpoints: Vec<Checkpoint>,
    /// Messages since the last checkpoint.
    since: usize,
}

/// What to do with the line at hand.
enum Step {
    Apply(Tick, Message),
    Anew,
    Skip,
    Stop,
}

impl Playhead {
    /// A playhead that shows nothing yet.
    #[must_use]
    pub fn new() -> Playhead {
        Playhead::default()
    }

    /// The stage it shows; its own tick says which one.
    #[must_use]
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The tick it shows.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.stage.tick()
    }

    /// Forgets everything, because the archive is another one.
    pub fn reset(&mut self) {
        *self = Playhead::default();
    }

    /// Goes to a tick, forwards or backwards: afterwards all messages up to that tick are in the stage and no
    /// later ones. Before the oldest tick it shows the oldest, after the newest what is known then.
    ///
    /// # Errors
    /// What the disk says. The stage is that of some earlier tick then.
    pub fn go_to(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<Arrival> {
        match self.try_to_go(archive, tick) {
            // That part of the past was forgotten meanwhile, or the index lied: begin where the archive says now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.reset();
                self.try_to_go(archive, tick)
            }
            done => done,
        }
    }

    fn try_to_go(&mut self, archive: &mut dyn Archive, tick: Tick) -> io::Result<Arrival> {
        let tick = tick.clamp(archive.first_tick(), archive.first_tick().max(MAX_TICK));
        let keyframe = archive.keyframe_before(tick.saturating_sub(LOOKBACK));
        let mut budget = FOLD_BYTES;
        let here =
            (self.begun && self.stage.tick() <= tick && self.sound_from <= tick).then(|| self.cursor.place());
        let usable = |known: &&Checkpoint| known.stage.tick() <= tick && known.sound_from <= tick;
        let passed = self.checkpoints.iter().rev().find(usable);
        match passed.filter(|known| here.is_none_or(|here| here < known.place)) {
            Some(known) if known.place > keyframe.at => {
                (self.stage, self.sound_from) = (known.stage.clone(), known.sound_from);
                self.cursor.go_to(known.place);
                self.since = 0;
            }
            _ if here.is_some_and(|here| here > keyframe.at) => {}
            _ => self.restore(archive, keyframe, &mut budget)?,
        }
        self.fold(archive, tick, &mut budget)
    }

    /// Begins at a snapshot.
    fn restore(
        &mut self,
        archive: &mut dyn Archive,
        keyframe: Keyframe,
        budget: &mut usize,
    ) -> io::Result<()> {
        self.begun = false;
        self.cursor.go_to(keyframe.at);
        let mut snapshot = Vec::new();
        let mut first = true;
        while let Some(line) = self.cursor.line(archive)? {
            match Line::glance(line) {
                Line::Keyframe(_) if first => {}
                Line::Snapshot(text) => snapshot.extend(Message::parse(&text)),
                _ => break,
            }
            first = false;
            *budget = budget.saturating_sub(self.cursor.step());
        }
        let from_the_start = keyframe == archive.first() || archive.begins_anew(keyframe.at);
        self.sound_from = keyframe.tick + if from_the_start { 0 } else { LOOKBACK + 1 };
        self.stage = Stage::restored(keyframe.tick, &snapshot);
        self.begun = true;
        self.note_checkpoint();
        Ok(())
    }

    fn fold(&mut self, archive: &mut dyn Archive, target: Tick, budget: &mut usize) -> io::Result<Arrival> {
        loop {
            match self.look(archive, target)? {
                Step::Apply(tick, message) => {
                    self.stage.apply(tick, &message);
                    *budget = budget.saturating_sub(self.cursor.step());
                    self.since += 1;
                    if self.since >= CHECKPOINT_MESSAGES {
                        self.note_checkpoint();
                    }
                }
                Step::Anew => {
                    let keyframe = Keyframe { tick: self.stage.tick(), at: self.cursor.place() };
                    self.restore(archive, keyframe, budget)?;
                }
                Step::Skip => {
                    let mut skipped = self.cursor.step();
                    // Where a world may begin anew no keyframe may be overlooked; in a record it never does.
                    if archive.has_dialogue() {
                        skipped += self.cursor.skip_unpublished();
                    }
                    *budget = budget.saturating_sub(skipped);
                }
                Step::Stop => {
                    self.stage.advance(target);
                    return Ok(Arrival::There);
                }
            }
            if *budget == 0 {
                return Ok(Arrival::OnTheWay);
            }
        }
    }

    fn look(&mut self, archive: &mut dyn Archive, target: Tick) -> io::Result<Step> {
        let place = self.cursor.place();
        let Some(line) = self.cursor.line(archive)? else { return Ok(Step::Stop) };
        Ok(match Line::glance(line) {
            Line::Published(tick, _) | Line::Seat(tick) | Line::Keyframe(tick) if tick > target => Step::Stop,
            Line::Published(tick, text) => {
                Message::parse(&text).map_or(Step::Skip, |message| Step::Apply(tick, message))
            }
            Line::Keyframe(tick) if archive.begins_anew(place) => {
                self.stage.advance(tick);
                Step::Anew
            }
            _ => Step::Skip,
        })
    }

    fn note_checkpoint(&mut self) {
        self.since = 0;
        let place = self.cursor.place();
        let Err(number) = self.checkpoints.binary_search_by_key(&place, |known| known.place) else { return };
        let (stage, sound_from) = (self.stage.clone(), self.sound_from);
        self.checkpoints.insert(number, Checkpoint { stage, place, sound_from });
        let mirror = self.stage.mirror();
        let size = mirror.tiles.len() * TILE_BYTES + mirror.players.len() * PLAYER_BYTES;
        let limit = (CHECKPOINT_BYTES / size.max(1)).clamp(MIN_CHECKPOINTS, MAX_CHECKPOINTS);
        while self.checkpoints.len() > limit {
            // The farther away, the less likely it is needed soon.
            let (first, last) = (&self.checkpoints[0], &self.checkpoints[self.checkpoints.len() - 1]);
            if place - first.place >= last.place - place {
                self.checkpoints.remove(0);
            } else {
                self.checkpoints.pop();
            }
        }
    }
}
