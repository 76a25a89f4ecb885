//! What a player knows, as numbers: a function of the lines that it has read and of those that it sent.
//!
//! This file is the part that both games share. Tested with lines alone, and beside a match, in `tests/test_memory.py`.

use std::sync::Arc;

use pyo3::FromPyObject;

use crate::{conquest, zappy};

/// The most bytes of text that are kept until the caller takes them; lines beyond that are lost.
const TEXT_BYTES: usize = 1 << 20;

/// A part of an observation: its name, the shape of its array, and the bounds of its numbers. Where the name ends with
/// `age`, ticks since a moment are observed; what is known is that moment, by the player's clock.
pub type Field = (String, Vec<usize>, (f32, f32));

/// The settings of an environment, the same for all its matches: attributes of Python's `Settings`.
#[derive(Default, FromPyObject)]
pub struct Settings {
    pub is_zappy: bool,
    /// Whether Zappy's strict rules hold.
    pub strict: bool,
    /// The names of the caller's teams, which come first in the match.
    pub own: Vec<String>,
    /// The levels of our client that play the other teams, in their order.
    pub opponents: Vec<String>,
    /// Players that each of the caller's teams may have in the course of a match.
    pub max_players: usize,
    /// Whether free slots of the caller's teams are filled during the match.
    pub auto_join: bool,
    /// Rounds after which a match is cut off; `None` for never.
    pub max_cycles: Option<u64>,
    /// Whether the lines that players read are kept for the caller.
    pub keeps_text: bool,
    /// The parts of an observation, in the order of their numbers.
    pub fields: Vec<Field>,
    /// The line for each value of an action's first component, with names in braces to be replaced; the first is
    /// `wait`.
    pub actions: Vec<String>,
    /// How many values each component of an action has.
    pub components: Vec<usize>,
    /// The names of the parts of a reward.
    pub parts: Vec<String>,
    /// The weight of each part.
    pub weights: Vec<f32>,
}

impl Settings {
    /// A memory for a new player.
    pub fn memory(self: &Arc<Settings>) -> Box<dyn Memory> {
        match self.is_zappy {
            true => Box::new(zappy::Player::new(Core::new(self))),
            false => Box::new(conquest::Faction::new(Core::new(self))),
        }
    }
}

/// A player's memory of one game.
pub trait Memory: Send + Sync {
    fn core(&mut self) -> &mut Core;

    /// Reads a line, as `read` does, and keeps its text if the caller wants it.
    fn hear(&mut self, line: &[u8]) {
        let Core { settings, text, .. } = self.core();
        if settings.keeps_text && text.len() + line.len() < TEXT_BYTES {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        self.read(line);
    }

    /// Learns from a line, which comes without its end. Any bytes are taken.
    fn read(&mut self, line: &[u8]);

    /// The line of an action, without its end; `None` for `wait`. Remembers that the line was sent.
    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>>;

    /// Writes 0 for each value of each component that can't succeed.
    fn mask(&self, out: &mut [i8]);

    /// Whether the player owes a line (lockstep waits for one), as far as the lines tell.
    fn owes(&self) -> bool;

    /// Writes the mask of a player that owes a line, or, if it doesn't, a mask that allows only `wait`.
    fn write_mask(&mut self, owes: bool, out: &mut [i8]) {
        out.fill(i8::from(owes));
        if owes {
            self.mask(out);
        }
        let mut first = 0;
        for (component, size) in self.core().settings.components.iter().enumerate() {
            out[first] = i8::from(!owes || component > 0);
            first += size;
        }
    }
}

/// The part of a memory that is the same in both games.
#[derive(Default)]
pub struct Core {
    pub settings: Arc<Settings>,
    /// The player's clock: the ticks that its own commands have taken so far.
    pub clock: u64,
    /// What the player has earned since its last observation, by the parts of a reward.
    pub earned: Vec<f32>,
    /// Whether the player died, or its faction was beaten.
    pub is_out: bool,
    /// The lines that the player has read since the caller last took them.
    pub text: Vec<u8>,
    /// The numbers of the observation, field after field; moments instead of ages.
    known: Vec<f32>,
    /// The index in `known` at which each field starts, and the number of all.
    starts: Vec<usize>,
    /// The index of the first field that has changed since the last observation; all behind it are written anew. The
    /// largest fields are first, and change seldom.
    pub changed: usize,
}

impl Core {
    fn new(settings: &Arc<Settings>) -> Core {
        let (mut starts, mut known) = (vec![0], Vec::new());
        for (name, shape, (low, _)) in &settings.fields {
            let unknown = if name.ends_with("age") { f32::MIN } else { 0f32.max(*low) };
            known.resize(known.len() + shape.iter().product::<usize>(), unknown);
            starts.push(known.len());
        }
        let earned = vec![0.0; settings.parts.len()];
        Core { settings: settings.clone(), earned, starts, known, ..Core::default() }
    }

    /// The index of the field with that name.
    fn index_of(&self, field: &str) -> usize {
        self.settings.fields.iter().position(|known| known.0 == field).expect("a field of this game")
    }

    /// The numbers of a field.
    pub fn get(&self, field: &str) -> &[f32] {
        let index = self.index_of(field);
        &self.known[self.starts[index]..self.starts[index + 1]]
    }

    /// The numbers of a field, to be changed.
    pub fn get_mut(&mut self, field: &str) -> &mut [f32] {
        let index = self.index_of(field);
        self.changed = self.changed.min(index);
        &mut self.known[self.starts[index]..self.starts[index + 1]]
    }

    /// Sets a row of a field to these numbers; a row behind the field's end is ignored.
    pub fn set(&mut self, field: &str, row: usize, numbers: &[f32]) {
        let places = self.get_mut(field).iter_mut().skip(row * numbers.len());
        places.zip(numbers).for_each(|(place, number)| *place = *number);
    }

    /// Inserts a row in front of those of a field, which loses its last one.
    pub fn push(&mut self, field: &str, row: &[f32]) {
        self.get_mut(field).rotate_right(row.len());
        self.set(field, 0, row);
    }

    /// Adds to a part of the player's reward.
    pub fn earn(&mut self, part: &str, number: f32) {
        let parts = self.settings.parts.iter().zip(&mut self.earned);
        parts.filter(|(name, _)| *name == part).for_each(|(_, earned)| *earned += number);
    }

    /// The player died, or its faction was beaten: it is out of the match.
    pub fn die(&mut self) {
        self.is_out = true;
        self.earn("died", 1.0);
    }

    /// The weighted sum of what the player has earned since the last call.
    pub fn reward(&mut self) -> f32 {
        let parts = self.earned.iter_mut().zip(&self.settings.weights);
        parts.map(|(part, weight)| std::mem::take(part) * weight).sum()
    }

    /// Brings an array up to date that holds the last observation, each number clamped to its field's bounds. False,
    /// and the array untouched, if no field has changed.
    pub fn observe(&mut self, out: &mut [f32]) -> bool {
        let changed = std::mem::replace(&mut self.changed, self.starts.len());
        let is_new = changed < self.starts.len();
        for (field, (name, _, (low, high))) in self.settings.fields.iter().enumerate().filter(|_| is_new) {
            let (is_age, now) = (name.ends_with("age"), self.clock as f32);
            let range = self.starts[field]..self.starts[field + 1];
            if is_age || field >= changed {
                for (number, known) in out[range.clone()].iter_mut().zip(&self.known[range]) {
                    *number = if is_age { now - known } else { *known }.clamp(*low, *high);
                }
            }
        }
        is_new
    }
}
