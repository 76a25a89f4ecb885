//! A city's own state.
//!
//! Knows no world: the world knows the assigned tiles' terrain and buildings. Tested through the rules.

use std::collections::BTreeSet;

use zappy_protocol::Position;
use zappy_protocol::conquest::constants::START_CITIZENS;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct City {
    /// Its own citizens; each house that is assigned adds one.
    pub(super) citizens: u32,
    /// The tiles assigned to it.
    pub(super) tiles: BTreeSet<Position>,
}

impl Default for City {
    fn default() -> City {
        City { citizens: START_CITIZENS, tiles: BTreeSet::new() }
    }
}
