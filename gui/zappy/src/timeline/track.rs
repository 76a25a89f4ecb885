//! How a player got where it is: its recent steps, turns and pushes.
//!
//! Holds no more than [`STEP_LIMIT`] steps, and nothing older than [`Track::forget`] was given. Tested in
//! `tests/state.rs`.

use std::collections::VecDeque;

use zappy_protocol::zappy::Orientation;
use zappy_protocol::{MapSize, Position, Tick};

use zappy_observer::timeline::push_bounded;

/// Steps remembered per player: as many as fit into the ticks that a state remembers, and a few pushes.
pub const STEP_LIMIT: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// It walked one tile ahead.
    Walked,
    /// It turned on its tile.
    Turned,
    /// Another player pushed it one tile.
    Pushed,
    /// It is elsewhere for another reason: the console, or messages that were missed.
    Jumped,
}

/// One change of place or direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackStep {
    /// When it took effect, in ticks.
    pub tick: Tick,
    pub from: Position,
    pub to: Position,
    pub turned_from: Orientation,
    pub facing: Orientation,
    pub movement: Movement,
}

impl TrackStep {
    /// How many tiles east and south it led, negative for west and north.
    pub fn tiles(&self, map: MapSize) -> (i32, i32) {
        match self.movement {
            // On a map two tiles wide or high both ways are equally long: a player that walked went where it faces.
            Movement::Walked => self.facing.step(),
            _ => map.delta(self.from, self.to),
        }
    }
}

/// What is remembered of a player beyond the mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Track {
    /// Changes of place and direction, the oldest first.
    pub steps: VecDeque<TrackStep>,
    /// When it joined, in ticks, if that was seen.
    pub joined_at: Option<Tick>,
    /// When it last began to live on a unit of food, in ticks, if that was seen.
    pub hungry_at: Option<Tick>,
    /// When it began to lay the egg that it is laying now, in ticks; `None` if it lays none or that wasn't seen.
    pub laying_since: Option<Tick>,
}

impl Track {
    /// A player that joined at that tick; it begins to live on its first food then.
    pub fn joined(tick: Tick) -> Track {
        Track { joined_at: Some(tick), hungry_at: Some(tick), ..Track::default() }
    }

    /// Notes a change of place or direction, if there is one.
    pub fn moved(
        &mut self,
        size: MapSize,
        tick: Tick,
        (from, turned_from): (Position, Orientation),
        (to, facing): (Position, Orientation),
    ) {
        if (from, turned_from) == (to, facing) {
            return;
        }
        let movement = if from == to {
            Movement::Turned
        } else if size.step(from, facing) == to && turned_from == facing {
            Movement::Walked
        } else if size.distance(from, to) == 1 {
            Movement::Pushed
        } else {
            Movement::Jumped
        };
        let step = TrackStep { tick, from, to, turned_from, facing, movement };
        push_bounded(&mut self.steps, STEP_LIMIT, step);
    }

    /// Forgets what is older than that tick; returns whether anything is left.
    pub fn forget(&mut self, oldest: Tick) -> bool {
        while self.steps.front().is_some_and(|step| step.tick < oldest) {
            self.steps.pop_front();
        }
        for since in [&mut self.joined_at, &mut self.hungry_at, &mut self.laying_since] {
            *since = since.filter(|&tick| tick >= oldest);
        }
        *self != Track::default()
    }
}
