//! What a match is played on: the map, the places on it, and the rules.
//!
//! The same flags wherever a match is asked for. Tested where they are used, in `tests/match_cli.rs` and
//! `tests/in_process.rs`.

use std::fmt;

use clap::{Args, value_parser};
use zappy_protocol::{MapSize, TeamName};
use zappy_server::config::{MAX_SIDE, MatchConfig};
use zappy_server::game::MatchSpec;
use zappy_server::zappy::{MAX_SLOTS, RuleSet, ZappyOptions};

use crate::Error;

/// The map, the places on it, and the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub struct World {
    /// Width of the map
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    pub width: u16,
    /// Height of the map
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u16).range(1..=i64::from(MAX_SIDE)))]
    pub height: u16,
    /// Slots per team at the start
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u32).range(1..=i64::from(MAX_SLOTS)))]
    pub clients: u32,
    /// Which rules are played: reference, as the reference server plays; strict, see protocol.md
    #[arg(long, value_name = "RULES", default_value = "reference", value_parser = rules)]
    pub rules: RuleSet,
}

impl World {
    /// The game of these teams on it, everything else being as by default.
    ///
    /// # Errors
    /// There is no such map.
    pub fn game(&self, teams: Vec<TeamName>) -> Result<MatchSpec, Error> {
        let size = MapSize::new(self.width, self.height).ok_or(Error::NoMap(self.width, self.height))?;
        let options = ZappyOptions { slots: self.clients, rules: self.rules, ..ZappyOptions::default() };
        Ok(options.spec(MatchConfig::new(size, teams))?)
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = if self.rules == RuleSet::Strict { ", strict rules" } else { "" };
        write!(f, "{}x{}{rules}", self.width, self.height)
    }
}

fn rules(text: &str) -> Result<RuleSet, String> {
    RuleSet::parse(text).ok_or_else(|| "the rules are reference and strict".to_owned())
}
