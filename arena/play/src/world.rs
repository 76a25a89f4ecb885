//! What a match is played on: the game with its options, and the map.
//!
//! Knows the table of games that the program was started with, and no game by name. Tested where it is used, in
//! `arena/cli/tests/tiny.rs` and `arena/cli/tests/in_process.rs`.

use std::fmt;

use zappy_ai::agent::Agent;
use zappy_game::config::{BadConfig, MatchConfig};
use zappy_game::{GameSpec, Length, MatchSpec, find};
use zappy_protocol::{MapSize, TeamName, Tick};
use zappy_server::games::GameTable;

use crate::Error;
use crate::watch::Follow;

/// The games that can be played, and what the arena has for some of them.
#[derive(Debug, Clone, Copy)]
pub struct Games {
    /// The table; the first game is played if none is named.
    pub specs: GameTable,
    /// What the arena has for single games.
    pub guests: &'static [&'static Guest],
}

/// What the arena has for one game alone.
#[derive(Debug)]
pub struct Guest {
    pub game: &'static str,
    /// Options of the game with their help on the arena's command line, in the order of the help. The [`GameSpec`] has
    /// the words for its other options.
    pub options: &'static [(&'static str, &'static str)],
    /// The program that can play it in this process.
    pub program: &'static str,
    /// The levels of that program against which a bot is graded by default, the weakest first.
    pub levels: &'static [&'static str],
    /// Makes the players of a team in a match in this process.
    pub crew: Crew,
    /// Follows a match between these teams as an observer.
    pub follow: fn(&[TeamName]) -> Box<dyn Follow>,
}

/// Makes the players of one team; the error says what of the command can't be had in this process.
pub type Crew = fn(&Call<'_>) -> Result<Vec<Box<dyn Agent>>, String>;

/// A team's command as it would be started.
#[derive(Debug)]
pub struct Call<'a> {
    pub team: &'a TeamName,
    /// The command's words, the program first.
    pub words: &'a [String],
    pub seed: u64,
    /// How often the command would be started.
    pub starts: usize,
}

impl Games {
    /// The game of that name, or the first one if no name is given.
    pub fn find(self, name: Option<&str>) -> Result<&'static GameSpec, BadConfig> {
        find(self.specs, name.or(self.specs.first().map(|game| game.name)).unwrap_or_default())
    }

    /// What the arena has for a game.
    pub fn guest(self, game: &GameSpec) -> Option<&'static Guest> {
        self.guests.iter().find(|guest| guest.game == game.name).copied()
    }

    /// Whether that game is played if none is named.
    pub fn is_first(self, game: &GameSpec) -> bool {
        self.specs.first().is_some_and(|first| first.name == game.name)
    }

    /// The game of that name with these options on a map of these sides.
    ///
    /// # Errors
    /// There is no such game, or it has no such option.
    pub fn world<'a>(
        self,
        game: Option<&str>,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
        (width, height): (u16, u16),
    ) -> Result<World, Error> {
        let game = self.find(game)?;
        let map = MapSize::new(width, height).ok_or(Error::NoMap(width, height))?;
        let spec = MatchSpec::new(game, MatchConfig::new(map, Vec::new())).with(options)?;
        Ok(World::new(spec, self.guest(game)))
    }
}

/// The game, its options and the map.
#[derive(Debug, Clone)]
pub struct World {
    /// The game with its options, and the map, without teams. Everything else is the default, or in a resumed match
    /// what the record says.
    pub spec: MatchSpec,
    /// What the arena has for the game.
    pub guest: Option<&'static Guest>,
    /// The players that each team has room for at the start.
    pub slots: usize,
}

impl World {
    /// The world of that match without its teams; [`World::check`] says whether some teams can play in it.
    pub fn new(spec: MatchSpec, guest: Option<&'static Guest>) -> World {
        let slots = (spec.game.slots)(&spec.options);
        World { spec, guest, slots }
    }

    /// Whether these teams can play in it: options may name teams, and a map has room for so many.
    pub fn check(&self, teams: Vec<TeamName>) -> Result<(), BadConfig> {
        self.game(teams).begin().map(drop)
    }

    /// Ticks per second: the game's own, or those that were asked for, or the default.
    ///
    /// # Errors
    /// Another rate than the game's own was asked for.
    pub fn rate(&self, asked: Option<u32>) -> Result<u32, Error> {
        match (self.spec.game.rate.map(u32::from), asked) {
            (Some(own), Some(asked)) if own != asked => Err(Error::OwnRate(self.spec.game.name, own)),
            (own, asked) => Ok(own.or(asked).unwrap_or(zappy_protocol::DEFAULT_FREQUENCY)),
        }
    }

    /// The tick at which a match between so many teams ends, unless another one is asked for.
    pub fn max_ticks(&self, teams: usize) -> Tick {
        (self.spec.game.max_ticks)(&self.spec.options, teams)
    }

    /// How long a match between so many teams lasts at most, if it ends at that tick at the latest.
    pub fn max_length(&self, max_ticks: Tick, teams: usize) -> Length {
        if max_ticks < self.max_ticks(teams) {
            return Length::Ticks(max_ticks);
        }
        Length::most(&self.spec.options, max_ticks)
    }

    /// The match between these teams in this world.
    pub fn game(&self, teams: Vec<TeamName>) -> MatchSpec {
        let config = MatchConfig { teams, ..self.spec.config.clone() };
        MatchSpec { config, ..self.spec.clone() }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchSpec { game, config, options } = &self.spec;
        write!(f, "{}x{}", config.map.width(), config.map.height())?;
        for option in game.options {
            let value = options.get(option.key);
            // The number of slots is shown beside this text, so the option that sets it is left out.
            let is_slots = || {
                let without = self.spec.clone().with([(option.key, option.default)]);
                value == self.slots.to_string()
                    && without.is_ok_and(|without| (game.slots)(&without.options) != self.slots)
            };
            if value != option.default && !is_slots() {
                write!(f, ", {value} {}", option.key)?;
            }
        }
        Ok(())
    }
}
