//! The levels of play: opponents from weak to strong.
//!
//! An `easy` faction plays the stock logic of the rules' manual, an `expert` one has a plan of its own. All other
//! levels are one commander with different doctrines. Measured in `examples/conquest_levels.rs`, tested against each
//! other in `tests/conquest.rs`.

use super::easy::Easy;
use super::expert::Expert;
use super::plan::{Commander, Doctrine};
use super::view::Strategy;

/// How well a client plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum Level {
    /// Pioneers conquer what is next to them, workers seek resources, fighters attack
    Easy,
    /// Expands along the shortest frontier, keeps its base, and strikes with few
    Medium,
    /// Strikes late and together
    Hard,
    /// Takes land with all that it can feed, meets what comes near in crowds, strikes at open bases
    #[default]
    Expert,
    /// Goes for the enemy's base early, with clerics that convert its guards
    Raider,
}

impl Level {
    pub(super) fn strategy(self) -> Box<dyn Strategy> {
        match self {
            Level::Easy => Box::new(Easy),
            Level::Medium => Box::new(Commander::new(Doctrine::MEDIUM)),
            Level::Hard => Box::new(Commander::new(Doctrine::HARD)),
            Level::Raider => Box::new(Commander::new(Doctrine::RAIDER)),
            Level::Expert => Box::new(Expert::default()),
        }
    }
}
