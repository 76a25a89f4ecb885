//! The games that can be played: the only file of the server that names them.
//!
//! The binaries hand this table in; everything else finds a game by its name. Tested in `tests/tiny.rs`.

use zappy_game::GameSpec;

/// Games that can be played, the default one first.
pub type GameTable = &'static [GameSpec];

/// Every game, the default one first.
pub const GAMES: GameTable = &[zappy_game_zappy::SPEC, zappy_game_conquest::SPEC];
