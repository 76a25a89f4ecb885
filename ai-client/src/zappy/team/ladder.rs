//! Whether a set of players can climb to the top together.
//!
//! The players of the lowest level climb first; on each level that they reach they go on together with the players
//! there. A group too small for its next step stays behind. Tested in this module.

use zappy_protocol::zappy::Level;
use zappy_protocol::zappy::constants::{ELEVATIONS, WINNING_PLAYERS};

/// How many newborns it takes beside players of these levels so that enough of them can reach the highest level.
pub fn newborns_needed(levels: &[Level]) -> usize {
    let at = |level: usize| levels.iter().filter(|l| usize::from(l.get()) == level).count();
    let can_win = |newborns: &usize| {
        let mut group = *newborns;
        for (i, elevation) in ELEVATIONS.iter().enumerate() {
            group += at(i + 1);
            if group < elevation.players {
                group = 0;
            }
        }
        group + at(usize::from(Level::MAX.get())) >= WINNING_PLAYERS
    };
    (0..WINNING_PLAYERS).find(can_win).unwrap_or(WINNING_PLAYERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(levels: &[u8], expected: usize) {
        let levels: Vec<Level> = levels.iter().map(|&l| Level::new(l).unwrap()).collect();
        assert_eq!(newborns_needed(&levels), expected, "{levels:?}");
    }

    #[test]
    fn it_takes_six_or_as_many_as_are_missing() {
        check(&[], 6);
        check(&[1], 5);
        check(&[1; 6], 0);
        check(&[8; 6], 0);
        check(&[5; 7], 0);
    }

    #[test]
    fn a_player_left_at_a_level_waits_for_others() {
        check(&[5; 5], 4);
        check(&[4; 5], 2);
        check(&[7; 5], 6);
        check(&[6, 6, 6, 6, 6, 5, 1], 3);
        check(&[3, 3, 2, 2, 1, 1], 0);
    }

    #[test]
    fn a_lone_latecomer_does_not_help() {
        check(&[4, 4, 4, 4, 4, 2], 1);
        check(&[4, 4, 4, 4, 4, 4, 2], 0);
    }
}
