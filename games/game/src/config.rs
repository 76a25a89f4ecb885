//! What a match is played with: plain, validated values.
//!
//! Comes from the command line or from a record's header; never reads either itself. Tested in this module.

use std::num::NonZeroU32;

use zappy_protocol::text::shown;
use zappy_protocol::{MapSize, TeamName, Tick};

/// The longest side of a map, in tiles.
pub const MAX_SIDE: u16 = 500;
/// How many teams a match may have at most.
pub const MAX_TEAMS: usize = 100;
/// Ticks per second unless another frequency is asked for.
pub const DEFAULT_FREQUENCY: NonZeroU32 = NonZeroU32::new(zappy_protocol::DEFAULT_FREQUENCY).unwrap();
/// The greatest frequency, in ticks per second.
pub const MAX_FREQUENCY: u32 = 100_000;

/// The last tick that a match may have, and that of a game in turns unless another one is asked for: 30,000 years at
/// 1,000 ticks per second.
pub const MAX_TICKS: Tick = 1_000_000_000_000_000;
/// The last tick of any other match unless one is asked for: more than a day at the greatest frequency.
pub const LAST_TICK: Tick = 10_000_000_000;

/// What makes the ticks of a match pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The clock on the wall: so many ticks per second.
    Real,
    /// The players: a tick passes when every player that can act has acted.
    Lockstep,
}

impl Clock {
    /// Its name on the command line, in records and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Clock::Real => "real",
            Clock::Lockstep => "lockstep",
        }
    }

    /// The clock of that name.
    pub fn parse(name: &str) -> Option<Clock> {
        [Clock::Real, Clock::Lockstep].into_iter().find(|clock| clock.name() == name)
    }
}

/// Whether observers are let in, and what they may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observers {
    /// No observer is let in.
    Off,
    /// They watch and can change nothing.
    ReadOnly,
    /// They may also change the frequency, unless the clock is lockstep.
    Control,
}

impl Observers {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Observers::Off => "off",
            Observers::ReadOnly => "read-only",
            Observers::Control => "control",
        }
    }

    /// The value of that name.
    pub fn parse(name: &str) -> Option<Observers> {
        [Observers::Off, Observers::ReadOnly, Observers::Control]
            .into_iter()
            .find(|known| known.name() == name)
    }
}

/// What every game's match is played with; the game's own options stand beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchConfig {
    /// The map, up to [`MAX_SIDE`] each way. A game without a map doesn't look at it.
    pub map: MapSize,
    /// 1 to [`MAX_TEAMS`] different names without blanks, none of them `GRAPHIC`, by which observers log in.
    pub teams: Vec<TeamName>,
    /// Ticks per second at the start, up to [`MAX_FREQUENCY`].
    pub frequency: NonZeroU32,
    /// Where all chance comes from.
    pub seed: u64,
    /// What makes time pass. In lockstep observers may not change the frequency.
    pub clock: Clock,
    /// Whether clients are let in without `/start`.
    pub auto_start: bool,
    /// The tick at which the match ends by itself, 1 to [`MAX_TICKS`]; `None`: at [`LAST_TICK`], in a game in turns at
    /// [`MAX_TICKS`].
    pub max_ticks: Option<Tick>,
    /// What observers may do. Has no effect on the match, so no record says it.
    pub observers: Observers,
    /// Whether messages to observers are made even while there is no observer, because they are recorded.
    pub publish: bool,
}

