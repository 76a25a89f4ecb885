//! The options of a match as both dialects write them.
//!
//! Doesn't check whether such a match can be played. Tested through the dialects.

use std::io::Write as _;

use crate::messages::Carried;
use crate::text::number;
use crate::types::TeamName;
use crate::words::{Words, or_none};

use super::constants::{DEFAULT_TURN_TIME, DEFAULT_TURNS};
use super::types::{Edition, FactionId, Mode, Placement};
use super::words::Conquest;

/// The options of a match as lines write them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameOptions {
    /// The factions in the order of their numbers.
    pub factions: Vec<TeamName>,
    pub cities: bool,
    /// Which of the two rule sets is played.
    pub rules: Edition,
    /// Which factions act in one phase at the start; while the match goes on, the operator may change it.
    pub mode: Mode,
    pub turns: u32,
    /// The time of a phase in milliseconds; 0: no limit.
    pub time: u32,
    /// How factions come to their starts.
    pub placement: Placement,
    /// The alliances of two or more factions, each ascending.
    pub alliances: Vec<Vec<FactionId>>,
}

impl GameOptions {
    /// A match between these factions, everything else by default.
    pub fn new(factions: Vec<TeamName>) -> GameOptions {
        GameOptions {
            factions,
            cities: false,
            rules: Edition::Classic,
            mode: Mode::Concurrent,
            turns: DEFAULT_TURNS,
            time: DEFAULT_TURN_TIME,
            placement: Placement::Random,
            alliances: Vec::new(),
        }
    }

    /// The faction of that name.
    pub fn faction(&self, name: &[u8]) -> Option<FactionId> {
        let index = self.factions.iter().position(|known| known.as_str().as_bytes() == name)?;
        u8::try_from(index).ok().map(FactionId)
    }
}

impl Carried<Conquest> for GameOptions {
    fn read(words: &mut Words<'_>) -> Option<GameOptions> {
        let switch = |word: &[u8]| match word {
            b"on" => Some(true),
            b"off" => Some(false),
            _ => None,
        };
        let names =
            |word: &[u8]| word.split(|&byte| byte == b',').map(TeamName::parse).collect::<Option<Vec<_>>>();
        let mut options = GameOptions::new(words.keyed("factions", names)?);
        options.cities = words.keyed("cities", switch)?;
        // Version 1 of the rules had one rule set.
        if words.starts_with("rules") {
            options.rules = words.keyed("rules", Edition::parse)?;
        }
        options.mode = words.keyed("mode", Mode::parse)?;
        options.turns = words.keyed("turns", number)?;
        options.time = words.keyed("time", number)?;
        options.placement = words.keyed("placement", Placement::parse)?;
        let members =
            |one: &[u8]| one.split(|&byte| byte == b',').map(|name| options.faction(name)).collect();
        let alliances = |word: &[u8]| word.split(|&byte| byte == b';').map(members).collect();
        options.alliances = words.keyed("alliances", or_none(alliances))?.unwrap_or_default();
        Some(options)
    }

    fn print(&self, out: &mut Vec<u8>) {
        let names: Vec<&str> = self.factions.iter().map(TeamName::as_str).collect();
        let name = |&id: &FactionId| names.get(id.index()).copied().unwrap_or_default();
        let members = |one: &Vec<FactionId>| one.iter().map(name).collect::<Vec<_>>().join(",");
        let mut alliances = self.alliances.iter().map(members).collect::<Vec<_>>().join(";");
        if alliances.is_empty() {
            alliances.push('-');
        }
        // Writing to a vector cannot fail.
        let _ = write!(
            out,
            " factions {} cities {} rules {} mode {} turns {} time {} placement {} alliances {alliances}",
            names.join(","),
            if self.cities { "on" } else { "off" },
            self.rules,
            self.mode,
            self.turns,
            self.time,
            self.placement,
        );
    }
}
