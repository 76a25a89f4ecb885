//! What a player knows, as numbers: a function of the lines that it has read and of those that it sent.
//!
//! Knows no game. Tested with lines alone, and beside a match, in `tests/test_memory.py`.

use std::sync::Arc;

use crate::{conquest, zappy};

/// A part of an observation: an array of that shape between two bounds. Of an age the clock's time is kept instead.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub low: f32,
    pub high: f32,
    is_age: bool,
}

impl Field {
    pub fn new(name: &'static str, shape: &[usize], (low, high): (f32, f32)) -> Field {
        Field { name, shape: shape.to_vec(), low, high, is_age: name.ends_with("age") }
    }
}

/// What all players of a match have in common.
#[derive(Debug, Clone)]
pub struct Shape {
    pub is_zappy: bool,
    /// Whether Zappy's strict rules hold.
    pub strict: bool,
    pub fields: Vec<Field>,
    /// The lines that an action's first component stands for, with places to be filled in; the first one is `wait`.
    pub actions: Vec<String>,
    /// How many values each component of an action has.
    pub components: Vec<usize>,
    /// The names of what a reward is made of; the last two are `won` and `lost`.
    pub parts: &'static [&'static str],
}

impl Shape {
    /// Numbers of an observation.
    pub fn size(&self) -> usize {
        self.fields.iter().map(|field| field.shape.iter().product::<usize>()).sum()
    }

    pub fn memory(self: &Arc<Shape>) -> Box<dyn Memory> {
        match self.is_zappy {
            true => Box::new(zappy::Player::new(Core::new(self))),
            false => Box::new(conquest::Faction::new(Core::new(self))),
        }
    }
}

/// What a player knows: how its game's lines change it.
pub trait Memory: Send + Sync {
    fn core(&self) -> &Core;

    fn core_mut(&mut self) -> &mut Core;

    /// A line came, without its end. Any bytes are taken.
    fn read(&mut self, line: &[u8]);

    /// The line that an action is; `None` for `wait`. Remembers that it was sent.
    fn act(&mut self, action: &[i32]) -> Option<Vec<u8>>;

    /// Writes 1 for each value of each component that may succeed when it owes a line, else 0.
    fn mask(&self, out: &mut [i8]);

    /// Whether, by the lines, the match waits for a line of its own.
    fn owes(&self) -> bool;
}

/// What both games' players know alike.
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
    known: Vec<f32>,
    /// The first number that has changed since it was last observed: what takes most room is first and seldom changes.
    pub changed: usize,
}

impl Core {
    fn new(shape: &Arc<Shape>) -> Core {
        let mut starts = vec![0];
        let mut known = Vec::new();
        for field in &shape.fields {
            let nothing = if field.is_age { f32::MIN } else { 0f32.max(field.low) };
            known.resize(known.len() + field.shape.iter().product::<usize>(), nothing);
            starts.push(known.len());
        }
        let earned = vec![0.0; shape.parts.len()];
        Core {
            shape: shape.clone(),
            clock: 0,
            earned,
            is_out: false,
            has_laid: false,
            starts,
            known,
            changed: 0,
        }
    }

    pub fn of(&self, field: usize) -> &[f32] {
        &self.known[self.starts[field]..self.starts[field + 1]]
    }

    /// Notes numbers of a field from that place on; what lies beyond it is left out.
    pub fn set(&mut self, field: usize, at: usize, numbers: &[f32]) {
        let Field { low, high, is_age, .. } = self.shape.fields[field];
        self.changed = self.changed.min(self.starts[field] + at);
        let places = self.known[self.starts[field]..self.starts[field + 1]].iter_mut().skip(at);
        places.zip(numbers).for_each(|(place, number)| {
            *place = if is_age { *number } else { number.clamp(low, high) };
        });
    }

    pub fn fill(&mut self, field: usize, number: f32) {
        self.changed = self.changed.min(self.starts[field]);
        self.known[self.starts[field]..self.starts[field + 1]].fill(number);
    }

    /// Notes a row in front of those of the field, the last of which is forgotten.
    pub fn push(&mut self, field: usize, row: &[f32]) {
        let (start, end) = (self.starts[field], self.starts[field + 1] - row.len());
        self.known.copy_within(start..end, start + row.len());
        self.set(field, 0, row);
    }

    /// Writes what is known where it was last written.
    pub fn observe(&mut self, out: &mut [f32]) {
        out[self.changed..].copy_from_slice(&self.known[self.changed..]);
        self.changed = self.known.len();
        for (field, ends) in
            self.shape.fields.iter().zip(self.starts.windows(2)).filter(|(field, _)| field.is_age)
        {
            for (number, since) in out[ends[0]..ends[1]].iter_mut().zip(&self.known[ends[0]..ends[1]]) {
                *number = (self.clock as f32 - since).clamp(field.low, field.high);
            }
        }
    }

    /// What may be done: `wait` alone unless it is asked.
    pub fn mask(memory: &dyn Memory, asked: bool, out: &mut [i8]) {
        out.fill(i8::from(asked));
        if asked {
            memory.mask(out);
        }
        let mut at = 0;
        for (component, size) in memory.core().shape.components.iter().enumerate() {
            out[at] = i8::from(!asked || component > 0);
            at += size;
        }
    }
}
