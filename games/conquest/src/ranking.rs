//! Which factions are ahead, and which have won.
//!
//! Reads the world and changes nothing. Tested in `tests`.

use zappy_protocol::conquest::FactionId;

use super::world::World;

/// A faction's place in the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    pub faction: FactionId,
    /// One more than the number of factions that are ahead; equal factions share a rank.
    pub rank: u32,
    pub score: i64,
}

impl World {
    /// Whether one faction or alliance is left, and at least one faction was beaten.
    pub fn decided(&self) -> bool {
        let mut living = self.ids().filter(|&faction| self.alive(faction));
        let Some(first) = living.next() else { return false };
        living.all(|other| !self.enemies(first, other)) && self.ids().any(|faction| !self.alive(faction))
    }

    /// All factions, best first, equals in the order of their numbers: survivors before the others, then by score,
    /// land, and the later defeat. If one alliance is left, or has won by dominion, all its members share rank 1.
    pub fn ranking(&self) -> Vec<Rank> {
        let survivor = self.ids().find(|&faction| self.alive(faction) && self.decided());
        let winning_alliance = survivor.map(|survivor| self.faction(survivor).alliance).or(self.dominator);
        let key = |faction: FactionId| {
            let known = self.faction(faction);
            if winning_alliance == Some(known.alliance) {
                return (u32::MAX, i64::MAX, u32::MAX, None);
            }
            // The last one is the turn of the defeat, `None` for a survivor.
            (u32::from(known.alive()), known.score, known.land, known.beaten)
        };
        let mut order: Vec<FactionId> = self.ids().collect();
        order.sort_by_key(|&faction| std::cmp::Reverse(key(faction)));
        let mut ranks: Vec<Rank> = Vec::with_capacity(order.len());
        for (&faction, number) in order.iter().zip(1..) {
            let tied = ranks.last().filter(|before| key(before.faction) == key(faction));
            let rank = tied.map_or(number, |before| before.rank);
            ranks.push(Rank { faction, rank, score: self.faction(faction).score });
        }
        ranks
    }

    /// The factions of rank 1, once the match is over; empty if no faction is left.
    pub fn winners(&self) -> Vec<FactionId> {
        if !self.ids().any(|faction| self.alive(faction)) {
            return Vec::new();
        }
        self.ranking().iter().filter(|one| one.rank == 1).map(|one| one.faction).collect()
    }
}
