//! Chance that comes only from a seed: the same on every platform, and different for every player.
//!
//! Never asks the system for anything. Tested in this module.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, SeedableRng as _};

/// A stream of numbers drawn from a seed.
#[derive(Debug, Clone)]
pub struct Chance(Xoshiro256PlusPlus);

impl Chance {
    /// The stream of that seed.
    pub fn new(seed: u64) -> Chance {
        let mut bytes = [0; 32];
        for (i, part) in bytes.chunks_mut(8).enumerate() {
            part.copy_from_slice(&mix(seed, &[u8::try_from(i).unwrap_or(0)]).to_le_bytes());
        }
        Chance(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// The next number, any of 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        // Some numbers are likelier than others by one part in four billion, which changes nothing in play.
        u32::try_from(((self.next_u64() >> 32) * u64::from(limit)) >> 32).unwrap_or(0)
    }
}

/// A hash of `start` and the bytes: FNV-1a, then the finalizer of SplitMix64, so that each bit of the input counts.
pub fn mix(start: u64, bytes: &[u8]) -> u64 {
    let mut hash = start ^ 0xcbf2_9ce4_8422_2325;
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_stream_and_another_seed_another() {
        let draw = |seed| {
            let mut chance = Chance::new(seed);
            (0..8).map(|_| chance.next_u64()).collect::<Vec<u64>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn every_number_below_the_limit_is_drawn() {
        let mut chance = Chance::new(7);
        let mut seen = [0; 5];
        (0..1000).for_each(|_| seen[chance.below(5) as usize] += 1);
        assert!(seen.iter().all(|&n| n > 120), "{seen:?}");
        assert_eq!(chance.below(0), 0);
    }

    #[test]
    fn a_hash_depends_on_every_byte() {
        assert_ne!(mix(0, b"red"), mix(0, b"rec"));
        assert_ne!(mix(0, b"red"), mix(1, b"red"));
    }
}
