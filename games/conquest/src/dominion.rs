//! Dominion: a side that holds enough land at the end of enough turns wins.
//!
//! A side is a faction, or an alliance together. Tested in `tests/arena.rs`.

use zappy_protocol::conquest::constants::{DOMINION_TURNS, dominion_need};
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::conquest::{Dominion, FactionId};

use super::world::World;

/// A side with a living member.
struct Side {
    /// Its living member with the lowest number.
    first: FactionId,
    /// Tiles that its living members own.
    land: u32,
    /// For how many turns in a row it has held enough land.
    held: u32,
}

impl World {
    /// Whether a match of these factions may end by dominion.
    pub(super) fn knows_dominion(&self) -> bool {
        self.rules().dominion && self.factions.iter().any(|one| one.alliance != self.factions[0].alliance)
    }

    /// Whether the match ends by dominion: a side has won by it, and isn't the only one left, which wins anyway.
    pub fn dominated(&self) -> bool {
        self.dominator.is_some() && !self.decided()
    }

    /// Sends observers how near the sides are to dominion in that turn, unless they know it already.
    pub(super) fn publish_dominion(&mut self, turn: u32) {
        let now = self.knows_dominion().then(|| self.dominion(turn));
        if self.observed.dominion != now {
            self.unsent.messages.extend(now.clone().map(Message::Dominion));
            self.observed.dominion = now;
        }
    }

    /// The sides in the order of their first living members.
    fn sides(&self) -> Vec<Side> {
        let mut sides: Vec<Side> = Vec::new();
        for id in self.ids().filter(|&id| self.alive(id)) {
            let known = self.faction(id);
            match sides.iter_mut().find(|side| !self.enemies(side.first, id)) {
                Some(side) => (side.land, side.held) = (side.land + known.land, side.held.max(known.held)),
                None => sides.push(Side { first: id, land: known.land, held: known.held }),
            }
        }
        sides
    }

    /// How near the sides are to dominion in that turn.
    pub(super) fn dominion(&self, turn: u32) -> Dominion {
        let sides = self.sides();
        let need = dominion_need(turn, sides.len());
        let held = sides.iter().filter(|side| side.held > 0);
        Dominion { need, held: held.map(|side| (self.name(side.first), side.held)).collect() }
    }

    /// The turn has ended: counts it for the sides that hold enough land, and notes the one that has won.
    pub(super) fn count_dominion(&mut self) {
        if !self.knows_dominion() {
            return;
        }
        let mut sides = self.sides();
        let need = u64::from(dominion_need(self.turn, sides.len())) * u64::from(self.size.area());
        for side in &mut sides {
            side.held = if 100 * u64::from(side.land) >= need { side.held.saturating_add(1) } else { 0 };
            for id in
                self.ids().filter(|&id| self.alive(id) && !self.enemies(side.first, id)).collect::<Vec<_>>()
            {
                self.faction_mut(id).held = side.held;
            }
        }
        let most = sides.iter().filter(|side| side.held >= DOMINION_TURNS).map(|side| side.land).max();
        let mut largest = sides.iter().filter(|side| side.held >= DOMINION_TURNS && Some(side.land) == most);
        let winner = largest.next().filter(|_| largest.next().is_none());
        self.dominator = winner.map(|side| self.faction(side.first).alliance);
        self.publish_dominion(self.turn.saturating_add(1));
    }
}
