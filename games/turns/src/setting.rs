//! How a match in turns is to be played: which factions act together, in which order, and for how long.
//!
//! Plain values; makes the acts that the turn order needs. Tested through `engine`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::order::{Act, Acts, Turns};
use super::policy::{OwnPolicy, Player, Policy, Standing};
use zappy_game::chance::Chance;

/// The act in which factions choose where they begin.
pub const PLACEMENT: &str = "placement";
/// The act that every turn is.
pub const WAR: &str = "war";

/// The purpose of the engine's draws. A game numbers its own from 0; this lies far beyond.
const SEQUENCE: u64 = 1_000;

/// Which factions act in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// All factions act at the same time.
    Concurrent,
    /// One faction acts after the other.
    Players,
    /// One alliance acts after the other.
    Alliances,
}

/// How a match ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The game's rules say that it is decided, for this reason.
    Decided(&'static str),
    /// No faction is left.
    Draw,
    /// One faction or one alliance is left.
    Last,
    /// The last turn was played.
    Turns,
    /// The operator ended the match.
    Stopped,
    /// The host's time for matches is over.
    Time,
}

/// How a match in turns is to be played.
#[derive(Debug, Clone)]
pub struct Setting {
    /// How many factions there are, at least 1.
    pub factions: usize,
    /// The alliances. A faction that is in none is one of its own.
    pub alliances: Vec<Vec<Player>>,
    /// Which factions act in one phase, at the start.
    pub mode: Mode,
    /// The order of the factions in mode players.
    pub policy: Policy,
    /// Another order, for modes players and alliances, in which each turn begins with the group that acted last; empty: the
    /// policy's.
    pub lot: Vec<Player>,
    /// Where the drawn sequences come from.
    pub seed: u64,
    /// The number of the last turn.
    pub turns: u32,
    /// The time of a phase, in ticks; 0: no limit by the real clock.
    pub turn_time: u64,
    /// Whether time passes by the factions alone: a phase always lasts its time, and that is no time to wait for.
    pub lockstep: bool,
    /// Whether a phase lasts its time even if all its factions are done.
    pub fixed_length: bool,
    /// Whether factions that are gone are waited for.
    pub wait_for_absent: bool,
    /// The order in which factions choose where they begin, in an act before the first turn; empty: there is none.
    pub draft: Vec<Player>,
    /// After how many turns a checkpoint is due; 0: never.
    pub checkpoint_every: u32,
}

impl Setting {
    /// A concurrent match of that many factions, without limits of time or turns.
    #[must_use]
    pub fn new(factions: usize) -> Setting {
        Setting {
            factions,
            alliances: Vec::new(),
            mode: Mode::Concurrent,
            policy: Policy::Default,
            lot: Vec::new(),
            seed: 0,
            turns: u32::MAX,
            turn_time: 0,
            lockstep: false,
            fixed_length: false,
            wait_for_absent: false,
            draft: Vec::new(),
            checkpoint_every: 0,
        }
    }

    /// The alliances in the order of their first members, factions without allies among them.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<Player>> {
        let mut groups: Vec<Vec<Player>> = self.alliances.clone();
        let alone =
            (0..self.factions).filter(|faction| !self.alliances.iter().any(|one| one.contains(faction)));
        groups.extend(alone.map(|faction| vec![faction]));
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        groups
    }

    /// How a match ends in which these factions are left: if there are none, or only a single alliance that has beaten the
    /// others.
    #[must_use]
    pub fn last_left(&self, alive: impl Fn(Player) -> bool) -> Option<Ending> {
        let left: Vec<Player> = (0..self.factions).filter(|&faction| alive(faction)).collect();
        let Some(&first) = left.first() else { return Some(Ending::Draw) };
        let allies = self.group(Mode::Alliances, first);
        let alone = left.iter().all(|faction| allies.contains(faction));
        (alone && left.len() < self.factions).then_some(Ending::Last)
    }

    /// The factions that act together with that one.
    pub(super) fn group(&self, mode: Mode, first: Player) -> Vec<Player> {
        match mode {
            Mode::Concurrent => (0..self.factions).collect(),
            Mode::Players => vec![first],
            Mode::Alliances => {
                self.groups().into_iter().find(|group| group.contains(&first)).unwrap_or_default()
            }
        }
    }

    /// The acts of a match in that mode. In the order of an act stands the first faction of each group.
    pub(super) fn acts(&self, mode: Mode) -> Acts {
        let firsts = || -> Vec<Player> {
            let mut firsts: Vec<Player> =
                self.groups().iter().filter_map(|group| group.first().copied()).collect();
            firsts.sort_by_key(|first| self.lot.iter().position(|faction| faction == first));
            firsts
        };
        let listed = |list, once| Policy::Own(Arc::new(Listed { list, once }));
        let war = match (mode, &self.policy) {
            (Mode::Concurrent, _) => Policy::Custom(vec![0]),
            (Mode::Players, _) if !self.lot.is_empty() => listed(self.lot.clone(), false),
            (Mode::Alliances, _) if !self.lot.is_empty() => listed(firsts(), false),
            (Mode::Players, policy) => policy.clone(),
            (Mode::Alliances, _) => Policy::Custom(firsts()),
        };
        let placement = listed(self.draft.clone(), true);
        let act = |policy| Act { next: None, turns: Some(Turns { policy, ..Turns::default() }) };
        let acts = [(PLACEMENT.to_owned(), act(placement)), (WAR.to_owned(), act(war))];
        let start = if self.draft.is_empty() { WAR } else { PLACEMENT };
        Acts { turns: Turns::default(), acts: acts.into(), start: Some(start.to_owned()) }
    }

    /// The sequence of all factions for a concurrent turn.
    pub(super) fn draw_sequence(&self, turn: u32) -> Vec<Player> {
        let mut sequence: Vec<Player> = (0..self.factions).collect();
        Chance::new(self.seed, SEQUENCE, turn.into(), 0).shuffle(&mut sequence);
        sequence
    }
}

/// `once` or `continue` in a given order.
#[derive(Debug)]
struct Listed {
    list: Vec<Player>,
    once: bool,
}

impl Listed {
    const fn like(&self) -> Policy {
        if self.once { Policy::Once } else { Policy::Continue }
    }
}

impl OwnPolicy for Listed {
    fn play_order(&self, _at: &Standing) -> Option<Vec<Player>> {
        Some(self.list.clone())
    }

    fn first(&self, at: &Standing) -> usize {
        self.like().first(at)
    }

    fn next(&self, at: &Standing) -> Option<usize> {
        self.like().next(at)
    }
}