/// Why no match can be played with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// A number out of its range.
    #[error("{name} is {value}, the range is {least} to {most}")]
    Range {
        /// The setting, as error messages call it.
        name: &'static str,
        /// The value or name that was asked for.
        value: u64,
        /// The least value that is allowed.
        least: u64,
        /// The greatest value that is allowed.
        most: u64,
    },
    /// Two teams of one name.
    #[error("the team {0} is named twice; give each team a name of its own")]
    TwinTeams(TeamName),
    /// The name by which observers log in.
    #[error("no team can be called {0}: that is how observers log in")]
    ReservedTeam(TeamName),
    /// There is no game of that name.
    #[error("there is no game {}; the games are {known}", shown(name.as_bytes()))]
    NoGame {
        /// The value or name that was asked for.
        name: String,
        /// The names of the games that there are.
        known: String,
    },
    /// An option that the game doesn't have.
    #[error("the game {game} has no option {}; its options are {known}", shown(key.as_bytes()))]
    NoOption {
        /// The game that was asked for it.
        game: &'static str,
        /// The value or name that was asked for.
        key: String,
        /// The keys of the options that it has.
        known: String,
    },
    /// A value that an option can't have.
    #[error("{key} is {value:?}, {expected}")]
    Option {
        /// The key of the option.
        key: &'static str,
        /// The value or name that was asked for.
        value: String,
        /// The values that are allowed, in words.
        expected: String,
    },
    /// Values that are in their ranges but don't go together.
    #[error("{0}")]
    Together(String),
    /// A team's name with blanks: observers could not tell where the name ends.
    #[error("the team name {0:?} holds blanks, which observers can't read; use one word")]
    BlankInTeam(String),
}

impl MatchConfig {
    /// A match on that map between those teams, everything else as the command line has it by default; the
    /// seed is 0.
    pub fn new(map: MapSize, teams: Vec<TeamName>) -> MatchConfig {
        MatchConfig {
            map,
            teams,
            frequency: DEFAULT_FREQUENCY,
            seed: 0,
            clock: Clock::Real,
            auto_start: true,
            max_ticks: None,
            observers: Observers::Control,
            publish: false,
        }
    }

    /// The tick at which the match ends by itself, in a game that isn't played in turns.
    pub fn last_tick(&self) -> Tick {
        self.max_ticks.unwrap_or(LAST_TICK)
    }

    /// Checks everything that the types don't check.
    ///
    /// # Errors
    /// The first thing that is wrong, with its remedy.
    pub fn validate(&self) -> Result<(), BadConfig> {
        let range = |name, value: u64, most: u64| {
            let good = (1..=most).contains(&value);
            if good { Ok(()) } else { Err(BadConfig::Range { name, value, least: 1, most }) }
        };
        range("width", self.map.width().into(), MAX_SIDE.into())?;
        range("height", self.map.height().into(), MAX_SIDE.into())?;
        range("the number of teams", self.teams.len() as u64, MAX_TEAMS as u64)?;
        range("frequency", self.frequency.get().into(), MAX_FREQUENCY.into())?;
        range("the last tick", self.last_tick(), MAX_TICKS)?;
        for (i, team) in self.teams.iter().enumerate() {
            if team.as_str() == zappy_protocol::OBSERVER_NAME {
                return Err(BadConfig::ReservedTeam(team.clone()));
            }
            if self.teams[..i].contains(team) {
                return Err(BadConfig::TwinTeams(team.clone()));
            }
            if team.as_str().contains(char::is_whitespace) {
                return Err(BadConfig::BlankInTeam(team.to_string()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(teams: &[&str]) -> MatchConfig {
        let teams = teams.iter().map(|name| TeamName::parse(name.as_bytes()).unwrap()).collect();
        MatchConfig::new(MapSize::new(10, 10).unwrap(), teams)
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_refused() {
        assert_eq!(config(&["red", "blue"]).validate(), Ok(()));
        assert!(matches!(config(&["red", "red"]).validate(), Err(BadConfig::TwinTeams(_))));
        assert!(matches!(config(&["GRAPHIC"]).validate(), Err(BadConfig::ReservedTeam(_))));
        assert!(matches!(config(&["the reds"]).validate(), Err(BadConfig::BlankInTeam(_))));
    }

    #[test]
    fn ranges_are_named() {
        let error = config(&[]).validate().unwrap_err().to_string();
        assert_eq!(error, "the number of teams is 0, the range is 1 to 100");
        let mut big = config(&["red"]);
        big.map = MapSize::new(501, 10).unwrap();
        assert_eq!(big.validate().unwrap_err().to_string(), "width is 501, the range is 1 to 500");
    }
}
