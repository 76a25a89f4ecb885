//! The parts of a turn order: acts with their settings, active sets, events, and reasons why a step is refused.
//!
//! Plain values. Tested through `order`.

use std::collections::BTreeMap;

use super::policy::{Player, Policy};

/// How turns go in an act. An act with settings of its own takes none of the global ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// In which order the members play.
    pub policy: Policy,
    /// Counted moves before which `EndTurn` does nothing; 0: none are needed.
    pub min: u32,
    /// Counted moves after which the turn ends by itself; 0: no limit.
    pub max: u32,
    /// The active set with which each turn begins.
    pub active: Option<ActiveSet>,
}

/// A named part of the match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Act {
    /// The act that follows, if nothing else is named; `None`: no act.
    pub next: Option<String>,
    /// Its own settings; `None`: the global ones.
    pub turns: Option<Turns>,
}

/// The acts of a match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acts {
    /// The settings outside of acts and of acts without their own.
    pub turns: Turns,
    /// The acts of the game by their names.
    pub acts: BTreeMap<String, Act>,
    /// The act with which the match begins; `None`: no act.
    pub start: Option<String>,
}

impl Acts {
    pub(super) fn turns(&self, act: Option<&str>) -> &Turns {
        act.and_then(|name| self.acts.get(name)).and_then(|act| act.turns.as_ref()).unwrap_or(&self.turns)
    }
}

/// Which players an active set has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Members {
    /// All players of the act's order.
    All,
    /// All players of the act's order but the current one.
    Others,
    /// These players and no others.
    List(Vec<Player>),
}

/// An active set that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSet {
    /// The players that are in it.
    pub members: Members,
    /// What holds for each of them.
    pub member: Active,
}

impl ActiveSet {
    /// A set without a word or limits.
    pub const fn of(members: Members) -> ActiveSet {
        ActiveSet { members, member: Active { word: None, min: 0, max: 0 } }
    }

    /// A set in which each player moves once.
    pub const fn once(members: Members) -> ActiveSet {
        ActiveSet { members, member: Active { word: None, min: 1, max: 1 } }
    }
}

/// A member of the active set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The game's word for what the player is to do; the turn order doesn't look at it.
    pub word: Option<String>,
    /// Counted moves that the player should make; shown, not enforced. 0: no minimum.
    pub min: u32,
    /// Counted moves after which the player leaves the set; 0: no limit.
    pub max: u32,
}

/// The end of an act or a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End<T> {
    /// The act or the player that follows; `None`: the one that follows in the ordinary way.
    pub next: Option<T>,
}

/// A request of a player beside its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The turn ends; then this player has its turn, or if `None` the one that follows in the ordinary way.
    EndTurn(Option<Player>),
    /// The turn ends whatever minimum there is. If true, the current player leaves the order of this act.
    Pass(bool),
    /// The act ends; what follows is decided in the ordinary way.
    EndAct,
    /// The act ends, and the one of that name begins.
    SetAct(String),
    /// Only the players of this set act from now on; a set without players ends the restriction.
    SetActive(ActiveSet),
    /// The match ends, with this word.
    EndMatch(String),
}

/// What happens within a step, one after the other.
pub(super) enum Doing {
    /// The match, or an act, is about to begin.
    EnterAct,
    /// A turn begins; if true it is an act's first.
    StartTurn(bool),
    /// A move was made, or the active set changed.
    Moved,
    /// A turn ends, also before its minimum if `force`; if `remove` its player leaves the act's order.
    EndTurn {
        next: Option<Player>,
        force: bool,
        remove: bool,
    },
    /// Goes on to the next turn; `stay`: at the same index, since the player at it has left the order.
    UpdateTurn {
        next: Option<Player>,
        stay: bool,
    },
    EndAct(Option<String>),
    /// Goes on from the first act to the second one, or if that is `None` to the one that follows in the ordinary way.
    UpdateAct(Option<String>, Option<String>),
    EndMatch(String),
}

/// Why a step isn't allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The match has ended already.
    #[error("the match is over")]
    Over,
    /// The player may not act now.
    #[error("it is not this player's turn")]
    Inactive,
    /// The player isn't in the order, or not in the match.
    #[error("no such player is in the order")]
    NoPlayer,
    /// The match has no such act.
    #[error("there is no such act")]
    NoAct,
}
