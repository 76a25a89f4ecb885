//! Policies of the turn order: which players act, which of them begins, and which one follows.
//!
//! Plain values; what a game decides itself is asked of [`OrderRules`](super::order::OrderRules). Tested through
//! `order`.

/// A player by its number, from 0.
pub type Player = usize;

/// The order of an act: its players, and how the turn goes from one to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The players of an act that begins.
    pub players: Players,
    /// Which of them begins, and which one follows.
    pub step: Succession,
}

impl Policy {
    /// All players in the order of their numbers.
    pub const fn all(step: Succession) -> Policy {
        Policy { players: Players::All, step }
    }

    /// These players in this order.
    pub const fn listed(players: Vec<Player>, step: Succession) -> Policy {
        Policy { players: Players::List(players), step }
    }
}

/// Which players an act has, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Players {
    /// All players in the order of their numbers.
    #[default]
    All,
    /// These players in this order.
    List(Vec<Player>),
    /// The players in a field of the game's state, which is read at each start of an act.
    Field(String),
}

/// Which player of an act begins, and which one follows. All but `Once` and `Own` go round again and again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Succession {
    /// Goes on behind the player that was last, also over the start of an act.
    #[default]
    Default,
    /// Each act begins with its first player.
    Reset,
    /// Each act begins at the index at which the act before ended.
    Continue,
    /// Begins with the first player; after the last player the act ends.
    Once,
    /// The game itself says which player begins and which follows, in [`super::order::OrderRules`].
    Own,
}
