//! The strength of bases: how often one must be neutralized until its tile is neutral.
//!
//! The strength belongs to the tile and counts only while the base is the current one of a living faction. Tested in
//! `tests/arena.rs`.

use zappy_protocol::Position;
use zappy_protocol::conquest::FactionId;

use super::world::{Weakened, World};

impl World {
    /// Gives whether the base at `at` withstands being neutralized, which takes 1 of its strength: it has to be the
    /// current one of a living faction and to have more than 1 left.
    pub(super) fn withstands(&mut self, at: Position) -> bool {
        let owner = self.tile(at).owner.map(|owner| self.faction(owner));
        let is_current = owner.is_some_and(|owner| owner.alive() && owner.base == Some(at));
        let left = self.strength(at);
        if !is_current || left <= 1 {
            return false;
        }
        self.set_strength(at, left - 1, true);
        true
    }

    /// The faction's phase begins: its bases that lost no strength since its last phase began regain 1.
    pub(super) fn regain(&mut self, faction: FactionId) {
        for at in self.faction(faction).bases.clone() {
            if let Some(Weakened { left, struck }) = self.weakened.get(&at).copied() {
                self.set_strength(at, if struck { left } else { left + 1 }, false);
            }
        }
    }
}
