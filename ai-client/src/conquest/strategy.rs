//! What decides for a faction, whatever its level.
//!
//! Tested through `agent`.

use std::fmt::Debug;

use zappy_protocol::conquest::player::Order;

use super::view::View;
use crate::chance::Chance;

/// What decides for a faction.
pub(super) trait Strategy: Debug + Send {
    /// The orders of a turn.
    fn decide(&mut self, view: &View, chance: &mut Chance) -> Vec<Order>;
}
