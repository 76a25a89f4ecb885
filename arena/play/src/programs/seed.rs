//! The seeds that bots get: one for each team, from the match's own.
//!
//! All processes of a team get the same, so that it doesn't matter which of them gets which player. Depends on
//! the team's place, never on its name. Tested in this module.

use sha2::{Digest as _, Sha256};

/// The environment variable in which bots find which game is played.
pub const GAME_VARIABLE: &str = "ZAPPY_GAME";
/// The environment variable in which bots find their seed.
pub const SEED_VARIABLE: &str = "ZAPPY_SEED";

/// The domain of the hash, which keeps it apart from other uses of the seed.
const PURPOSE: &[u8] = b"zappy_arena bot seed ";

/// The seed of a team's bots: below 2^53, so that any language can hold it as a number.
///
/// A team may seal its words with it, so it tells nothing of the seeds of the others, as long as the match's can't
/// be guessed.
pub fn bot_seed(match_seed: u64, team_index: usize) -> u64 {
    let hash = Sha256::new().chain_update(PURPOSE).chain_update(match_seed.to_le_bytes());
    let hash = hash.chain_update((team_index as u64).to_le_bytes()).finalize();
    hash.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte)) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_and_matches_get_seeds_of_their_own_that_never_change() {
        let mut seeds: Vec<u64> =
            (0..20).flat_map(|seed| (0..10).map(move |team| bot_seed(seed, team))).collect();
        assert!(seeds.iter().all(|&seed| seed < 1 << 53));
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 200);
        assert_eq!(bot_seed(42, 1), 8_045_916_886_964_806);
    }
}
