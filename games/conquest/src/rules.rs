//! Rule sets: the questions in which `classic` and `arena` differ, and how each answers them.
//!
//! The rules ask by the question's name and never by the set's. Tested in `tests/arena.rs`.

use zappy_protocol::conquest::Edition;
use zappy_protocol::conquest::constants::{DESERTERS, LARGEST_LAND_TURNS, SIEGE_STRENGTH};

/// An answer to each question in which the rule sets differ.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleSet {
    /// How often must the current base of a living faction be neutralized until its tile is neutral?
    pub(super) siege: u32,
    /// Does a start come with a fort?
    pub(super) start_fort: bool,
    /// Does a converted unit take no orders at first, and can none be converted on its own current base?
    pub(super) loyalty: bool,
    /// How many units leave a faction that can't pay its upkeep?
    pub(super) deserters: usize,
    /// Does a side win that holds enough land for long enough?
    pub(super) dominion: bool,
    /// After how many turns does the largest land score one point more? `None`: never.
    pub(super) largest_land_turns: Option<u32>,
}

const CLASSIC: RuleSet = RuleSet {
    siege: 1,
    start_fort: false,
    loyalty: false,
    deserters: 0,
    dominion: false,
    largest_land_turns: None,
};

const ARENA: RuleSet = RuleSet {
    siege: SIEGE_STRENGTH,
    start_fort: true,
    loyalty: true,
    deserters: DESERTERS,
    dominion: true,
    largest_land_turns: Some(LARGEST_LAND_TURNS),
};

impl RuleSet {
    pub(super) const fn of(edition: Edition) -> RuleSet {
        match edition {
            Edition::Classic => CLASSIC,
            Edition::Arena => ARENA,
        }
    }
}
