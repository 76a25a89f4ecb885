//! What a player knows, as numbers: a function of the lines that it has read and of those that it sent.
//!
//! Knows no game. Tested with lines alone, and beside a match, in `tests/test_memory.py`.

use std::sync::Arc;

use crate::{conquest, zappy};

/// A part of an observation: its name, the shape of its array, and the bounds of its numbers. Where the name ends with
/// `age`, the clock's time is known instead.
pub type Field = (String, Vec<usize>, (f32, f32));

/// What is the same for all players of a match.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    pub is_zappy: bool,
    /// Whether Zappy's strict rules hold.
    pub strict: bool,
    pub fields: Vec<Field>,
    /// The lines that an action's first component stands for, with places to be filled in; the first one is `wait`.
    pub actions: Vec<String>,
    /// How many values each component of an action has.
    pub components: Vec<usize>,
    /// The names of what a reward is made of.
    pub parts: Vec<String>,
}

impl Shape {
    pub fn memory(self: &Arc<Shape>) -> Box<dyn Memory> {
        let core = Core::new(self);
        if self.is_zappy {
            Box::new(zappy::Player::new(core))
        } else {
            Box::new(conquest::Faction::new(core))
        }
    }
}

/// A player's knowledge, which its game's lines change.
pub trait Memory: Send + Sync {
    fn core(&mut self) -> &mut Core;

    /// A line came, without its end. Any bytes are taken.
    fn read(&mut self, line: &[u8]);

    /// The line that an action is; `None` for `wait`. Remembers that it was sent.
    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>>;

    /// Writes 0 for each value of each component that can't succeed when it owes a line.
    fn mask(&self, out: &mut [i8]);

    /// Whether, by the lines, the match waits for a line of its own.
    fn owes(&self) -> bool;

    /// Writes the mask of the player's actions: `wait` alone unless the player is asked.
    fn write_mask(&mut self, asked: bool, out: &mut [i8]) {
        out.fill(i8::from(asked));
        if asked {
            self.mask(out);
        }
        let mut first = 0;
        for (component, size) in self.core().shape.components.iter().enumerate() {
            out[first] = i8::from(!asked || component > 0);
            first += size;
        }
    }
}

/// The part of a player's knowledge that is alike in both games.
#[derive(Default)]
pub struct Core {
    pub shape: Arc<Shape>,
    /// The ticks that its own commands took.
    pub clock: u64,
    /// What it earned since this was last emptied, in the order of the parts.
    pub earned: Vec<f32>,
    pub is_out: bool,
    /// Whether an egg that it laid waits for a connection.
    pub has_laid: bool,
    starts: Vec<usize>,
    pub known: Vec<f32>,
    /// The first field that has changed since it was last observed: what takes most room is first and seldom changes.
    pub changed: usize,
}

impl Core {
    fn new(shape: &Arc<Shape>) -> Core {
        let (mut starts, mut known) = (vec![0], Vec::new());
        for (name, shape, (low, _)) in &shape.fields {
            let nothing = if name.ends_with("age") { f32::MIN } else { 0f32.max(*low) };
            known.resize(known.len() + shape.iter().product::<usize>(), nothing);
            starts.push(known.len());
        }
        let earned = vec![0.0; shape.parts.len()];
        Core { shape: shape.clone(), earned, starts, known, ..Core::default() }
    }

    fn place(&self, field: &str) -> usize {
        self.shape.fields.iter().position(|known| known.0 == field).expect("a field of this game")
    }

    /// The numbers of a field.
    pub fn get(&self, field: &str) -> &[f32] {
        let place = self.place(field);
        &self.known[self.starts[place]..self.starts[place + 1]]
    }

    /// The numbers of a field, to be changed.
    pub fn of(&mut self, field: &str) -> &mut [f32] {
        let place = self.place(field);
        self.changed = self.changed.min(place);
        &mut self.known[self.starts[place]..self.starts[place + 1]]
    }

    /// Notes numbers of a field from that place on; what lies beyond it is left out.
    pub fn set(&mut self, field: &str, first: usize, numbers: &[f32]) {
        self.of(field).iter_mut().skip(first).zip(numbers).for_each(|(place, number)| *place = *number);
    }

    /// Notes a row in front of those of the field, the last of which is forgotten.
    pub fn push(&mut self, field: &str, row: &[f32]) {
        self.of(field).rotate_right(row.len());
        self.set(field, 0, row);
    }

    /// Adds to a part of the player's reward.
    pub fn earn(&mut self, part: &str, number: f32) {
        let parts = self.shape.parts.iter().zip(&mut self.earned);
        parts.filter(|(name, _)| *name == part).for_each(|(_, earned)| *earned += number);
    }

    /// Writes what is known, between its bounds, where it was last written.
    pub fn observe(&mut self, out: &mut [f32]) {
        let changed = std::mem::replace(&mut self.changed, self.starts.len());
        for (field, (name, _, (low, high))) in self.shape.fields.iter().enumerate() {
            let (ages, now) = (name.ends_with("age"), self.clock as f32);
            let place = self.starts[field]..self.starts[field + 1];
            if ages || field >= changed {
                for (number, known) in out[place.clone()].iter_mut().zip(&self.known[place]) {
                    *number = if ages { now - known } else { *known }.clamp(*low, *high);
                }
            }
        }
    }
}
