//! Policies of the turn order: which players act, which of them begins, and which one follows.
//!
//! Plain values and one trait for policies in code; none of them keeps a state. Tested through `order`.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A player by its number, from 0.
pub type Player = usize;

/// Where a match stands, as policies see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Players of the match, also those that were removed.
    pub players: usize,
    /// Turns begun so far; 1 after the start.
    pub turn: u64,
    /// The players of this act in their order.
    pub play_order: Vec<Player>,
    /// The place of the current player in the order.
    pub pos: usize,
}

impl Standing {
    /// The index so many places further, around the ends.
    #[must_use]
    pub fn index(&self, further: i64) -> usize {
        let len = i64::try_from(self.play_order.len()).unwrap_or(i64::MAX).max(1);
        let pos = i64::try_from(self.pos).unwrap_or(0);
        usize::try_from((pos + further % len).rem_euclid(len)).unwrap_or(0)
    }
}

/// A policy that a game writes in code.
pub trait OwnPolicy: fmt::Debug {
    /// The order of the act that begins; `None`: all players by number.
    fn play_order(&self, _at: &Standing) -> Option<Vec<Player>> {
        None
    }

    /// The index that begins. The old order and position are still in `at`.
    fn first(&self, at: &Standing) -> usize;

    /// The index that follows; `None` ends the act.
    fn next(&self, at: &Standing) -> Option<usize>;
}

/// Which players act, which of them begins, and which one follows.
#[derive(Debug, Clone, Default)]
pub enum Policy {
    /// All by number; goes on behind the player that was last, also over the start of an act.
    #[default]
    Default,
    /// All by number; each act begins with the first.
    Reset,
    /// All by number; each act begins at the index at which the one before ended.
    Continue,
    /// All by number, once; then the act ends.
    Once,
    /// These players in this order, again and again.
    Custom(Vec<Player>),
    /// Those in a field of the game's state, read at each start of an act, again and again.
    CustomFrom(String),
    /// A policy that a game writes in code.
    Own(Arc<dyn OwnPolicy>),
}

impl Policy {
    /// The players of an act that begins; `field` reads a field of the game's state.
    pub(super) fn play_order(
        &self,
        at: &Standing,
        field: impl FnOnce(&str) -> Option<Vec<Player>>,
    ) -> Vec<Player> {
        let listed = match self {
            Policy::Default | Policy::Reset | Policy::Continue | Policy::Once => None,
            Policy::Custom(list) => Some(list.clone()),
            Policy::CustomFrom(name) => field(name),
            Policy::Own(own) => own.play_order(at),
        };
        listed.unwrap_or_else(|| (0..at.players).collect())
    }

    /// The index that begins; sees the old order and position.
    pub(super) fn first(&self, at: &Standing) -> usize {
        if at.play_order.is_empty() {
            return 0;
        }
        match self {
            Policy::Default if at.turn == 0 => at.pos,
            Policy::Default => at.index(1),
            Policy::Continue => at.pos,
            Policy::Reset | Policy::Once | Policy::Custom(_) | Policy::CustomFrom(_) => 0,
            Policy::Own(own) => own.first(at),
        }
    }

    /// The index that follows; `None` ends the act.
    pub(super) fn next(&self, at: &Standing) -> Option<usize> {
        match self {
            Policy::Once => Some(at.pos + 1).filter(|&next| next < at.play_order.len()),
            Policy::Own(own) => own.next(at),
            _ => Some(at.index(1)),
        }
    }
}
