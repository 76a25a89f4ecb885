//! The table of games that bots are checked for, each with its situations.
//!
//! Tested in `arena/check/src/lib.rs` and in `arena/cli/tests/check.rs`.

use super::{Situation, conquest, zappy};

/// A game that bots are checked for.
#[derive(Debug)]
pub struct CheckedGame {
    pub name: &'static str,
    /// Its situations, in the order in which they are tried.
    pub situations: &'static [Situation],
}

/// The games that bots are checked for.
pub static GAMES: &[CheckedGame] = &[
    CheckedGame { name: zappy_game_zappy::SPEC.name, situations: zappy::ALL },
    CheckedGame { name: zappy_game_conquest::SPEC.name, situations: conquest::ALL },
];
