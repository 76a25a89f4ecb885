//! The seeds of a plan: open ones, for experiments, or sealed ones, which no bot can know before its match is over.
//!
//! A sealed seed has 64 bits of the system's chance. The plan names its hash alone; the seed lies in a file of its own
//! that only the user of the arena may read, hidden from every sandbox, until the result of a match tells it. Tested in
//! this module and in `arena/cli/tests/tournament/seeds.rs`.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use zappy_play::signature::hash;

/// The file from which the system's random bytes are read.
pub(super) const RANDOM_DEVICE: &str = "/dev/urandom";
/// The hash of a seed begins with these bytes, so that it is no hash for another purpose.
const PURPOSE: &[u8] = b"zappy_arena match seed ";

/// The seeds that each set of bots plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seeds {
    /// Every program may know them.
    Open(Range<u64>),
    /// Only the result of a match tells its seed.
    Sealed(Vec<u64>),
}

impl Seeds {
    /// Draws `count` sealed seeds.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn draw(count: u64) -> io::Result<Seeds> {
        let mut device = File::open(RANDOM_DEVICE)?;
        let mut bytes = [0; 8];
        let drawn = (0..count).map(|_| device.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes)));
        Ok(Seeds::Sealed(drawn.collect::<io::Result<_>>()?))
    }

    pub fn count(&self) -> u64 {
        match self {
            Seeds::Open(range) => range.end - range.start,
            Seeds::Sealed(seeds) => seeds.len() as u64,
        }
    }

    /// The sealed seeds themselves; empty if the seeds are open.
    pub fn sealed(&self) -> &[u64] {
        if let Seeds::Sealed(seeds) = self { seeds } else { &[] }
    }

    /// The seeds as a plan names them.
    pub fn iter(&self) -> impl Iterator<Item = Seed> {
        let range = if let Seeds::Open(range) = self { range.clone() } else { 0..0 };
        range.map(Seed::Open).chain(self.sealed().iter().map(|seed| Seed::Sealed(seal(*seed))))
    }
}

/// A seed as a plan names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seed {
    Open(u64),
    /// The seed's hash, which [`seal`] gives.
    Sealed(String),
}

impl Seed {
    /// The bytes that stand for this seed in another hash.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Seed::Open(seed) => seed.to_le_bytes().into(),
            Seed::Sealed(hash) => hash.clone().into_bytes(),
        }
    }
}

/// The hash that a plan names instead of a seed: 64 hexadecimal digits of SHA-256.
pub fn seal(seed: u64) -> String {
    hash(&[PURPOSE, &seed.to_le_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_seeds_differ_and_only_their_hashes_are_named() {
        let drawn = Seeds::draw(64).unwrap();
        let Seeds::Sealed(seeds) = &drawn else { panic!("{drawn:?}") };
        let mut different = seeds.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 64);
        // Each of the 64 bits is set in some seed and unset in another: chance breaks this once in 2^57 times.
        assert_eq!(seeds.iter().fold(0, |all, seed| all | seed), u64::MAX);
        assert_eq!(seeds.iter().fold(u64::MAX, |all, seed| all & seed), 0);
        assert!(drawn.iter().zip(seeds).all(|(named, seed)| named == Seed::Sealed(seal(*seed))));
        assert_ne!(drawn, Seeds::draw(64).unwrap());
    }

    #[test]
    fn a_seal_never_changes() {
        assert_eq!(seal(42).len(), 64);
        assert_ne!(seal(42), seal(43));
    }

    #[test]
    fn open_seeds_follow_each_other() {
        assert_eq!(Seeds::Open(7..9).iter().collect::<Vec<_>>(), [Seed::Open(7), Seed::Open(8)]);
    }
}
