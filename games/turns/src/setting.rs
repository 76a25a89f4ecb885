//! How a match in turns is to be played: which players act together, in which order, and for how long.
//!
//! Plain values; makes the acts that the turn order needs. Tested through `engine`.

use super::order::{Act, Acts, Turns};
use super::policy::{Player, Policy, Succession};

/// The act in which players act one after another before the first turn.
pub const OPENING: &str = "opening";
/// The act that each turn of the match is played as.
pub const TURN: &str = "turn";

/// Which players act in one phase of a turn, and in which order the phases come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Phases {
    /// A single phase of all, in a sequence that is drawn for each turn.
    #[default]
    Together,
    /// One player after the other.
    Each(Policy),
    /// One of these groups after the other. Every player is in one of them, and the policy lists the first of each.
    Groups(Vec<Vec<Player>>, Policy),
}

/// Why a match in turns ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The game's rules say that it is decided, for this reason.
    Decided(&'static str),
    /// No player is left alive.
    Draw,
    /// Only players are left that win together.
    Last,
    /// The last turn was played.
    Turns,
    /// The operator ended the match.
    Stopped,
    /// The last tick of the match was reached.
    Time,
}

/// How a match in turns is to be played.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// How many players there are, at least 1.
    pub players: usize,
    /// The phases of a turn.
    pub phases: Phases,
    /// The seed from which the sequences of [`Phases::Together`] are drawn.
    pub seed: u64,
    /// The number of the last turn.
    pub turns: u32,
    /// The time of a phase, in ticks; 0: no limit by the real clock.
    pub turn_time: u64,
    /// Whether the clock is lockstep: then a phase always lasts all of its ticks, which pass as soon as all players
    /// have acted.
    pub lockstep: bool,
    /// Whether a phase lasts its time even if all its players are done.
    pub fixed_length: bool,
    /// Whether players that are gone are waited for.
    pub wait_for_absent: bool,
    /// The players that act one after another before the first turn; empty: there is no such act.
    pub opening: Vec<Player>,
}

impl Setting {
    /// A match of that many players that act together, without limits of time or turns.
    pub fn new(players: usize) -> Setting {
        Setting { players, turns: u32::MAX, ..Setting::default() }
    }

    /// The acts of a match. The order of the act [`TURN`] has the first player of each group.
    pub(super) fn acts(&self) -> Acts {
        let turn = match &self.phases {
            Phases::Together => Policy::listed(vec![0], Succession::Reset),
            Phases::Each(policy) | Phases::Groups(_, policy) => policy.clone(),
        };
        let opening = Policy::listed(self.opening.clone(), Succession::Once);
        let act = |policy| Act { next: None, turns: Some(Turns { policy, ..Turns::default() }) };
        let acts = [(OPENING.to_owned(), act(opening)), (TURN.to_owned(), act(turn))];
        let start = if self.opening.is_empty() { TURN } else { OPENING };
        Acts { turns: Turns::default(), acts: acts.into(), start: Some(start.to_owned()) }
    }

    /// The players that act together with this one, itself included.
    pub(super) fn group(&self, first: Player) -> Vec<Player> {
        match &self.phases {
            Phases::Together => (0..self.players).collect(),
            Phases::Each(_) => vec![first],
            Phases::Groups(groups, _) => {
                groups.iter().find(|group| group.contains(&first)).cloned().unwrap_or_default()
            }
        }
    }
}
