//! The seeds that bots get: one for each team, from the match's own.
//!
//! All processes of a team get the same, so that it doesn't matter which of them gets which player. Depends on
//! the team's place, never on its name. Tested in this module.

/// The environment variable in which bots find theirs.
pub const SEED_VARIABLE: &str = "ZAPPY_SEED";

/// The seed of a team's bots: below 2^53, so that any language can hold it as a number.
#[must_use]
pub const fn bot_seed(match_seed: u64, team_index: usize) -> u64 {
    mix(mix(match_seed).wrapping_add(team_index as u64 + 1)) >> 11
}

/// SplitMix64: spreads every bit of the input over the whole output.
const fn mix(z: u64) -> u64 {
    let mut z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
        assert_eq!(bot_seed(42, 1), 4_022_505_963_573_781);
    }
}
