//! All chance of a match: streams derived from its seed.
//!
//! A stream belongs to a seed, a purpose, a tick and an ordinal within them, so that a change in one rule
//! shifts no other's draws. The generator's output is the same on every platform, and ranges are reduced here,
//! because a library's own reduction may change with its version. Tested in this module.

use std::collections::BTreeMap;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// The purpose of the only draws that no game makes: the order in which waiting connections are let in. Each game
/// numbers the purposes of its own draws.
pub const ADMISSION: u64 = 6;

/// SplitMix64's finaliser: spreads every bit of the input over the whole output.
const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number for `key` that depends on seed, purpose and tick. Sorting by it draws an order that doesn't follow
/// numbers, teams or times of connection.
pub const fn rank(seed: u64, purpose: u64, tick: u64, key: u64) -> u64 {
    mix(mix(mix(mix(seed) ^ purpose) ^ tick) ^ key)
}

/// One stream of draws: the same seed gives the same draws.
#[derive(Debug, Clone)]
pub struct Chance(Xoshiro256PlusPlus);

impl Chance {
    /// The stream of that purpose, tick and ordinal.
    pub fn new(seed: u64, purpose: u64, tick: u64, ordinal: u64) -> Chance {
        let mut state = rank(seed, purpose, tick, ordinal);
        let mut bytes = [0; 32];
        for part in bytes.chunks_exact_mut(8) {
            state = mix(state);
            part.copy_from_slice(&state.to_le_bytes());
        }
        Chance(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// A number from 0 up to and without `bound`, each equally likely; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = u64::from(bound);
        // A product with a lower half below this would make some results likelier than others, so it is drawn again:
        // less than once in a million draws for a bound of some thousands.
        let surplus = if bound == 0 { 0 } else { (1 << 32) % bound };
        loop {
            let product = (self.0.next_u64() >> 32) * bound;
            if product & 0xffff_ffff >= surplus || bound == 0 {
                return u32::try_from(product >> 32).unwrap_or(0);
            }
        }
    }

    /// An index into a slice of that length; `None` if the slice is empty.
    pub fn index(&mut self, len: usize) -> Option<usize> {
        let bound = u32::try_from(len).ok().filter(|&n| n > 0)?;
        usize::try_from(self.below(bound)).ok()
    }

    /// Brings a slice into a drawn order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            if let Some(other) = self.index(last + 1) {
                items.swap(last, other);
            }
        }
    }

    /// The order in which the connections of a round are let in, from the `group` (team) of each and the `room` for
    /// further players in a group. Connections without room come last and have no part in the draw, because whether
    /// they come now or later depends on time.
    #[must_use]
    pub fn order_of_admission<T>(
        mut self,
        mut arrivals: Vec<T>,
        group: impl Fn(&T) -> u32,
        room: impl Fn(u32) -> usize,
    ) -> Vec<T> {
        arrivals.sort_by_key(&group);
        let mut rooms = BTreeMap::new();
        let (mut placed, surplus): (Vec<T>, Vec<T>) = arrivals.into_iter().partition(|arrival| {
            let group = group(arrival);
            let left = rooms.entry(group).or_insert_with(|| room(group));
            std::mem::replace(left, left.saturating_sub(1)) > 0
        });
        self.shuffle(&mut placed);
        placed.extend(surplus);
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_never_change() {
        let draw = |purpose, tick, ordinal| {
            let mut chance = Chance::new(42, purpose, tick, ordinal);
            [chance.below(1000), chance.below(1000), chance.below(1000)]
        };
        let drawn = [draw(0, 0, 0), draw(2, 7, 1), draw(2, 7, 2)];
        assert_eq!(drawn, [[287, 307, 943], [762, 791, 374], [902, 841, 68]]);
    }

    #[test]
    fn every_result_is_equally_likely() {
        let mut chance = Chance::new(1, 5, 0, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[chance.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|n| (9_500..10_500).contains(n)), "{counts:?}");
        assert_eq!(chance.below(1), 0);
        assert_eq!(chance.below(0), 0);
    }

    #[test]
    fn every_order_is_drawn() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let mut items = [1, 2, 3];
            Chance::new(seed, ADMISSION, 0, 0).shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn what_has_no_room_comes_last_and_out_of_the_draw() {
        let order = |seed, arrivals: &[(u32, u32)]| {
            let chance = Chance::new(seed, ADMISSION, 7, 1);
            chance.order_of_admission(arrivals.to_vec(), |arrival| arrival.0, |group| 2 - group as usize)
        };
        let arrivals = [(1, 0), (0, 1), (1, 2), (0, 3), (0, 4)];
        for seed in 0..50 {
            let drawn = order(seed, &arrivals);
            assert_eq!(drawn[3..], [(0, 4), (1, 2)]);
            assert_eq!(drawn[..3], order(seed, &[(1, 0), (0, 1), (0, 3)]));
        }
        let firsts: BTreeMap<_, _> = (0..50).map(|seed| (order(seed, &arrivals)[0], seed)).collect();
        assert_eq!(firsts.len(), 3);
    }
}
