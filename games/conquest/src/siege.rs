//! The strength of bases: how often one must be neutralized until its tile is neutral.
//!
//! The strength belongs to the tile and counts only while the base is the current one of a living faction. Tested in
//! `tests/arena.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::FactionId;

use super::event::Event;
use super::world::World;

impl World {
    /// How often the base on that tile must be neutralized yet, if it is the current one of a living faction.
    pub(super) fn strength(&self, at: Position) -> u32 {
        self.weakened.get(&at).copied().unwrap_or(self.rules().siege)
    }

    /// Sets the strength of a base; a base with its full strength is like any other.
    pub(super) fn set_strength(&mut self, at: Position, left: u32) {
        if self.strength(at) != left {
            match left < self.rules().siege {
                true => self.weakened.insert(at, left),
                false => self.weakened.remove(&at),
            };
            self.events.push(Event::Siege { at, left });
        }
    }

    /// The tile has another owner, or no base any more: the next base there has its full strength.
    pub(super) fn restore(&mut self, at: Position) {
        self.struck.remove(&at);
        self.set_strength(at, self.rules().siege);
    }

    /// Takes one from the strength of a current base that has more than that. Gives whether it held.
    pub(super) fn withstands(&mut self, at: Position) -> bool {
        let owner = self.tile(at).owner.map(|owner| self.faction(owner));
        let asked = owner.is_some_and(|owner| owner.alive() && owner.base == Some(at));
        let left = self.strength(at);
        if !asked || left <= 1 {
            return false;
        }
        self.set_strength(at, left - 1);
        self.struck.insert(at);
        true
    }

    /// The faction's phase begins: its bases that lost no strength since the one before regain some.
    pub(super) fn regain(&mut self, faction: FactionId) {
        for at in self.faction(faction).bases.clone() {
            let left = self.strength(at);
            if !self.struck.remove(&at) && left < self.rules().siege {
                self.set_strength(at, left + 1);
            }
        }
    }
}
