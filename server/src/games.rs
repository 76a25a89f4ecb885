//! The games that this house plays: the only file that names them.
//!
//! The binaries hand this table in; everything else finds a game by its name.

use crate::game::GameSpec;

/// Every game, the default one first.
pub const GAMES: &[GameSpec] = &[crate::zappy::SPEC, crate::conquest::SPEC];
